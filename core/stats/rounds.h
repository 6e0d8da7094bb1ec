/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Compares variants that were measured side by side, with a value of each in a round. The ratio of
 * a variant's value to that of a base is taken within the round. So slow changes of the machine are
 * in both values.
 *
 * A variant may be the base once more (A/A). Its interval is the noise floor. If that does not hold
 * 1, the measurement sees false differences, and no result of its group is valid.
 */
#ifndef GOTRACE_ROUNDS_H
#define GOTRACE_ROUNDS_H

#include <stddef.h>
#include <stdint.h>

#include "stats/interval.h"

struct rounds_options {
	const char *base;   /* the variant to which others are compared */
	const char *aa;     /* the base once more; NULL for no check */
	uint64_t seed;      /* seed of the bootstrap */
	uint32_t resamples; /* at least 1; INTERVAL_RESAMPLES is enough */
	double widest;      /* an interval whose ends differ by more than this factor is wide */
};

enum rounds_verdict {
	ROUNDS_OK,    /* different from the base */
	ROUNDS_BASE,  /* the base itself */
	ROUNDS_AA,    /* the base once more, without a difference */
	ROUNDS_NOISE, /* its interval holds 1, or meets that of A/A */
	ROUNDS_FEW,   /* no interval: fewer than INTERVAL_LEAST rounds have it and the base */
	/* not measurable here; the interval is wide, or a base is not above 0 */
	ROUNDS_WIDE,
	ROUNDS_UNCHECKED, /* too few values of the base once more */
	ROUNDS_INVALID,   /* a difference was seen between the base and itself */
};

struct rounds_result {
	const char *group, *variant; /* names of the rounds */
	size_t n;                    /* number of values */
	double median;
	struct interval in; /* NAN with fewer than INTERVAL_LEAST values */
	size_t pairs;       /* rounds in which the base also has a value */
	double ratio;       /* median of the pairs' ratios; NAN without pairs */
	struct interval ratio_in;
	enum rounds_verdict verdict;
};

struct rounds; /* to be freed with rounds_free */

struct rounds *rounds_new(void); /* NULL without memory */
void rounds_free(struct rounds *r);

/* Adds a value. Values are compared within their group. Names are copied. 0, -EINVAL when it is not
 * finite, -ENOMEM. */
int rounds_add(struct rounds *r, const char *group, const char *variant, uint64_t round,
	       double value);

/* Adds a value from a line "GROUP,VARIANT,ROUND,VALUE" without a newline. The group may have
 * commas. 0, -EINVAL for another line, -ENOMEM. */
int rounds_add_line(struct rounds *r, const char *line);

/*
 * Sets *results to a result for each variant of each group, in the order in which they were first
 * added. The caller frees it. The results point to names of r. 0, -EEXIST (logged) when a variant
 * has two values in a round, -ENOMEM.
 */
int rounds_compare(struct rounds *r, const struct rounds_options *opt,
		   struct rounds_result **results, size_t *n_results);

/* Returns "ok", "base", "a/a", "within noise", "few rounds", "not measurable", "unchecked" or
 * "invalid". */
const char *rounds_verdict_name(enum rounds_verdict v);

#endif
