/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Probes our own process: how this kernel executes a probe on each kind of instruction, and what an
 * event costs there. The BPF programs are the real ones, but have a g and ring buffers of the
 * bench's own, so nothing reaches a trace.
 */
#ifndef GOTRACE_BENCH_H
#define GOTRACE_BENCH_H

#include <stdbool.h>
#include <stdint.h>

#include "attach/probes/probes.h"

/* What can be probed: each is an instruction of a separate function. */
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
	uint64_t events;            /* recorded so far */
	uint64_t last_ns;           /* time stamp of the last of them */
	uint64_t g[G_READ_MAX / 8]; /* in place of a goroutine's g */
};

/* Loads the programs. `perform_ret`: those that perform RETs, which not every kernel
 * accepts. 0 or -errno; logs nothing. To be closed in either case. */
int bench_open(struct bench *b, enum attach_kind kind, bool perform_ret);

/* Probes the sites of `mask` (BENCH_BIT): one link for all with uprobe_multi, each its own with
 * perf events. 0 or -errno when the kernel refuses one of them. */
int bench_attach(struct bench *b, unsigned mask);

/* Whether the BPF program performs the RET at BENCH_RET: one word is popped off the stack, and the
 * kernel steps no instruction. Works only before anything was stepped in this process. */
bool bench_performs_ret(struct bench *b);
/* Whether hits of a thread other than the process's first are recorded. */
bool bench_sees_threads(struct bench *b);
/* Nanoseconds of a hit at `site`, the event recorded: median of rounds of `calls` calls. 0 when
 * some call was not recorded: such a probe is of no use. */
uint64_t bench_time(struct bench *b, enum bench_site site, unsigned calls);
/* How much of a hit comes before the event's time stamp, ns: median of some. */
uint64_t bench_before_ns(struct bench *b, enum bench_site site);
/* How much slower code is behind a hit that has all of a first-level cache in use, ns: median of
 * some. The trap itself is not in it. */
uint64_t bench_after_ns(struct bench *b, enum bench_site site);
/* Whether the kernel has replaced the nop at `site` by a call, which it does at the first hit. */
bool bench_became_call(enum bench_site site);

/* Detaches, which waits for a grace period for each link. */
void bench_close(struct bench *b);

/* Whether a program may change the registers of the probed process: asks the verifier. 0 or -errno.
 */
int bench_try_regs_write(void);

#endif
