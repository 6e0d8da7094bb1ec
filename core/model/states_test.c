// SPDX-License-Identifier: BSD-2-Clause
/*
 * States of goroutines against a model that goes by nanoseconds: for each of them it knows who is
 * in which state and in which calls, and adds up one by one.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/test_fixture.h"
#include "model/holds.h"
#include "model/places.h"
#include "model/states_fixture.h"

/* ---- what the engine says */

static void on_call(void *ctx, const struct call *c)
{
	struct run *r = ctx;

	r->n_said++;
	if (c->states) {
		r->said[c->order] = *c->states;
		for (size_t i = 0; i < c->states->n_waits; i++) {
			const struct call_wait *w = &c->states->waits[i];

			r->waits[c->order][0][w->reason] += w->self_ns;
			r->waits[c->order][1][w->reason] += w->total_ns;
		}
	}
	r->dur_ns[c->order] = c->end_ns - c->start_ns;
	r->self_ns[c->order] = c->self_ns;
}

static uint64_t *part(struct off_times *t, unsigned state)
{
	return state == STATE_RUNNABLE  ? &t->runnable_ns
	       : state == STATE_WAITING ? &t->wait_ns
	       : state == STATE_SYSCALL ? &t->syscall_ns
	       : state == STATE_OFF_CPU ? &t->off_cpu_ns
					: &t->unknown_ns;
}

static void on_state(void *ctx, const struct state_span *s)
{
	struct run *r = ctx;
	uint64_t g = s->goid - 1;

	assert_true(s->to_ns > s->from_ns);
	if (g >= GOROUTINES)
		return;
	assert_true(!r->span_ns[g] || s->from_ns == r->last_to_ns[g]); /* no gaps */
	r->last_to_ns[g] = s->to_ns;
	r->span_ns[g] += s->to_ns - s->from_ns;
	if (s->state != STATE_RUNNING)
		*part(&r->spans[g], s->state) += s->to_ns - s->from_ns;
}

static void on_goroutine(void *ctx, const struct goroutine_info *g)
{
	struct run *r = ctx;

	if (g->goid > GOROUTINES)
		return;
	r->life_ns[g->goid - 1] = g->life_ns;
	r->lives[g->goid - 1] = g->off;
}

static void on_place(void *ctx, const struct goroutine_place *p)
{
	struct run *r = ctx;

	if (p->g->goid <= GOROUTINES)
		r->places[p->g->goid - 1] = (struct place){ p->func, p->reason, p->ns, p->n, true };
}

static void same(const struct off_times *want, const struct off_times *got, const char *what)
{
	if (memcmp(want, got, sizeof(*want)))
		fail_msg(
			"%s: runnable %d, waiting %d, system call %d, unknown %d, not %d, %d, %d, %d",
			what, (int)got->runnable_ns, (int)got->wait_ns, (int)got->syscall_ns,
			(int)got->unknown_ns, (int)want->runnable_ns, (int)want->wait_ns,
			(int)want->syscall_ns, (int)want->unknown_ns);
}

/* Adds up all moments, and compares. */
static void check_calls(struct run *r)
{
	struct call_states *want = calloc(CALLS, sizeof(*want));

	assert_non_null(want);
	for (unsigned g = 0; g < GOROUTINES; g++)
		for (unsigned t = 0; t < TIME; t++) {
			const struct moment *m = &r->truth->at[g][t];

			if (!m->alive || m->state == STATE_RUNNING)
				continue;
			for (int i = 0; i < m->n; i++)
				++*part(&want[m->calls[i]].total, m->state);
			if (m->n && !m->held)
				++*part(&want[m->calls[m->n - 1]].self, m->state);
			for (int i = 0; m->state == STATE_WAITING && i < m->n; i++)
				--r->waits[m->calls[i]][1][m->reason];
			if (m->state == STATE_WAITING && m->n && !m->held)
				--r->waits[m->calls[m->n - 1]][0][m->reason];
		}
	assert_int_equal(r->n_said, r->truth->n_calls);
	for (size_t i = 0; i < r->truth->n_calls; i++) {
		same(&want[i].self, &r->said[i].self, "self of a call");
		same(&want[i].total, &r->said[i].total, "total of a call");
		for (unsigned k = 0; k <= REASON_PREEMPTED; k++) {
			assert_int_equal(r->waits[i][0][k], 0); /* self, and total */
			assert_int_equal(r->waits[i][1][k], 0);
		}
	}
	free(want);
}

