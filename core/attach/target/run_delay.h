/* SPDX-License-Identifier: BSD-2-Clause */
/* The time in which the threads of a process waited for a processor, by the kernel's account. */
#ifndef GOTRACE_RUN_DELAY_H
#define GOTRACE_RUN_DELAY_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * gotrace asks the kernel for the sum over all threads, including ended ones (taskstats of the
 * thread group). One question is enough, also for a process that has ended and that nobody has
 * waited for. /proc/PID/task/TID/schedstat has the same numbers for living threads, at ten times
 * the cost. It lacks ended threads.
 */
struct run_delay {
	uint16_t family; /* the kernel's number of taskstats; 0 if it has none */
	int fd;
	bool told;       /* `ns` and `times` are known */
	uint64_t ns;     /* sum at the last answered look */
	uint64_t times;  /* how often threads got a processor until then */
	uint64_t due_ns; /* CLOCK_MONOTONIC of the next look; the first and last ones ignore it */
};

/* Opens the account. Returns 0 or -errno and logs nothing. -ENOENT: the kernel has no taskstats.
 * Without CAP_NET_ADMIN the kernel does not answer looks. The caller must call run_delay_close in
 * every case. */
int run_delay_open(struct run_delay *d);

/* Asks for the sum of process `pid`. Without an answer, because the process is gone, the last sum
 * stays. */
void run_delay_look(struct run_delay *d, pid_t pid);

/* Asks likewise, but so rarely that looks take a thousandth of the time. A look takes longer the
 * more threads there are. */
void run_delay_look_seldom(struct run_delay *d, pid_t pid);

void run_delay_close(struct run_delay *d);

#endif
