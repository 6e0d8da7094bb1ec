// SPDX-License-Identifier: BSD-2-Clause
/* The engine against random executions whose calls are known: exact in everything. */
#include "model/exec_check_fixture.h"

static void check_calls(const struct exec *x, struct seen *seen)
{
	struct tuple *want = calloc(x->n_calls + 1, sizeof(*want));

	assert_non_null(want);
	for (size_t i = 0; i < x->n_calls; i++)
		want[i] = truth_of(&x->calls[i]);
	CHECK(seen->seed, seen->n == x->n_calls);
	if (seen->n) {
		qsort(want, x->n_calls, sizeof(*want), by_bytes);
		qsort(seen->calls, seen->n, sizeof(*want), by_bytes);
	}
	for (size_t i = 0; i < seen->n; i++) {
		if (!memcmp(&want[i], &seen->calls[i], sizeof(*want)))
			continue;
		print_tuple("truth", &want[i]);
		print_tuple("said", &seen->calls[i]);
		CHECK(seen->seed, !"calls as they were");
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

static void same_stats(uint64_t seed, const struct call_stats *want, const struct call_stats *got)
{
	struct call_stats a = *want, b = *got;

	memset(&a.hist, 0, sizeof(a.hist));
	memset(&b.hist, 0, sizeof(b.hist));
	CHECK(seed, a.calls == b.calls);
	CHECK(seed, a.total_ns == b.total_ns);
	CHECK(seed, a.self_ns == b.self_ns);
	CHECK(seed, a.morestack_ns == b.morestack_ns && a.morestack_count == b.morestack_count);
	CHECK(seed, a.preempt_ns == b.preempt_ns && a.preempt_count == b.preempt_count);
	CHECK(seed, !memcmp(&a, &b, sizeof(a)));
}

/* Is the call's function (by node: its node) open below it? */
static bool open_below(const struct exec *x, const struct exec_call *c, bool by_node)
{
	for (int64_t p = c->parent; p >= 0; p = x->calls[p].parent)
		if (by_node ? x->calls[p].node == c->node : x->calls[p].func == c->func)
			return true;
	return false;
}

static void check_funcs(const struct exec *x, const struct model *m, const struct seen *seen)
{
	struct call_stats want[EXEC_FUNCS] = { 0 };
	size_t n;
	const struct call_stats *got = model_funcs(m, &n);

	for (size_t i = 0; i < x->n_calls; i++)
		count(&want[x->calls[i].func], &x->calls[i], !open_below(x, &x->calls[i], false));
	for (size_t i = 1; i < x->n_nodes; i++)
		if (x->nodes[i].func < EXEC_FUNCS)
			count_stops(&want[x->nodes[i].func], &x->nodes[i]);
	CHECK(seen->seed, n == EXEC_FUNCS);
	for (size_t i = 0; i < n; i++) {
		same_stats(seen->seed, &want[i], &got[i]);
		CHECK(seen->seed, got[i].hist.count == got[i].finished);
	}
}

static void check_paths(const struct exec *x, const struct model *m, const struct seen *seen)
{
	struct call_stats *want = calloc(x->n_nodes, sizeof(*want));
	size_t n, matched = 0;
	const struct path_node *got = model_paths(m, &n);
	uint32_t *twin = calloc(n, sizeof(*twin)); /* node of the truth */

	assert_true(want && twin);
	for (size_t i = 0; i < x->n_calls; i++)
		count(&want[x->calls[i].node], &x->calls[i], !open_below(x, &x->calls[i], true));
	for (size_t i = 1; i < x->n_nodes; i++)
		count_stops(&want[i], &x->nodes[i]);
	for (size_t i = 1; i < n; i++) {
		for (uint32_t k = 1; k < x->n_nodes && !twin[i]; k++)
			if (x->nodes[k].parent == twin[got[i].parent] && x->nodes[k].func == got[i].func &&
			    x->nodes[k].go_edge == got[i].go_edge && x->nodes[k].go_pc == got[i].go_pc)
				twin[i] = k;
		CHECK(seen->seed, twin[i]);
		same_stats(seen->seed, &want[twin[i]], &got[i].stats);
		matched++;
	}
	/* The truth's timer node is there before any call below it. */
	for (size_t k = 1; k < x->n_nodes; k++)
		matched -= x->nodes[k].func < EXEC_FUNCS || want[k].calls;
	CHECK(seen->seed, matched <= 1);
	free(want);
	free(twin);
}

static void check_exact(const struct exec *x, uint64_t seed)
{
	struct seen seen = { .seed = seed };
	struct model *m = run(x, x->events, x->n, &seen);
	const struct model_totals *t = model_totals(m);

	CHECK(seed, t->orphan_exits == 0 && t->bad_events == 0 && t->suspect_calls == 0);
	CHECK(seed, t->events == x->n && t->calls == x->n_calls && seen.calls_sum == x->n_calls);
	check_calls(x, &seen);
	check_funcs(x, m, &seen);
	check_paths(x, m, &seen);
	CHECK(seed, t->root_ns == x->root_ns && seen.root_ns == x->root_ns && !seen.unbalanced);
	model_free(m);
	forget(&seen);
}

static void exact(const struct exec *x, uint64_t seed, uint64_t *rng)
{
	(void)rng;
	check_exact(x, seed);
}

static void test_exact(void **state)
{
	(void)state;
	each(exact);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_exact),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
