/* SPDX-License-Identifier: BSD-2-Clause */
/* What a recording needs besides the binary and its plan, done while those are read and made. */
#ifndef GOTRACE_RECORD_EARLY_H
#define GOTRACE_RECORD_EARLY_H

#include "attach/collect/tsc_source.h"
#include "attach/kernel/caps.h"
#include "attach/target/ring_area.h"
#include "base/side_job.h"

struct record_early {
	struct caps_try caps;
	struct side_job clock_job, rings_job;
	bool clock_begun;
	struct tsc_check clock;
	struct ring_area rings;
	unsigned n_rings;
	uint32_t ring_bytes;
};

/* With caps.fd and rings.fd -1 nothing has begun. Each may be waited for at any time. */

/* What the kernel allows, and with `inline_stubs` the processor's clock. */
void record_early_begin(struct record_early *e, bool nop_stubs, bool inline_stubs);
/* The check of the clock, made now if it was not begun. */
struct tsc_check record_early_clock(struct record_early *e);
/* Rings for inline stubs of a command: their memory is cleared. */
void record_early_rings(struct record_early *e, unsigned n, uint32_t ring_bytes);
/* They, or an area with fd -1. Still e's. */
struct ring_area *record_early_take_rings(struct record_early *e);
/* In every case. */
void record_early_end(struct record_early *e);

#endif
