// SPDX-License-Identifier: BSD-2-Clause
/*
 * Populations made up, whose true times are known: goroutines in step and such that go their own
 * way, looks that are far apart once, all looked at and some of them drawn.
 */
#include "base/test_fixture.h"
#include "analysis/samples/look_errors.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bpf/event.h"

#define WORKERS  40
#define WORK_NS  20e6 /* of a cycle */
#define CYCLE_NS 50e6
#define RUNS     300
#define LONG_NS  4000000000ull /* the one gap */
#define SPAN_NS  10000000000ull
#define BEGIN_NS 1000000000ull

struct plan {
	bool in_step, long_gap;
	unsigned drawn; /* so many of the workers are looked at; 0: all */
};

struct population {
	uint64_t random;
	double shift_ns[WORKERS], rate[WORKERS];
	struct sample held[WORKERS];
	bool works[WORKERS];
	struct look_errors *l;
	double true_ns, seen_ns, independent;
};

static double chance(struct population *p)
{
	p->random ^= p->random >> 12;
	p->random ^= p->random << 25;
	p->random ^= p->random >> 27;
	return (double)(p->random * 0x2545f4914f6cdd1dull >> 11) / (double)(1ull << 53);
}

/* Where worker i is in its cycle. In step, all are at the same place; else each has its own speed.
 */
static double phase_ns(const struct population *p, unsigned i, uint64_t at_ns)
{
	return fmod((double)at_ns * p->rate[i] + p->shift_ns[i], CYCLE_NS);
}

/* How long it has worked since time 0. */
static double worked_ns(const struct population *p, unsigned i, uint64_t at_ns)
{
	const double all = (double)at_ns * p->rate[i] + p->shift_ns[i],
		     rounds = floor(all / CYCLE_NS), left = all - rounds * CYCLE_NS;

	return (rounds * WORK_NS + fmin(left, WORK_NS)) / p->rate[i];
}

static void flush(struct population *p, unsigned i)
{
	struct sample *x = &p->held[i];

	if (!x->weight_ns)
		return;
	/* group 0 works, group 1 rests: the first one is estimated */
	assert_int_equal(look_errors_take(p->l, x, !p->works[i]), 0);
	if (p->works[i]) {
		p->seen_ns += (double)x->weight_ns;
		p->independent += (double)x->error_ns * (double)x->error_ns;
	}
	*x = (struct sample){ 0 };
}

/* As snapshots do it: what stays as it is becomes one sample. */
static void look(struct population *p, unsigned i, uint64_t now_ns, uint64_t gap_ns,
		 double stands_for)
{
	const bool works = phase_ns(p, i, now_ns) < WORK_NS;
	struct sample *x = &p->held[i];

	if (works != p->works[i] || stands_for > 1)
		flush(p, i);
	if (!x->weight_ns && (works != p->works[i] || !x->ts_ns || stands_for > 1))
		x->error_ns = (uint64_t)((double)gap_ns * stands_for);
	p->works[i] = works;
	x->weight_ns += (uint64_t)((double)gap_ns * stands_for);
	x->ts_ns = now_ns;
	x->state = STATE_WAITING;
}

static void look_at_some(struct population *p, const struct plan *plan, uint64_t now_ns,
			 uint64_t gap_ns)
{
	unsigned of[WORKERS];
	const unsigned n = plan->drawn ? plan->drawn : WORKERS;

	for (unsigned i = 0; i < WORKERS; i++)
		of[i] = i;
	for (unsigned i = 0; i < n; i++) {
		const unsigned j = i + (unsigned)(chance(p) * (WORKERS - i)), x = of[i];

		of[i] = of[j];
		of[j] = x;
		look(p, of[i], now_ns, gap_ns, (double)WORKERS / n);
	}
}

static void begin(struct population *p, const struct plan *plan, uint64_t seed)
{
	*p = (struct population){ .random = seed * 7919, .l = look_errors_new() };
	assert_non_null(p->l);
	for (int i = 0; i < 20; i++)
		chance(p);
	const double shift_ns = chance(p) * CYCLE_NS, rate = 0.9 + 0.2 * chance(p);

	for (unsigned i = 0; i < WORKERS; i++) {
		p->shift_ns[i] = plan->in_step ? shift_ns : chance(p) * CYCLE_NS;
		p->rate[i] = plan->in_step ? rate : 0.7 + 0.6 * chance(p);
	}
}

