/* SPDX-License-Identifier: BSD-2-Clause */
/* The tables of `gotrace top`. */
#ifndef GOTRACE_TOP_H
#define GOTRACE_TOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum top_sort { TOP_BY_SELF, TOP_BY_CALLS, TOP_BY_P50, TOP_BY_P99, TOP_BY_GROWTH };

struct top_options {
	const char *name;            /* of what is shown */
	uint64_t interval_ns, times; /* times 0: as long as it is recorded */
	size_t rows;                 /* 0: what fits, 20 where there is no terminal */
	enum top_sort sort;
	bool raw;
	int answer_pid; /* the process whose recording would tell the answer, which this one cannot;
			   0: nothing is said */
};

/*
 * Prints a table each interval of the trace that is being recorded at path, until it is not any
 * more, stop_fd (-1: none) is readable, or the user types q. 0 or -errno (logged).
 */
int top_run(const struct top_options *opt, const char *path, int stop_fd);

#endif
