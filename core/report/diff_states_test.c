// SPDX-License-Identifier: BSD-2-Clause
/* Recordings with states: time without a processor is no change of code, RUN is. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/test_fixture.h"
#include "report/diff_formats.h"
#include "analysis/diff/diff_growth.h"
#include "report/report_fixture.h"

#define FUNCTIONS 5

/* main.main calls main.f0 to main.f4 again and again, each for 100 us times its number and one. */
struct program {
	unsigned rounds;
	unsigned seed;            /* of what disturbs it */
	unsigned off_us;          /* at most, without a processor in a call */
	unsigned sleep_us;        /* in each call of main.f1 */
	double factor[FUNCTIONS]; /* of how long they run; 0: 1 */
	unsigned vary; /* per mille, by which a function's calls all differ in this run */
	unsigned lose; /* one of so many calls of main.f4 is not made; 0: none */
	bool no_states;
};

static unsigned number(unsigned *seed, unsigned below)
{
	*seed = *seed * 1103515245 + 12345;
	return (*seed >> 16) % below;
}

static uint64_t one_call(FILE *f, const struct program *p, unsigned k, uint64_t now, unsigned *seed)
{
	double run = 100e3 * (k + 1) * (p->factor[k] > 0 ? p->factor[k] : 1);

	/* One of four is disturbed. */
	run *= 1 + 0.002 * number(seed, 4) + (number(seed, 4) ? 0 : 0.01 * number(seed, 40));
	fprintf(f, "1 entry main.f%u 200 %lu\n", k, now);
	now += (uint64_t)(run / 2);
	if (p->off_us && !p->no_states && number(seed, 2)) {
		fprintf(f, "1 state - 0x6 %lu\n", now);
		now += 1000 * number(seed, p->off_us) + 1;
		fprintf(f, "1 state - 0x101 %lu\n", now);
	}
	if (p->sleep_us && k == 1) {
		fprintf(f, "1 state - 0xe03 %lu\n", now);
		now += 1000 * p->sleep_us;
		fprintf(f, "1 state - 1 %lu\n", now);
	}
	now += (uint64_t)(run / 2);
	fprintf(f, "1 exit main.f%u 200 %lu\n", k, now);
	return now;
}

/* A sum of twelve numbers is nearly normal; their deviation is that of one. */
static double varied(unsigned per_mille, unsigned *seed)
{
	double sum = -6;

	for (unsigned i = 0; i < 12; i++)
		sum += number(seed, 1000) / 1000.;
	return 1 + per_mille * sum / 1000;
}

static void make(const struct program *p, char path[TRACE_PATH_BYTES])
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	uint64_t now = 2000;
	unsigned seed = p->seed + 1, run = p->seed * 7919 + 17;
	struct program of_run = *p;

	for (unsigned k = 0; k < FUNCTIONS; k++)
		of_run.factor[k] = (p->factor[k] > 0 ? p->factor[k] : 1) * varied(p->vary, &run);
	assert_non_null(f);
	if (!p->no_states)
		fputs("@set states 1\n@set states.off_cpu told\n@set states.reason.14 sleep\n", f);
	fputs("1 entry main.main 100 1000\n", f);
	for (unsigned i = 0; i < p->rounds; i++)
		for (unsigned k = 0; k < FUNCTIONS; k++)
			if (k != 4 || !p->lose || number(&seed, p->lose))
				now = one_call(f, &of_run, k, now + 10, &seed);
	fprintf(f, "1 exit main.main 100 %lu\n", now + 10);
	assert_int_equal(fclose(f), 0);
	fixture_write_text(text, true, path);
	free(text);
}

/* To be freed. */
static char *compare(struct program a, struct program b, const char *format,
		     struct diff_options opt)
{
	const struct diff_format *f = diff_formats;
	char path[2][TRACE_PATH_BYTES], *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	a.rounds = a.rounds ? a.rounds : 60;
	b.rounds = b.rounds ? b.rounds : 60;
	make(&a, path[0]);
	make(&b, path[1]);
	struct trace_reader *const r[2] = { trace_reader_open(path[0]),
					    trace_reader_open(path[1]) };

	assert_true(out && r[0] && r[1]);
	while (strcmp(f->name, format))
		f++;
	opt.file[0] = "a";
	opt.file[1] = "b";
	assert_int_equal(f->write(r, &opt, out), 0);
	for (int s = 0; s < 2; s++) {
		trace_reader_close(r[s]);
		unlink(path[s]);
	}
	assert_int_equal(fclose(out), 0);
	return text;
}

static const struct diff_options defaults = { .threshold_pct = 5, .min_ns = DIFF_MIN_AUTO };

