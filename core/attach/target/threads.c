// SPDX-License-Identifier: BSD-2-Clause
#include "attach/target/threads.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>

#include "attach/target/ptrace.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/vec.h"

/* A thread stops within microseconds, unless it is in the kernel and cannot be interrupted there:
 * while it reads from a disk, or its vfork child has not executed anything yet. One that waits for
 * a processor stops when it gets one, which takes longer on a busy machine. */
#define PATIENCE_NS      (50ull * 1000 * 1000)
#define BUSY_PATIENCE_NS (2000ull * 1000 * 1000)
#define LAST_PATIENCE_NS (1000ull * 1000 * 1000)
#define LOOK_AGAIN_NS    (20 * 1000)

/* Of /proc/PID/task/TID/stat: R, S, D, Z, ... 0: it is gone. */
static char state_of(pid_t pid, pid_t tid)
{
	char path[64], line[512];

	snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", pid, tid);
	FILE *f = fopen(path, "re");
	size_t n = f ? fread(line, 1, sizeof(line) - 1, f) : 0;

	if (f)
		fclose(f);
	line[n] = '\0';
	const char *name_end = strrchr(line, ')'); /* the name may hold anything */
	return name_end && name_end[1] == ' ' ? name_end[2] : 0;
}

static DIR *open_tasks(pid_t pid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	return opendir(path);
}

pid_t threads_next(DIR *d)
{
	const struct dirent *e;

	while ((e = readdir(d)))
		if (*e->d_name != '.')
			return (pid_t)atoi(e->d_name);
	return 0;
}

pid_t threads_idle(pid_t pid)
{
	DIR *d = open_tasks(pid);
	pid_t any = 0, asleep = 0, tid;

	while (d && !asleep && (tid = threads_next(d))) {
		char state = state_of(pid, tid);

		if (state == 'S')
			asleep = tid;
		if (state && !strchr("ZXD", state))
			any = tid;
	}
	if (d)
		closedir(d);
	return asleep ? asleep : any;
}

/* ---- stopping */

static bool known(const struct threads *t, pid_t tid)
{
	for (size_t i = 0; i < t->n; i++)
		if (t->at[i].tid == tid)
			return true;
	return false;
}

static int seize(struct threads *t, pid_t tid)
{
	if (vec_reserve(&t->at, &t->cap, t->n + 1))
		return -ENOMEM;
	int err = ptrace_do(PTRACE_SEIZE, tid, 0, PTRACE_O_TRACESYSGOOD);

	if (err) {
		char state = state_of(t->pid, tid);

		return !state || state == 'Z' || state == 'X' ? 0 : err; /* it has ended */
	}
	t->at[t->n++] = (struct thread){ .tid = tid };
	return 0;
}

/* Seizes the threads that are not seized yet; *n_new, how many. */
static int seize_new(struct threads *t, size_t *n_new)
{
	DIR *d = open_tasks(t->pid);
	size_t before = t->n;
	int err = d ? 0 : -ESRCH;
	pid_t tid;

	while (!err && (tid = threads_next(d)))
		if (!known(t, tid))
			err = seize(t, tid);
	if (d)
		closedir(d);
	*n_new = t->n - before;
	return err;
}

static void take_stop(struct thread *th, int status)
{
	if (!WIFSTOPPED(status)) {
		th->gone = true;
		return;
	}
	th->stopped = true;
	/* Stopped by PTRACE_INTERRUPT, or with the whole process by a SIGSTOP; or on its way to a
	 * signal's handler. */
	th->signal = status >> 16 ? 0 : WSTOPSIG(status);
}

/* Whether a thread that has not stopped sleeps where nothing interrupts it. */
static bool one_sleeps_in_kernel(const struct threads *t)
{
	for (size_t i = 0; i < t->n; i++)
		if (!t->at[i].stopped && !t->at[i].gone && state_of(t->pid, t->at[i].tid) == 'D')
			return true;
	return false;
}

/* Waits until all have stopped. */
static int wait_all(struct threads *t, uint64_t patience_ns)
{
	const struct timespec pause = { .tv_nsec = LOOK_AGAIN_NS };
	uint64_t began_ns = clock_monotonic_ns();

	for (;;) {
		size_t missing = 0;

		for (size_t i = 0; i < t->n; i++) {
			struct thread *th = &t->at[i];
			int status;

			if (th->stopped || th->gone)
				continue;
			pid_t got = waitpid(th->tid, &status, __WALL | WNOHANG);
			if (got == th->tid)
				take_stop(th, status);
			else if (got < 0 && errno == ECHILD)
				th->gone = true;
			else
				missing++;
		}
		if (!missing)
			return 0;
		uint64_t waited_ns = clock_monotonic_ns() - began_ns;
		if (waited_ns > BUSY_PATIENCE_NS ||
		    (waited_ns > patience_ns && one_sleeps_in_kernel(t)))
			return -ETIMEDOUT;
		nanosleep(&pause, NULL);
	}
}

static int interrupt_from(struct threads *t, size_t first)
{
	for (size_t i = first; i < t->n; i++) {
		int err = ptrace_do(PTRACE_INTERRUPT, t->at[i].tid, 0, 0);

		if (err && err != -ESRCH)
			return err;
	}
	return wait_all(t, PATIENCE_NS);
}

int threads_stop(struct threads *t, pid_t pid, pid_t tid)
{
	size_t n_new = 0;
	int err;

	*t = (struct threads){ .pid = pid, .stop_ns = clock_monotonic_ns() };
	if (tid) {
		err = seize(t, tid);
		if (!err && !t->n)
			err = -ESRCH;
		return err ? err : interrupt_from(t, 0);
	}
	/* Most of the work first, while they run. */
	do
		err = seize_new(t, &n_new);
	while (!err && n_new);
	t->stop_ns = clock_monotonic_ns();
	for (size_t first = 0; !err; first = t->n) {
		size_t before = t->n;

		err = interrupt_from(t, first);
		if (!err) /* begun by one that had not stopped yet */
			err = seize_new(t, &n_new);
		if (!err && t->n == before)
			break;
	}
	return err;
}

/* ---- going on */

static void detach_stopped(struct threads *t)
{
	for (size_t i = 0; i < t->n; i++) {
		struct thread *th = &t->at[i];

		if (!th->stopped)
			continue;
		int err = ptrace_must(PTRACE_DETACH, th->tid, 0, (uintptr_t)th->signal);
		th->stopped = false;
		/* One that was killed, by an exec of another thread say, is waited for: as long as
		 * its tracer does not, neither that exec goes on nor is the process's end seen. */
		th->gone = err != -ESRCH;
	}
}

uint64_t threads_go(struct threads *t)
{
	detach_stopped(t);
	uint64_t ns = clock_monotonic_ns() - t->stop_ns;
	/* One that was seized can be let go only once it has stopped. */
	for (size_t i = 0; i < t->n; i++)
		if (!t->at[i].gone)
			ptrace_do(PTRACE_INTERRUPT, t->at[i].tid, 0, 0);
	if (wait_all(t, LAST_PATIENCE_NS)) {
		log_warn("waiting for a thread of process %d that sleeps in the kernel", t->pid);
		while (wait_all(t, LAST_PATIENCE_NS))
			;
	}
	detach_stopped(t);
	free(t->at);
	*t = (struct threads){ 0 };
	return ns;
}
