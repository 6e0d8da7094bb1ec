// SPDX-License-Identifier: BSD-2-Clause
/* What goroutines did at each moment, added up. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/calls/wait_rows.h"
#include "base/vec.h"
#include "export/html/html.h"

/* Go's reasons (runtime/runtime2.go). The runtime's own goroutines wait so while nothing is to be
 * done. */
static const char worker_idle[] = "GC worker (idle)", sweeper_idle[] = "GC sweep wait",
		  scavenger_idle[] = "GC scavenge wait";
#define MOST_WORKERS 4096 /* one for each of Go's processors */

static bool waits_so(const struct trace_info *info, const struct state_span *s, const char *reason)
{
	char number[WAIT_REASON_BYTES];

	return s->state == STATE_WAITING && !strcmp(wait_reason(info, s->reason, number), reason);
}

static bool is_worker(const struct html_loads *l, const struct state_span *s)
{
	for (size_t i = 0; i < l->n_workers; i++)
		if (l->workers[i].goid == s->goid && l->workers[i].image == s->image)
			return true;
	return false;
}

static int add_worker(struct html_loads *l, const struct state_span *s)
{
	if (l->n_workers == MOST_WORKERS || is_worker(l, s))
		return 0;
	if (vec_reserve(&l->workers, &l->cap_workers, l->n_workers + 1))
		return -ENOMEM;
	l->workers[l->n_workers++] = (struct html_worker){ s->goid, s->image };
	return 0;
}

/* Whether there is a row that a wait belongs to. */
static bool is_shown(const struct html_loads *l, const struct trace_info *info,
		     const struct state_span *s)
{
	const enum wait_class is = wait_class_of(&l->classes, s->reason);

	return is == CLASS_NET || (is == CLASS_GC && !waits_so(info, s, sweeper_idle) &&
				   !waits_so(info, s, scavenger_idle));
}

int html_loads_add(struct html_loads *l, const struct trace_info *info, uint64_t from_ns,
		   const struct state_span *s)
{
	const uint64_t start_ns = s->from_ns > from_ns ? s->from_ns : from_ns;
	uint32_t key = STATE_DEPTH(s->state, 0);

	if (!l->known)
		wait_classes_fill(&l->classes, info);
	l->known = true;
	if (waits_so(info, s, worker_idle))
		return add_worker(l, s);
	if (s->to_ns <= start_ns || s->state == STATE_UNKNOWN ||
	    (s->state == STATE_WAITING && !is_shown(l, info, s)))
		return 0;
	if (s->state == STATE_WAITING)
		key = STATE_DEPTH(s->state, s->reason);
	else if (s->state == STATE_RUNNING && is_worker(l, s))
		key = HTML_LOAD_COLLECTOR;
	return timeline_strips_add(&l->strips, key, start_ns - from_ns, s->to_ns - from_ns);
}

void html_loads_free(struct html_loads *l)
{
	timeline_strips_free(&l->strips);
	free(l->workers);
}