/* How far off the estimate is, in standard errors; in *independent, if each sample were. */
static double off(const struct plan *plan, uint64_t seed, double *independent, double *error_ns)
{
	struct population p;
	uint64_t at_ns = BEGIN_NS, longest_ns = 0;
	bool had_long = !plan->long_gap;

	begin(&p, plan, seed);
	while (at_ns < BEGIN_NS + SPAN_NS) {
		uint64_t gap_ns = (uint64_t)((0.7 + 0.6 * chance(&p)) * 25e6);

		if (!had_long && at_ns > BEGIN_NS + SPAN_NS / 3) {
			gap_ns = LONG_NS;
			had_long = true;
		}
		longest_ns = gap_ns > longest_ns ? gap_ns : longest_ns;
		at_ns += gap_ns;
		look_at_some(&p, plan, at_ns, gap_ns);
	}
	for (unsigned i = 0; i < WORKERS; i++) {
		flush(&p, i);
		p.true_ns += worked_ns(&p, i, at_ns) - worked_ns(&p, i, BEGIN_NS);
	}
	assert_int_equal(look_errors_settle(p.l, 2, plan->drawn, longest_ns), 0);
	look_errors_add(p.l, 0);
	*error_ns = sqrt(look_errors_square(p.l));
	look_errors_add(p.l, 0);
	assert_true(fabs(sqrt(look_errors_square(p.l)) - *error_ns) < 1); /* begins anew */
	look_errors_free(p.l);
	*independent = (p.seen_ns - p.true_ns) / sqrt(p.independent);
	return (p.seen_ns - p.true_ns) / *error_ns;
}

struct result {
	double rms, independent_rms, mean_error_ns;
	int within_two;
};

static struct result many(const struct plan *plan)
{
	struct result r = { 0 };

	for (uint64_t seed = 1; seed <= RUNS; seed++) {
		double independent, error_ns, z = off(plan, seed, &independent, &error_ns);

		r.rms += z * z / RUNS;
		r.independent_rms += independent * independent / RUNS;
		r.mean_error_ns += error_ns / RUNS;
		r.within_two += fabs(z) <= 2;
	}
	r.rms = sqrt(r.rms);
	r.independent_rms = sqrt(r.independent_rms);
	print_message(
		"%s%s, %u drawn: off by %.2f standard errors of %.2f s on average, %d of %d within two; "
		"by %.2f if each sample is independent\n",
		plan->in_step ? "in step" : "each its own way",
		plan->long_gap ? ", one gap of 4 s" : "", plan->drawn, r.rms, r.mean_error_ns / 1e9,
		r.within_two, RUNS, r.independent_rms);
	return r;
}

/* Not too small, and not much too large. */
static void holds(const struct plan *plan)
{
	const struct result r = many(plan);

	assert_true(r.within_two >= RUNS * 9 / 10);
	assert_true(r.rms < 1.3 && r.rms > 0.4);
}

TEST(in_step)
{
	holds(&(struct plan){ .in_step = true });
	holds(&(struct plan){ .in_step = true, .drawn = 10 });
	/* which is what it was too small for */
	assert_true(many(&(struct plan){ .in_step = true }).independent_rms > 3);
}

TEST(in_step_and_a_long_gap)
{
	holds(&(struct plan){ .in_step = true, .long_gap = true });
	holds(&(struct plan){ .in_step = true, .long_gap = true, .drawn = 10 });
	assert_true(many(&(struct plan){ .in_step = true, .long_gap = true }).independent_rms > 3);
}

TEST(each_its_own_way)
{
	holds(&(struct plan){ 0 });
	holds(&(struct plan){ .drawn = 10 });
	holds(&(struct plan){ .long_gap = true });
}

/* One that is always there has no error but that of its begin. */
TEST(what_stays_is_sure)
{
	struct look_errors *l = look_errors_new();
	struct sample x = { .state = STATE_WAITING, .error_ns = 20000000, .ts_ns = BEGIN_NS };

	assert_non_null(l);
	for (int second = 0; second < 10; second++) {
		x.weight_ns = 1000000000;
		x.ts_ns += x.weight_ns;
		assert_int_equal(look_errors_take(l, &x, 0), 0);
		x.error_ns = 0;
	}
	assert_int_equal(look_errors_settle(l, 1, false, 0), 0);
	look_errors_add(l, 0);
	assert_true(look_errors_square(l) <= 20e6 * 20e6);
	assert_true(look_errors_square(l) == 0);
	look_errors_free(l);
}

TEST(nothing_has_no_error)
{
	struct look_errors *l = look_errors_new();

	assert_non_null(l);
	assert_int_equal(look_errors_settle(l, 3, false, 0), 0);
	look_errors_add(l, 2);
	assert_true(look_errors_square(l) == 0);
	look_errors_free(l);
}

TESTS(in_step, in_step_and_a_long_gap, each_its_own_way, what_stays_is_sure, nothing_has_no_error)
