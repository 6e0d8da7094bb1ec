// SPDX-License-Identifier: BSD-2-Clause
#include "sample/pending_samples.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

static int put(struct pending_samples *l, struct pending_sample *x)
{
	const struct sample s = { .ts_ns = x->ts_ns,
				  .goid = x->goid,
				  .weight_ns = x->weight_ns,
				  .error_ns = (uint64_t)ceil(sqrt(x->square_ns2)),
				  .process = l->process,
				  .tid = x->tid,
				  .stack = x->stack,
				  .state = x->state,
				  .reason = x->reason };
	int err = x->weight_ns ? trace_writer_sample(l->to, &s) : 0;

	l->written += x->weight_ns && !err;
	x->weight_ns = 0;
	x->square_ns2 = 0;
	return err;
}

int pending_samples_reserve(struct pending_samples *l, size_t n)
{
	return n > l->cap ? vec_reserve(&l->at, &l->cap, n) : 0;
}

static bool same(const struct pending_sample *a, const struct pending_sample *b)
{
	return a->goid == b->goid && a->stack == b->stack && a->state == b->state &&
	       a->reason == b->reason && a->tid == b->tid && a->mark == b->mark && a->ts_ns;
}

/* The square of how far its weight may be off. */
static double square_of(const struct pending_sample *now, bool stays)
{
	const double ns = (double)now->weight_ns,
		     drawn = now->stands_for > 1 ? 1 - 1 / (double)now->stands_for : 0;

	return ns * ns * (stays ? drawn : 1);
}

int pending_samples_hold(struct pending_samples *l, uint32_t i, const struct pending_sample *now)
{
	struct pending_sample *x = &l->at[i];
	const bool is_held = x->weight_ns, stays = same(x, now);
	int err = 0;

	/* What stands for others, too, is of one look: reports have one observation of each. */
	if (!stays || now->stands_for > 1 || x->stands_for > 1) {
		err = put(l, x);
		*x = *now;
		x->weight_ns = 0;
		x->square_ns2 = 0;
	}
	x->weight_ns += now->weight_ns;
	x->square_ns2 += square_of(now, stays);
	x->ts_ns = now->ts_ns;
	if (is_held || err)
		return err;
	err = vec_reserve(&l->held, &l->cap_held, l->n_held + 1);
	if (!err)
		l->held[l->n_held++] = i;
	return err;
}

int pending_samples_flush(struct pending_samples *l)
{
	int err = 0;

	for (size_t k = 0; k < l->n_held && !err; k++)
		err = put(l, &l->at[l->held[k]]);
	l->n_held = 0;
	return err;
}

void pending_samples_again(struct pending_samples *l, struct trace_writer *to)
{
	if (l->cap)
		memset(l->at, 0, l->cap * sizeof(*l->at));
	l->n_held = 0;
	l->written = 0;
	l->process = TRACE_NONE;
	l->to = to;
}

void pending_samples_free(struct pending_samples *l)
{
	free(l->at);
	free(l->held);
	*l = (struct pending_samples){ 0 };
}
