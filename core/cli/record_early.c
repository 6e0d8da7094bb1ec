// SPDX-License-Identifier: BSD-2-Clause
#include "cli/record_early.h"

static void check_clock(void *ctx)
{
	struct record_early *e = ctx;

	e->clock = tsc_source_check();
}

void record_early_begin(struct record_early *e, bool nop_stubs, bool inline_stubs)
{
	/* A process of its own: before there are threads, and much memory to be copied. */
	caps_try_begin(&e->caps, nop_stubs);
	e->clock_begun = inline_stubs;
	if (inline_stubs)
		side_job_begin(&e->clock_job, check_clock, e);
}

struct tsc_check record_early_clock(struct record_early *e)
{
	side_job_end(&e->clock_job);
	if (!e->clock_begun)
		check_clock(e);
	e->clock_begun = true;
	return e->clock;
}

static void make_cpu_rings(void *ctx)
{
	struct record_early *e = ctx;

	/* Where it fails it is tried again, once there is room for descriptors. */
	cpu_rings_make(&e->cpu_rings, e->cpu_ring_bytes, e->cpu_ring_bytes_sum);
}

void record_early_cpu_rings(struct record_early *e, size_t bytes, size_t bytes_sum)
{
	e->cpu_ring_bytes = bytes;
	e->cpu_ring_bytes_sum = bytes_sum;
	side_job_begin(&e->cpu_rings_job, make_cpu_rings, e);
}

struct cpu_rings *record_early_take_cpu_rings(struct record_early *e)
{
	side_job_end(&e->cpu_rings_job);
	return &e->cpu_rings;
}

static void make_rings(void *ctx)
{
	struct record_early *e = ctx;

	if (ring_area_make(&e->rings, e->n_rings, e->ring_bytes))
		ring_area_close(&e->rings);
}

void record_early_rings(struct record_early *e, unsigned n, uint32_t ring_bytes)
{
	e->n_rings = n;
	e->ring_bytes = ring_bytes;
	side_job_begin(&e->rings_job, make_rings, e);
}

struct ring_area *record_early_take_rings(struct record_early *e)
{
	side_job_end(&e->rings_job);
	return &e->rings;
}

void record_early_end(struct record_early *e)
{
	side_job_end(&e->clock_job);
	side_job_end(&e->rings_job);
	side_job_end(&e->cpu_rings_job);
	cpu_rings_close(&e->cpu_rings);
	caps_try_drop(&e->caps);
	ring_area_close(&e->rings);
}
