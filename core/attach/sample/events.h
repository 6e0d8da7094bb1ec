/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The perf events that take samples: of each thread, inherited by those that it starts, so that no
 * other program is disturbed and nothing that begins later is missed.
 *
 * A timer of a fixed period lies about a program that is in step with it. The period of an
 * inherited event cannot be changed (PERF_EVENT_IOC_PERIOD does not reach the children,
 * kernel/events/core.c), but it can be switched on and off with all of them. So there are several
 * of different periods, drawn at random, of which one at a time is on, for a time that is drawn,
 * too. A sample stands for the period of its event. Of a whole host they are events of its CPUs,
 * which the same is done with.
 */
#ifndef GOTRACE_SAMPLE_EVENTS_H
#define GOTRACE_SAMPLE_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "attach/sample/scope.h"
#include "bpf/sample.h"

struct event_type {
	const char *name; /* as perf calls it */
	uint32_t type;    /* PERF_TYPE_* */
	uint64_t config;
	/* its period is a time, ns; else software events are counted, and hardware events are
	 * sampled at a frequency that the kernel keeps */
	bool is_clock;
};
extern const struct event_type event_types[]; /* the last has no name */
/* NULL: there is none of that name. */
const struct event_type *event_type_find(const char *name);

#define EVENT_SETS 4

struct sample_events {
	const struct event_type *type;
	int program_fd;
	unsigned hz, count;  /* of these the one that is_clock says */
	unsigned n_sets, on; /* which is on */
	uint64_t period[EVENT_SETS];
	/* of threads, n_sets + 1 each: the last one counts processor time; -1: it had that one. Of
	 * CPUs that one would count idle time, too: it is not there */
	int *fds;
	size_t n, cap;
	uint64_t cpu_ns;         /* of the threads, once they are closed */
	uint64_t switch_cost_ns; /* how long the last one took */
	uint64_t random;         /* state */
};

/* How many times as often as samples the clocks of threads come (sample_config.apart_ns): a thread
 * that lives shorter than that has no sample. */
unsigned sample_events_parts(const struct event_type *type, unsigned hz);
/* Draws the periods. count: a sample is taken each time that so many events have happened; 0: hz
 * times a second, or at each software event. parts: clocks come so many times as often. */
void sample_events_init(struct sample_events *e, const struct event_type *type, unsigned hz,
			unsigned count, unsigned parts, int program_fd);
/* How they are recognized, n_sets + 1: bit i of struct thread_has.events is the i-th. */
void sample_events_describe(const struct sample_events *e, struct threads_config *c);
/* Opens them for a thread, and what it starts from now on, but for those that it has (bits as
 * above: it has inherited them); `at_exec`: they begin when it executes an image. Or for a CPU. 0
 * or -errno (logged, but for -ESRCH: the thread has ended, and -ENODEV: the CPU is offline). */
int sample_events_open(struct sample_events *e, struct scope scope, uint32_t has, bool at_exec);
/* Whether these bits are all. */
bool sample_events_complete(const struct sample_events *e, uint32_t has);
/* Switches to another period. Returns when to do so next, in ns from now. */
uint64_t sample_events_switch(struct sample_events *e);
/* Ends sampling; then cpu_ns is known: processor time while they were sampled. */
void sample_events_close(struct sample_events *e);

#endif
