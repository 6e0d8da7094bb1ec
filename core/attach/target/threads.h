/* SPDX-License-Identifier: BSD-2-Clause */
/* Stops a running process and lets it continue, by ptrace. If gotrace dies, the kernel lets it
 * continue. All calls must come from one thread. */
#ifndef GOTRACE_THREADS_H
#define GOTRACE_THREADS_H

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define THREAD_NAME_BYTES 16 /* bytes of /proc/PID/task/TID/comm */

struct thread {
	pid_t tid;
	bool stopped, gone;
	int signal; /* signal that was pending when it stopped; 0: none */
	/* the fields below: while it has not stopped */
	bool looked, has_run;     /* has_run: it used processor time since the first look */
	char state;               /* state in /proc/PID/task/TID/stat */
	uint64_t run_ns, turns;   /* run_ns: at the first look; turns: at the last look */
	uint64_t asleep_since_ns; /* in state D without a break since then, or 0 */
};

/* A thread that has not stopped in time, and its activity. */
struct late_thread {
	pid_t tid;
	char name[THREAD_NAME_BYTES];
	enum { LATE_SLEEPS, LATE_WAITS, LATE_WORKS, LATE_UNKNOWN } does;
	uint64_t waited_ns;
};

/* The longest wait in ns for a thread that sleeps in the kernel, and for any other. */
struct patience {
	uint64_t asleep_ns, busy_ns;
};

struct threads {
	pid_t pid;
	struct thread *at;
	size_t n, cap;
	uint64_t stop_ns; /* time of the first request to stop, CLOCK_MONOTONIC */
	struct patience patience;
	struct late_thread late; /* after -ETIMEDOUT */
};

/* The number of attempts to stop a process. Between two of them the process continues for a while.
 */
#define THREADS_TRIES 10
#define THREADS_LAST  (THREADS_TRIES - 1)

/*
 * Stops all threads, including those that begin meanwhile. With `tid` not 0, stops that thread
 * only. `try` counts from 0; each try has more patience than the one before. The caller must call
 * threads_go in every case. Returns 0 or -errno. -EPERM: another program traces a thread, or
 * tracing is not allowed. -ESRCH: the process has ended. -ETIMEDOUT: a thread does not stop, and
 * t->late is that thread.
 */
int threads_stop(struct threads *t, pid_t pid, pid_t tid, unsigned try);

/* Returns a clause on the thread that did not stop and the reason, in `buf`. The caller calls it
 * before threads_go. */
#define LATE_THREAD_BYTES 160
const char *threads_say_late(const struct threads *t, char buf[LATE_THREAD_BYTES]);

/* Sleeps for the time that a process should run between try number `try` and the next one. */
void threads_pause(unsigned try);

/*
 * Lets all threads continue. It waits for a thread that sleeps in the kernel, because that thread
 * stops when it returns. Returns the time in ns from the first request to stop until the last
 * stopped thread continued.
 */
uint64_t threads_go(struct threads *t);

/* Returns the next thread of /proc/PID/task. 0: the end, or an error in the list. If errno was 0
 * before, it has the error. */
pid_t threads_next(DIR *d);

/* Returns a thread that can be made to do system calls with the least disturbance. nth is 0 or
 * more. Threads that sleep in a call come first, then the others, then the first again. Returns 0
 * if the process has ended. Returns -EAGAIN if all threads sleep uninterruptibly (state D), and
 * another -errno if they cannot be listed. */
pid_t threads_idle(pid_t pid, size_t nth);

/* Reads the thread's name, or an empty one if it cannot be read, as after the thread's end. */
void threads_name(pid_t pid, pid_t tid, char name[THREAD_NAME_BYTES]);

/* Returns true if no thread of the process will execute any instruction. Returns false also if its
 * threads cannot be listed. */
bool threads_ended(pid_t pid);

/* Returns true if that is so now or within a second. A process may be about to end when a step has
 * lost a thread, which is the first to go. */
bool threads_end_soon(pid_t pid);

#endif
