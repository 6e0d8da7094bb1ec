/* SPDX-License-Identifier: BSD-2-Clause */
/* What a recording needs besides the binary and its plan, done while those are read and made. */
#ifndef GOTRACE_RECORD_EARLY_H
#define GOTRACE_RECORD_EARLY_H

#include "attach/collect/tsc_source.h"
#include "attach/kernel/caps.h"
#include "attach/probes/cpu_rings.h"
#include "attach/target/ring_area.h"
#include "base/side_job.h"

struct record_early {
	struct caps_try caps;
	struct side_job clock_job, rings_job, cpu_rings_job;
	bool clock_begun;
	struct tsc_check clock;
	struct ring_area rings;
	unsigned n_rings;
	uint32_t ring_bytes;
	struct cpu_rings cpu_rings;
	size_t cpu_ring_bytes, cpu_ring_bytes_sum; /* wanted */
};

/* With caps.fd, rings.fd and cpu_rings.map -1 nothing has begun. Each may be waited for at any
 * time. */

/* What the kernel allows, and with `inline_stubs` the processor's clock. */
void record_early_begin(struct record_early *e, bool nop_stubs, bool inline_stubs);
/* The check of the clock, made now if it was not begun. */
struct tsc_check record_early_clock(struct record_early *e);
/* Rings for BPF programs, for which the kernel lets one wait. From here to the taking of them the
 * process must keep its user. */
void record_early_cpu_rings(struct record_early *e, size_t bytes, size_t bytes_sum);
/* They, or none. Still e's. */
struct cpu_rings *record_early_take_cpu_rings(struct record_early *e);
/* Rings for inline stubs of a command: their memory is cleared. */
void record_early_rings(struct record_early *e, unsigned n, uint32_t ring_bytes);
/* They, or an area with fd -1. Still e's. */
struct ring_area *record_early_take_rings(struct record_early *e);
/* In every case. */
void record_early_end(struct record_early *e);

#endif
