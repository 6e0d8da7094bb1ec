// SPDX-License-Identifier: BSD-2-Clause
/* The engine against random executions whose calls are known: exact in everything. */
#include <stdlib.h>
#include <string.h>

#include "base/test_fixture.h"
#include "model/exec_check_fixture.h"

static void check_calls(struct trial *t, struct seen *seen)
{
	struct tuple *want = tuples_sorted(t->x, tuple_order);

	HOLDS(t, seen->n == t->x->n_calls);
	if (seen->n)
		qsort(seen->calls, seen->n, sizeof(*want), tuple_order);
	for (size_t i = 0; i < seen->n && i < t->x->n_calls; i++) {
		int order = tuple_order(&want[i], &seen->calls[i]);

		if (order < 0)
			trial_note_call(t, "a call is missing", &want[i]);
		else if (order)
			trial_note_call(t, "a call too many", &seen->calls[i]);
	}
	free(want);
}

static void count(struct call_stats *st, const struct exec_call *c, bool whole)
{
	uint64_t dur = c->end_ns - c->start_ns;
	bool finished = c->end == CALL_FINISHED || c->end == CALL_TAIL;

	st->calls++;
	st->unwound += c->end == CALL_UNWOUND;
	st->unfinished += c->end == CALL_UNFINISHED;
	st->suspect += c->suspect;
	st->suspect_ns += c->suspect && whole ? dur : 0;
	st->self_ns += dur - c->child_ns;
	st->total_ns += whole ? dur : 0;
	if (!finished)
		return;
	st->min_ns = !st->finished || dur < st->min_ns ? dur : st->min_ns;
	st->max_ns = dur > st->max_ns ? dur : st->max_ns;
	st->sum_ns += dur;
	st->finished++;
}

static void count_stops(struct call_stats *st, const struct exec_node *n)
{
	st->morestack_ns += n->growth_ns;
	st->morestack_count += n->growths;
	st->preempt_ns += n->preempt_ns;
	st->preempt_count += n->preempts;
	st->declined_count += n->declined;
}

static void same_stats(struct trial *t, const struct call_stats *want, const struct call_stats *got)
{
	struct call_stats a = *want, b = *got;

	memset(&a.hist, 0, sizeof(a.hist));
	memset(&b.hist, 0, sizeof(b.hist));
	HOLDS(t, a.calls == b.calls);
	HOLDS(t, a.total_ns == b.total_ns);
	HOLDS(t, a.self_ns == b.self_ns);
	HOLDS(t, a.suspect == b.suspect && a.suspect_ns == b.suspect_ns);
	HOLDS(t, a.morestack_ns == b.morestack_ns && a.morestack_count == b.morestack_count);
	HOLDS(t, a.preempt_ns == b.preempt_ns && a.preempt_count == b.preempt_count);
	HOLDS(t, !memcmp(&a, &b, sizeof(a)));
}

/* Is the call's function open below it? */
static bool open_below(const struct exec *x, const struct exec_call *c)
{
	for (int64_t p = c->parent; p >= 0; p = x->calls[p].parent)
		if (x->calls[p].func == c->func)
			return true;
	return false;
}

static void check_funcs(struct trial *t, const struct model *m)
{
	const struct exec *x = t->x;
	struct call_stats want[EXEC_FUNCS] = { 0 };
	size_t n;
	const struct call_stats *got = model_funcs(m, &n);

	for (size_t i = 0; i < x->n_calls; i++)
		count(&want[x->calls[i].func], &x->calls[i], !open_below(x, &x->calls[i]));
	for (size_t i = 1; i < x->n_nodes; i++)
		if (x->nodes[i].func < EXEC_FUNCS)
			count_stops(&want[x->nodes[i].func], &x->nodes[i]);
	HOLDS(t, n == EXEC_FUNCS);
	for (size_t i = 0; i < n; i++) {
		same_stats(t, &want[i], &got[i]);
		HOLDS(t, got[i].hist.count == got[i].finished);
	}
}

