// SPDX-License-Identifier: BSD-2-Clause
/* Several runs a side: what is called a change, and what is noise. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/test_fixture.h"
#include "analysis/trace_fixture.h"
#include "report/diff_runs_text.h"

TEST(test_chance)
{
	assert_true(fabs(runs_chance(3, 3) - 0.1) < 1e-12);
	assert_true(fabs(runs_chance(1, 1) - 1) < 1e-12);
	assert_true(fabs(runs_chance(5, 5) - 2.0 / 252) < 1e-12);
	assert_true(fabs(runs_chance(1, 4) - 0.4) < 1e-12);
}

TEST(test_compare)
{
	double a[] = { 110, 90, 100 }, b[] = { 121, 115, 130 }, over[] = { 109, 200, 150 },
	       none[] = { 0, 0, 0 };
	struct runs_change c;

	assert_int_equal(runs_compare(a, 3, b, 3, &c), 0);
	assert_true(c.apart && c.median[0] == 100 && c.median[1] == 121);
	assert_true(fabs(c.pct - 21) < 1e-9);
	/* 115 of 110, 130 of 90 */
	assert_true(fabs(c.low - 100.0 * 5 / 110) < 1e-9 && fabs(c.high - 100.0 * 40 / 90) < 1e-9);
	assert_int_equal(runs_compare(a, 3, over, 3, &c), 0);
	assert_false(c.apart);
	assert_int_equal(runs_compare(none, 3, b, 3, &c), 0);
	assert_true(c.apart && isnan(c.pct));
	assert_int_equal(runs_compare(none, 3, none, 3, &c), 0);
	assert_false(c.apart);
}

/* With five runs a side the interval is the bootstrap's, the same each time, and holds the change.
 */
TEST(test_interval)
{
	struct runs_change c[2];

	for (int i = 0; i < 2; i++) {
		double a[] = { 100, 102, 98, 101, 99 }, b[] = { 120, 119, 122, 121, 118 };

		assert_int_equal(runs_compare(a, 5, b, 5, &c[i]), 0);
	}
	assert_true(c[0].low == c[1].low && c[0].high == c[1].high);
	assert_true(c[0].low <= c[0].pct && c[0].pct <= c[0].high);
	assert_true(c[0].low >= 100.0 * (118 - 102) / 102 - 1e-9);
	assert_true(c[0].high <= 100.0 * (122 - 98) / 98 + 1e-9);
}

static struct runs_change grow(const double *a, const double *b, const double *low_a,
			       const double *low_b, double off_cpu)
{
	double v[2][3];
	struct runs_sides sides = { .v = { v[0], v[1] }, .low = { low_a, low_b }, .n = { 3, 3 } };
	struct runs_change c;

	memcpy(v[0], a, sizeof(v[0]));
	memcpy(v[1], b, sizeof(v[1]));
	assert_int_equal(runs_grow(&sides, 0.025, off_cpu, &c), 0);
	return c;
}

/* Times grow by 20 %, but spread as much; what nothing disturbed grows by 10 % for sure. */
TEST(test_grow)
{
	static const double a[] = { 80, 100, 125 }, b[] = { 96, 120, 150 },
			    low_a[] = { 50, 50.1, 50.2 }, low_b[] = { 55, 55.1, 55.2 },
			    unknown[] = { NAN, 50, 50 }, quiet[] = { 99, 100, 101 },
			    slower[] = { 129, 130, 131 };
	struct runs_change c = grow(a, b, NULL, NULL, 1);

	assert_true(!c.apart && fabs(c.pct - 20) < 1e-6 && c.median[0] == 100);
	/* Student's t of 4 degrees of freedom: 2.776 deviations of logarithms, each 0.2231 */
	assert_true(fabs(log1p(c.high / 100) - log(1.2) - 2.776 * 0.2231 * sqrt(2 / 3.)) < 1e-3);
	c = grow(a, b, unknown, low_b, 1);
	assert_false(c.apart);
	c = grow(a, b, low_a, low_b, 1);
	assert_true(c.apart && fabs(c.pct - 10) < 0.1 && c.low > 9 && c.high < 11);
	/* They contradict each other: some calls take longer. On a busy machine that is noise. */
	c = grow(quiet, slower, low_a, low_b, 1);
	assert_true(c.apart && c.low > 25);
	c = grow(quiet, slower, low_a, low_b, 2);
	assert_true(c.apart && c.high < 11);
	/* Of nothing there is no ratio. */
	static const double none[] = { 0, 0, 0 };

	c = grow(none, b, NULL, NULL, 1);
	assert_true(c.apart && isnan(c.pct));
}

