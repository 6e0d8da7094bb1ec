/* SPDX-License-Identifier: BSD-2-Clause */
/* The tables of `gotrace top`. */
#ifndef GOTRACE_TOP_H
#define GOTRACE_TOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum top_sort { TOP_BY_SELF, TOP_BY_CALLS, TOP_BY_P50, TOP_BY_P99, TOP_BY_GROWTH };

struct top_options {
	const char *name;            /* name of the file or process */
	uint64_t interval_ns, times; /* times 0: until the recording ends */
	size_t rows;                 /* 0: as many as fit, or 20 without a terminal */
	enum top_sort sort;
	bool raw;
	/* The process whose recording with states would show the answer, where this one has none. 0
	 * if there is none. */
	int answer_pid;
};

struct live_feed;

/*
 * Prints a table of the trace at path each interval. It ends with the recording of the trace, by
 * the key q, or when stop_fd (-1: none) is readable. The feed has the numbers of a trace that this
 * process records; it is NULL for others. Returns 0 or -errno (logged).
 */
int top_run(const struct top_options *opt, const char *path, struct live_feed *feed, int stop_fd);

#endif