/* Calls that count as a path above their caller's are told of; of themselves, as recursive. */
static void check_folds(struct trial *t, const struct model *m)
{
	const struct exec *x = t->x;
	size_t n, n_folds;
	const struct path_node *nodes = model_paths(m, &n);
	const struct path_fold *folds = model_path_folds(m, &n_folds);
	uint64_t want = 0, want_own = 0, got = 0, got_own = 0;

	for (size_t i = 0; i < x->n_calls; i++) {
		const struct exec_call *c = &x->calls[i];
		bool own = c->folded && x->calls[c->parent].func == c->func;

		want += c->folded && !own;
		want_own += own;
	}
	for (size_t i = 0; i < n; i++)
		got_own += nodes[i].recursive;
	for (size_t i = 0; i < n_folds; i++) {
		uint32_t up = folds[i].from;

		got += folds[i].calls;
		HOLDS(t, nodes[up].func == nodes[nodes[folds[i].to].parent].func);
		for (unsigned k = 0; k < PATHS_CYCLE_MAX && up != folds[i].to; k++)
			up = nodes[up].parent;
		HOLDS(t, up == folds[i].to);
	}
	HOLDS(t, got == want && got_own == want_own);
}

static void check_paths(struct trial *t, const struct model *m)
{
	const struct exec *x = t->x;
	struct call_stats *want = calloc(x->n_nodes, sizeof(*want));
	size_t n, matched = 0;
	const struct path_node *got = model_paths(m, &n);
	uint32_t *twin = calloc(n, sizeof(*twin)); /* node of the truth */

	assert_true(want && twin);
	for (size_t i = 0; i < x->n_calls; i++)
		count(&want[x->calls[i].node], &x->calls[i], !x->calls[i].folded);
	for (size_t i = 1; i < x->n_nodes; i++) {
		struct call_stats *st = &want[i];

		count_stops(st, &x->nodes[i]);
		st->total_ns = x->nodes[i].total_ns;
		if (st->suspect_ns > st->total_ns)
			st->suspect_ns = st->total_ns;
	}
	check_folds(t, m);
	for (size_t i = 1; i < n; i++) {
		for (uint32_t k = 1; k < x->n_nodes && !twin[i]; k++)
			if (x->nodes[k].parent == twin[got[i].parent] &&
			    x->nodes[k].func == got[i].func &&
			    x->nodes[k].go_edge == got[i].go_edge &&
			    x->nodes[k].go_pc == got[i].go_pc)
				twin[i] = k;
		HOLDS(t, twin[i]);
		same_stats(t, &want[twin[i]], &got[i].stats);
		matched++;
	}
	/* The truth's timer node is there before any call below it. */
	for (size_t k = 1; k < x->n_nodes; k++)
		matched -= x->nodes[k].func < EXEC_FUNCS || want[k].calls;
	HOLDS(t, matched <= 1);
	free(want);
	free(twin);
}

/* ---- how events came about, and what they cost */

struct told {
	struct trial *t;
	const struct path_node *nodes;
	size_t n;
	uint64_t entries, exits;
};

static void on_events(void *ctx, const struct path_events *e)
{
	struct told *told = ctx;
	struct trial *t = told->t;

	HOLDS(t, e->path && e->path < told->n && e->how && e->how <= HOW_MAX && e->n);
	if (e->path >= told->n)
		return;
	const struct call_stats *st = &told->nodes[e->path].stats;

	HOLDS(t, e->role != ROLE_EXIT || e->n <= st->finished);
	HOLDS(t, (e->role != ROLE_ENTRY && e->role != ROLE_BOTH) || e->n <= st->calls);
	told->entries += e->role == ROLE_ENTRY || e->role == ROLE_BOTH ? e->n : 0;
	told->exits += e->role == ROLE_EXIT ? e->n : 0;
}

