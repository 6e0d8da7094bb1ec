/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Values of variants that were measured side by side, a value of each in a round: how many times
 * that of a base a variant's is, paired within the round, so that what changes slowly on the
 * machine is in both.
 *
 * A variant may be the base once more (A/A): its interval is the noise floor. If that does not hold
 * 1, the measurement sees differences that are not there, and nothing of its group is valid.
 */
#ifndef GOTRACE_ROUNDS_H
#define GOTRACE_ROUNDS_H

#include <stddef.h>
#include <stdint.h>

#include "stats/interval.h"

struct rounds_options {
	const char *base;   /* the variant that others are compared with */
	const char *aa;     /* the same once more; NULL: nothing is checked */
	uint64_t seed;      /* of the bootstrap */
	uint32_t resamples; /* at least 1; INTERVAL_RESAMPLES is enough */
	double widest;      /* an interval whose ends differ by more than this factor is wide */
};

enum rounds_verdict {
	ROUNDS_OK,        /* different from the base */
	ROUNDS_BASE,      /* it is the base */
	ROUNDS_AA,        /* it is the base once more, and no difference was seen */
	ROUNDS_NOISE,     /* its interval holds 1, or meets that of A/A */
	ROUNDS_FEW,       /* of INTERVAL_LEAST rounds with it and the base: no interval */
	ROUNDS_WIDE,      /* not measurable here: the interval is wide, or a base is not above 0 */
	ROUNDS_UNCHECKED, /* of the base once more there are too few values */
	ROUNDS_INVALID,   /* a difference was seen between the base and itself */
};

struct rounds_result {
	const char *group, *variant; /* of the rounds */
	size_t n;                    /* values */
	double median;
	struct interval in; /* NAN with fewer than INTERVAL_LEAST values */
	size_t pairs;       /* rounds in which the base has a value, too */
	double ratio;       /* median of the pairs; NAN where there is none */
	struct interval ratio_in;
	enum rounds_verdict verdict;
};

struct rounds; /* to be freed with rounds_free */

struct rounds *rounds_new(void); /* NULL: no memory */
void rounds_free(struct rounds *r);

/* One value; what is compared is so within its group. Names are copied. 0; -EINVAL: it is not
 * finite; -ENOMEM. */
int rounds_add(struct rounds *r, const char *group, const char *variant, uint64_t round,
	       double value);

/* As rounds_add, of "GROUP,VARIANT,ROUND,VALUE" without a line end; the group may hold commas.
 * 0; -EINVAL: it is no such line; -ENOMEM. */
int rounds_add_line(struct rounds *r, const char *line);

/*
 * A result for each variant of each group, in the order in which they were first added, to
 * *results, which the caller frees; they hold names of r. 0; -EEXIST (logged): a variant has two
 * values in a round; -ENOMEM.
 */
int rounds_compare(struct rounds *r, const struct rounds_options *opt,
		   struct rounds_result **results, size_t *n_results);

/* "ok", "base", "a/a", "within noise", "few rounds", "not measurable", "unchecked", "invalid" */
const char *rounds_verdict_name(enum rounds_verdict v);

#endif
