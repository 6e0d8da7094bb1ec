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

#define THREAD_NAME_BYTES 16 /* of /proc/PID/task/TID/comm */

struct thread {
	pid_t tid;
	bool stopped, gone;
	int signal; /* that it was about to take when it was stopped; 0: none */
	/* while it has not stopped: */
	bool looked, has_run;     /* processor time was used since the first look */
	char state;               /* of /proc/PID/task/TID/stat */
	uint64_t run_ns, turns;   /* at the first look; at the last one */
	uint64_t asleep_since_ns; /* in state D without a break; 0: it is not */
};

/* A thread that has not stopped in time, and what it does instead. */
struct late_thread {
	pid_t tid;
	char name[THREAD_NAME_BYTES];
	enum { LATE_SLEEPS, LATE_WAITS, LATE_WORKS, LATE_UNKNOWN } does;
	uint64_t waited_ns;
};

/* How long is waited for a thread that sleeps in the kernel, and for any other, ns. */
struct patience {
	uint64_t asleep_ns, busy_ns;
};

struct threads {
	pid_t pid;
	struct thread *at;
	size_t n, cap;
	uint64_t stop_ns; /* when the first was to stop, CLOCK_MONOTONIC */
	struct patience patience;
	struct late_thread late; /* after -ETIMEDOUT */
};

/* A process that does not stop is let go, and stopped again after a pause: so often. */
#define THREADS_TRIES 10
#define THREADS_LAST  (THREADS_TRIES - 1)

/*
 * Stops all threads, also those that begin meanwhile; or, with `tid` not 0, that one only. `try`
 * counts from 0 up to THREADS_LAST, which has the most patience. To be followed by threads_go in
 * every case. 0 or -errno: -EPERM when something else traces a thread or tracing is not allowed,
 * -ESRCH only when it has ended, -ETIMEDOUT when a thread does not stop, which is t->late then.
 */
int threads_stop(struct threads *t, pid_t pid, pid_t tid, unsigned try);

/* The thread that did not stop and why, a clause; in `buf`. Before threads_go. */
#define LATE_THREAD_BYTES 160
const char *threads_say_late(const struct threads *t, char buf[LATE_THREAD_BYTES]);

/* Sleeps as long as a process should run between try number `try` and the next one. */
void threads_pause(unsigned try);

/*
 * Lets all threads go. One that sleeps in the kernel stops when it returns, so this waits for it.
 * Returns how long it was from the first that was to stop until the last that had stopped went on,
 * ns.
 */
uint64_t threads_go(struct threads *t);

/* The next thread of /proc/PID/task; 0 at the end, or where the list cannot be read further: errno
 * tells, if it was 0 before. */
pid_t threads_next(DIR *d);

/* A thread that can be made to do system calls with the least disturbance. nth is 0 or more.
 * Threads that sleep in a call come first, then the others, then again the first. Returns 0 when
 * the process has ended, -EAGAIN when all threads sleep where nothing interrupts them (state D),
 * and another -errno when they cannot be listed. */
pid_t threads_idle(pid_t pid, size_t nth);

/* Its name; empty where it cannot be read, as after its end. */
void threads_name(pid_t pid, pid_t tid, char name[THREAD_NAME_BYTES]);

/* No thread of it will execute anything any more. false, too, where its threads cannot be listed.
 */
bool threads_ended(pid_t pid);

/* The same, or within a second from now: a thread that a step has lost is the first to go where the
 * whole process ends. */
bool threads_end_soon(pid_t pid);

#endif