/* Nothing is left in A's runs, or little: that is less than B's only if no error explains it. */
TEST(test_stated)
{
	static const double off[] = { 50, 50, 50 }, small[] = { 9, 9, 9 };
	double none[] = { 0, 0, 0 }, some[] = { 30, 31, 32 }, b[] = { 60, 61, 62 };
	struct runs_sides x = { .v = { none, b }, .off = { off, small }, .n = { 3, 3 } };
	struct runs_change c;

	assert_int_equal(runs_grow(&x, 0.025, 1, &c), 0);
	assert_true(c.apart); /* at most 50, at least 51 */
	x.off[1] = off;
	assert_int_equal(runs_grow(&x, 0.025, 1, &c), 0);
	assert_false(c.apart);
	x.v[0] = some;
	assert_int_equal(runs_grow(&x, 0.025, 1, &c), 0);
	assert_false(c.apart);
	x.off[0] = x.off[1] = small;
	assert_int_equal(runs_grow(&x, 0.025, 1, &c), 0);
	assert_true(c.apart);
}

/* Runs of main.a, which calls main.b: b is twice as long in B, a only differs by noise. */
static void add(struct diff_runs *d, unsigned side, unsigned b_ns, unsigned a_ns)
{
	char path[TRACE_PATH_BYTES], text[512];

	snprintf(text, sizeof(text),
		 "1 entry main.a 100 1000\n1 entry main.b 200 2000\n1 exit main.b 200 %u\n"
		 "1 exit main.a 100 %u\n%s",
		 2000 + b_ns, 2000 + b_ns + a_ns,
		 side ? "1 entry main.new 100 900000\n1 exit main.new 100 950000\n" : "");
	fixture_write_text(text, true, path);
	struct trace_reader *r = trace_reader_open(path);

	assert_non_null(r);
	assert_int_equal(diff_runs_add(d, side, r, true), 0);
	trace_reader_close(r);
	unlink(path);
}

/* Half of the samples are in traps, so half of 1000 ns a call is the program's. Each call had no
 * processor for 10000 ns: probes' part of that is in no call's running time. */
TEST(test_low)
{
	static const size_t n_runs[2] = { 1, 1 };
	char path[TRACE_PATH_BYTES], *text = NULL;
	struct diff_runs d;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	fputs("@set states 1\n@set states.off_cpu told\n@set cost.emulated_ns 300\n"
	      "@set cost.before_ns 100\n1 state - 1 1000\n",
	      out);
	for (unsigned i = 0; i < 1000; i++) {
		const unsigned ns = 1000 + i * 11000;

		fprintf(out,
			"1 entry main.a 100 %u how=emulated\n1 sample - 150 %u arg0=500 arg1=%d\n"
			"1 state - 6 %u\n1 state - 257 %u\n1 sample - 150 %u arg0=500 arg1=%d\n"
			"1 exit main.a 100 %u how=emulated\n",
			ns, ns + 499, SAMPLED_TRAP, ns + 500, ns + 10500, ns + 10999,
			SAMPLED_PROGRAM, ns + 11000);
	}
	fclose(out);
	fixture_write_text(text, true, path);
	free(text);
	assert_int_equal(diff_runs_init(&d, n_runs), 0);
	struct trace_reader *r = trace_reader_open(path);

	assert_non_null(r);
	assert_int_equal(diff_runs_add(&d, 0, r, false), 0);
	trace_reader_close(r);
	unlink(path);
	assert_true(fabs(d.rows[0].value[METRIC_RUN][0][0] - 500000) < 1000);
	assert_true(fabs(d.rows[0].value[RUN_LOW][0][0] - 500) < 10);
	assert_true(d.rows[0].value[RUN_UNCERTAINTY][0][0] > 0);
	diff_runs_free(&d);
}

TEST(test_all)
{
	static const size_t n_runs[2] = { 3, 2 };
	const struct diff_options opt = { .threshold_pct = 5, .min_ns = 10 };
	struct diff_runs d;
	char *text = NULL;
	size_t n;

	assert_int_equal(diff_runs_init(&d, n_runs), 0);
	add(&d, 0, 100000, 50000);
	add(&d, 0, 101000, 60000);
	add(&d, 0, 99000, 40000);
	add(&d, 1, 200000, 55000);
	add(&d, 1, 202000, 45000);
	FILE *out = open_memstream(&text, &n);

	assert_int_equal(diff_runs_csv(&d, &opt, out), 0);
	fclose(out);
	assert_string_equal(text, "function,self_a,self_b,change_pct,low_pct,high_pct\n"
				  "main.b,100000,201000,101,98.0198,104.04\n"
				  "main.new,0,50000,,,\n");
	free(text);
	out = open_memstream(&text, &n);
	assert_int_equal(diff_runs_text(&d, &opt, out), 0);
	fclose(out);
	assert_non_null(strstr(text, "1 function folded"));
	assert_non_null(strstr(text, "5 of 5 runs have no states, so SELF is compared"));
	assert_non_null(strstr(
		text,
		"medians of 3 and 2 runs; of functions that did not change, 20% are shown by chance"));
	free(text);
	diff_runs_free(&d);
}

TESTS(test_chance, test_compare, test_interval, test_low, test_stated, test_grow, test_all)
