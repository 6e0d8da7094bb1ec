// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/test_fixture.h"
#include "base/log.h"
#include "stats/rounds.h"

static const struct rounds_options usual = { .base = "plain",
					     .aa = "plain again",
					     .seed = 1,
					     .resamples = INTERVAL_RESAMPLES,
					     .widest = 1.5 };
static struct rounds_result *results;
static size_t n_results;

static void no_log(void *ctx, enum log_level level, const char *line)
{
	(void)level;
	snprintf(ctx, 256, "%s", line);
}

static char logged[256];

static int setup(void **state)
{
	*state = rounds_new();
	logged[0] = '\0';
	log_set_sink(no_log, logged);
	return *state ? 0 : -1;
}

static int teardown(void **state)
{
	rounds_free(*state);
	free(results);
	results = NULL;
	log_set_sink(NULL, NULL);
	return 0;
}

/* Values of rounds 1, 2, ...; a 0 is none. */
static void add(struct rounds *r, const char *variant, size_t n, const double *v)
{
	for (size_t i = 0; i < n; i++)
		if (v[i] != 0)
			assert_int_equal(rounds_add(r, "g", variant, i + 1, v[i]), 0);
}
#define ADD(r, variant, ...)                                                \
	add(r, variant, sizeof((double[]){ __VA_ARGS__ }) / sizeof(double), \
	    (double[]){ __VA_ARGS__ })

static void compare(struct rounds *r, const struct rounds_options *opt)
{
	free(results);
	results = NULL;
	assert_int_equal(rounds_compare(r, opt, &results, &n_results), 0);
}

static const struct rounds_result *result(const char *variant)
{
	for (size_t i = 0; i < n_results; i++)
		if (!strcmp(results[i].variant, variant))
			return &results[i];
	fail_msg("no result of %s", variant);
	return NULL;
}

static bool close_to(double a, double b)
{
	return fabs(a - b) < 1e-12;
}

static void nothing(void **state)
{
	compare(*state, &usual);
	assert_int_equal(n_results, 0);
}

/* A machine that gets slower in each round: the ratio of medians would be as good, that of one
 * round with another would not. */
static void paired(void **state)
{
	struct rounds *r = *state;

	ADD(r, "traced", 2.0, 4.2, 6.0, 8.4, 10.0, 12.6);
	ADD(r, "plain again", 1, 2.02, 2.97, 4, 5.05, 6);
	ADD(r, "plain", 1, 2, 3, 4, 5, 6);
	compare(r, &usual);
	assert_int_equal(n_results, 3);
	assert_string_equal(results[0].variant, "traced");
	assert_string_equal(results[0].group, "g");
	const struct rounds_result *x = result("traced");

	assert_int_equal(x->verdict, ROUNDS_OK);
	assert_int_equal(x->n, 6);
	assert_int_equal(x->pairs, 6);
	assert_true(close_to(x->median, 7.2));
	assert_true(close_to(x->ratio, 2.05));
	assert_true(close_to(x->ratio_in.low, 2) && close_to(x->ratio_in.high, 2.1));
	assert_int_equal(result("plain")->verdict, ROUNDS_BASE);
	assert_true(isnan(result("plain")->ratio));
	assert_true(result("plain")->median == 3.5);
	assert_int_equal(result("plain again")->verdict, ROUNDS_AA);
}

/* What is missing in one is in neither. */
static void missing_rounds(void **state)
{
	struct rounds *r = *state;

	ADD(r, "plain", 1, 0, 1, 1, 1, 1, 1);
	ADD(r, "plain again", 1, 1, 1, 1, 1, 1, 1);
	ADD(r, "traced", 2, 9, 2, 2, 0, 2, 2);
	ADD(r, "alone", 0, 3);
	compare(r, &usual);
	assert_int_equal(result("traced")->n, 6);
	assert_int_equal(result("traced")->pairs, 5);
	assert_true(result("traced")->ratio == 2);
	assert_int_equal(result("alone")->verdict, ROUNDS_FEW);
	assert_int_equal(result("alone")->pairs, 0);
}

