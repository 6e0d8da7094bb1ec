// SPDX-License-Identifier: BSD-2-Clause
#include "stats/rounds.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/log.h"
#include "base/vec.h"

struct measured {
	uint64_t round;
	double value;
};

/* The values of a variant of a group. There are some tens: they are looked for one by one. */
struct series {
	char *group, *variant;
	struct measured *values;
	size_t n, cap;
};

struct rounds {
	struct series *series;
	size_t n, cap;
};

struct rounds *rounds_new(void)
{
	return calloc(1, sizeof(struct rounds));
}

void rounds_free(struct rounds *r)
{
	for (size_t i = 0; r && i < r->n; i++) {
		free(r->series[i].group);
		free(r->series[i].variant);
		free(r->series[i].values);
	}
	if (r)
		free(r->series);
	free(r);
}

/* Its index, or r->n. */
static size_t find(const struct rounds *r, const char *group, const char *variant)
{
	size_t i = 0;

	while (i < r->n &&
	       (strcmp(r->series[i].variant, variant) || strcmp(r->series[i].group, group)))
		i++;
	return i;
}

static int add_series(struct rounds *r, const char *group, const char *variant)
{
	if (vec_reserve(&r->series, &r->cap, r->n + 1))
		return -ENOMEM;
	struct series *s = &r->series[r->n];

	*s = (struct series){ .group = strdup(group), .variant = strdup(variant) };
	if (s->group && s->variant) {
		r->n++;
		return 0;
	}
	free(s->group);
	free(s->variant);
	return -ENOMEM;
}

int rounds_add(struct rounds *r, const char *group, const char *variant, uint64_t round,
	       double value)
{
	if (!isfinite(value))
		return -EINVAL;
	size_t i = find(r, group, variant);

	if (i == r->n && add_series(r, group, variant))
		return -ENOMEM;
	struct series *s = &r->series[i];

	if (vec_reserve(&s->values, &s->cap, s->n + 1))
		return -ENOMEM;
	s->values[s->n++] = (struct measured){ round, value };
	return 0;
}

/* Cuts off what is behind the last comma. NULL: there is none, or nothing behind it. */
static char *last_field(char *line)
{
	char *comma = strrchr(line, ',');

	if (!comma || !comma[1])
		return NULL;
	*comma = '\0';
	return comma + 1;
}

int rounds_add_line(struct rounds *r, const char *line)
{
	char *copy = strdup(line), *end_round, *end_value;
	int err = -EINVAL;

	if (!copy)
		return -ENOMEM;
	char *value = last_field(copy), *round = value ? last_field(copy) : NULL,
	     *variant = round ? last_field(copy) : NULL;

	/* strtod takes more than a number: blanks, hexadecimal digits, inf and nan */
	if (variant && !value[strspn(value, "0123456789.eE+-")] &&
	    !round[strspn(round, "0123456789")]) {
		errno = 0;
		uint64_t n = strtoull(round, &end_round, 10);
		double v = strtod(value, &end_value);

		if (!*end_value && !errno)
			err = rounds_add(r, copy, variant, n, v);
	}
	free(copy);
	return err;
}

/* ---- comparing */

static int by_round(const void *x, const void *y)
{
	return compare_u64(((const struct measured *)x)->round,
			   ((const struct measured *)y)->round);
}

static int sort_rounds(struct series *s)
{
	qsort(s->values, s->n, sizeof(*s->values), by_round);
	for (size_t i = 1; i < s->n; i++)
		if (s->values[i].round == s->values[i - 1].round) {
			log_error("there are two values of %s, %s in round %" PRIu64, s->group,
				  s->variant, s->values[i].round);
			return -EEXIST;
		}
	return 0;
}

/* Of s in the rounds that b has as well, to v. How many; *small: a base is not above 0. */
static size_t ratios(const struct series *s, const struct series *b, double *v, bool *small)
{
	size_t n = 0;

	for (size_t i = 0, j = 0; i < s->n && j < b->n;) {
		const struct measured *x = &s->values[i], *base = &b->values[j];

		i += x->round <= base->round;
		j += base->round <= x->round;
		if (x->round != base->round)
			continue;
		double ratio = x->value / base->value;

		if (base->value > 0 && isfinite(ratio))
			v[n++] = ratio;
		else
			*small = true;
	}
	return n;
}

