// SPDX-License-Identifier: BSD-2-Clause

#include <math.h>
#include <stdlib.h>

#include "base/test_fixture.h"
#include "stats/random.h"
#include "stats/variances.h"

#define SERIES 2000

/* A number of the normal distribution (Box and Muller 1958). */
static double normal(struct random_stream *d)
{
	const double u = ((double)(random_next(d) >> 11) + 1) / 9007199254740993.,
		     v = (double)(random_next(d) >> 11) / 9007199254740992.;

	return sqrt(-2 * log(u)) * cos(2 * M_PI * v);
}

/* The mean of so many squares of numbers with this deviation. */
static double variance(struct random_stream *d, unsigned freedom, double deviation)
{
	double sum = 0;

	for (unsigned i = 0; i < freedom; i++)
		sum += pow(deviation * normal(d), 2);
	return sum / freedom;
}

/* All series have one variance: all tell it, as of very many values. */
TEST(test_alike)
{
	struct random_stream d = random_from(1, NULL);
	double *v = calloc(SERIES, sizeof(*v)), freedom = 4;

	for (size_t i = 0; i < SERIES; i++)
		v[i] = variance(&d, 4, 3);
	const struct variance_prior p = variances_learn(v, SERIES, 4);

	assert_true(p.freedom > 20 && fabs(p.square - 9) < 0.5);
	assert_true(fabs(variances_moderated(&p, 100, &freedom) - 9) < 16 && freedom > 24);
	free(v);
}

/* Variances are drawn with 6 degrees of freedom around 4: that is what series show. */
TEST(test_drawn)
{
	struct random_stream d = random_from(2, NULL);
	double *v = calloc(SERIES, sizeof(*v));

	for (size_t i = 0; i < SERIES; i++)
		v[i] = variance(&d, 4, 2 / sqrt(variance(&d, 6, 1)));
	const struct variance_prior p = variances_learn(v, SERIES, 4);

	assert_true(p.freedom > 4.5 && p.freedom < 7 && fabs(p.square - 4) < 0.5);
	free(v);
}

/* Ten series of two kinds show less than a kind's own. */
TEST(test_two_kinds)
{
	double v[10], freedom = 4;

	for (size_t i = 0; i < 10; i++)
		v[i] = i % 2 ? 1 : 10000;
	const struct variance_prior p = variances_learn(v, 10, 4);

	assert_true(p.freedom > 0 && p.freedom < 1);
	assert_true(variances_moderated(&p, 1, &freedom) > 1 && freedom < 5);
}

TEST(test_few)
{
	const double v[] = { 1, 2, 0, 0 };
	double freedom = 4;
	const struct variance_prior p = variances_learn(v, 4, 4);

	assert_true(p.freedom == 0);
	assert_true(variances_moderated(&p, 5, &freedom) == 5 && freedom == 4);
}

TESTS(test_alike, test_drawn, test_two_kinds, test_few)