static void few(void **state)
{
	struct rounds *r = *state;

	ADD(r, "plain", 1, 1);
	ADD(r, "plain again", 2, 2); /* whatever it is: nothing is told */
	ADD(r, "traced", 3, 4);
	ADD(r, "once", 3);
	compare(r, &usual);
	assert_int_equal(result("traced")->verdict, ROUNDS_FEW);
	assert_true(result("traced")->ratio == 3.5);
	assert_true(isnan(result("traced")->ratio_in.low));
	assert_int_equal(result("once")->verdict, ROUNDS_FEW);
	assert_true(result("once")->ratio == 3);
	assert_int_equal(result("plain again")->verdict, ROUNDS_FEW);
}

static void wide(void **state)
{
	struct rounds_options opt = usual;
	struct rounds *r = *state;

	ADD(r, "plain", 1, 1, 1, 1, 1);
	ADD(r, "plain again", 1, 1, 1, 1, 1);
	ADD(r, "traced", 1.1, 1.2, 1.3, 1.5, 1.75);
	compare(r, &opt);
	assert_int_equal(result("traced")->verdict, ROUNDS_WIDE);
	opt.widest = 1.6;
	compare(r, &opt);
	assert_int_equal(result("traced")->verdict, ROUNDS_OK);
}

/* A clock that is too coarse says 0. */
static void base_of_nothing(void **state)
{
	struct rounds *r = *state;

	for (uint64_t i = 1; i <= 6; i++) {
		assert_int_equal(rounds_add(r, "g", "plain", i, i == 6 ? 0 : 1), 0);
		assert_int_equal(rounds_add(r, "g", "plain again", i, 1), 0);
		assert_int_equal(rounds_add(r, "g", "traced", i, 1), 0);
	}
	compare(r, &usual);
	assert_int_equal(result("traced")->verdict, ROUNDS_WIDE);
	assert_int_equal(result("plain again")->verdict, ROUNDS_WIDE);
}

static void invalid(void **state)
{
	struct rounds *r = *state;

	ADD(r, "plain", 1, 1, 1, 1, 1);
	ADD(r, "plain again", 1.01, 1.02, 1.01, 1.02, 1.01);
	ADD(r, "traced", 2, 2, 2, 2, 2);
	ADD(r, "wide", 2, 4, 6, 8, 9);
	for (uint64_t i = 1; i <= 5; i++) {
		rounds_add(r, "other", "plain", i, 1);
		rounds_add(r, "other", "traced", i, 3);
	}
	compare(r, &usual);
	assert_int_equal(result("traced")->verdict, ROUNDS_INVALID);
	assert_int_equal(result("plain again")->verdict, ROUNDS_INVALID);
	assert_int_equal(result("wide")->verdict, ROUNDS_INVALID);
	assert_int_equal(result("plain")->verdict, ROUNDS_BASE);
	/* where nothing was checked, nothing is told either; another group's A/A says nothing */
	assert_int_equal(n_results, 6);
	assert_string_equal(results[5].group, "other");
	assert_int_equal(results[5].verdict, ROUNDS_UNCHECKED);

	struct rounds_options opt = usual;

	opt.aa = NULL; /* not asked for */
	compare(r, &opt);
	assert_int_equal(result("traced")->verdict, ROUNDS_OK);
}

/* What A/A differs by as well is no effect. */
static void noise(void **state)
{
	struct rounds_options opt = usual;
	struct rounds *r = *state;

	ADD(r, "plain", 1, 1, 1, 1, 1);
	ADD(r, "plain again", 0.97, 0.99, 1, 1.01, 1.04);
	ADD(r, "less", 1.02, 1.03, 1.03, 1.02, 1.05);
	ADD(r, "more", 1.05, 1.06, 1.06, 1.07, 1.05);
	ADD(r, "about", 0.9, 1.06, 1.06, 1.07, 1.05);
	compare(r, &opt);
	assert_int_equal(result("plain again")->verdict, ROUNDS_AA);
	assert_int_equal(result("less")->verdict, ROUNDS_NOISE);
	assert_int_equal(result("more")->verdict, ROUNDS_OK);
	assert_int_equal(result("about")->verdict, ROUNDS_NOISE);
	opt.aa = NULL;
	compare(r, &opt);
	assert_int_equal(result("less")->verdict, ROUNDS_OK);
	assert_int_equal(result("about")->verdict, ROUNDS_NOISE);
}

