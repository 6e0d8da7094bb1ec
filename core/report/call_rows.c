// SPDX-License-Identifier: BSD-2-Clause
#include "report/call_rows.h"

#include <errno.h>

/* Of calls, 64 MiB; a report of more of them uses a file. */
#define MOST_IN_MEMORY ((size_t)1 << 20)

/* A slot of the file is taken as the call begins. */
static void on_entry(void *ctx, const struct call *c)
{
	struct call_rows *l = ctx;

	if (!l->watch.err)
		l->watch.err = call_spool_put(&l->spool, c);
}

static void on_call(void *ctx, const struct call *c)
{
	struct call_rows *l = ctx;
	bool wanted = call_rows_wants(l, c);

	l->n_wanted += wanted;
	if (l->watch.err)
		return;
	if (!l->first.most)
		l->watch.err = call_spool_put(&l->spool, c);
	else if (wanted)
		l->watch.err = first_calls_put(&l->first, c);
}

static uint64_t self_ns(const struct call *c)
{
	return c->self_ns;
}

static uint64_t duration_ns(const struct call *c)
{
	return c->end_ns > c->start_ns ? c->end_ns - c->start_ns : 0;
}

/* By what the options sort calls; NULL: by their beginning. */
static call_weight_fn call_weight(const struct report_options *opt)
{
	return opt->sort == SORT_SELF ? self_ns : opt->sort == SORT_TOTAL ? duration_ns : NULL;
}

int call_rows_begin(struct call_rows *l, const struct report_options *opt,
		    const struct loaded_trace *trace)
{
	*l = (struct call_rows){
		.opt = opt,
		.trace = trace,
		.watch = { .calls = CALLS_SOME, .on_call = on_call, .call_waits = true, .ctx = l },
		.spool.fd = -1
	};
	if (opt->limit && opt->limit <= MOST_IN_MEMORY) {
		l->first.most = opt->limit;
		l->first.weight = call_weight(opt);
		l->first.values = &l->spool.values;
		return 0;
	}
	l->watch.on_entry = on_entry;
	return call_spool_open(&l->spool);
}

/* Of a window of calls the trace is read whole. */
static int check_window(const struct call_rows *l)
{
	const struct model_totals *t = l->trace->totals;
	const struct trace_view v = { .from_ns = l->opt->from_ns };

	return t->events && t->last_ns - t->first_ns < v.from_ns
		       ? trace_view_too_late(&v, t->last_ns - t->first_ns, "event")
		       : 0;
}

int call_rows_finish(struct call_rows *l)
{
	if (check_window(l))
		return -ENOENT;
	if (l->first.most) {
		first_calls_sort(&l->first);
		l->calls = l->first.calls;
		l->n = l->first.n;
		return 0;
	}
	int err = call_spool_map(&l->spool);

	if (err)
		return err;
	l->calls = l->spool.slots;
	l->n = l->spool.n;
	if (l->n && call_weight(l->opt))
		first_calls_sort_all(l->spool.slots, l->n, call_weight(l->opt));
	return 0;
}

void call_rows_free(struct call_rows *l)
{
	first_calls_free(&l->first);
	call_spool_close(&l->spool);
}

int call_rows_values(const struct call_rows *l, const struct call *c, struct call_values *v)
{
	/* What is read is the same however often it is. */
	return kept_values_get((struct kept_values *)(uintptr_t)&l->spool.values, c, v);
}

int call_rows_states(const struct call_rows *l, const struct call *c, struct call_states *s)
{
	return kept_states_get((struct kept_values *)(uintptr_t)&l->spool.values, c, s);
}

bool call_rows_wants(const struct call_rows *l, const struct call *c)
{
	const struct report_options *o = l->opt;
	uint64_t at_ns = c->start_ns - l->trace->totals->first_ns;

	return c->end_ns && at_ns >= o->from_ns && (!o->to_ns || at_ns < o->to_ns) &&
	       c->end_ns - c->start_ns >= o->min_ns;
}

uint64_t call_rows_hidden(const struct call_rows *l)
{
	uint64_t limit = l->opt->limit;

	return limit && l->n_wanted > limit ? l->n_wanted - limit : 0;
}
