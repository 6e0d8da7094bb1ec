/* SPDX-License-Identifier: BSD-2-Clause */
/* The beta distribution, and what follows from it. */
#ifndef GOTRACE_BETA_H
#define GOTRACE_BETA_H

/* The chance that a beta-distributed number is at most x; a and b are above 0. */
double beta_below(double x, double a, double b);
/* The number that it is below with chance p, 0 to 1. */
double beta_quantile(double p, double a, double b);

/* The number that a t-distributed one (Student 1908) of so many degrees of freedom is above with
 * this chance, which is above 0 and at most a half. freedom is above 0. */
double student_beyond(double beyond, double freedom);

#endif
