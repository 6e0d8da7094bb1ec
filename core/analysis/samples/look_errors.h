/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The errors of times from snapshots (sample --wall). Goroutines may act in step, so all goroutines
 * that one look sees are one observation, not many.
 *
 * A look k counts N goroutines that do something. It stands for the gap before it, of g ns. Their
 * state is known only at looks. So the time of the gap is g N, with an error by the change of N
 * since the look before. With D = N(k) - N(k-1), half of (g D)^2 is its squared error. Changes of
 * single goroutines are added within a look, then squared. Changes of independent goroutines mostly
 * cancel out, and the rest is the error that independent ones have.
 *
 * This is the variance of a systematic sample by successive differences: K. M. Wolter, Introduction
 * to Variance Estimation, 2nd edition, Springer 2007, chapter 8 (v2), with looks as clusters as in
 * K.-Y. Liang and S. L. Zeger, Longitudinal data analysis using generalized linear models,
 * Biometrika 73 (1986), 13-22.
 *
 * Over a long gap N changes at least as much as over a short one, and by chance may look as if it
 * had not. So no sum is below the one in which each gap has the mean of all D^2 of its process.
 */
#ifndef GOTRACE_LOOK_ERRORS_H
#define GOTRACE_LOOK_ERRORS_H

#include <stdbool.h>

#include "trace/samples.h"

struct look_errors;

/* Returns NULL without memory. */
struct look_errors *look_errors_new(void);
void look_errors_free(struct look_errors *l);
/* Adds a sample with a state to a group. 0 or -ENOMEM. */
int look_errors_take(struct look_errors *l, const struct sample *x, uint32_t group);
/* Returns the number of samples added. */
size_t look_errors_taken(const struct look_errors *l);
/* To be called after the last sample; groups are below n_groups. drawn: some samples stand for more
 * goroutines than their own. longest_ns: the longest gap, 0 when not known. 0 or -ENOMEM. */
int look_errors_settle(struct look_errors *l, uint32_t n_groups, bool drawn, uint64_t longest_ns);
/* Adds the changes of a group's samples to the sum. To be called after look_errors_settle. */
void look_errors_add(struct look_errors *l, uint32_t group);
/* Returns the square of the standard error of the sum, ns^2, and empties the sum. */
double look_errors_square(struct look_errors *l);

#endif
