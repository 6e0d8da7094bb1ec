/* SPDX-License-Identifier: BSD-2-Clause */
/* Where the pc of a sample is: in a probe, or in the program's own code and in which function. */
#ifndef GOTRACE_PROBE_PLACES_H
#define GOTRACE_PROBE_PLACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash_index.h"
#include "plan/plan.h"

/* Code of a function. */
struct probe_body {
	uint64_t from, to; /* link-time addresses, `to` is behind the last byte */
	uint32_t func;     /* as the trace numbers functions; TRACE_NONE: it is not probed */
	bool exit_traps;   /* its calls return through a trap */
};

/* Samples whose pc follows an indirect call. */
struct probe_return {
	uint64_t vaddr;
	uint64_t user, kernel;
};

/* Of one recording. Addresses are link-time ones. */
struct probe_places {
	uint64_t *at; /* where a trap leaves the pc, ascending */
	size_t n, cap;
	struct probe_body *bodies; /* ascending */
	size_t n_bodies, cap_bodies;
	uint64_t stubs, stubs_end;
	const struct gobin *binary; /* borrowed; NULL: no bytes are known */
	struct disasm *decoder;     /* of its instructions; NULL likewise */
	bool exits_trap;            /* some calls return through a trap */
	struct probe_return *returns;
	size_t n_returns, cap_returns;
	struct hash_index returns_by_vaddr;
	uint64_t
		pages[64]; /* of the kernel's code for optimized uprobes: run-time address / 4096 */
	size_t n_pages;
};

/* `in_stub` is by site, as probing's. To be freed in every case. 0 or -ENOMEM. */
int probe_places_find(struct probe_places *p, const struct plan *plan, const bool *in_stub);
void probe_places_free(struct probe_places *p);

/*
 * SAMPLED_* of a sample at pc, of which the kernel says `wire` (SAMPLE_WIRE_*); the text is at
 * text_bias. It remembers what it saw: where a call returned is the probe's place if most samples
 * there were in the kernel.
 */
unsigned probe_places_sampled(struct probe_places *p, uint64_t pc, uint64_t text_bias,
			      uint64_t wire);

/* The function, as the trace numbers them, whose code is at a link-time address; TRACE_NONE: none
 * that is probed. */
uint32_t probe_places_func(const struct probe_places *p, uint64_t vaddr);

#endif
