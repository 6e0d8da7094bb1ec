/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Hits that are recorded twice. Links are replaced by attaching new ones to the same instructions
 * before the old ones go, so that no hit is missed: for a while both record. A link's programs run
 * one after the other in the thread that hit, those of the newest link first (Linux puts the newest
 * consumer of a uprobe in front: consumer_add in kernel/events/uprobes.c), so a record of the old
 * link right after one of the new link, of the same thread and site, is of the same hit.
 */
#ifndef GOTRACE_DUPLICATE_HITS_H
#define GOTRACE_DUPLICATE_HITS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/hash_index.h"
#include "bpf/event.h"

struct duplicate_hits {
	struct double_thread {
		uint32_t tid, site; /* site: of the new link's record that came last */
		bool waits;         /* for the old link's record of that hit */
	} * threads;
	size_t n, cap;
	struct hash_index by_tid;
};

/* Is the event, the next one in time, the second record of its hit? `old`: by the old link.
 * 1 yes, 0 no, -ENOMEM. */
int duplicate_hits_second(struct duplicate_hits *d, const struct event *ev, bool old);
/* Forgets what it has seen; frees. */
void duplicate_hits_free(struct duplicate_hits *d);

#endif
