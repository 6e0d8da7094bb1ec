/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The statistics of experiments. core/stats computes them, for gotrace overhead as well.
 *
 * stats order SEED STREAM NAME...
 *	The names in an order drawn at random, a line each; always the same for a seed and a stream.
 *
 * stats compare BASE AGAIN GROUP
 *	Lines GROUP,VARIANT,ROUND,VALUE from standard input, as CSV: for each variant of each group
 *	the median with its interval, and how many times BASE's value, paired by round. AGAIN is
 *	BASE once more. GROUP names the columns of a group, "program,tool".
 *
 * SEED=    of the bootstrap (1)
 * WIDEST=  factor between the ends of an interval that still says something (1.5)
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stats/rounds.h"

#define STATUS_INPUT 1
#define STATUS_USAGE 2

static int failed(const char *what)
{
	fprintf(stderr, "stats: %s\n", what);
	return STATUS_INPUT;
}

/* A number and nothing else; otherwise it ends the program. */
static double number(const char *what, const char *s)
{
	char *end;
	double v = strtod(s, &end);

	if (end == s || *end || !(v >= 0 && v < 1e15)) {
		fprintf(stderr, "stats: %s: '%s' is no number\n", what, s);
		exit(STATUS_USAGE);
	}
	return v;
}

static double setting(const char *name, double usual)
{
	const char *s = getenv(name);

	return s && *s ? number(name, s) : usual;
}

static int order(const char *seed, const char *stream, char **names, size_t n)
{
	struct draw d = draw_from((uint64_t)number("SEED", seed), stream);
	size_t *at = calloc(n, sizeof(*at));

	if (!at)
		return failed("no memory");
	draw_order(&d, at, n);
	for (size_t i = 0; i < n; i++)
		puts(names[at[i]]);
	free(at);
	return fflush(stdout) ? failed("cannot write") : 0;
}

/* 0 or an exit status */
static int read_lines(struct rounds *r, FILE *in)
{
	char *line = NULL;
	size_t cap = 0, n = 0;
	ssize_t length;
	int err = 0;

	while (!err && (length = getline(&line, &cap, in)) > 0) {
		n++;
		err = line[length - 1] == '\n' && strlen(line) == (size_t)length ? 0 : -EINVAL;
		line[length - 1] = '\0';
		if (!err)
			err = rounds_add_line(r, line);
	}
	free(line);
	if (err == -EINVAL)
		fprintf(stderr, "stats: line %zu is not GROUP,VARIANT,ROUND,VALUE\n", n);
	if (err)
		return err == -EINVAL ? STATUS_INPUT : failed("no memory");
	return ferror(in) ? failed("cannot read") : 0;
}

/* An empty cell where there is no value. */
static void print_value(double v)
{
	if (isnan(v))
		putchar(',');
	else
		printf(",%.9g", v);
}

static void print_result(const struct rounds_result *x)
{
	printf("%s,%s,%zu", x->group, x->variant, x->n);
	print_value(x->median);
	print_value(x->in.low);
	print_value(x->in.high);
	printf(",%zu", x->pairs);
	print_value(x->ratio);
	print_value(x->ratio_in.low);
	print_value(x->ratio_in.high);
	printf(",%s\n", rounds_verdict_name(x->verdict));
}

static int compare(const char *base, const char *again, const char *group)
{
	const struct rounds_options opt = { .base = base,
					    .aa = again,
					    .seed = (uint64_t)setting("SEED", 1),
					    .resamples = INTERVAL_RESAMPLES,
					    .widest = setting("WIDEST", 1.5) };
	struct rounds_result *results = NULL;
	struct rounds *r = rounds_new();
	size_t n = 0;
	int status = r ? read_lines(r, stdin) : failed("no memory");

	if (!status && rounds_compare(r, &opt, &results, &n))
		status = STATUS_INPUT;
	if (!status) {
		printf("%s,variant,rounds,median,low,high,pairs,ratio,ratio_low,ratio_high,verdict\n",
		       group);
		for (size_t i = 0; i < n; i++)
			print_result(&results[i]);
		status = fflush(stdout) ? failed("cannot write") : 0;
	}
	free(results);
	rounds_free(r);
	return status;
}

int main(int argc, char **argv)
{
	if (argc >= 5 && !strcmp(argv[1], "order"))
		return order(argv[2], argv[3], argv + 4, (size_t)(argc - 4));
	if (argc == 5 && !strcmp(argv[1], "compare"))
		return compare(argv[2], argv[3], argv[4]);
	fprintf(stderr, "usage: stats order SEED STREAM NAME...\n"
			"       stats compare BASE AGAIN GROUP <LINES\n");
	return STATUS_USAGE;
}
