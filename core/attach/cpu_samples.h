/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Samples of the target's processor time during a recording of calls. The clock of each processor
 * interrupts the target. EV_SAMPLE gives the goroutine and the call of a sample. It also tells
 * whether the program or its probes ran.
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
	struct bpf_object *object; /* NULL: there are no samples */
	struct cpu_samples_state *state;
	int *fds; /* a perf event of each processor */
	unsigned n_fds;
	uint64_t slower_ns;    /* time when the rate falls, or 0 if it has fallen */
	uint64_t interrupt_ns; /* measured duration of a clock interrupt, or 0 */
	const struct probes *probes;
	/* For the thread that collects, once `placed` is set. */
	struct probe_places places[2]; /* for the first image and for later ones */
	_Atomic unsigned image;        /* index in `places` */
	atomic_bool placed;
	uint64_t n, n_probes, n_unplaced;
	uint64_t ns, probe_ns; /* time of all samples, and of those in probes */
};

/* Loads and starts the BPF program. The probes are loaded already. Samples count from
 * cpu_samples_on on. If the kernel has no type information (BTF) or refuses the program, logs a
 * debug line, and there are no samples. The caller must call cpu_samples_close in every case. */
void cpu_samples_open(struct cpu_samples *s, const struct probes *probes, const struct gobin *b);
void cpu_samples_on(struct cpu_samples *s, bool on);
/* Computes the places of probes after stubs have their final addresses. From here on samples get
 * their places. The caller calls it again for a new image without stubs. Returns 0 or -ENOMEM. */
int cpu_samples_place(struct cpu_samples *s, const struct probing *p);
/* Lowers the rate after some time. The caller calls it now and then. The rate is high at first, so
 * that short programs have enough samples. */
void cpu_samples_look(struct cpu_samples *s, uint64_t now_ns);
void cpu_samples_close(struct cpu_samples *s);

/* Finds the recorded functions on the stack of a raw record, for cpu_samples_resolve. The thread
 * that collects calls it. */
void cpu_samples_walk(struct cpu_samples *s, struct event_ext *wire,
		      const struct cpu_sample_record *record);
/* Makes *ev, the event of the trace, from an event of the BPF program. Returns false if the place
 * of the sample is not known. Then there is no event. The thread that collects calls it. */
bool cpu_samples_resolve(struct cpu_samples *s, struct event_ext *ev, const struct event_ext *wire);

/* Sums so far: the time of all samples, the part of it in probes, and the number of samples in
 * probes. Any thread may ask. */
struct cpu_samples_seen {
	uint64_t ns, probe_ns, n_probes;
};
struct cpu_samples_seen cpu_samples_seen(const struct cpu_samples *s);

/* Adds keys to the end record: the number of samples, the number in probes, and the cost of
 * samples. Returns 0 or -ENOMEM. */
int cpu_samples_describe(const struct cpu_samples *s, struct trace_info *end);

#endif
