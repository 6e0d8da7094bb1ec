/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Probes gotrace itself, to learn how this kernel executes a probe on each kind of instruction and
 * what an event costs there. The BPF programs are the real ones. But they have a g and ring buffers
 * of the bench's own, so no event reaches a trace.
 */
#ifndef GOTRACE_BENCH_H
#define GOTRACE_BENCH_H

#include <stdbool.h>
#include <stdint.h>

#include "attach/host/bench_code.h"
#include "attach/probes/probes.h"

#define BENCH_BIT(site) (1u << (site))

struct bench {
	struct probes probes;
	enum attach_kind kind;
	struct bpf_link *link[BENCH_SITES];
	unsigned n_links;
	struct ring_buffer *rings;
	uint64_t events;            /* events recorded so far */
	uint64_t last_ns;           /* time of the last event */
	uint64_t g[G_READ_MAX / 8]; /* in place of a goroutine's g */
};

/* Loads the programs. `perform_ret`: loads programs that perform RETs, which some kernels reject.
 * Returns 0 or -errno and logs nothing. The caller must call bench_close in either case. */
int bench_open(struct bench *b, enum attach_kind kind, bool perform_ret);

/* Probes the sites of `mask` (BENCH_BIT). With uprobe_multi one link has them all; with perf events
 * each has its own. Returns 0, or -errno if the kernel refuses one of them. */
int bench_attach(struct bench *b, unsigned mask);

/* Returns true if the BPF program performs the RET at BENCH_RET: the program pops one word off the
 * stack, and the kernel steps no instruction. It works only before the first step of an instruction
 * in this process. */
bool bench_performs_ret(struct bench *b);
/* Returns true if hits of a thread besides the process's first are recorded. */
bool bench_sees_threads(struct bench *b);
/* Returns the nanoseconds of a recorded hit at `site`, the median of rounds of `calls` calls.
 * Returns 0 if some call was not recorded, because such a probe is useless. */
uint64_t bench_time(struct bench *b, enum bench_site site, unsigned calls);
/* Returns the nanoseconds of a hit before the event's time, the median of some hits. */
uint64_t bench_before_ns(struct bench *b, enum bench_site site);
/* Returns the nanoseconds by which a hit slows the code behind it, the median of some hits. That
 * code uses all of a first-level cache. The trap itself is not included. */
uint64_t bench_after_ns(struct bench *b, enum bench_site site);

/* Detaches the links. It waits for a grace period for each link. */
void bench_close(struct bench *b);

/* Asks the verifier whether a program may change the registers of the probed process. Returns 0 or
 * -errno. */
int bench_try_regs_write(void);

#endif
