/* SPDX-License-Identifier: BSD-2-Clause */
/* The numbers of a summary (FORMAT.md, "Summary"). Private to core/model. */
#ifndef GOTRACE_SUMMARY_FORMAT_H
#define GOTRACE_SUMMARY_FORMAT_H

#include "model/model_internal.h"
#include "model/summary.h"

/* Version 1 has no folds (struct path_fold), version 2 no samples, version 3 no states. Version 4
 * has no calls that had begun before. */
#define SUMMARY_VERSION 5

/* Flags of a path or a function. They say which numbers follow. */
#define SUMMARY_MIXED     1u  /* not all calls finished, or some are suspect */
#define SUMMARY_STOPS     2u  /* prologues were stopped */
#define SUMMARY_GO        4u  /* path: reached by a go statement, whose address follows */
#define SUMMARY_RECURSIVE 8u  /* path: direct recursion is folded in */
#define SUMMARY_UNUSUAL   16u /* path: some calls began or ended by another kind of event */
#define SUMMARY_RELEASED  32u /* function: since when it was not recorded */
#define SUMMARY_STATES    64u /* the goroutine did not run all the time */

/* A path's function is its index plus SUMMARY_FUNC, SUMMARY_OTHER or SUMMARY_TIMER. */
#define SUMMARY_OTHER 0u
#define SUMMARY_TIMER 1u
#define SUMMARY_FUNC  2u

/* No count and no time in a summary is larger. */
#define SUMMARY_MOST ((uint64_t)INT64_MAX)

/* Totals, by their place in the file. */
#define SUMMARY_TOTALS 20
static inline uint64_t *summary_total(struct model_totals *t, size_t i)
{
	uint64_t *const all[SUMMARY_TOTALS] = {
		&t->events,       &t->calls,         &t->orphan_exits, &t->lost_events,
		&t->loss_records, &t->suspect_calls, &t->suspect_ns,   &t->root_ns,
		&t->first_ns,     &t->last_ns,       &t->goroutines,   &t->images,
		&t->folded_nodes, &t->bad_events,    &t->released,     &t->windows,
		&t->window_why,   &t->off_ns,        &t->left_out,     &t->up_to_ns,
	};

	return all[i];
}

/* Times in states, by their place in the file. */
#define SUMMARY_OFF_TIMES 5
static inline uint64_t *summary_off_time(struct off_times *t, size_t i)
{
	uint64_t *const all[SUMMARY_OFF_TIMES] = { &t->runnable_ns, &t->wait_ns, &t->syscall_ns,
						   &t->unknown_ns, &t->off_cpu_ns };

	return all[i];
}

#endif
