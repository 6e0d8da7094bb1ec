/* SPDX-License-Identifier: BSD-2-Clause */
/* Stops a running process and lets it go on, by ptrace. When this process dies, the kernel lets it
 * go on. All calls must come from one thread. */
#ifndef GOTRACE_THREADS_H
#define GOTRACE_THREADS_H

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct thread {
	pid_t tid;
	bool stopped, gone;
	int signal; /* that it was about to take when it was stopped; 0: none */
};

struct threads {
	pid_t pid;
	struct thread *at;
	size_t n, cap;
	uint64_t stop_ns; /* when the first was to stop, CLOCK_MONOTONIC */
};

/*
 * Stops all threads, also those that begin meanwhile; or, with `tid` not 0, that one only. To be
 * followed by threads_go in every case. 0 or -errno: -EPERM when something else traces a thread or
 * tracing is not allowed, -ESRCH when it has ended, -ETIMEDOUT when a thread does not stop, which
 * is in the kernel and cannot be interrupted there.
 */
int threads_stop(struct threads *t, pid_t pid, pid_t tid);

/*
 * Lets all threads go. One that sleeps in the kernel stops when it returns, so this waits for it.
 * Returns how long it was from the first that was to stop until the last that had stopped went on,
 * ns.
 */
uint64_t threads_go(struct threads *t);

/* The next thread of /proc/PID/task, 0 at the end. */
pid_t threads_next(DIR *d);

/* A thread that can be made to do system calls with the least disturbance: one that sleeps in one,
 * else any. 0: the process has ended. */
pid_t threads_idle(pid_t pid);

#endif
