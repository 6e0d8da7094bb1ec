// SPDX-License-Identifier: BSD-2-Clause
#include "model/holds.h"
#include "keep/keep_states_fixture.h"
#include "model/holds.h"

#include "model/holds.h"
#include <setjmp.h>
#include "model/holds.h"
#include <stdarg.h>
#include "model/holds.h"
#include <stddef.h>
#include "model/holds.h"
#include <stdlib.h>
#include "model/holds.h"
#include <string.h>
#include "model/holds.h"

#include "model/holds.h"
#include <cmocka.h>
#include "model/holds.h"

#include "model/holds.h"
static const struct moment *moment(const struct kept *k, unsigned g, unsigned t)
#include "model/holds.h"
{
#include "model/holds.h"
	return &k->run->truth->at[g][t];
#include "model/holds.h"
}
#include "model/holds.h"

#include "model/holds.h"
int kept_number(const struct kept *k, unsigned g, unsigned t, unsigned level)
#include "model/holds.h"
{
#include "model/holds.h"
	const struct moment *m = moment(k, g, t);
#include "model/holds.h"

#include "model/holds.h"
	return (int)level < m->n ? m->calls[level] : -1;
#include "model/holds.h"
}
#include "model/holds.h"

#include "model/holds.h"
/* ---- what the model says */
#include "model/holds.h"

#include "model/holds.h"
/* The one on that goroutine that was the innermost wanted one but `level` when it began. */
#include "model/holds.h"
static int number_of(const struct kept *k, const struct call *c)
#include "model/holds.h"
{
#include "model/holds.h"
	const struct moment *m = moment(k, (unsigned)c->goid - 1, (unsigned)(c->start_ns - BASE));
#include "model/holds.h"
	unsigned at = 0;
#include "model/holds.h"

#include "model/holds.h"
	for (int i = 0; i < m->n; i++)
#include "model/holds.h"
		if (k->want[m->calls[i]] && at++ == c->level)
#include "model/holds.h"
			return m->calls[i];
#include "model/holds.h"
	return -1;
#include "model/holds.h"
}
#include "model/holds.h"

#include "model/holds.h"
static void on_call(void *ctx, const struct call *c)
#include "model/holds.h"
{
#include "model/holds.h"
	struct kept *k = ctx;
#include "model/holds.h"
	int i = c->goid && c->goid <= GOROUTINES ? number_of(k, c) : -1;
#include "model/holds.h"

#include "model/holds.h"
	if (i < 0 || k->run->truth->calls[i].func != c->func)
#include "model/holds.h"
		fail_msg("a call of function %u on goroutine %u at %u is not in the truth", c->func,
#include "model/holds.h"
			 (unsigned)c->goid, (unsigned)(c->start_ns - BASE));
#include "model/holds.h"
	k->calls[i].n++;
#include "model/holds.h"
	k->calls[i].self_ns = c->self_ns;
#include "model/holds.h"
	if (!c->states)
#include "model/holds.h"
		return;
#include "model/holds.h"
	k->calls[i].self = c->states->self;
#include "model/holds.h"
	k->calls[i].total = c->states->total;
#include "model/holds.h"
}
#include "model/holds.h"

#include "model/holds.h"
static void on_goroutine(void *ctx, const struct goroutine_info *g)
#include "model/holds.h"
{
#include "model/holds.h"
	struct kept *k = ctx;
#include "model/holds.h"

#include "model/holds.h"
	if (g->goid > GOROUTINES || g->system)
#include "model/holds.h"
		return;
#include "model/holds.h"
	k->life_ns[g->goid - 1] += g->life_ns;
#include "model/holds.h"
	off_times_add(&k->lives[g->goid - 1], &g->off);
#include "model/holds.h"
}
#include "model/holds.h"