/* Every entry and exit whose way is known is told of, of one path. The thesis's probes enter a call
 * again that was stopped, which counts once. */
static void check_events(struct trial *t, const struct model *m)
{
	struct told told = { .t = t };
	uint64_t entries = 0, exits = 0;

	told.nodes = model_paths(m, &told.n);
	model_path_events(m, on_events, &told);
	for (size_t i = 0; i < t->x->n; i++) {
		const struct event *e = &t->x->events[i].h;
		bool known = EVF_HOW(e->flags);

		entries += known && (e->kind == EV_ENTRY || e->kind == EV_ENTRY_EXIT ||
				     e->kind == EV_ENTRY_TAIL);
		exits += known && (e->kind == EV_EXIT || e->kind == EV_TAIL);
	}
	HOLDS(t, told.entries <= entries && told.exits <= exits);
	HOLDS(t, t->opt->thesis || told.entries == entries);
}

/* What holds of times before probes are taken out holds after it. */
static void check_correction(struct trial *t, struct model *m)
{
	size_t n, n_funcs;
	const struct path_node *nodes = model_paths(m, &n);
	const struct call_stats *funcs = model_funcs(m, &n_funcs);
	struct path_correction *of = calloc(n, sizeof(*of));
	struct call_stats *before = calloc(n, sizeof(*before));
	uint64_t root_ns = model_totals(m)->root_ns, probe_ns = 0, parts_ns = 0, of_funcs_ns = 0;

	assert_true(of && before);
	for (size_t i = 1; i < n; i++) {
		before[i] = nodes[i].stats;
		of[i].probe_ns = exec_random(&t->rng) % (2 * before[i].self_ns + 1);
		of[i].errors.uncertainty_ns = of[i].probe_ns / 2;
	}
	assert_int_equal(model_correct(m, of, NULL), 0);
	for (size_t i = 1; i < n; i++) {
		const struct call_stats *st = &nodes[i].stats;

		probe_ns += st->probe_ns;
		parts_ns += st->self_ns + st->morestack_ns + st->preempt_ns;
		HOLDS(t, st->corrected && st->self_ns + st->probe_ns == before[i].self_ns);
		HOLDS(t, st->total_ns + st->inside_ns == before[i].total_ns);
		HOLDS(t, st->probe_ns <= of[i].probe_ns && st->probe_ns <= before[i].self_ns);
		HOLDS(t, !st->calls || st->self_ns <= st->total_ns);
	}
	for (size_t i = 0; i < n_funcs; i++)
		of_funcs_ns += funcs[i].probe_ns;
	HOLDS(t, model_totals(m)->probe_ns == probe_ns && of_funcs_ns == probe_ns);
	HOLDS(t, model_totals(m)->root_ns + probe_ns == root_ns);
	HOLDS(t, model_totals(m)->root_ns == parts_ns);
	free(of);
	free(before);
}

static void check_exact(struct trial *t)
{
	const struct exec *x = t->x;
	struct seen seen;
	uint64_t inferred = 0;

	for (size_t i = 0; i < x->n; i++)
		trial_add(t, &x->events[i]);
	for (size_t i = 0; i < x->n_calls; i++)
		inferred += x->calls[i].suspect;
	struct model *m = trial_run(t, &seen);
	const struct model_totals *totals = model_totals(m);

	HOLDS(t, totals->orphan_exits == 0 && totals->bad_events == 0 &&
			 totals->suspect_calls == inferred);
	HOLDS(t, totals->events == x->n && totals->calls == x->n_calls);
	check_calls(t, &seen);
	check_funcs(t, m);
	check_paths(t, m);
	HOLDS(t, totals->root_ns == x->root_ns);
	check_events(t, m);
	check_correction(t, m);
	trial_forget(m, &seen);
}

TEST(test_exact)
{
	exec_check_each("exact", check_exact);
}

TESTS(test_exact)
