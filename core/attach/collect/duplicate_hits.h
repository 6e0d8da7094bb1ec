/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds hits that are recorded twice. Links are replaced without missing a hit: new links are
 * attached to the same instructions before the old ones are removed. For a while both record.
 *
 * A link's programs run one after the other in the thread that hit, those of the newest link first.
 * Linux puts the newest consumer of a uprobe in front (consumer_add in kernel/events/uprobes.c). So
 * an old link's record is of the same hit if it follows a new link's record of the same thread and
 * site.
 */
#ifndef GOTRACE_DUPLICATE_HITS_H
#define GOTRACE_DUPLICATE_HITS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/hash_index.h"
#include "bpf/event.h"

struct duplicate_hits {
	struct double_thread {
		uint32_t tid, site; /* site: the site in the thread's last record */
		bool waits; /* that record is of the new link, and the old link's may follow */
	} * threads;
	size_t n, cap;
	struct hash_index by_tid;
};

/* Tests whether the event is the second record of its hit. Events come in time order. `old`: the
 * old link recorded it. Returns 1 if so, 0 if not, or -ENOMEM. */
int duplicate_hits_second(struct duplicate_hits *d, const struct event *ev, bool old);
/* Frees the memory and forgets all hits. */
void duplicate_hits_free(struct duplicate_hits *d);

#endif
