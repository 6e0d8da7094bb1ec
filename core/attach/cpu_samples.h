/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The target's processor time by samples, while it is traced: the clock of each processor
 * interrupts it, and EV_SAMPLE says of which goroutine and call that time is, and whether the
 * program or its probes had it.
 */
#ifndef GOTRACE_CPU_SAMPLES_H
#define GOTRACE_CPU_SAMPLES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attach/probe_places.h"
#include "attach/probes/probes.h"
#include "attach/probing.h"
#include "trace/trace.h"

struct bpf_object;

struct cpu_samples {
	struct bpf_object *object; /* NULL: nothing is sampled */
	struct cpu_samples_state *state;
	int *fds; /* a perf event of each processor */
	unsigned n_fds;
	uint64_t slower_ns;    /* when the rate falls; 0: it has */
	uint64_t interrupt_ns; /* what an interrupt of the clock takes, measured; 0: it was not */
	const struct probes *probes;
	/* Of the thread that collects, once `placed`. */
	struct probe_places places[2]; /* of the first image, of later ones */
	_Atomic unsigned image;        /* which of them */
	atomic_bool placed;
	uint64_t n, n_probes, n_unplaced;
	uint64_t ns, probe_ns; /* what samples stand for */
};

/* Loads and starts it, beside the probes, which are loaded; nothing counts before cpu_samples_on.
 * Where the kernel has no type information (BTF) or refuses, there are no samples; only a debug
 * line is logged. To be closed in every case. */
void cpu_samples_open(struct cpu_samples *s, const struct probes *probes, const struct gobin *b);
void cpu_samples_on(struct cpu_samples *s, bool on);
/* Stubs are where they will be: samples get their places from here on. Once more when they are not
 * there any more, in a new image. 0 or -ENOMEM. */
int cpu_samples_place(struct cpu_samples *s, const struct probing *p);
/* Now and then: the rate is high at first, so that short programs have enough of them. */
void cpu_samples_look(struct cpu_samples *s, uint64_t now_ns);
void cpu_samples_close(struct cpu_samples *s);

/* In the thread that collects, of a record as it came: finds the recorded functions on its stack,
 * for cpu_samples_resolve. */
void cpu_samples_walk(struct cpu_samples *s, struct event_ext *wire,
		      const struct cpu_sample_record *record);
/* In the thread that collects: *ev is the event of the trace that is made of what the BPF program
 * wrote. false: nothing is known of its place, there is no event. */
bool cpu_samples_resolve(struct cpu_samples *s, struct event_ext *ev, const struct event_ext *wire);

/* So far, from any thread: what samples stand for, and the part of them that was in probes. */
struct cpu_samples_seen {
	uint64_t ns, probe_ns, n_probes;
};
struct cpu_samples_seen cpu_samples_seen(const struct cpu_samples *s);

/* Adds to the end's keys how many samples there were, how many of them were the probes', and what
 * taking them cost. 0 or -ENOMEM. */
int cpu_samples_describe(const struct cpu_samples *s, struct trace_info *end);

#endif