#include "model/holds.h"
void kept_begin(struct kept *k, uint64_t seed)
#include "model/holds.h"
{
#include "model/holds.h"
	*k = (struct kept){ .run = calloc(1, sizeof(*k->run)) };
#include "model/holds.h"
	assert_non_null(k->run);
#include "model/holds.h"
	states_make(k->run, seed);
#include "model/holds.h"
	memset(k->want, true, sizeof(k->want));
#include "model/holds.h"
	k->model = model_new(&k->run->info, &(struct model_options){ .on_call = on_call,
#include "model/holds.h"
								     .on_goroutine = on_goroutine,
#include "model/holds.h"
								     .wakes = true,
#include "model/holds.h"
								     .ctx = k });
#include "model/holds.h"
	assert_non_null(k->model);
#include "model/holds.h"
}
#include "model/holds.h"

#include "model/holds.h"
void kept_feed(struct kept *k, const struct event_ext *ev)
#include "model/holds.h"
{
#include "model/holds.h"
	assert_int_equal(model_feed(k->model, ev), 0);
#include "model/holds.h"
}
#include "model/holds.h"

#include "model/holds.h"
void kept_feed_many(struct kept *k, const struct event *ev, size_t n)
#include "model/holds.h"
{
#include "model/holds.h"
	for (size_t i = 0; i < n; i++)
#include "model/holds.h"
		kept_feed(k, &(struct event_ext){ .h = ev[i] });
#include "model/holds.h"
}
#include "model/holds.h"

#include "model/holds.h"
void kept_finish(struct kept *k)
#include "model/holds.h"
{
#include "model/holds.h"
	assert_int_equal(model_finish(k->model), 0);
#include "model/holds.h"
	assert_int_equal(model_totals(k->model)->bad_events, 0);
#include "model/holds.h"
}
#include "model/holds.h"

#include "model/holds.h"
void kept_end(struct kept *k)
#include "model/holds.h"
{
#include "model/holds.h"
	model_free(k->model);
#include "model/holds.h"
	trace_info_free(&k->run->info);
#include "model/holds.h"
	free(k->run->truth);
#include "model/holds.h"
	free(k->run->events);
#include "model/holds.h"
	free(k->run);
#include "model/holds.h"
}
#include "model/holds.h"

#include "model/holds.h"
/* ---- the truth */
#include "model/holds.h"

#include "model/holds.h"
static uint64_t *part(struct off_times *t, unsigned state)
#include "model/holds.h"
{
#include "model/holds.h"
	return state == STATE_RUNNABLE ? &t->runnable_ns
#include "model/holds.h"
	       : state == STATE_WAITING ? &t->wait_ns
#include "model/holds.h"
	       : state == STATE_SYSCALL ? &t->syscall_ns
#include "model/holds.h"
	       : state == STATE_OFF_CPU ? &t->off_cpu_ns
#include "model/holds.h"
					: &t->unknown_ns;
#include "model/holds.h"
}
#include "model/holds.h"

#include "model/holds.h"
static void same(const struct off_times *want, const struct off_times *got, const char *what,
#include "model/holds.h"
		 unsigned i)
#include "model/holds.h"
{
#include "model/holds.h"
	if (memcmp(want, got, sizeof(*want)))
#include "model/holds.h"
		fail_msg(
#include "model/holds.h"
			"%s %u: runnable %d, waiting %d, system call %d, unknown %d, off %d, not %d, %d, %d, %d, %d",
#include "model/holds.h"
			what, i, (int)got->runnable_ns, (int)got->wait_ns, (int)got->syscall_ns,
#include "model/holds.h"
			(int)got->unknown_ns, (int)got->off_cpu_ns, (int)want->runnable_ns,
#include "model/holds.h"
			(int)want->wait_ns, (int)want->syscall_ns, (int)want->unknown_ns,
#include "model/holds.h"
			(int)want->off_cpu_ns);
#include "model/holds.h"
}
#include "model/holds.h"

#include "model/holds.h"
static int innermost(const struct kept *k, const struct moment *m)
#include "model/holds.h"
{
#include "model/holds.h"
	int i = m->n;
#include "model/holds.h"

#include "model/holds.h"
	while (i && !k->want[m->calls[i - 1]])
#include "model/holds.h"
		i--;
#include "model/holds.h"
	return i ? m->calls[i - 1] : -1;
#include "model/holds.h"
}
#include "model/holds.h"

