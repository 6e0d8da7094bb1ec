/* SPDX-License-Identifier: BSD-2-Clause */
/* Merges queues of events by time up to a watermark, one queue for each ring. Knows no kernel. */
#ifndef GOTRACE_RING_MERGE_H
#define GOTRACE_RING_MERGE_H

#include <stddef.h>
#include <stdint.h>

#include "bpf/event.h"

struct merge_queue {
	struct event_ext *events; /* sorted by ts_ns, equal ones in order of arrival */
	size_t head, n, cap;      /* [head, n) are waiting */
};

struct merge {
	struct merge_queue *queues;
	unsigned n_queues;
};

/* Returns 0 or -ENOMEM. */
int merge_init(struct merge *m, unsigned n_queues);
void merge_free(struct merge *m);

/*
 * Adds an event to a queue. Events of one ring come nearly in order: a BPF program may be preempted
 * after it reserved the record and before it read the clock. Returns 0 or -ENOMEM.
 */
int merge_add(struct merge *m, unsigned queue, const struct event_ext *ev);

/* Returns the time of the first waiting event, or UINT64_MAX if none waits. */
uint64_t merge_first_ns(const struct merge *m);

/* Passes all events with times before `watermark_ns` to fn, in time order. Stops at the first
 * non-zero result of fn and returns it. */
int merge_until(struct merge *m, uint64_t watermark_ns,
		int (*fn)(void *ctx, const struct event_ext *ev), void *ctx);

#endif
