// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/calls/released.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/trace_names.h"
#include "base/compare.h"
#include "base/text_format.h"
#include "trace/keys.h"

uint64_t released_ns(const struct released *r, uint32_t func)
{
	return r->n ? model_released_ns(r->trace->model, func) : 0;
}

static uint32_t plain(const struct released *r, uint32_t func)
{
	return model_plain_func(r->trace->model, func);
}

/* Is callee's time in caller's from some moment on? */
static bool includes(const struct released *r, uint32_t caller, uint32_t callee)
{
	uint64_t inner_ns = released_ns(r, callee), outer_ns = released_ns(r, caller);

	return inner_ns && caller != callee && (!outer_ns || outer_ns > inner_ns);
}

static int by_time(const void *x, const void *y, void *ctx)
{
	const struct released *r = ctx;
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
	int c = compare_u64(released_ns(r, a), released_ns(r, b));

	return c ? c : compare_u64(a, b);
}

struct pair {
	uint32_t caller, callee;
};

static int by_pair(const void *x, const void *y)
{
	const struct pair *a = x, *b = y;
	int c = compare_u64(a->caller, b->caller);

	return c ? c : compare_u64(a->callee, b->callee);
}

/* Who called whom, each pair once. */
static int find_callers(struct released *r)
{
	size_t n_nodes, n = 0;
	const struct path_node *nodes = model_paths(r->trace->model, &n_nodes);
	struct pair *pairs = calloc(n_nodes + 1, sizeof(*pairs));

	if (!pairs)
		return -ENOMEM;
	for (size_t i = 1; i < n_nodes; i++) {
		uint32_t caller = nodes[nodes[i].parent].func;

		if (!nodes[i].go_edge && caller < r->trace->n_funcs &&
		    includes(r, caller, nodes[i].func) &&
		    !r->trace->funcs[nodes[i].func].sampled_ns)
			pairs[n++] = (struct pair){ caller, plain(r, nodes[i].func) };
	}
	if (n)
		qsort(pairs, n, sizeof(*pairs), by_pair);
	for (size_t i = 0; i < n; i++) {
		struct released_below *b = &r->below[pairs[i].caller];

		if (i && !by_pair(&pairs[i - 1], &pairs[i]))
			continue;
		b->n++;
		b->one = pairs[i].callee;
	}
	free(pairs);
	return 0;
}

int released_find(struct released *r, const struct loaded_trace *trace)
{
	*r = (struct released){ .trace = trace, .n = trace->totals->released };
	if (!r->n)
		return 0;
	size_t n = 0;

	r->funcs = calloc(r->n, sizeof(*r->funcs));
	r->below = calloc(trace->n_funcs, sizeof(*r->below));
	r->seen_at = calloc(trace->n_funcs, sizeof(*r->seen_at));
	if (!r->funcs || !r->below || !r->seen_at)
		return -ENOMEM;
	for (uint32_t i = 0; i < trace->n_funcs && n < r->n; i++)
		if (released_ns(r, i) && plain(r, i) == i)
			r->funcs[n++] = i;
	r->n = n;
	qsort_r(r->funcs, n, sizeof(*r->funcs), by_time, r);
	return find_callers(r);
}

void released_free(struct released *r)
{
	free(r->funcs);
	free(r->below);
	free(r->seen_at);
	*r = (struct released){ 0 };
}

struct released_below released_below_func(const struct released *r, uint32_t func)
{
	return r->below && func < r->trace->n_funcs ? r->below[func] : (struct released_below){ 0 };
}

struct released_below released_below_node(const struct released *r, const struct call_tree *t,
					  uint32_t node)
{
	struct released_below b = { 0 };

	for (uint32_t c = node + 1; r->n && node && c < t->nodes[node].end; c = t->nodes[c].end) {
		const struct call_node *x = &t->nodes[c];

		if (x->go || x->stats->sampled_ns || !includes(r, t->nodes[node].func, x->func))
			continue;
		b.one = plain(r, x->func);
		b.n += r->seen_at[b.one] != node;
		r->seen_at[b.one] = node;
	}
	return b;
}

uint64_t released_calls(const struct released *r, uint32_t func)
{
	/* also where a part of the trace is shown */
	const struct model *all = r->trace->whole ? r->trace->whole : r->trace->model;
	size_t n;
	const struct call_stats *funcs = model_funcs(all, &n);
	uint64_t calls = 0;

	for (uint32_t i = 0; i < n; i++)
		if (model_plain_func(all, i) == func)
			calls += funcs[i].calls;
	return calls;
}

#define NAMED 5

/* "main.f after 3 calls, main.g after 1 call, ..." */
static void name_counts(const struct released *r, char *line, size_t size)
{
	size_t at = 0;

	for (size_t i = 0; i < r->n && i < NAMED && at < size; i++) {
		uint64_t calls = released_calls(r, r->funcs[i]);

		at += (size_t)snprintf(line + at, size - at, "%s%.300s after %" PRIu64 " call%s",
				       i ? ", " : "", trace_name_func(r->trace->info, r->funcs[i]),
				       calls, plural(calls));
	}
	if (r->n > NAMED && at < size)
		snprintf(line + at, size - at, ", ...");
}

static void add_doubt(const struct released *r, struct notes *to)
{
	const bool traps = trace_info_get(r->trace->info, KEY_MAX_COST_TRAPS), one = r->n == 1;
	char line[2048];

	name_counts(r, line, sizeof(line));
	notes_add(to,
		  "released while recording, because %s %s (record --max-cost=off keeps %s): %s",
		  one ? "its" : "their",
		  traps ? "traps slowed the program down" : "probes cost too much",
		  one ? "it" : "them", line);
}

int released_doubt(const struct loaded_trace *trace, struct notes *to)
{
	struct released r;
	int err = released_find(&r, trace);

	if (!err && r.n)
		add_doubt(&r, to);
	released_free(&r);
	return err;
}

void released_notes(const struct loaded_trace *trace, struct notes *to)
{
	if (trace->totals->released && trace->totals->sampled.n && trace->corrected)
		notes_add(
			to,
			"later calls of a released function are not counted. Samples give the time in its code; "
			"functions that it calls and that are not recorded are in its callers' self time");
	else if (trace->totals->released)
		notes_add(
			to,
			"later calls of a released function are not counted, and its time is in its callers' "
			"self time");
}