static void lines(void **state)
{
	static const char *const bad[] = {
		"",          "a",         "1,2",      "g,v,1,",    "g,v,,1",
		"g,,1,1",    "v,1,1",     "g,v,1,x",  "g,v,1,nan", "g,v,1,1e999",
		"g,v,-1,1",  "g,v,1,0x1", "g,v,1, 1", "g,v,1.5,1", "g,v,99999999999999999999,1",
		"g,v,1,1\n", "g,v,1,1,",  "g,v,1,1e"
	};
	struct rounds *r = *state;

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_int_equal(rounds_add_line(r, bad[i]), -EINVAL);
	compare(r, &usual);
	assert_int_equal(n_results, 0);
	assert_int_equal(rounds_add_line(r, "greet,time,plain,1,2.5"), 0);
	assert_int_equal(rounds_add_line(r, "greet,time,plain,2,-1e-3"), 0);
	assert_int_equal(rounds_add_line(r, ",traced,18446744073709551615,7"), 0);
	compare(r, &usual);
	assert_int_equal(n_results, 2);
	assert_string_equal(results[0].group, "greet,time");
	assert_string_equal(results[0].variant, "plain");
	assert_int_equal(results[0].n, 2);
	assert_true(close_to(results[0].median, 1.2495));
	assert_string_equal(results[1].group, "");
	assert_true(results[1].median == 7);
}

static void twice(void **state)
{
	struct rounds *r = *state;

	ADD(r, "plain", 1, 1, 1);
	assert_int_equal(rounds_add(r, "g", "plain", 2, 5), 0);
	assert_int_equal(rounds_compare(r, &usual, &results, &n_results), -EEXIST);
	assert_null(results);
	assert_string_equal(logged, "there are two values of g, plain in round 2");
}

static void not_finite(void **state)
{
	assert_int_equal(rounds_add(*state, "", "a", 1, NAN), -EINVAL);
	assert_int_equal(rounds_add(*state, "", "a", 1, INFINITY), -EINVAL);
	compare(*state, &usual);
	assert_int_equal(n_results, 0);
}

/* The same whatever else there is and in whatever order it came. */
static void seeded(void **state)
{
	struct rounds *r = *state;
	struct interval was;

	for (uint64_t i = 0; i < 50; i++) {
		rounds_add(r, "g", "plain", i, 1);
		rounds_add(r, "g", "traced", i, 1 + (double)(i * i % 53) / 53);
	}
	struct rounds_options opt = usual;

	opt.aa = NULL;
	opt.resamples = 80; /* so that a seed makes a difference */
	compare(r, &opt);
	was = result("traced")->ratio_in;
	for (uint64_t i = 50; i-- > 0;)
		rounds_add(r, "", "traced", i, (double)i);
	compare(r, &opt);
	for (size_t i = 0; i < n_results; i++)
		if (*results[i].group && !strcmp(results[i].variant, "traced"))
			assert_memory_equal(&results[i].ratio_in, &was, sizeof(was));
	for (;; opt.seed++) {
		assert_true(opt.seed < 100);
		compare(r, &opt);
		if (memcmp(&result("traced")->ratio_in, &was, sizeof(was)) != 0)
			break;
	}
}

TEST(names)
{
	assert_string_equal(rounds_verdict_name(ROUNDS_OK), "ok");
	assert_string_equal(rounds_verdict_name(ROUNDS_INVALID), "invalid");
}

TESTS_EACH(setup, teardown, nothing, paired, missing_rounds, few, noise, lines, wide,
	   base_of_nothing, invalid, twice, seeded, not_finite, names)
