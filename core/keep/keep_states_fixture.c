// SPDX-License-Identifier: BSD-2-Clause
#include "keep/keep_states_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/holds.h"

static const struct moment *moment(const struct kept *k, unsigned g, unsigned t)
{
	return &k->run->truth->at[g][t];
}

int kept_number(const struct kept *k, unsigned g, unsigned t, unsigned level)
{
	const struct moment *m = moment(k, g, t);

	return (int)level < m->n ? m->calls[level] : -1;
}

/* ---- what the model says */

/* The one on that goroutine that was the innermost wanted one but `level` when it began. */
static int number_of(const struct kept *k, const struct call *c)
{
	const struct moment *m = moment(k, (unsigned)c->goid - 1, (unsigned)(c->start_ns - BASE));
	unsigned at = 0;

	for (int i = 0; i < m->n; i++)
		if (k->want[m->calls[i]] && at++ == c->level)
			return m->calls[i];
	return -1;
}

static void on_call(void *ctx, const struct call *c)
{
	struct kept *k = ctx;
	int i = c->goid && c->goid <= GOROUTINES ? number_of(k, c) : -1;

	if (i < 0 || k->run->truth->calls[i].func != c->func)
		fail_msg("a call of function %u on goroutine %u at %u is not in the truth", c->func,
			 (unsigned)c->goid, (unsigned)(c->start_ns - BASE));
	k->calls[i].n++;
	k->calls[i].self_ns = c->self_ns;
	if (!c->states)
		return;
	k->calls[i].self = c->states->self;
	k->calls[i].total = c->states->total;
}

static void on_goroutine(void *ctx, const struct goroutine_info *g)
{
	struct kept *k = ctx;

	if (g->goid > GOROUTINES || g->system)
		return;
	k->life_ns[g->goid - 1] += g->life_ns;
	off_times_add(&k->lives[g->goid - 1], &g->off);
}

void kept_begin(struct kept *k, uint64_t seed)
{
	*k = (struct kept){ .run = calloc(1, sizeof(*k->run)) };
	assert_non_null(k->run);
	states_make(k->run, seed);
	memset(k->want, true, sizeof(k->want));
	k->model = model_new(&k->run->info, &(struct model_options){ .on_call = on_call,
								     .on_goroutine = on_goroutine,
								     .wakes = true,
								     .ctx = k });
	assert_non_null(k->model);
}

void kept_feed(struct kept *k, const struct event_ext *ev)
{
	assert_int_equal(model_feed(k->model, ev), 0);
}

void kept_feed_many(struct kept *k, const struct event *ev, size_t n)
{
	for (size_t i = 0; i < n; i++)
		kept_feed(k, &(struct event_ext){ .h = ev[i] });
}

void kept_finish(struct kept *k)
{
	assert_int_equal(model_finish(k->model), 0);
	assert_int_equal(model_totals(k->model)->bad_events, 0);
}

void kept_end(struct kept *k)
{
	model_free(k->model);
	trace_info_free(&k->run->info);
	free(k->run->truth);
	free(k->run->events);
	free(k->run);
}

/* ---- the truth */

static uint64_t *part(struct off_times *t, unsigned state)
{
	return state == STATE_RUNNABLE  ? &t->runnable_ns
	       : state == STATE_WAITING ? &t->wait_ns
	       : state == STATE_SYSCALL ? &t->syscall_ns
	       : state == STATE_OFF_CPU ? &t->off_cpu_ns
					: &t->unknown_ns;
}

static void same(const struct off_times *want, const struct off_times *got, const char *what,
		 unsigned i)
{
	if (memcmp(want, got, sizeof(*want)))
		fail_msg(
			"%s %u: runnable %d, waiting %d, system call %d, unknown %d, off %d, not %d, %d, %d, %d, %d",
			what, i, (int)got->runnable_ns, (int)got->wait_ns, (int)got->syscall_ns,
			(int)got->unknown_ns, (int)got->off_cpu_ns, (int)want->runnable_ns,
			(int)want->wait_ns, (int)want->syscall_ns, (int)want->unknown_ns,
			(int)want->off_cpu_ns);
}

static int innermost(const struct kept *k, const struct moment *m)
{
	int i = m->n;

	while (i && !k->want[m->calls[i - 1]])
		i--;
	return i ? m->calls[i - 1] : -1;
}

/* Stopped in a prologue, of a call that is not wanted: whose time that is depends on what else
 * happens there. */