/* Median of v, which it sorts, and its interval. */
static int summarize(double *v, size_t n, const struct series *s, const char *what,
		     const struct rounds_options *opt, double *median, struct interval *in)
{
	struct random_stream d = random_from(opt->seed, s->group);

	d = random_from(random_next(&d), s->variant);
	d = random_from(random_next(&d), what); /* whatever else there is, these are its numbers */
	*median = interval_median(v, n);
	*in = (struct interval){ NAN, NAN };
	int err = interval_bootstrap(v, n, opt->resamples, &d, in);

	return err == -ENODATA ? 0 : err;
}

static enum rounds_verdict judge(const struct rounds_result *r, const struct rounds_options *opt,
				 bool small)
{
	if (!strcmp(r->variant, opt->base))
		return ROUNDS_BASE;
	if (small)
		return ROUNDS_WIDE;
	if (r->pairs < INTERVAL_LEAST)
		return ROUNDS_FEW;
	if (opt->aa && !strcmp(r->variant, opt->aa))
		return interval_holds(&r->ratio_in, 1) ? ROUNDS_AA : ROUNDS_INVALID;
	if (interval_wider(&r->ratio_in, opt->widest))
		return ROUNDS_WIDE;
	return interval_holds(&r->ratio_in, 1) ? ROUNDS_NOISE : ROUNDS_OK;
}

/* v: room for a value of each round. */
static int compare_series(const struct rounds *r, const struct series *s,
			  const struct rounds_options *opt, double *v, struct rounds_result *out)
{
	const size_t base = find(r, s->group, opt->base);
	bool small = false;

	*out = (struct rounds_result){ .group = s->group,
				       .variant = s->variant,
				       .n = s->n,
				       .ratio = NAN,
				       .ratio_in = { NAN, NAN } };
	for (size_t i = 0; i < s->n; i++)
		v[i] = s->values[i].value;
	int err = summarize(v, s->n, s, "value", opt, &out->median, &out->in);

	if (!err && base < r->n && &r->series[base] != s) {
		out->pairs = ratios(s, &r->series[base], v, &small);
		err = summarize(v, out->pairs, s, "ratio", opt, &out->ratio, &out->ratio_in);
	}
	out->verdict = judge(out, opt, small);
	return err;
}

/* What a group's A/A says, it says of all that would otherwise be told. aa: NULL, there is none. */
static void check(struct rounds_result *x, const struct rounds_result *aa)
{
	const bool told = x->verdict == ROUNDS_OK || x->verdict == ROUNDS_NOISE;

	if (aa && aa->verdict == ROUNDS_INVALID) {
		if (x->verdict != ROUNDS_BASE)
			x->verdict = ROUNDS_INVALID;
	} else if (!aa || aa->verdict != ROUNDS_AA) {
		if (told)
			x->verdict = ROUNDS_UNCHECKED;
	} else if (told && x->ratio_in.low <= aa->ratio_in.high &&
		   aa->ratio_in.low <= x->ratio_in.high) {
		x->verdict = ROUNDS_NOISE;
	}
}

int rounds_compare(struct rounds *r, const struct rounds_options *opt,
		   struct rounds_result **results, size_t *n_results)
{
	size_t most = 0;
	int err = 0;

	for (size_t i = 0; i < r->n && !err; i++) {
		err = sort_rounds(&r->series[i]);
		most = r->series[i].n > most ? r->series[i].n : most;
	}
	if (err)
		return err;
	double *v = calloc(most + 1, sizeof(*v));
	struct rounds_result *all = calloc(r->n + 1, sizeof(*all));

	err = v && all ? 0 : -ENOMEM;
	for (size_t i = 0; i < r->n && !err; i++)
		err = compare_series(r, &r->series[i], opt, v, &all[i]);
	free(v);
	if (err) {
		free(all);
		return err;
	}
	for (size_t i = 0; i < r->n && opt->aa; i++) {
		size_t aa = find(r, all[i].group, opt->aa);

		check(&all[i], aa < r->n ? &all[aa] : NULL);
	}
	*results = all;
	*n_results = r->n;
	return 0;
}

const char *rounds_verdict_name(enum rounds_verdict v)
{
	static const char *const names[] = {
		[ROUNDS_OK] = "ok",
		[ROUNDS_BASE] = "base",
		[ROUNDS_AA] = "a/a",
		[ROUNDS_NOISE] = "within noise",
		[ROUNDS_FEW] = "few rounds",
		[ROUNDS_WIDE] = "not measurable",
		[ROUNDS_UNCHECKED] = "unchecked",
		[ROUNDS_INVALID] = "invalid",
	};

	return names[v];
}
