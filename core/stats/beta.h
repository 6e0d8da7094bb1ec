/* SPDX-License-Identifier: BSD-2-Clause */
/* The beta distribution and functions based on it. */
#ifndef GOTRACE_BETA_H
#define GOTRACE_BETA_H

/* Returns the number that a beta-distributed number is below with chance p, 0 to 1. a and b are
 * above 0. */
double beta_quantile(double p, double a, double b);

/* Returns the number that a t-distributed one (Student 1908) exceeds with the chance `beyond`,
 * which is above 0 and at most a half. freedom, its degrees of freedom, is above 0. */
double student_beyond(double beyond, double freedom);

#endif
