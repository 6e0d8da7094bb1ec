// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>

#include "base/varint.h"
#include "base/vec.h"
#include "model/summary_format.h"

/* Of one item, at the most. */
#define ITEM_NUMBERS 48

struct putting {
	struct summary_bytes *to;
	uint8_t *at;
};

/* Sees to it that the next item has room. 0 or -ENOMEM */
static int begin(struct putting *p)
{
	struct summary_bytes *b = p->to;
	int err = vec_reserve(&b->data, &b->cap, b->n + ITEM_NUMBERS * VARINT_MAX_BYTES);

	p->at = err ? NULL : b->data + b->n;
	return err;
}

static void end(struct putting *p)
{
	p->to->n = (size_t)(p->at - p->to->data);
}

static void num(struct putting *p, uint64_t v)
{
	p->at = varint_put(p->at, v);
}

static int put_totals(struct putting *p, const struct model *m)
{
	struct model_totals t = m->totals;
	int err = begin(p);

	if (err)
		return err;
	num(p, SUMMARY_VERSION);
	num(p, m->n_funcs);
	for (size_t i = 0; i < SUMMARY_TOTALS; i++)
		num(p, *summary_total(&t, i));
	end(p);
	return 0;
}

static void put_off(struct putting *p, const struct off_times *off)
{
	struct off_times t = *off;

	for (size_t i = 0; i < SUMMARY_OFF_TIMES; i++)
		num(p, *summary_off_time(&t, i));
}

static void put_stats(struct putting *p, const struct call_stats *st, unsigned flags)
{
	num(p, st->calls);
	if (flags & SUMMARY_MIXED) {
		num(p, st->finished);
		num(p, st->unfinished);
		num(p, st->unwound);
		num(p, st->suspect);
		num(p, st->suspect_ns);
		num(p, st->begun_before);
	}
	num(p, st->total_ns);
	num(p, st->self_ns);
	if (st->finished) {
		num(p, st->min_ns);
		num(p, st->max_ns - st->min_ns);
		num(p, zigzag((int64_t)(st->sum_ns - st->total_ns)));
	}
	if (flags & SUMMARY_STOPS) {
		num(p, st->morestack_ns);
		num(p, st->morestack_count);
		num(p, st->preempt_ns);
		num(p, st->preempt_count);
		num(p, st->declined_count);
	}
	if (flags & SUMMARY_STATES) {
		put_off(p, &st->off_self);
		put_off(p, &st->off_total);
	}
}

static unsigned stats_flags(const struct call_stats *st)
{
	bool mixed = st->calls != st->finished || st->unfinished || st->unwound || st->suspect ||
		     st->suspect_ns;
	bool stops = st->morestack_ns || st->morestack_count || st->preempt_ns ||
		     st->preempt_count || st->declined_count;

	bool off = off_times_sum(&st->off_self) || off_times_sum(&st->off_total);

	return (mixed ? SUMMARY_MIXED : 0) | (stops ? SUMMARY_STOPS : 0) |
	       (off ? SUMMARY_STATES : 0);
}

static int put_path(struct putting *p, const struct paths *t, uint32_t i)
{
	const struct path_node *n = &t->nodes[i];
	const struct path_selfs none = { 0 }, *selfs = t->selfs ? &t->selfs[i] : &none;
	const uint64_t *unusual = t->aux[i].unusual;
	unsigned flags = stats_flags(&n->stats) | (n->go_edge ? SUMMARY_GO : 0) |
			 (n->max_recursion > 1 || n->recursive ? SUMMARY_RECURSIVE : 0) |
			 (unusual[0] || unusual[1] ? SUMMARY_UNUSUAL : 0);
	int err = begin(p);

	if (err)
		return err;
	num(p, i - n->parent);
	num(p, n->func == PATH_OTHER   ? SUMMARY_OTHER
	       : n->func == PATH_TIMER ? SUMMARY_TIMER
				       : n->func + SUMMARY_FUNC);
	num(p, flags);
	if (n->go_edge)
		num(p, n->go_pc);
	if (flags & SUMMARY_RECURSIVE) {
		num(p, n->max_recursion);
		num(p, n->recursive);
	}
	put_stats(p, &n->stats, flags);
	if (n->stats.finished) {
		num(p, selfs->min_ns);
		num(p, selfs->max_ns - selfs->min_ns);
	}
	num(p, t->hot[i].usual[0]);
	num(p, t->hot[i].usual[1]);
	if (flags & SUMMARY_UNUSUAL) {
		num(p, unusual[0]);
		num(p, unusual[1]);
	}
	end(p);
	return 0;
}

static int put_paths(struct putting *p, const struct paths *t)
{
	int err = begin(p);

	if (!err) {
		num(p, t->n - 1);
		end(p);
	}
	for (uint32_t i = 1; !err && i < t->n; i++)
		err = put_path(p, t, i);
	if (!err)
		err = begin(p);
	if (!err) {
		num(p, t->events.n);
		end(p);
	}
	for (size_t i = 0; !err && i < t->events.n; i++) {
		const struct path_events *e = &t->events.all[i];

		err = begin(p);
		if (err)
			break;
		num(p, e->path);
		num(p, path_event_code(e->role, e->how));
		num(p, e->n);
		end(p);
	}
	return err;
}

