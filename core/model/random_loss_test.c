// SPDX-License-Identifier: BSD-2-Clause
/*
 * Random executions with events missing: calls that were not open across the
 * gap are exact, the others are there, and what is wrong is marked suspect.
 */
#include <stdlib.h>
#include <string.h>

#include "base/test_fixture.h"
#include "model/exec_check_fixture.h"

struct gap {
	uint64_t from_ns, to_ns;
	uint64_t stack; /* whose calls it touches, when not all */
	bool system, all, told;
};

/* level left out: it may differ below a lost frame */
static int by_moment(const void *a, const void *b)
{
	struct tuple x = *(const struct tuple *)a, y = *(const struct tuple *)b;

	x.level = y.level = 0;
	return memcmp(&x, &y, sizeof(x));
}

/* Unfinished calls are taken to end at the last event, which may be a lost one. */
static bool end_unknown(const struct tuple *c, const struct gap *g)
{
	return c->end == CALL_UNFINISHED && c->end_ns >= g->from_ns && c->end_ns <= g->to_ns;
}

static bool touched(const struct exec_call *c, const struct gap *g)
{
	const struct tuple t = tuple_of(c);
	bool concerned = g->all || (c->system == g->system && c->stack == g->stack);

	/* An unfinished call was still open after the event it is taken to end at. */
	if (end_unknown(&t, g))
		return true;
	return concerned && c->start_ns <= g->to_ns &&
	       (c->end_ns >= g->from_ns || c->end == CALL_UNFINISHED);
}

static bool among(const struct tuple *one, const struct tuple *all, size_t n)
{
	return n && bsearch(one, all, n, sizeof(*all), by_moment);
}

static void check_outside(struct trial *t, struct seen *seen, const struct gap *gap)
{
	const struct exec *x = t->x;
	struct tuple *want = tuples_sorted(x, by_moment);

	for (size_t i = 0; gap->told && i < seen->n; i++)
		if (!seen->suspect[i] && !end_unknown(&seen->calls[i], gap) &&
		    !among(&seen->calls[i], want, x->n_calls))
			trial_note_call(t, "wrong and not suspect", &seen->calls[i]);
	if (seen->n)
		qsort(seen->calls, seen->n, sizeof(*want), by_moment);
	for (size_t i = 0; i < x->n_calls; i++) {
		struct tuple one = tuple_of(&x->calls[i]);

		if (!touched(&x->calls[i], gap) && !among(&one, seen->calls, seen->n))
			trial_note_call(t, "clear of the gap, yet not there", &one);
	}
	free(want);
}

/* Calls of functions that no lost event names are all there. */
static void check_counts(struct trial *t, const struct model *m, const bool *concerned)
{
	uint64_t calls[EXEC_FUNCS] = { 0 };
	size_t n;
	const struct call_stats *got = model_funcs(m, &n);

	for (size_t i = 0; i < t->x->n_calls; i++)
		calls[t->x->calls[i].func]++;
	for (size_t i = 0; i < n; i++) {
		HOLDS(t, got[i].calls + (concerned[i] && calls[i]) >= calls[i]);
		HOLDS(t, got[i].calls <= calls[i] + concerned[i]);
	}
}

static bool names_function(unsigned kind)
{
	return kind <= EV_ENTRY_TAIL || kind == EV_MORESTACK;
}

/* Any one event is missing; whether anybody says so, and how exactly, varies. */
static void check_one_lost(struct trial *t)
{
	const struct exec *x = t->x;
	size_t at = exec_random(&t->rng) % x->n;
	const struct event *e = &x->events[at].h;
	bool concerned[EXEC_FUNCS] = { false };
	unsigned how = exec_random(&t->rng) % 3;
	struct gap gap = { .from_ns = e->ts_ns,
			   .to_ns = e->ts_ns,
			   .stack = e->goid,
			   .told = how > 0,
			   /* Whose goroutines a new image ended, none can say. */
			   .all = e->kind == EV_IMAGE };
	struct seen seen;

	if (e->flags & EVF_SYSTEM) {
		gap.system = true;
		gap.stack = e->tid;
	}
	/* Unfinished calls are taken to end at the last event: it must be known of. */
	if (!gap.told && (at + 1 == x->n || x->events[at + 1].h.kind == EV_IMAGE))
		return;
	if (names_function(e->kind))
		concerned[x->info.sites[e->site].func] = true;
	for (size_t i = 0; i < x->n; i++) {
		if (i != at)
			trial_add(t, &x->events[i]);
		else if (gap.told)
			trial_add(t, &(struct event_ext){
					     .h = { .ts_ns = e->ts_ns,
						    .goid = e->goid,
						    .kind = EV_LOSS,
						    .flags = how == 2 || gap.all ? EVF_ALL : 0 },
					     .arg = { e->ts_ns, 1 } });
	}
	struct model *m = trial_run(t, &seen);

	HOLDS(t, model_totals(m)->lost_events == gap.told);
	check_counts(t, m, concerned);
	check_outside(t, &seen, &gap);
	trial_forget(m, &seen);
}

/* Chooses events to be lost, some of a run as when a ring is too small: of all goroutines, or of
 * one whose number was noted. How many; lost[] says which, *gap when and whose. */
static size_t choose_lost(struct trial *t, bool *lost, struct gap *gap)
{
	const struct exec *x = t->x;
	size_t from = exec_random(&t->rng) % x->n, to = from + exec_random(&t->rng) % 20, n = 0;
	const struct event *first = &x->events[from].h;

	*gap = (struct gap){ .all = exec_random(&t->rng) % 2 || first->flags & EVF_SYSTEM,
			     .told = true,
			     .stack = first->goid };
	for (size_t i = from; i <= to && i < x->n; i++) {
		const struct event *e = &x->events[i].h;
		bool concerned = gap->all || (e->goid == gap->stack && !(e->flags & EVF_SYSTEM) &&
					      e->kind != EV_IMAGE);

		lost[i] = concerned && exec_random(&t->rng) % 2;
		if (!lost[i])
			continue;
		gap->from_ns = n++ ? gap->from_ns : e->ts_ns;
		gap->to_ns = e->ts_ns;
	}
	return n;
}

static void check_burst_lost(struct trial *t)
{
	const struct exec *x = t->x;
	bool *lost = calloc(x->n, sizeof(*lost)), told = false;
	struct seen seen;
	struct gap gap;

	assert_non_null(lost);
	size_t n = choose_lost(t, lost, &gap);

	for (size_t i = 0; i < x->n; i++) {
		if (lost[i] && !told)
			trial_add(t, &(struct event_ext){ .h = { .ts_ns = gap.from_ns,
								 .kind = EV_LOSS,
								 .goid = gap.all ? 0 : gap.stack,
								 .flags = gap.all ? EVF_ALL : 0 },
							  .arg = { gap.to_ns, n } });
		told |= lost[i];
		if (!lost[i])
			trial_add(t, &x->events[i]);
	}
	free(lost);
	struct model *m = trial_run(t, &seen);

	HOLDS(t, model_totals(m)->lost_events == n && model_totals(m)->loss_records == told);
	if (told)
		check_outside(t, &seen, &gap);
	trial_forget(m, &seen);
}

TEST(test_one_lost)
{
	exec_check_each("one event lost", check_one_lost);
}

TEST(test_burst_lost)
{
	exec_check_each("a burst lost", check_burst_lost);
}

TESTS(test_one_lost, test_burst_lost)
