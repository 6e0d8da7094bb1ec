/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a model knows at the end, without its events: counts, sums and distributions by function and
 * path. As bytes it is the content of a trace's summary (FORMAT.md, "Summary").
 */
#ifndef GOTRACE_SUMMARY_H
#define GOTRACE_SUMMARY_H

#include "model/model.h"

/*
 * A copy of a model that goes on. model_finish makes of it what the model would be if the trace
 * ended here; nothing else may be fed to it. It calls nobody back. NULL and errno: ENOMEM.
 */
struct model *model_snapshot(const struct model *m);
/* But for the places of goroutines that are alive, as model_options.on_place, if the model itself
 * has that, too. */
void model_snapshot_places(struct model *m,
			   void (*on_place)(void *ctx, const struct goroutine_place *p), void *ctx);

/* All events up to ns have been fed; for its summary. */
void model_is_up_to(struct model *m, uint64_t ns);

/* Growing bytes; zeroed: none. */
struct summary_bytes {
	uint8_t *data;
	size_t n, cap;
};

/* Appends the summary of a model that was finished and not corrected. 0 or -ENOMEM. */
int summary_put(struct summary_bytes *to, const struct model *m);

/*
 * Makes the numbers of m, which is finished, those of a summary: totals, functions and paths. Paths
 * that m has keep their places, others are added. The bytes may be anything; stored_bytes of the
 * file account for them (as in model_allow). NULL, or what is wrong with them ("" for no memory):
 * then m may be used for nothing but model_free.
 */
const char *summary_restore(struct model *m, const uint8_t *p, size_t n, uint64_t stored_bytes);

/* Only its totals. NULL, or what is wrong. */
const char *summary_totals(struct model_totals *t, const uint8_t *p, size_t n);

/* The trace that m is about to be fed with begins earlier than its first event. */
void model_begins_at(struct model *m, uint64_t first_ns);

#endif
