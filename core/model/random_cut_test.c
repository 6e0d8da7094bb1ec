// SPDX-License-Identifier: BSD-2-Clause
/*
 * Random executions that were going on when tracing began, and went on when it
 * ended: calls that lie between are exact, those that were open are there.
 */
#include <stdlib.h>
#include <string.h>

#include "base/test_fixture.h"
#include "model/exec_check_fixture.h"

/* What can be known of a call when calls below it were never seen, or when its end was not. */
static struct tuple moments_of(struct tuple t, bool ended)
{
	t.level = 0;
	if (!ended)
		t.self_ns = 0;
	return t;
}

static void check_all_among(struct trial *t, const char *what, struct tuple *one, size_t n_one,
			    struct tuple *all, size_t n_all)
{
	if (n_all)
		qsort(all, n_all, sizeof(*all), tuple_order);
	for (size_t i = 0; i < n_one; i++)
		if (!n_all || !bsearch(&one[i], all, n_all, sizeof(*all), tuple_order))
			trial_note_call(t, what, &one[i]);
}

/* Tracing begins inside: what begins afterwards is as it was, and nothing else is reported. */
static void check_attach(struct trial *t)
{
	const struct exec *x = t->x;
	size_t from = exec_random(&t->rng) % x->n, n = 0;
	struct tuple *want = calloc(x->n_calls + 1, sizeof(*want));
	struct seen seen;

	assert_non_null(want);
	for (size_t i = from; i < x->n; i++)
		trial_add(t, &x->events[i]);
	for (size_t i = 0; i < x->n_calls; i++)
		if (x->calls[i].start_ns >= x->events[from].h.ts_ns)
			want[n++] = moments_of(tuple_of(&x->calls[i]), true);
	struct model *m = trial_run(t, &seen);

	for (size_t i = 0; i < seen.n; i++)
		seen.calls[i] = moments_of(seen.calls[i], true);
	HOLDS(t, seen.n == n);
	check_all_among(t, "began after attaching, yet not there", want, n, seen.calls, seen.n);
	trial_forget(m, &seen);
	free(want);
}

/* Tracing ends inside: what has ended is as it was, the rest is unfinished. */
static void check_detach(struct trial *t)
{
	const struct exec *x = t->x;
	size_t events = 1 + exec_random(&t->rng) % x->n, n = 0;
	uint64_t last_ns = x->events[events - 1].h.ts_ns;
	struct tuple *want = calloc(x->n_calls + 1, sizeof(*want));
	struct seen seen;

	assert_non_null(want);
	for (size_t i = 0; i < events; i++)
		trial_add(t, &x->events[i]);
	for (size_t i = 0; i < x->n_calls; i++) {
		struct tuple c = tuple_of(&x->calls[i]);

		if (c.start_ns > last_ns)
			continue;
		if (c.end_ns > last_ns || (c.end_ns == last_ns && c.end == CALL_UNFINISHED)) {
			c.end_ns = last_ns;
			c.end = CALL_UNFINISHED;
		}
		want[n++] = moments_of(c, c.end_ns < last_ns);
	}
	struct model *m = trial_run(t, &seen);

	for (size_t i = 0; i < seen.n; i++)
		seen.calls[i] = moments_of(seen.calls[i], seen.calls[i].end_ns < last_ns);
	/* The first entry of a prologue about to be stopped looks the same as a call's. */
	HOLDS(t, seen.n == n || (t->opt->thesis && seen.n > n));
	HOLDS(t, model_totals(m)->orphan_exits == 0);
	check_all_among(t, "began before detaching, yet not there", want, n, seen.calls, seen.n);
	trial_forget(m, &seen);
	free(want);
}

TEST(test_attach)
{
	exec_check_each("attached in the middle", check_attach);
}

TEST(test_detach)
{
	exec_check_each("detached in the middle", check_detach);
}

TESTS(test_attach, test_detach)
