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

struct programs_fixture {
	const char *prog; /* the path of prog; NULL stands for /bin/prog */
	const char *kid;  /* the path of the other program; NULL: it has no samples */
	unsigned outside; /* samples of prog in no goroutine */
	unsigned times;   /* how often each sample is taken; 0 stands for once */
};

/* Writes it to path. 0 or -errno. */
int programs_fixture_write(const char *path, const struct programs_fixture *of);
/* Writes it with the path of kid. */
int programs_fixture_file(const char *path, const char *kid);

#endif
