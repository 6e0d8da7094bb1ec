// SPDX-License-Identifier: BSD-2-Clause
/* Goroutines made up: who is looked at, and what the estimates are that come of it. */
#include "base/test_fixture.h"
#include "sample/looks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TICK_NS  25000000ull /* between two snapshots, on average */
#define LOOKS    400
#define PARKED   140000u
#define BUSY     40u
#define WORK_NS  20e6 /* on average, at random, in turns */
#define IDLE_NS  30e6
#define LEAK_MAX 40000u

enum { PARKED_HERE, PARKED_THERE, IDLE, WORKS, KINDS };

struct goroutine {
	uint64_t changes; /* so often it has run */
	uint64_t until_ns;
	uint8_t kind;
};

struct world {
	struct goroutine *all;
	size_t n;
	uint32_t busy[BUSY]; /* places */
	uint64_t random, now_ns, asked;
	double true_ns[KINDS], sum_ns[KINDS], square_ns[KINDS];
	uint64_t seen[KINDS];
};

static double chance(void *ctx)
{
	struct world *w = ctx;

	w->random ^= w->random >> 12;
	w->random ^= w->random << 25;
	w->random ^= w->random >> 27;
	return (double)(w->random * 0x2545f4914f6cdd1dull >> 11) / (double)(1ull << 53);
}

static int marks(void *ctx, const uint32_t *which, size_t n, uint64_t *to)
{
	struct world *w = ctx;

	assert_true(n <= LOOKS_MARKS);
	w->asked += n;
	for (size_t i = 0; i < n; i++)
		to[i] = w->all[which[i]].changes + 1;
	return 0;
}

/* The busy ones stand at random places among those that are parked, in two ways. */
static void begin(struct world *w, size_t parked, size_t busy, uint64_t seed)
{
	*w = (struct world){ .n = parked + busy, .random = seed };
	w->all = calloc(w->n + LEAK_MAX, sizeof(*w->all));
	assert_non_null(w->all);
	for (size_t i = 0; i < w->n + LEAK_MAX; i++)
		w->all[i].kind = i % 7 < 5 ? PARKED_HERE : PARKED_THERE;
	for (size_t i = 0; i < busy; i++) {
		w->busy[i] = (uint32_t)(chance(w) * (double)w->n);
		w->all[w->busy[i]].kind = IDLE;
	}
}

/* Time goes on. Everybody's true time is counted. */
static void go_on(struct world *w, uint64_t ns, size_t busy)
{
	const uint64_t end = w->now_ns + ns;

	for (size_t i = 0; i < w->n; i++)
		if (w->all[i].kind < IDLE)
			w->true_ns[w->all[i].kind] += (double)ns;
	for (size_t i = 0; i < busy; i++) {
		struct goroutine *g = &w->all[w->busy[i]];
		uint64_t at = w->now_ns;

		for (;;) {
			const uint64_t to = g->until_ns < end ? g->until_ns : end;

			w->true_ns[g->kind] += to > at ? (double)(to - at) : 0;
			at = to > at ? to : at;
			if (g->until_ns > end)
				break;
			g->kind = g->kind == IDLE ? WORKS : IDLE;
			g->changes++;
			g->until_ns += (uint64_t)(-log(1 - chance(w)) *
						  (g->kind == WORKS ? WORK_NS : IDLE_NS));
		}
	}
	w->now_ns = end;
}

static void look(struct world *w, struct looks *l, uint64_t weight_ns)
{
	const struct looks_source from = { marks, chance, w };
	double all = 0;

	assert_int_equal(looks_choose(l, w->n, w->now_ns, &from), 0);
	assert_true(l->n_chosen <= LOOKS_MOST);
	for (size_t i = 0; i < l->n_chosen; i++) {
		const double stands_for = l->at[l->chosen[i]].stands_for,
			     ns = stands_for * (double)weight_ns;
		const uint8_t kind = w->all[l->chosen[i]].kind;

		all += stands_for;
		w->sum_ns[kind] += ns;
		w->square_ns[kind] += ns * ns;
		w->seen[kind]++;
	}
	/* Together they stand for all. */
	assert_true(fabs(all - (double)w->n) < 1 + (double)w->n / 1e4);
}

