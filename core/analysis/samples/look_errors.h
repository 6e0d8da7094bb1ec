/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How far off times of snapshots may be (sample --wall), where goroutines may act in step: those
 * that one look sees are one observation, not many.
 *
 * A look k counts N goroutines that do something, and stands for the gap before it, of g ns. What
 * they do is known at looks only, so the time of the gap is g N, give or take what N changed by
 * since the look before: with D = N(k) - N(k-1), half of (g D)^2 is its squared error. Changes of
 * single goroutines are added up within a look before they are squared. Where each goes its own
 * way, they mostly cancel out, and what is left is what independent ones have.
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

/* NULL: no memory. */
struct look_errors *look_errors_new(void);
void look_errors_free(struct look_errors *l);
/* Takes in a sample with a state, of a group. 0 or -ENOMEM. */
int look_errors_take(struct look_errors *l, const struct sample *x, uint32_t group);
/* How many were taken in. */
size_t look_errors_taken(const struct look_errors *l);
/* All are taken in, of groups below n_groups. drawn: some samples stand for more goroutines than
 * the one that they are of. longest_ns: of all gaps; 0: not known. 0 or -ENOMEM. */
int look_errors_settle(struct look_errors *l, uint32_t n_groups, bool drawn, uint64_t longest_ns);
/* After look_errors_settle: adds what the samples of a group changed to the sum. */
void look_errors_add(struct look_errors *l, uint32_t group);
/* The square of the standard error of what was added, ns; nothing is, afterwards. */
double look_errors_square(struct look_errors *l);

#endif