/* The same program on a machine that is busy and on one that is not. */
TEST(a_busy_machine_is_no_change)
{
	for (unsigned seed = 0; seed < 10; seed++) {
		char *text = compare((struct program){ .seed = seed },
				     (struct program){ .seed = seed + 100, .off_us = 2000 }, "text",
				     defaults);

		if (!strstr(text, "\n\nno change"))
			fail_msg("seed %u:\n%s", seed, text);
		assert_non_null(strstr(text, "times exclude time without a processor"));
		free(text);
	}
}

#define PAIRS 100

/* Pairs that name a function; one of twenty may do so by chance. */
static unsigned named(struct program a, struct program b, const char *row)
{
	unsigned n = 0;

	for (unsigned seed = 0; seed < PAIRS; seed++) {
		a.seed = 2 * seed;
		b.seed = 2 * seed + 1;
		char *csv = compare(a, b, "csv", defaults);

		n += row ? fixture_lines(csv) == 2 && strstr(csv, row) != NULL
			 : fixture_lines(csv) > 1;
		free(csv);
	}
	return n;
}

/* Seeds of maps and places in memory make all calls of a function slower in one run: no call of the
 * run shows that. The other functions do. */
TEST(runs_that_vary_are_no_change)
{
	const struct program p = { .vary = 60 };

	assert_in_range(named(p, p, NULL), 0, PAIRS / 10);
}

/* Runs of one program make different numbers of calls, of what fills a pool for example. */
TEST(calls_by_chance_are_no_change)
{
	const struct program p = { .vary = 2, .lose = 4 };

	assert_in_range(named(p, p, NULL), 0, PAIRS / 10);
	assert_in_range(named(p, (struct program){ .vary = 2, .lose = 4, .rounds = 240 }, NULL),
			PAIRS * 9 / 10, PAIRS);
}

TEST(a_change_beyond_what_runs_vary_by_is_named)
{
	const struct program p = { .vary = 6 };

	assert_in_range(named(p, (struct program){ .vary = 6, .factor = { [2] = 1.2 } },
			      "main.f2,changed"),
			PAIRS * 9 / 10, PAIRS);
}

TEST(a_slower_function_is_named_alone)
{
	for (unsigned seed = 0; seed < 10; seed++) {
		char *csv = compare((struct program){ .seed = seed, .off_us = 1000 },
				    (struct program){ .seed = seed + 100,
						      .off_us = 2000,
						      .factor = { [2] = 1.1 } },
				    "csv", defaults);
		const char *row = strchr(csv, '\n') + 1;

		if (fixture_lines(csv) != 2 || strncmp(row, "main.f2,changed,60,60,0,", 24))
			fail_msg("seed %u:\n%s", seed, csv);
		free(csv);
	}
}

/* Twice the calls are a change of calls; each runs as long as before. */
TEST(calls_are_compared_one_by_one)
{
	char *text = compare((struct program){ 0 },
			     (struct program){ .rounds = 120, .seed = 7, .factor = { [2] = 1.2 } },
			     "text", defaults);

	assert_non_null(strstr(text, "60   120  main.f0  (by call)"));
	assert_non_null(strstr(text, "+20.0% +19.6..+20.4 "));
	assert_null(strstr(text, "note: RUN of most"));
	free(text);
}

TEST(waiting_is_a_change_of_self)
{
	char *text = compare((struct program){ .seed = 1, .sleep_us = 100 },
			     (struct program){ .seed = 2, .sleep_us = 900 }, "text", defaults);

	assert_non_null(strstr(text, "  main.f1\n"));
	assert_null(strstr(text, "  main.f2\n"));
	/* so is the mean of a call */
	assert_non_null(strstr(text, "\na call, of functions with 20 and more:\n"));
	free(text);
}

TEST(all_is_shown_if_asked_for)
{
	char *csv = compare((struct program){ .seed = 1 }, (struct program){ .seed = 2 }, "csv",
			    (struct diff_options){ .threshold_pct = 0, .min_ns = 0 });

	assert_int_equal(fixture_lines(csv), 1 + FUNCTIONS); /* main.main has the same self time */
	free(csv);
}

TEST(a_side_without_states_is_named)
{
	char *text = compare((struct program){ .no_states = true }, (struct program){ 0 }, "text",
			     defaults);

	assert_non_null(strstr(text, "note: no states in A, so SELF is compared"));
	free(text);
}

TEST(a_limit)
{
	struct diff_limit limit = { .pct = 5, .as_given = "> 5%" },
			  of_another = { .pct = 5, .functions = "main.f1", .as_given = "" },
			  higher = { .pct = 12, .as_given = "" };
	struct diff_limit *const all[] = { &limit, &of_another, &higher };

	for (int i = 0; i < 3; i++) {
		struct diff_options opt = defaults;

		opt.limit_of_run = all[i];
		free(compare((struct program){ .seed = 1 },
			     (struct program){ .seed = 2, .factor = { [3] = 1.1 } }, "text", opt));
	}
	assert_int_equal(limit.n_over, 1);
	assert_int_equal(of_another.n_over, 0);
	assert_int_equal(higher.n_over, 0);
}

