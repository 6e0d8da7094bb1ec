/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the place of a sample's pc: a probe, or the program's own code, with its function. */
#ifndef GOTRACE_PROBE_PLACES_H
#define GOTRACE_PROBE_PLACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash_index.h"
#include "plan/plan.h"

/* The code of a function. */
struct probe_body {
	uint64_t from, to; /* link-time addresses, `to` is behind the last byte */
	uint32_t func;     /* its number in the trace; TRACE_NONE without a probe */
	bool exit_traps;   /* its calls return through a trap */
};

/* Counts of samples whose pc follows an indirect call. */
struct probe_return {
	uint64_t vaddr;
	uint64_t user, kernel;
};

/* The places of one recording. Addresses are link-time ones. */
struct probe_places {
	uint64_t *at; /* values of pc after a trap, ascending */
	size_t n, cap;
	struct probe_body *bodies; /* ascending */
	size_t n_bodies, cap_bodies;
	uint64_t stubs, stubs_end;
	const struct gobin *binary; /* borrowed; NULL: no bytes are known */
	struct disasm *decoder;     /* decoder of its instructions, or NULL */
	bool exits_trap;            /* some calls return through a trap */
	struct probe_return *returns;
	size_t n_returns, cap_returns;
	struct hash_index returns_by_vaddr;
	/* Pages of the kernel's code for optimized uprobes: run-time address / 4096. */
	uint64_t pages[64];
	size_t n_pages;
};

/* Finds the places. `in_stub` is by site, like in struct probing. The caller must free *p in every
 * case. Returns 0 or -ENOMEM. */
int probe_places_find(struct probe_places *p, const struct plan *plan, const bool *in_stub);
void probe_places_free(struct probe_places *p);

/*
 * Returns SAMPLED_* of a sample at pc. `wire` is the kernel's part of it (SAMPLE_WIRE_*). text_bias
 * is the run-time address of the text minus its link-time address. The function counts samples at
 * the pc of a return. Such a place is a probe's place if most samples there were in the kernel.
 */
unsigned probe_places_sampled(struct probe_places *p, uint64_t pc, uint64_t text_bias,
			      uint64_t wire);

/* Returns the function with code at a link-time address, by its number in the trace. TRACE_NONE: no
 * probed function has code there. */
uint32_t probe_places_func(const struct probe_places *p, uint64_t vaddr);

#endif
