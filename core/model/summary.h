/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A summary holds the numbers of a model at the end, without its events: counts, sums and
 * distributions by function and path. Its bytes are the content of a trace's summary (FORMAT.md,
 * "Summary").
 */
#ifndef GOTRACE_SUMMARY_H
#define GOTRACE_SUMMARY_H

#include "model/model.h"

/*
 * Returns a copy of a model that goes on. After model_finish the copy equals the model of a trace
 * that ends here. No more events may be fed to it. It calls no callbacks. NULL and errno: ENOMEM.
 */
struct model *model_snapshot(const struct model *m);
/* Makes the copy call on_place for goroutines that are alive, if the model itself has
 * model_options.on_place. */
void model_snapshot_places(struct model *m,
			   void (*on_place)(void *ctx, const struct goroutine_place *p), void *ctx);

/* Notes for the summary that all events up to ns have been fed. */
void model_is_up_to(struct model *m, uint64_t ns);

/* Growing bytes. A zeroed struct holds no bytes. */
struct summary_bytes {
	uint8_t *data;
	size_t n, cap;
};

/* Appends the summary of a model that was finished and not corrected. 0 or -ENOMEM. */
int summary_put(struct summary_bytes *to, const struct model *m);

/*
 * Replaces the numbers of m, which is finished, by those of a summary: totals, functions and paths.
 * Paths that m has keep their places, and the summary's other paths are added. The bytes may be
 * anything. stored_bytes limits what they may claim, as in model_allow. Returns NULL, or the fault
 * of the bytes ("" for no memory). After a fault only model_free may be called on m.
 */
const char *summary_restore(struct model *m, const uint8_t *p, size_t n, uint64_t stored_bytes);

/* Reads only the totals of a summary. Returns NULL or the fault. */
const char *summary_totals(struct model_totals *t, const uint8_t *p, size_t n);

/* Tells m, before its first event, that the trace began at first_ns, which is earlier. */
void model_begins_at(struct model *m, uint64_t first_ns);

#endif
