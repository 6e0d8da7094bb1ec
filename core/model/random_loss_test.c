// SPDX-License-Identifier: BSD-2-Clause
/*
 * Random executions with events missing: calls that were not open across the
 * gap are exact, the others are there, and what is wrong is marked suspect.
 */
#include "model/exec_check_fixture.h"

struct gap {
	uint64_t from_ns, to_ns;
	uint64_t stack;      /* whose calls it touches, when not all */
	bool system, all, told;
};

static int by_moment(const void *a, const void *b) /* level left out: it may differ below a lost frame */
{
	struct tuple x = *(const struct tuple *)a, y = *(const struct tuple *)b;

	x.level = y.level = 0;
	return memcmp(&x, &y, sizeof(x));
}

static bool touched(const struct exec_call *c, const struct gap *g)
{
	bool concerned = g->all || (c->system == g->system && c->stack == g->stack);

	/* An unfinished call was still open after the event it is taken to end at. */
	return concerned && c->start_ns <= g->to_ns && (c->end_ns >= g->from_ns || c->end == CALL_UNFINISHED);
}

static void check_outside(const struct exec *x, struct seen *seen, const struct gap *gap)
{
	struct tuple *want = calloc(x->n_calls + 1, sizeof(*want));

	assert_non_null(want);
	for (size_t i = 0; i < x->n_calls; i++)
		want[i] = truth_of(&x->calls[i]);
	if (x->n_calls)
		qsort(want, x->n_calls, sizeof(*want), by_moment);
	for (size_t i = 0; gap->told && i < seen->n; i++) {
		bool true_call = x->n_calls && bsearch(&seen->calls[i], want, x->n_calls, sizeof(*want), by_moment);

		if (true_call || seen->suspect[i])
			continue;
		print_tuple("said", &seen->calls[i]);
		CHECK(seen->seed, !"a wrong call is marked suspect");
	}
	if (seen->n)
		qsort(seen->calls, seen->n, sizeof(*want), by_moment);
	for (size_t i = 0; i < x->n_calls; i++) {
		struct tuple t = truth_of(&x->calls[i]);

		if (touched(&x->calls[i], gap) ||
		    (seen->n && bsearch(&t, seen->calls, seen->n, sizeof(t), by_moment)))
			continue;
		print_message("gap %" PRIu64 "-%" PRIu64 "\n", gap->from_ns, gap->to_ns);
		print_tuple("truth", &t);
		CHECK(seen->seed, !"a call clear of the gap is as it was");
	}
	free(want);
}

/* Calls of functions that no lost event names are all there. */
static void check_counts(const struct exec *x, const struct model *m, uint64_t seed, const bool *concerned)
{
	uint64_t calls[EXEC_FUNCS] = { 0 };
	size_t n;
	const struct call_stats *got = model_funcs(m, &n);

	for (size_t i = 0; i < x->n_calls; i++)
		calls[x->calls[i].func]++;
	for (size_t i = 0; i < n; i++) {
		uint64_t low = calls[i] - (concerned[i] && calls[i]), high = calls[i] + concerned[i];

		CHECK(seed, got[i].calls >= low && got[i].calls <= high);
	}
}

static bool names_function(unsigned kind)
{
	return kind <= EV_ENTRY_TAIL || kind == EV_MORESTACK;
}

/* Any one event is missing; whether anybody says so, and how exactly, varies. */
static void check_one_lost(const struct exec *x, uint64_t seed, uint64_t *rng)
{
	size_t at = exec_random(rng) % x->n;
	struct event_ext *events = calloc(x->n, sizeof(*events)), *e = &events[at];
	bool concerned[EXEC_FUNCS] = { false };
	struct gap gap = { x->events[at].h.ts_ns, x->events[at].h.ts_ns, x->events[at].h.goid, false, false, false };
	unsigned how = exec_random(rng) % 3;

	assert_non_null(events);
	memcpy(events, x->events, x->n * sizeof(*events));
	if (e->h.flags & EVF_SYSTEM) {
		gap.system = true;
		gap.stack = e->h.tid;
	}
	gap.all = e->h.kind == EV_IMAGE; /* whose goroutines it ended, none can say */
	gap.told = how > 0;
	/* Unfinished calls are taken to end at the last event: it must be known of. */
	if (!gap.told && (at + 1 == x->n || x->events[at + 1].h.kind == EV_IMAGE)) {
		free(events);
		return;
	}
	if (names_function(e->h.kind))
		concerned[x->info.sites[e->h.site].func] = true;
	struct event_ext loss = { .h = { .ts_ns = e->h.ts_ns, .goid = e->h.goid, .kind = EV_LOSS,
					 .flags = how == 2 || gap.all ? EVF_ALL : 0 },
				  .arg = { e->h.ts_ns, 1 } };
	if (gap.told)
		*e = loss;
	else
		memmove(e, e + 1, (x->n - at - 1) * sizeof(*e));
	struct seen seen = { .seed = seed };
	struct model *m = run(x, events, x->n - !gap.told, &seen);

	CHECK(seed, model_totals(m)->lost_events == gap.told);
	check_counts(x, m, seed, concerned);
	check_outside(x, &seen, &gap);
	CHECK(seed, seen.root_ns == model_totals(m)->root_ns && seen.calls_sum == model_totals(m)->calls);
	model_free(m);
	forget(&seen);
	free(events);
}

/* A run of events of which only some are left, as when a ring is too small. */
static void check_burst_lost(const struct exec *x, uint64_t seed, uint64_t *rng)
{
	struct event_ext *events = calloc(x->n + 1, sizeof(*events));
	size_t from = exec_random(rng) % x->n, to = from + exec_random(rng) % 20, n = 0;
	struct gap gap = { .from_ns = x->events[from].h.ts_ns, .all = true, .told = true };
	uint64_t lost = 0;

	assert_non_null(events);
	if (to >= x->n)
		to = x->n - 1;
	gap.to_ns = x->events[to].h.ts_ns;
	for (size_t i = 0; i < x->n; i++) {
		if (i == from)
			events[n++] = (struct event_ext){ .h = { .ts_ns = gap.from_ns, .kind = EV_LOSS, .flags = EVF_ALL },
							  .arg = { gap.to_ns, 0 } };
		if (i >= from && i <= to && exec_random(rng) % 2)
			lost++;
		else
			events[n++] = x->events[i];
	}
	events[from].arg[1] = lost;
	struct seen seen = { .seed = seed };
	struct model *m = run(x, events, n, &seen);

	CHECK(seed, model_totals(m)->lost_events == lost && model_totals(m)->loss_records == 1);
	check_outside(x, &seen, &gap);
	model_free(m);
	forget(&seen);
	free(events);
}

static void test_one_lost(void **state)
{
	(void)state;
	each(check_one_lost);
}

static void test_burst_lost(void **state)
{
	(void)state;
	each(check_burst_lost);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_lost),
		cmocka_unit_test(test_burst_lost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
