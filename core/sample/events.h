/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The perf events that take samples. Clocks belong to CPUs. A thread's clock would begin with the
 * thread, and the time after its last tick would have no sample: half an interval on average. The
 * BPF program leaves out processes that are not sampled (bpf/members.bpf.h). Other events belong to
 * threads, and the threads that a thread starts inherit its events. A recording of a whole host has
 * only events of CPUs.
 *
 * A timer of a fixed period gives wrong results for a program that is in step with it. So a CPU has
 * several events with different random periods. One of them at a time is on, for a random duration.
 * A sample stands for the period of its event.
 */
#ifndef GOTRACE_SAMPLE_EVENTS_H
#define GOTRACE_SAMPLE_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "sample/scope.h"
#include "bpf/sample.h"

struct event_type {
	const char *name; /* the name in perf */
	uint32_t type;    /* PERF_TYPE_* */
	uint64_t config;
	/* True: its period is a time in ns. False: a software event has a count of events, and the
	 * kernel keeps the sampling frequency of a hardware event. */
	bool is_clock;
};
extern const struct event_type event_types[]; /* the last has no name */
/* Returns NULL if no event has that name. */
const struct event_type *event_type_find(const char *name);

#define EVENT_SETS 4

struct sample_events {
	const struct event_type *type;
	int program_fd;
	unsigned hz, count;  /* is_clock decides which of them counts */
	bool by_cpu;         /* threads have only the last one, which counts */
	unsigned n_sets, on; /* on: index of the event that is on */
	uint64_t period[EVENT_SETS];
	/* Threads have n_sets + 1 each. The last one counts processor time; -1: the thread had that
	 * one. CPUs lack the last one, because it would count idle time, too. */
	int *fds;
	size_t n, cap;
	uint64_t cpu_ns;         /* processor time of the threads, set by closing */
	uint64_t switch_cost_ns; /* duration of the last switch */
	uint64_t random;         /* state */
};

/* Draws the periods. count: a sample is taken each time that so many events have happened. count 0:
 * a sample is taken hz times a second, or at each software event. by_cpu: samples are taken by
 * events of CPUs alone. */
void sample_events_init(struct sample_events *e, const struct event_type *type, unsigned hz,
			unsigned count, bool by_cpu, int program_fd);
/* Describes in c how to recognize the n_sets + 1 events. Bit i of struct thread_has.events is the
 * i-th event. */
void sample_events_describe(const struct sample_events *e, struct threads_config *c);
/* Opens the events for a thread and for the threads that it starts from now on, or for a CPU.
 * With by_cpu a thread has only the one that counts.
 * `has`: bits as above of events that the thread has inherited; they are not opened. `at_exec`: the
 * events begin when the thread executes an image. Returns 0 or -errno (logged). Not logged are
 * -ESRCH (the thread has ended) and -ENODEV (the CPU is offline). */
int sample_events_open(struct sample_events *e, struct scope scope, uint32_t has, bool at_exec);
/* Returns true if the bits are those of all events. */
bool sample_events_complete(const struct sample_events *e, uint32_t has);
/* Switches to another period. Returns the time until the next switch, in ns. */
uint64_t sample_events_switch(struct sample_events *e);
/* Ends sampling. Then cpu_ns is the processor time of the threads while they were sampled. */
void sample_events_close(struct sample_events *e);

#endif
