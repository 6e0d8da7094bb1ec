/* SPDX-License-Identifier: BSD-2-Clause */
/* How long the threads of a process waited for a processor, by the kernel's account. */
#ifndef GOTRACE_RUN_DELAY_H
#define GOTRACE_RUN_DELAY_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * The kernel is asked for the sum over all threads, those that have ended included (taskstats of
 * the thread group). One question answers for a process that has ended and was not waited for, too.
 * /proc/PID/task/TID/schedstat has the same numbers of the threads that live, at ten times the
 * cost, and those of ended threads are gone from it.
 */
struct run_delay {
	uint16_t family; /* the kernel's number of taskstats; 0: it does not tell, fd is not open */
	int fd;
	bool told;       /* ns is known */
	uint64_t ns;     /* at the last look that the kernel answered */
	uint64_t due_ns; /* CLOCK_MONOTONIC: no look before, but the first and last ones */
};

/* 0 or -errno, nothing logged: -ENOENT where the kernel has no taskstats. Without CAP_NET_ADMIN
 * looks are not answered. To be closed in every case. */
int run_delay_open(struct run_delay *d);

/* Asks for the sum of process `pid`. A look that is not answered, as the process is gone, leaves
 * what the last one told. */
void run_delay_look(struct run_delay *d, pid_t pid);

/* Likewise, but looks so seldom that they take a thousandth of the time: a look takes longer the
 * more threads there are. */
void run_delay_look_seldom(struct run_delay *d, pid_t pid);

void run_delay_close(struct run_delay *d);

#endif