static void check_goroutines(struct run *r)
{
	for (unsigned g = 0; g < GOROUTINES; g++) {
		struct off_times want = { 0 };
		uint64_t life_ns = 0;

		for (unsigned t = 0; t < TIME; t++) {
			const struct moment *m = &r->truth->at[g][t];

			life_ns += m->alive;
			if (m->alive && m->state != STATE_RUNNING)
				++*part(&want, m->state);
		}
		assert_int_equal(r->life_ns[g], life_ns);
		assert_int_equal(r->span_ns[g], life_ns);
		same(&want, &r->lives[g], "life");
		same(&want, &r->spans[g], "spans");
	}
}

/* A goroutine's place is one where it waited for more than half of its waiting, and where it waited
 * at least for as long as told. Calls of a function may be in several paths. */
static void check_places(const struct run *r)
{
	for (unsigned g = 0; g < GOROUTINES; g++) {
		uint64_t ns[FUNCS][REASON_PREEMPTED + 1] = { 0 }, all_ns = 0, held_ns = 0;
		const struct place *p = &r->places[g];

		for (unsigned t = 0; t < TIME; t++) {
			const struct moment *m = &r->truth->at[g][t];

			if (!m->alive || m->state != STATE_WAITING)
				continue;
			all_ns++;
			held_ns += m->held;
			if (m->n && !m->held)
				ns[r->truth->calls[m->calls[m->n - 1]].func][m->reason]++;
		}
		if (!p->told)
			continue;
		assert_true(p->n && p->ns >= p->n);
		/* That a prologue was stopped meanwhile may be told later. */
		assert_true(p->ns <= ns[p->func][p->reason] + held_ns);
		assert_true(2 * p->ns > all_ns);
	}
}

/* By function: calls that are open above another of theirs are not in the total. */
static void check_funcs(struct run *r, const struct model *m)
{
	struct call_states want[FUNCS] = { 0 };
	uint64_t waits[FUNCS][REASON_PREEMPTED + 1] = { 0 }, held_ns = 0, got_held_ns = 0;
	size_t n;
	const struct call_stats *got = model_funcs(m, &n);

	for (unsigned g = 0; g < GOROUTINES; g++)
		for (unsigned t = 0; t < TIME; t++) {
			const struct moment *x = &r->truth->at[g][t];
			bool seen[FUNCS] = { 0 };

			if (!x->alive || x->state == STATE_RUNNING)
				continue;
			for (int i = 0; i < x->n; i++) {
				uint32_t f = r->truth->calls[x->calls[i]].func;

				if (!seen[f])
					++*part(&want[f].total, x->state);
				seen[f] = true;
				if (i + 1 < x->n || x->held)
					continue;
				++*part(&want[f].self, x->state);
				if (x->state == STATE_WAITING)
					waits[f][x->reason]++;
			}
			held_ns += x->n && x->held && x->state == STATE_WAITING;
		}
	assert_int_equal(n, FUNCS);
	for (size_t i = 0; i < n; i++) {
		same(&want[i].self, &got[i].off_self, "self of a function");
		same(&want[i].total, &got[i].off_total, "total of a function");
	}
	const struct path_waits *w = model_waits(m, &n);

	for (size_t i = 0; i < n; i++) {
		if (w[i].held)
			got_held_ns += w[i].ns;
		else
			waits[w[i].func][w[i].reason] -= w[i].ns;
	}
	assert_int_equal(held_ns, got_held_ns);
	for (unsigned f = 0; f < FUNCS; f++)
		for (unsigned k = 0; k <= REASON_PREEMPTED; k++)
			assert_int_equal(waits[f][k], 0);
}

