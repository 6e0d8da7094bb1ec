/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Variances of many series, each of few values. The variances are taken to be drawn from one
 * distribution, a scaled inverse chi-squared one. Its figures come from all series (Smyth: Linear
 * models and empirical Bayes methods, Statistical Applications in Genetics and Molecular Biology 3,
 * 2004). So each series adds what the others show.
 */
#ifndef GOTRACE_VARIANCES_H
#define GOTRACE_VARIANCES_H

#include <stddef.h>

#define VARIANCES_LEAST 3 /* fewest series */

/* How much all series show of one: as much as `freedom` more degrees of freedom with the variance
 * `square`. freedom 0: nothing. */
struct variance_prior {
	double square, freedom;
};

/* Returns what n variances show, each of `freedom` degrees of freedom. Variances of 0 are left out.
 * The differences between variances that chance may hide are added, so that few series show
 * little. */
struct variance_prior variances_learn(const double *squares, size_t n, double freedom);
/* Returns the variance of one series with what all show. *freedom becomes its degrees of
 * freedom. */
double variances_moderated(const struct variance_prior *p, double square, double *freedom);

#endif