#include "model/holds.h"
/* Stopped in a prologue, of a call that is not wanted: whose time that is depends on what else
#include "model/holds.h"
 * happens there. */
#include "model/holds.h"
static bool is_unsure(const struct kept *k, unsigned g, unsigned t)
#include "model/holds.h"
{
#include "model/holds.h"
	const unsigned level = (unsigned)moment(k, g, t)->n;
#include "model/holds.h"

#include "model/holds.h"
	if (!moment(k, g, t)->held || k->some_stops)
#include "model/holds.h"
		return moment(k, g, t)->held;
#include "model/holds.h"
	while (t + 1 < TIME && moment(k, g, t)->held)
#include "model/holds.h"
		t++;
#include "model/holds.h"
	return kept_number(k, g, t, level) >= 0 && !k->want[kept_number(k, g, t, level)];
#include "model/holds.h"
}
#include "model/holds.h"

#include "model/holds.h"
/* Stopped in a prologue, which is known of: the stop was seen. */
#include "model/holds.h"
static bool is_held(const struct kept *k, unsigned g, unsigned t)
#include "model/holds.h"
{
#include "model/holds.h"
	while (moment(k, g, t)->held && t > k->from)
#include "model/holds.h"
		t--;
#include "model/holds.h"
	return !moment(k, g, t)->held;
#include "model/holds.h"
}
#include "model/holds.h"

#include "model/holds.h"
static void add_moment(const struct kept *k, unsigned g, unsigned t, struct kept_call *want)
#include "model/holds.h"
{
#include "model/holds.h"
	const struct moment *m = moment(k, g, t);
#include "model/holds.h"
	int top = innermost(k, m);
#include "model/holds.h"

#include "model/holds.h"
	for (int i = 0; i < m->n && m->alive; i++) {
#include "model/holds.h"
		want[m->calls[i]].n = 1;
#include "model/holds.h"
		want[m->calls[i]].apart |= k->of_outermost && !k->want[m->calls[0]];
#include "model/holds.h"
	}
#include "model/holds.h"
	if (top >= 0)
#include "model/holds.h"
		want[top].unsure |= is_unsure(k, g, t);
#include "model/holds.h"
	if (!m->alive || m->state == STATE_RUNNING)
#include "model/holds.h"
		return;
#include "model/holds.h"
	for (int i = 0; i < m->n; i++)
#include "model/holds.h"
		++*part(&want[m->calls[i]].total, m->state);
#include "model/holds.h"
	if (top >= 0 && !(m->held && is_held(k, g, t)))
#include "model/holds.h"
		++*part(&want[top].self, m->state);
#include "model/holds.h"
}
#include "model/holds.h"

#include "model/holds.h"
void kept_same_calls(const struct kept *k)
#include "model/holds.h"
{
#include "model/holds.h"
	struct kept_call *want = calloc(CALLS, sizeof(*want));
#include "model/holds.h"

#include "model/holds.h"
	assert_non_null(want);
#include "model/holds.h"
	for (unsigned g = 0; g < GOROUTINES; g++)
#include "model/holds.h"
		for (unsigned t = (unsigned)k->from; t < TIME; t++)
#include "model/holds.h"
			add_moment(k, g, t, want);
#include "model/holds.h"
	for (unsigned i = 0; i < k->run->truth->n_calls; i++) {
#include "model/holds.h"
		if (k->calls[i].n != (want[i].n && k->want[i]))
#include "model/holds.h"
			fail_msg("call %u is there %u times", i, k->calls[i].n);
#include "model/holds.h"
		if (!k->calls[i].n)
#include "model/holds.h"
			continue;
#include "model/holds.h"
		assert_true(off_times_sum(&k->calls[i].self) <= k->calls[i].self_ns);
#include "model/holds.h"
		if (want[i].apart)
#include "model/holds.h"
			continue;
#include "model/holds.h"
		if (!want[i].unsure)
#include "model/holds.h"
			same(&want[i].self, &k->calls[i].self, "self of call", i);
#include "model/holds.h"
		same(&want[i].total, &k->calls[i].total, "total of call", i);
#include "model/holds.h"
	}
#include "model/holds.h"
	free(want);
#include "model/holds.h"
}
#include "model/holds.h"