/* Reasons add up to all waiting, of each path and of all below it. */
static void check_waits(const struct model *m)
{
	size_t n, n_waits;
	const struct path_node *paths = model_paths(m, &n);
	const struct path_waits *w = model_waits(m, &n_waits);
	uint64_t *self = calloc(n, sizeof(*self)), *total = calloc(n, sizeof(*total));

	assert_true(self && total);
	for (size_t i = 0; i < n_waits; i++) {
		self[w[i].path] += w[i].held ? 0 : w[i].ns;
		for (uint32_t p = w[i].path; p; p = paths[p].go_edge ? 0 : paths[p].parent)
			total[p] += w[i].ns;
	}
	for (size_t i = 1; i < n; i++) {
		assert_int_equal(self[i], paths[i].stats.off_self.wait_ns);
		assert_int_equal(total[i], paths[i].stats.off_total.wait_ns);
	}
	free(self);
	free(total);
}

/* Waits that are left out of a path go from all above it, and from nothing else. */
static void check_leaving_out(struct model *m)
{
	const uint64_t root_ns = model_totals(m)->root_ns, life_ns = model_totals(m)->life_ns,
		       wait_ns = model_totals(m)->off.wait_ns;
	uint64_t left_out_ns = 0;
	size_t n;
	const struct path_waits *w = model_waits(m, &n);

	for (size_t i = 0; i < n; i++) {
		struct path_waits some = w[i];

		some.ns -= some.ns / 3;
		if (some.held)
			continue;
		assert_int_equal(model_leave_out(m, &some), some.ns);
		left_out_ns += some.ns;
	}
	assert_int_equal(model_totals(m)->root_ns, root_ns - left_out_ns);
	assert_int_equal(model_totals(m)->life_ns, life_ns - left_out_ns);
	assert_int_equal(model_totals(m)->off.wait_ns, wait_ns - left_out_ns);
	check_waits(m);
}

static void check_wakes(struct run *r, const struct model *m)
{
	size_t n;
	const struct func_wakes *w = model_wakes(m, &n);

	for (size_t i = 0; i < n; i++) {
		uint32_t by = w[i].by == WAKE_NO_CALL ? FUNCS : w[i].by;

		assert_true(by <= FUNCS && w[i].n && w[i].ns >= w[i].n);
		r->wakes[w[i].func][w[i].reason][by] -= w[i].ns;
	}
	for (unsigned f = 0; f < FUNCS; f++)
		for (unsigned k = 0; k <= REASON_PREEMPTED; k++)
			for (unsigned by = 0; by <= FUNCS; by++)
				assert_int_equal(r->wakes[f][k][by], 0);
}

TEST(test_random)
{
	for (uint64_t seed = 1; seed <= 2000; seed++) {
		struct run *r = calloc(1, sizeof(*r));

		assert_non_null(r);
		states_make(r, seed);
		struct model *m = model_new(&r->info,
					    &(struct model_options){ .on_call = on_call,
								     .on_state = on_state,
								     .on_goroutine = on_goroutine,
								     .on_place = on_place,
								     .place_ctx = r,
								     .call_waits = true,
								     .wakes = true,
								     .ctx = r });

		assert_non_null(m);
		for (size_t i = 0; i < r->n; i++)
			assert_int_equal(model_feed(m, &r->events[i]), 0);
		assert_int_equal(model_finish(m), 0);
		check_goroutines(r);
		check_calls(r);
		check_places(r);
		check_funcs(r, m);
		check_waits(m);
		check_wakes(r, m);
		check_leaving_out(m);
		assert_int_equal(model_totals(m)->bad_events, 0);
		model_free(m);
		trace_info_free(&r->info);
		free(r->truth);
		free(r->events);
		free(r);
	}
}

TESTS(test_random)
