/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A recording of samples of two programs, made up for tests. main.main calls main.work in both.
 * prog is Go's and has 6 of 10 samples. kid is not. It has 3 in one process and 1, at an address of
 * no symbol, in another. A third kid and the shell that began them have none.
 */
#ifndef GOTRACE_PROGRAMS_FIXTURE_H
#define GOTRACE_PROGRAMS_FIXTURE_H

#define PROGRAMS_SAMPLES   10u
#define PROGRAMS_WEIGHT_NS 10000000u

/* Writes it to path; kid: the path of the other program. 0 or -errno. */
int programs_fixture_file(const char *path, const char *kid);
/* Like programs_fixture_file, but `outside` samples of prog are in no goroutine. */
int programs_fixture_outside(const char *path, const char *kid, unsigned outside);

#endif