static bool is_unsure(const struct kept *k, unsigned g, unsigned t)
{
	const unsigned level = (unsigned)moment(k, g, t)->n;

	if (!moment(k, g, t)->held || k->some_stops)
		return moment(k, g, t)->held;
	while (t + 1 < TIME && moment(k, g, t)->held)
		t++;
	return kept_number(k, g, t, level) >= 0 && !k->want[kept_number(k, g, t, level)];
}

/* Stopped in a prologue, which is known of: the stop was seen. */
static bool is_held(const struct kept *k, unsigned g, unsigned t)
{
	while (moment(k, g, t)->held && t > k->from)
		t--;
	return !moment(k, g, t)->held;
}

static void add_moment(const struct kept *k, unsigned g, unsigned t, struct kept_call *want)
{
	const struct moment *m = moment(k, g, t);
	int top = innermost(k, m);

	for (int i = 0; i < m->n && m->alive; i++) {
		want[m->calls[i]].n = 1;
		want[m->calls[i]].apart |= k->of_outermost && !k->want[m->calls[0]];
	}
	if (top >= 0)
		want[top].unsure |= is_unsure(k, g, t);
	if (!m->alive || m->state == STATE_RUNNING)
		return;
	for (int i = 0; i < m->n; i++)
		++*part(&want[m->calls[i]].total, m->state);
	if (top >= 0 && !(m->held && is_held(k, g, t)))
		++*part(&want[top].self, m->state);
}

void kept_same_calls(const struct kept *k)
{
	struct kept_call *want = calloc(CALLS, sizeof(*want));

	assert_non_null(want);
	for (unsigned g = 0; g < GOROUTINES; g++)
		for (unsigned t = (unsigned)k->from; t < TIME; t++)
			add_moment(k, g, t, want);
	for (unsigned i = 0; i < k->run->truth->n_calls; i++) {
		if (k->calls[i].n != (want[i].n && k->want[i]))
			fail_msg("call %u is there %u times", i, k->calls[i].n);
		if (!k->calls[i].n)
			continue;
		assert_true(off_times_sum(&k->calls[i].self) <= k->calls[i].self_ns);
		if (want[i].apart)
			continue;
		if (!want[i].unsure)
			same(&want[i].self, &k->calls[i].self, "self of call", i);
		same(&want[i].total, &k->calls[i].total, "total of call", i);
	}
	free(want);
}

void kept_same_life(const struct kept *k, unsigned g)
{
	struct off_times want = { 0 };
	uint64_t life_ns = 0;

	for (unsigned t = (unsigned)k->from; t < TIME; t++) {
		const struct moment *m = moment(k, g, t);

		life_ns += m->alive;
		if (m->alive && m->state != STATE_RUNNING)
			++*part(&want, m->state);
	}
	assert_int_equal(k->life_ns[g], life_ns);
	same(&want, &k->lives[g], "life", g);
}

static void add_wake(const struct kept *k, const struct event *e, uint64_t ns[FUNCS][FUNCS + 1])
{
	const struct truth *x = k->run->truth;
	const unsigned t = (unsigned)(e->ts_ns - BASE), g = e->depth - 1;
	const struct moment *by = moment(k, (unsigned)e->goid - 1, t);
	unsigned since = t;

	if (t <= k->from)
		return;
	const struct moment *m = moment(k, g, t - 1);
	int top = innermost(k, m);

	while (since > k->from && moment(k, g, since - 1)->alive &&
	       moment(k, g, since - 1)->state == STATE_WAITING &&
	       moment(k, g, since - 1)->reason == m->reason)
		since--;
	/* a stopped prologue's is none of a call, but where the stop was not seen */
	if (top >= 0 && (m->reason != REASON_PREEMPTED || (k->from && since == k->from)))
		ns[x->calls[top].func][by->n ? x->calls[by->calls[by->n - 1]].func : FUNCS] +=
			t - since;
}

void kept_same_wakes(const struct kept *k)
{
	uint64_t want[FUNCS][FUNCS + 1] = { 0 };
	size_t n;
	const struct func_wakes *w = model_wakes(k->model, &n);

	for (size_t i = 0; i < k->run->n; i++)
		if (k->run->events[i].h.kind == EV_WAKE)
			add_wake(k, &k->run->events[i].h, want);
	for (size_t i = 0; i < n; i++) {
		uint32_t by = w[i].by == WAKE_NO_CALL ? FUNCS : w[i].by;

		assert_true(by <= FUNCS);
		want[w[i].func][by] -= w[i].ns;
	}
	for (unsigned f = 0; f < FUNCS; f++)
		for (unsigned by = 0; by <= FUNCS; by++)
			if (want[f][by])
				fail_msg("%d ns of waits in function %u that %u ended",
					 (int)want[f][by], f, by);
}
