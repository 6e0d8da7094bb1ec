// SPDX-License-Identifier: BSD-2-Clause
/* Three runs a side, drawn from a known model: equal programs are no change, and a change of a
 * tenth is one. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/test_fixture.h"
#include "report/runs_rows.h"
#include "stats/random.h"

#define FUNCTIONS 10
#define RUNS      3
#define PAIRS     200

/* Deviations of logarithms. */
struct model_of_runs {
	double machine; /* of all functions of a run together */
	double function;
	double kinds; /* of that, between functions */
	double low; /* those of calls that ran shortest, over these; 0: such calls are not known */
	double growth, all_grow; /* of the first function, and of all, in B */
};

static double normal(struct random_stream *d)
{
	const double u = ((double)(random_next(d) >> 11) + 1) / 9007199254740993.,
		     v = (double)(random_next(d) >> 11) / 9007199254740992.;

	return sqrt(-2 * log(u)) * cos(2 * M_PI * v);
}

static void draw_row(const struct model_of_runs *m, struct random_stream *rng, unsigned f,
		     const double machine[2][RUNS], struct run_row *row)
{
	const double spread = m->function * exp(m->kinds * normal(rng));
	char name[16];

	snprintf(name, sizeof(name), "main.f%u", f);
	*row = (struct run_row){ .name = strdup(name), .there = { true, true } };
	for (int v = 0; v < RUN_VALUES; v++)
		for (unsigned s = 0; s < 2; s++)
			row->value[v][s] = calloc(RUNS, sizeof(double));
	for (unsigned s = 0; s < 2; s++)
		for (unsigned i = 0; i < RUNS; i++) {
			const double grown = s ? m->all_grow + (f ? 0 : m->growth) : 0,
				     off = machine[s][i] + spread * normal(rng),
				     off_low = m->low * (off + spread * normal(rng));

			row->value[METRIC_RUN][s][i] = 1e8 * exp(grown + off);
			row->value[METRIC_CALLS][s][i] = row->value[RUN_COUNT][s][i] = 1000;
			row->value[RUN_LOW][s][i] = m->low > 0 ? 8e4 * exp(grown + off_low) : NAN;
		}
}

/* To be freed with diff_runs_free. */
static void draw(const struct model_of_runs *m, uint64_t seed, struct diff_runs *d)
{
	static const size_t n_runs[2] = { RUNS, RUNS };
	struct random_stream rng = random_from(seed, NULL);
	double machine[2][RUNS];

	assert_int_equal(diff_runs_init(d, n_runs), 0);
	d->rows = calloc(FUNCTIONS, sizeof(*d->rows));
	d->n = d->cap = FUNCTIONS;
	d->states = true;
	d->off_cpu = 1;
	d->most_run_ns = FUNCTIONS * 1e8;
	for (unsigned s = 0; s < 2; s++)
		for (unsigned i = 0; i < RUNS; i++)
			machine[s][i] = m->machine * normal(&rng);
	for (unsigned f = 0; f < FUNCTIONS; f++)
		draw_row(m, &rng, f, (const double(*)[RUNS])machine, &d->rows[f]);
}

struct named {
	unsigned any, first_alone, all;
};

static struct named compare(const struct model_of_runs *m)
{
	const struct diff_options opt = { .threshold_pct = 5, .min_ns = DIFF_MIN_AUTO };
	struct named n = { 0 };

	for (uint64_t seed = 0; seed < PAIRS; seed++) {
		struct diff_runs d;
		struct comparing x;

		draw(m, seed, &d);
		assert_int_equal(runs_compare_all(&x, &d, &opt), 0);
		n.any += x.n > 0;
		n.first_alone += x.n == 1 && !strcmp(x.all[0].row->name, "main.f0");
		n.all += x.n == FUNCTIONS;
		free(x.all);
		diff_runs_free(&d);
	}
	return n;
}

/* All intervals of 19 of 20 pairs hold, however functions and runs vary. By chance 200 pairs may
 * have six more that name a function. */
TEST(test_equal)
{
	static const struct model_of_runs all[] = {
		{ .function = 0.02 },
		{ .machine = 0.05, .function = 0.05, .kinds = 0.5, .low = 0.5 },
		{ .machine = 0.1, .function = 0.02, .kinds = 1, .low = 1 },
		{ .function = 0.05, .kinds = 1.5, .low = 0.7 },
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		const struct named n = compare(&all[i]);

		if (n.any > PAIRS / 20 + 6)
			fail_msg("model %zu: %u of %u equal pairs name a function", i, n.any,
				 PAIRS);
	}
}

/* Runs of a busy machine: what they have in common, and what functions spread by alike, is known
 * from all functions. */
TEST(test_a_tenth)
{
	struct named n = compare(&(struct model_of_runs){
		.machine = 0.04, .function = 0.015, .kinds = 0.3, .low = 0.7, .growth = log(1.1) });

	assert_in_range(n.first_alone, PAIRS * 9 / 10, PAIRS);
	n = compare(&(struct model_of_runs){
		.machine = 0.1, .function = 0.015, .kinds = 0.3, .growth = log(1.1) });
	assert_in_range(n.first_alone, PAIRS * 9 / 10, PAIRS);
}

/* What all functions grew by for sure is a change of all. */
TEST(test_all_grow)
{
	const struct named n = compare(
		&(struct model_of_runs){ .function = 0.01, .low = 0.7, .all_grow = log(1.2) });

	assert_in_range(n.all, PAIRS * 9 / 10, PAIRS);
}

TESTS(test_equal, test_a_tenth, test_all_grow)
