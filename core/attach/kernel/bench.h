/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Probes on code of our own: what this kernel makes of a probe on each kind of
 * instruction, and what an event costs there. The programs are the real ones, with a g and a
 * ring buffer of the bench's own, so nothing reaches a trace.
 */
#ifndef GOTRACE_BENCH_H
#define GOTRACE_BENCH_H

#include <stdbool.h>
#include <stdint.h>

#include "attach/probes/probes.h"

/* Places to probe, each an instruction of its own function. */
enum bench_site {
	BENCH_PUSH,
	BENCH_JUMP,
	BENCH_NOP5,  /* 0f 1f 44 00 00: Linux 6.18 rewrites a probed one to a call */
	BENCH_NOP10, /* 66 2e 0f 1f 84 ...: so does 7.2; others refuse its segment prefix */
	BENCH_STEP,  /* a RET, which no kernel emulates */
	BENCH_RET,   /* a RET that the program may perform */
	BENCH_SITES,
};
#define BENCH_BIT(site) (1u << (site))

struct bench {
	struct probes probes;
	enum attach_kind kind;
	struct bpf_link *link[BENCH_SITES];
	unsigned n_links;
	struct ring_buffer *rings;
	uint64_t events;            /* that the calls so far have made */
	uint64_t g[G_READ_MAX / 8]; /* what the programs take for a goroutine */
};

/* Loads the programs. `perform_ret`: the one that returns in the kernel's stead, which not
 * every kernel takes. 0 or -errno; logs nothing. To be closed in either case. */
int bench_open(struct bench *b, enum attach_kind kind, bool perform_ret);

/* Probes the sites of `mask` (BENCH_BIT): one link for all with uprobe_multi, each its own with
 * perf events. 0 or -errno when the kernel refuses one of them. */
int bench_attach(struct bench *b, unsigned mask);

/* Whether the program alone performs the RET at BENCH_RET: one word taken off the stack, and no
 * instruction stepped. Only before anything else was stepped in this process. */
bool bench_performs_ret(struct bench *b);
/* Whether a thread that is not the process's first makes events. */
bool bench_sees_threads(struct bench *b);
/* Nanoseconds of a probe at `site`, event recorded: median of rounds of `calls` calls. 0 when not
 * every call made an event: such a probe is of no use. */
uint64_t bench_time(struct bench *b, enum bench_site site, unsigned calls);
/* Whether the kernel has made a call of the instruction at `site`; it does so at its first hit. */
bool bench_became_call(enum bench_site site);

/* Takes the links down, which waits for a grace period each. */
void bench_close(struct bench *b);

/* Whether a program may change the registers of the probed process: asks the verifier. 0 or -errno.
 */
int bench_try_regs_write(void);

#endif