static double error_ns(const struct world *w, int kind)
{
	return sqrt(w->square_ns[kind]);
}

/* 10 s of 140,000 that are parked and 40 that work: what the 40 do is known. */
TEST(a_leak_hides_nobody)
{
	double off = 0, squares = 0;

	for (uint64_t seed = 1; seed <= 8; seed++) {
		struct looks l = { 0 };
		struct world w;

		begin(&w, PARKED, BUSY, seed * 7919);
		for (int i = 0; i < LOOKS; i++) {
			uint64_t ns = (uint64_t)((0.7 + 0.6 * chance(&w)) * (double)TICK_NS);

			go_on(&w, ns, BUSY);
			look(&w, &l, ns);
		}
		for (int k = PARKED_HERE; k <= PARKED_THERE; k++)
			assert_true(fabs(w.sum_ns[k] - w.true_ns[k]) < 0.03 * w.true_ns[k]);
		for (int k = IDLE; k <= WORKS; k++) {
			assert_true(w.seen[k] > 2000);
			assert_true(error_ns(&w, k) < 0.2 * w.true_ns[k]);
			assert_true(fabs(w.sum_ns[k] - w.true_ns[k]) < 4 * error_ns(&w, k));
			off += w.sum_ns[k] - w.true_ns[k];
			squares += w.square_ns[k];
		}
		/* and it costs no more than it may: two surveys, then some */
		assert_true(w.asked < 2 * PARKED + LOOKS * (LOOKS_MARKS + LOOKS_MOST) + 3 * PARKED);
		free(w.all);
		looks_free(&l);
	}
	/* Not too much each time, nor too little. */
	assert_true(fabs(off) < 3 * sqrt(squares));
}

/* While the list grows by 4,000 a second nobody is forgotten, nor counted twice. */
TEST(a_leak_that_goes_on)
{
	struct looks l = { 0 };
	struct world w;

	begin(&w, 20000, BUSY, 4711);
	for (int i = 0; i < LOOKS; i++) {
		w.n += 100;
		go_on(&w, TICK_NS, BUSY);
		look(&w, &l, TICK_NS);
	}
	assert_true(l.n_hot < 16000); /* of 40,000 that began */
	for (int k = 0; k < KINDS; k++)
		assert_true(fabs(w.sum_ns[k] - w.true_ns[k]) < 4 * error_ns(&w, k));
	assert_true(w.seen[WORKS] > 50);
	free(w.all);
	looks_free(&l);
}

/* Where all may be looked at, each stands for itself, and nobody is asked. */
TEST(few_are_all_looked_at)
{
	struct looks l = { 0 };
	struct world w;

	begin(&w, LOOKS_MOST - BUSY, BUSY, 1);
	go_on(&w, TICK_NS, BUSY);
	look(&w, &l, TICK_NS);
	assert_int_equal(l.n_chosen, LOOKS_MOST);
	for (size_t i = 0; i < LOOKS_MOST; i++)
		assert_true(l.chosen[i] == i && l.at[i].stands_for == 1);
	assert_int_equal(w.asked, 0);
	free(w.all);
	looks_free(&l);
}

static int gone(void *ctx, const uint32_t *which, size_t n, uint64_t *to)
{
	(void)ctx;
	(void)which;
	(void)n;
	(void)to;
	return -3;
}

TEST(what_the_source_says_is_passed_on)
{
	struct world w = { .random = 1 };
	const struct looks_source from = { gone, chance, &w };
	struct looks l = { 0 };

	assert_int_equal(looks_choose(&l, LOOKS_MOST + 1, 1, &from), -3);
	looks_free(&l);
}

TESTS(a_leak_hides_nobody, a_leak_that_goes_on, few_are_all_looked_at,
      what_the_source_says_is_passed_on)
