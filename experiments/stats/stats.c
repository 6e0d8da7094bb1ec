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
 * stats shares GROUP
 *	Lines GROUP,PART,WHOLE, of a run each: for each group the runs, the sums, the share, its
 *	exact interval (Clopper-Pearson), if the sums are counts of what does not depend on each
 *	other, and that of runs which are drawn again.
 *
 * SEED=    of the bootstrap (1)
 * WIDEST=  factor between the ends of an interval that still says something (1.5)
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "stats/rounds.h"
#include "stats/share.h"

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
	struct random_stream d = random_from((uint64_t)number("SEED", seed), stream);
	size_t *at = calloc(n, sizeof(*at));

	if (!at)
		return failed("no memory");
	random_order(&d, at, n);
	for (size_t i = 0; i < n; i++)
		puts(names[at[i]]);
	free(at);
	return fflush(stdout) ? failed("cannot write") : 0;
}

/* 0 or an exit status. `add` takes a line, as rounds_add_line does. */
static int read_lines(int (*add)(void *to, const char *line), void *to, const char *form, FILE *in)
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
			err = add(to, line);
	}
	free(line);
	if (err == -EINVAL)
		fprintf(stderr, "stats: line %zu is not %s\n", n, form);
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

static int add_to_rounds(void *r, const char *line)
{
	return rounds_add_line(r, line);
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
	int status = r ? read_lines(add_to_rounds, r, "GROUP,VARIANT,ROUND,VALUE", stdin)
		       : failed("no memory");

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

/* Runs of a group. */
struct parts {
	char *group;
	double *part, *whole;
	size_t n, cap_part, cap_whole;
};
struct groups {
	struct parts *v;
	size_t n, cap;
};

/* Of that name, which is copied; NULL: no memory. */
static struct parts *group_of(struct groups *g, const char *name)
{
	for (size_t i = 0; i < g->n; i++)
		if (!strcmp(g->v[i].group, name))
			return &g->v[i];
	if (vec_reserve(&g->v, &g->cap, g->n + 1))
		return NULL;
	g->v[g->n] = (struct parts){ .group = strdup(name) };
	return g->v[g->n].group ? &g->v[g->n++] : NULL;
}

/* The number behind the last comma of `line`, which ends there then. */
static int cut_number(char *line, double *v)
{
	char *comma = strrchr(line, ','), *end;

	if (!comma)
		return -EINVAL;
	*v = strtod(comma + 1, &end);
	*comma = '\0';
	return end == comma + 1 || *end || !(*v >= 0 && *v < 1e18) ? -EINVAL : 0;
}

static int add_run(struct groups *g, char *line)
{
	double part, whole;

	if (cut_number(line, &whole) || cut_number(line, &part))
		return -EINVAL;
	struct parts *p = group_of(g, line);

	if (!p || vec_reserve(&p->part, &p->cap_part, p->n + 1) ||
	    vec_reserve(&p->whole, &p->cap_whole, p->n + 1))
		return -ENOMEM;
	p->part[p->n] = part;
	p->whole[p->n++] = whole;
	return 0;
}

static int add_to_groups(void *g, const char *line)
{
	char *copy = strdup(line);
	int err = copy ? add_run(g, copy) : -ENOMEM;

	free(copy);
	return err;
}

static int print_share(const struct parts *p, struct random_stream *d)
{
	struct interval exact = { NAN, NAN }, runs = { NAN, NAN };
	double part = 0, whole = 0;

	for (size_t i = 0; i < p->n; i++) {
		part += p->part[i];
		whole += p->whole[i];
	}
	if (part > whole) {
		fprintf(stderr, "stats: %s: the parts are more than the whole\n", p->group);
		return STATUS_INPUT;
	}
	share_exact((uint64_t)part, (uint64_t)whole, &exact);
	if (share_of_runs(p->part, p->whole, p->n, INTERVAL_RESAMPLES, d, &runs) == -ENOMEM)
		return failed("no memory");
	printf("%s,%zu,%.0f,%.0f", p->group, p->n, part, whole);
	print_value(whole > 0 ? part / whole : NAN);
	print_value(exact.low);
	print_value(exact.high);
	print_value(runs.low);
	print_value(runs.high);
	putchar('\n');
	return 0;
}

static int shares(const char *group)
{
	struct random_stream d = random_from((uint64_t)setting("SEED", 1), NULL);
	struct groups g = { 0 };
	int status = read_lines(add_to_groups, &g, "GROUP,PART,WHOLE", stdin);

	if (!status)
		printf("%s,runs,part,whole,share,exact_low,exact_high,low,high\n", group);
	for (size_t i = 0; i < g.n; i++) {
		status = status ? status : print_share(&g.v[i], &d);
		free(g.v[i].group);
		free(g.v[i].part);
		free(g.v[i].whole);
	}
	free(g.v);
	if (!status && fflush(stdout))
		status = failed("cannot write");
	return status;
}

int main(int argc, char **argv)
{
	if (argc >= 5 && !strcmp(argv[1], "order"))
		return order(argv[2], argv[3], argv + 4, (size_t)(argc - 4));
	if (argc == 5 && !strcmp(argv[1], "compare"))
		return compare(argv[2], argv[3], argv[4]);
	if (argc == 3 && !strcmp(argv[1], "shares"))
		return shares(argv[2]);
	fprintf(stderr, "usage: stats order SEED STREAM NAME...\n"
			"       stats compare BASE AGAIN GROUP <LINES\n"
			"       stats shares GROUP <LINES\n");
	return STATUS_USAGE;
}