/* An error that the recordings state is in the interval, and one call alone tells nothing on a
 * machine that was busy. */
TEST(errors_are_in_the_interval)
{
	const struct diff_noise none = { 0 };
	struct diff d = { .states = true, .stretch = { { 1, 1 }, { 1, 1 } } };
	struct diff_row row = {
		.there = { true, true },
		.value = { [METRIC_RUN] = { 1000, 1200 }, [METRIC_CALLS] = { 1, 1 } }
	};
	struct growth g = diff_growth(&d, &none, &row, METRIC_RUN);

	assert_true(fabs(g.pct - 20) < 1e-6 && growth_sure(&g));
	row.chance_ns[0] = 100; /* two deviations */
	g = diff_growth(&d, &none, &row, METRIC_RUN);
	assert_true(growth_sure(&g) && g.low > 0 && g.low < 10);
	row.chance_ns[1] = 400;
	g = diff_growth(&d, &none, &row, METRIC_RUN);
	assert_false(growth_sure(&g));
	row.chance_ns[0] = row.chance_ns[1] = 0;
	/* both have the same bias, or only one of them */
	row.bias_ns[0] = 400;
	row.bias_ns[1] = 480;
	g = diff_growth(&d, &none, &row, METRIC_RUN);
	assert_true(growth_sure(&g) && g.low > 19.9);
	row.bias_ns[0] = 0;
	g = diff_growth(&d, &none, &row, METRIC_RUN);
	assert_false(growth_sure(&g));
	row.bias_ns[1] = 0;
	d.stretch[1] = (struct diff_stretch){ 3, 3 };
	g = diff_growth(&d, &none, &row, METRIC_RUN);
	assert_true(g.low < 1200 / 3000. - 1 && g.high > 200);
}

/* Nothing left is at most what it may be off by: that is a change for sure only if it is less. */
TEST(nothing_left)
{
	const struct diff_noise none = { 0 };
	struct diff d = { .states = true, .stretch = { { 1, 1 }, { 1, 1 } } };
	struct diff_row row = { .there = { true, true },
				.value = { [METRIC_RUN] = { 1000, 0 }, [METRIC_CALLS] = { 1, 2 } },
				.uncertainty_ns = { 0, 800 } };
	struct growth g = diff_growth(&d, &none, &row, METRIC_RUN);

	assert_true(g.pct == -100 && g.low == -100 && fabs(g.high + 60) < 1e-6 && growth_sure(&g));
	row.uncertainty_ns[0] = 500; /* nor was it known how much there was */
	g = diff_growth(&d, &none, &row, METRIC_RUN);
	assert_true(fabs(g.high + 20) < 1e-6 && growth_sure(&g));
	row.uncertainty_ns[0] = 1000;
	g = diff_growth(&d, &none, &row, METRIC_RUN);
	assert_false(growth_sure(&g));
	row.uncertainty_ns[0] = 0;
	row.uncertainty_ns[1] = 4000;
	g = diff_growth(&d, &none, &row, METRIC_RUN);
	assert_false(growth_sure(&g));
}

/* Samples are drawn: 560 are more than 400, but 56 may be 40 by chance. */
TEST(samples_are_drawn)
{
	struct diff d = { .sampled = true, .seconds = { 1, 1 } };
	struct diff_row row = {
		.there = { true, true },
		.value = { [METRIC_RUN] = { 40000, 56000 }, [METRIC_CALLS] = { 400, 560 } }
	};
	struct growth g = diff_growth_sampled(&d, &row);

	assert_true(fabs(g.pct - 40) < 1e-6 && growth_sure(&g));
	/* of a second as much as before */
	d.seconds[1] = 1.4;
	g = diff_growth_sampled(&d, &row);
	assert_true(fabs(g.pct) < 1e-6 && !growth_sure(&g));
	d.seconds[1] = 1;
	row.value[METRIC_CALLS][0] = 40;
	row.value[METRIC_CALLS][1] = 56;
	g = diff_growth_sampled(&d, &row);
	assert_true(fabs(g.pct - 40) < 1e-6 && !growth_sure(&g));
}

TESTS(a_busy_machine_is_no_change, runs_that_vary_are_no_change, calls_by_chance_are_no_change,
      a_change_beyond_what_runs_vary_by_is_named, a_slower_function_is_named_alone,
      calls_are_compared_one_by_one, waiting_is_a_change_of_self, all_is_shown_if_asked_for,
      a_side_without_states_is_named, a_limit, errors_are_in_the_interval, nothing_left,
      samples_are_drawn)