static int put_folds(struct putting *p, const struct paths *t)
{
	int err = begin(p);
	uint64_t n = 0;

	for (size_t i = 0; i < t->n_folds; i++)
		n += t->folds[i].calls != 0;
	if (!err) {
		num(p, n);
		end(p);
	}
	for (size_t i = 0; !err && i < t->n_folds; i++) {
		if (!t->folds[i].calls)
			continue;
		err = begin(p);
		if (err)
			break;
		num(p, t->folds[i].from);
		num(p, t->folds[i].to);
		num(p, t->folds[i].calls);
		end(p);
	}
	return err;
}

static int put_sampled(struct putting *p, const struct model *m)
{
	const struct model_sampled *t = &m->totals.sampled;
	int err = begin(p);

	if (!err) {
		num(p, t->n);
		num(p, t->ns);
		num(p, t->probe_ns);
		num(p, t->outside_ns);
		num(p, t->apart_ns);
		num(p, m->sampled.n);
		end(p);
	}
	for (size_t i = 0; !err && i < m->sampled.n; i++) {
		const struct path_sampled *s = &m->sampled.all[i];

		err = begin(p);
		if (err)
			break;
		num(p, s->path);
		num(p, s->n);
		num(p, s->ns);
		num(p, s->squares);
		num(p, s->probe_n);
		num(p, s->probe_ns);
		num(p, s->probe_squares);
		end(p);
	}
	return err;
}

static int put_hist(struct putting *p, const struct hist *h)
{
	unsigned used = 0, last = 0;
	int err = begin(p);

	for (unsigned i = 0; i < HIST_BUCKETS; i++)
		used += hist_bucket(h, i) != 0;
	if (!err) {
		num(p, used);
		end(p);
	}
	for (unsigned i = 0; !err && used && i < HIST_BUCKETS; i++) {
		uint64_t n = hist_bucket(h, i);

		if (!n)
			continue;
		err = begin(p);
		if (err)
			break;
		num(p, i - last);
		num(p, n);
		end(p);
		last = i;
	}
	return err;
}

static bool is_put(const struct model *m, size_t i)
{
	const struct call_stats *st = &m->funcs[i];

	return st->calls || stats_flags(st) || st->self_ns || st->total_ns || st->hist.count ||
	       model_released_ns(m, (uint32_t)i);
}

static int put_func(struct putting *p, const struct model *m, size_t i, size_t after)
{
	const struct call_stats *st = &m->funcs[i];
	uint64_t released_ns = model_released_ns(m, (uint32_t)i);
	unsigned flags = stats_flags(st) | (released_ns ? SUMMARY_RELEASED : 0);
	int err = begin(p);

	if (err)
		return err;
	num(p, i - after);
	num(p, flags);
	put_stats(p, st, flags);
	if (released_ns)
		num(p, released_ns);
	end(p);
	return put_hist(p, &st->hist);
}

static int put_funcs(struct putting *p, const struct model *m)
{
	size_t n = 0, after = 0;
	int err = begin(p);

	for (size_t i = 0; i < m->n_funcs; i++)
		n += is_put(m, i);
	if (!err) {
		num(p, n);
		end(p);
	}
	for (size_t i = 0; !err && i < m->n_funcs; i++)
		if (is_put(m, i)) {
			err = put_func(p, m, i, after);
			after = i + 1;
		}
	return err;
}

/* What is taken away again later is none. */
static bool is_wait(const struct path_waits *w)
{
	return (w->ns || w->n) && w->ns <= SUMMARY_MOST && w->n <= SUMMARY_MOST;
}

static int put_waits(struct putting *p, const struct waits *t)
{
	int err = begin(p);
	size_t n = 0;

	for (size_t i = 0; i < t->n; i++)
		n += is_wait(&t->all[i]);
	if (!err) {
		num(p, n);
		end(p);
	}
	for (size_t i = 0; !err && i < t->n; i++) {
		const struct path_waits *w = &t->all[i];

		if (!is_wait(w))
			continue;
		err = begin(p);
		if (err)
			break;
		num(p, w->path);
		num(p, w->func);
		num(p, (uint64_t)w->reason << 1 | w->held);
		num(p, w->ns);
		num(p, w->n);
		end(p);
	}
	return err;
}

static int put_wakes(struct putting *p, const struct wakes *t)
{
	int err = begin(p);

	if (!err) {
		num(p, t->n);
		end(p);
	}
	for (size_t i = 0; !err && i < t->n; i++) {
		const struct func_wakes *w = &t->all[i];

		err = begin(p);
		if (err)
			break;
		num(p, w->func);
		num(p, w->reason);
		num(p, w->by);
		num(p, w->ns);
		num(p, w->n);
		end(p);
	}
	return err;
}

static int put_states(struct putting *p, const struct model *m)
{
	const struct model_totals *t = &m->totals;
	int err = begin(p);

	if (err)
		return err;
	num(p, m->totals.states);
	if (!m->totals.states) {
		end(p);
		return 0;
	}
	num(p, t->life_ns);
	put_off(p, &t->off);
	num(p, t->idlers);
	num(p, t->idle_life_ns);
	put_off(p, &t->idle_off);
	end(p);
	err = put_waits(p, &m->waits);
	return err ? err : put_wakes(p, &m->wakes);
}

int summary_put(struct summary_bytes *to, const struct model *m)
{
	struct putting p = { .to = to };
	int err = put_totals(&p, m);

	if (!err)
		err = put_paths(&p, &m->paths);
	if (!err)
		err = put_funcs(&p, m);
	if (!err)
		err = put_folds(&p, &m->paths);
	if (!err)
		err = put_sampled(&p, m);
	return err ? err : put_states(&p, m);
}
