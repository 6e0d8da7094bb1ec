// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/rates.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/calls/correction.h"
#include "base/vec.h"

static uint64_t more(uint64_t now, uint64_t before)
{
	return now > before ? now - before : 0;
}

/* Moves *base on to what `now` has; *added gets what base had not. 0 or -ENOMEM */
static int hist_advance(struct hist *base, const struct hist *now, struct hist *added)
{
	int err = 0;

	for (unsigned i = 0; !err && i < HIST_BUCKETS; i++) {
		uint64_t n = more(hist_bucket(now, i), hist_bucket(base, i));

		if (!n)
			continue;
		err = hist_add_bucket(added, i, n);
		if (!err)
			err = hist_add_bucket(base, i, n);
	}
	return err;
}

static int take_func(struct rates *to, struct rates_func *base, const struct call_stats *st,
		     uint32_t func)
{
	struct hist added = { 0 };
	uint64_t self_ns = st->self_ns + st->probe_ns; /* as measured */
	struct rate r = { .func = func,
			  .calls = more(st->calls, base->calls),
			  .before = base->rate,
			  /* by the correction of all so far, which is not as rough */
			  .self_ns = correction_part(st, more(self_ns, base->self_ns)),
			  .unsure = correction_unsure(st),
			  .doubtful = correction_doubtful(st) };
	int err = 0;

	if (st->hist.count != base->hist.count)
		err = hist_advance(&base->hist, &st->hist, &added);
	if (added.count) {
		r.p50_ns = hist_quantile(&added, 0.5);
		r.p99_ns = hist_quantile(&added, 0.99);
	}
	hist_free(&added);
	base->calls = st->calls;
	base->self_ns = self_ns;
	base->rate = r.calls;
	if (err || !(r.calls || r.before || r.self_ns))
		return err;
	err = vec_reserve(&to->rows, &to->cap, to->n + 1);
	if (err)
		return err;
	to->rows[to->n++] = r;
	to->calls += r.calls;
	to->self_ns += r.self_ns;
	return 0;
}

int rates_find(struct rates *to, struct rates_base *base, const struct loaded_trace *t,
	       uint64_t up_to_ns)
{
	int err = 0;

	*to = (struct rates){ .span_ns = more(up_to_ns, base->up_to_ns),
			      .before_ns = base->span_ns,
			      .compares = base->looks > 1,
			      .lost_events = more(t->totals->lost_events, base->lost_events) };
	if (!base->funcs) {
		base->funcs = calloc(t->n_funcs + 1, sizeof(*base->funcs));
		base->n = t->n_funcs;
	}
	if (!base->funcs)
		return -ENOMEM;
	for (uint32_t i = 0; !err && i < base->n && i < t->n_funcs; i++)
		err = take_func(to, &base->funcs[i], &t->funcs[i], i);
	base->up_to_ns = up_to_ns;
	base->span_ns = to->span_ns;
	base->lost_events = t->totals->lost_events;
	if (!base->looks++) { /* it may have been recorded for hours */
		for (size_t i = 0; i < base->n; i++)
			base->funcs[i].rate = 0;
		rates_free(to);
	}
	return err;
}

void rates_sure_first(struct rates *r)
{
	size_t i = 0;

	while (i < r->n && r->rows[i].doubtful)
		i++;
	if (!i || i == r->n || !r->rows[i].self_ns)
		return;
	const struct rate sure = r->rows[i];

	memmove(r->rows + 1, r->rows, i * sizeof(*r->rows));
	r->rows[0] = sure;
}

void rates_free(struct rates *r)
{
	free(r->rows);
	*r = (struct rates){ 0 };
}

void rates_base_free(struct rates_base *b)
{
	for (size_t i = 0; i < b->n && b->funcs; i++)
		hist_free(&b->funcs[i].hist);
	free(b->funcs);
	*b = (struct rates_base){ 0 };
}