#include "model/holds.h"
void kept_same_life(const struct kept *k, unsigned g)
#include "model/holds.h"
{
#include "model/holds.h"
	struct off_times want = { 0 };
#include "model/holds.h"
	uint64_t life_ns = 0;
#include "model/holds.h"

#include "model/holds.h"
	for (unsigned t = (unsigned)k->from; t < TIME; t++) {
#include "model/holds.h"
		const struct moment *m = moment(k, g, t);
#include "model/holds.h"

#include "model/holds.h"
		life_ns += m->alive;
#include "model/holds.h"
		if (m->alive && m->state != STATE_RUNNING)
#include "model/holds.h"
			++*part(&want, m->state);
#include "model/holds.h"
	}
#include "model/holds.h"
	assert_int_equal(k->life_ns[g], life_ns);
#include "model/holds.h"
	same(&want, &k->lives[g], "life", g);
#include "model/holds.h"
}
#include "model/holds.h"

#include "model/holds.h"
static void add_wake(const struct kept *k, const struct event *e, uint64_t ns[FUNCS][FUNCS + 1])
#include "model/holds.h"
{
#include "model/holds.h"
	const struct truth *x = k->run->truth;
#include "model/holds.h"
	const unsigned t = (unsigned)(e->ts_ns - BASE), g = e->depth - 1;
#include "model/holds.h"
	const struct moment *by = moment(k, (unsigned)e->goid - 1, t);
#include "model/holds.h"
	unsigned since = t;
#include "model/holds.h"

#include "model/holds.h"
	if (t <= k->from)
#include "model/holds.h"
		return;
#include "model/holds.h"
	const struct moment *m = moment(k, g, t - 1);
#include "model/holds.h"
	int top = innermost(k, m);
#include "model/holds.h"

#include "model/holds.h"
	while (since > k->from && moment(k, g, since - 1)->alive &&
#include "model/holds.h"
	       moment(k, g, since - 1)->state == STATE_WAITING &&
#include "model/holds.h"
	       moment(k, g, since - 1)->reason == m->reason)
#include "model/holds.h"
		since--;
#include "model/holds.h"
		/* a stopped prologue's is none of a call, but where the stop was not seen */
#include "model/holds.h"
	if (top >= 0 && (m->reason != REASON_PREEMPTED || (k->from && since == k->from)))
#include "model/holds.h"
		ns[x->calls[top].func][by->n ? x->calls[by->calls[by->n - 1]].func : FUNCS] +=
#include "model/holds.h"
			t - since;
#include "model/holds.h"
}
#include "model/holds.h"

#include "model/holds.h"
void kept_same_wakes(const struct kept *k)
#include "model/holds.h"
{
#include "model/holds.h"
	uint64_t want[FUNCS][FUNCS + 1] = { 0 };
#include "model/holds.h"
	size_t n;
#include "model/holds.h"
	const struct func_wakes *w = model_wakes(k->model, &n);
#include "model/holds.h"

#include "model/holds.h"
	for (size_t i = 0; i < k->run->n; i++)
#include "model/holds.h"
		if (k->run->events[i].h.kind == EV_WAKE)
#include "model/holds.h"
			add_wake(k, &k->run->events[i].h, want);
#include "model/holds.h"
	for (size_t i = 0; i < n; i++) {
#include "model/holds.h"
		uint32_t by = w[i].by == WAKE_NO_CALL ? FUNCS : w[i].by;
#include "model/holds.h"

#include "model/holds.h"
		assert_true(by <= FUNCS);
#include "model/holds.h"
		want[w[i].func][by] -= w[i].ns;
#include "model/holds.h"
	}
#include "model/holds.h"
	for (unsigned f = 0; f < FUNCS; f++)
#include "model/holds.h"
		for (unsigned by = 0; by <= FUNCS; by++)
#include "model/holds.h"
			if (want[f][by])
#include "model/holds.h"
				fail_msg("%d ns of waits in function %u that %u ended",
#include "model/holds.h"
					 (int)want[f][by], f, by);
#include "model/holds.h"
}
#include "model/holds.h"
