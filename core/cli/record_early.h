/* SPDX-License-Identifier: BSD-2-Clause */
/* Work of a recording besides the binary and its plan, done while these are read and made. */
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
	size_t cpu_ring_bytes, cpu_ring_bytes_sum; /* wanted sizes */
};

/* If caps.fd, rings.fd and cpu_rings.map are -1, no work has begun. The caller may wait for each
 * part at any time. */

/* Begins to try the kernel's features, and with `inline_stubs` to check the processor's clock. */
void record_early_begin(struct record_early *e, bool nop_stubs, bool inline_stubs);
/* Returns the check of the clock. Makes it now if it has not begun. */
struct tsc_check record_early_clock(struct record_early *e);
/* Begins to make rings for BPF programs, for which the kernel makes gotrace wait. Until the caller
 * takes them, the process must keep its user. */
void record_early_cpu_rings(struct record_early *e, size_t bytes, size_t bytes_sum);
/* Returns these rings, or none. e still owns them. */
struct cpu_rings *record_early_take_cpu_rings(struct record_early *e);
/* Begins to make rings for inline stubs of a command, and clears their memory. */
void record_early_rings(struct record_early *e, unsigned n, uint32_t ring_bytes);
/* Returns these rings, or an area with fd -1. e still owns them. */
struct ring_area *record_early_take_rings(struct record_early *e);
/* The caller must call it in every case. */
void record_early_end(struct record_early *e);

#endif
