/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What part of the target's processor time its probes take, measured while it is traced: each
 * processor's clock notes the target's pc, and the pc tells what is a probe's.
 */
#ifndef GOTRACE_CPU_SAMPLES_H
#define GOTRACE_CPU_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attach/probing.h"
#include "bpf/event.h"
#include "trace/trace.h"

struct bpf_object;

struct cpu_samples {
	struct bpf_object *object; /* NULL: nothing is sampled */
	struct cpu_samples_state *state;
	int *fds; /* a perf event of each processor */
	unsigned n_fds;
};

/* Loads and starts it; nothing counts before cpu_samples_on. Where the kernel has no type
 * information (BTF) or refuses, there are no samples; only a debug line is logged. To be closed in
 * every case. */
void cpu_samples_open(struct cpu_samples *s, const struct target_config *target);
void cpu_samples_on(struct cpu_samples *s, bool on);
void cpu_samples_close(struct cpu_samples *s);

/* Adds to the end's keys how many samples there were, and how many of them were the probes'. 0 or
 * -ENOMEM. */
int cpu_samples_describe(const struct cpu_samples *s, const struct probing *p, uint64_t text_bias,
			 struct trace_info *end);

/* ---- which pc is a probe's */

/* Link-time addresses, of one recording. */
struct probe_places {
	uint64_t *at; /* where a trap leaves the pc, ascending */
	size_t n, cap;
	uint64_t stubs, stubs_end;
	const struct gobin *binary; /* borrowed; NULL: no bytes are known */
	bool exits_trap;            /* some calls return through a trap */
};

/* `in_stub` is by site, as probing's. To be freed in every case. 0 or -ENOMEM. */
int probe_places_find(struct probe_places *places, const struct plan *plan, const bool *in_stub);
void probe_places_free(struct probe_places *places);

/* Whether samples at a link-time address are a probe's. */
bool probe_places_has(const struct probe_places *places, uint64_t vaddr,
		      const struct pc_samples *samples);

#endif
