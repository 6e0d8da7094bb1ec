// SPDX-License-Identifier: BSD-2-Clause
#include "attach/target/threads.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "attach/target/ptrace.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/vec.h"

/* A thread stops within microseconds, but:
 * - in the kernel, where nothing interrupts it: while it reads from a disk, or its vfork child has
 *   not executed anything yet. That may last for ever, and all others stand still meanwhile.
 * - waiting for a processor: it stops when it gets one, which takes longer on a busy machine.
 * All others stand still meanwhile, so the first tries are short, and each later one has twice the
 * patience of the one before. Who stops one thread alone hurts nobody else. */
#define SHORT_TRIES      3
#define ALL_NS           (20ull * 1000 * 1000)
#define ONE_NS           (250ull * 1000 * 1000)
#define ASLEEP_MAX_NS    (800ull * 1000 * 1000)
#define BUSY_MAX_NS      (2000ull * 1000 * 1000)
#define LAST_PATIENCE_NS (1000ull * 1000 * 1000)
#define PAUSE_NS         (20ull * 1000 * 1000) /* twice as long after each try */
#define PAUSE_MAX_NS     (800ull * 1000 * 1000)
#define LOOK_AGAIN_NS    (20 * 1000)
#define LOOK_AT_STATE_NS (5ull * 1000 * 1000)

/* ---- what a thread does */

/* Reads one file of /proc/PID/task/TID, as a string. Its length, or -errno and an empty line:
 * -ENOENT or -ESRCH where the thread is gone. */
static ssize_t read_task(pid_t pid, pid_t tid, const char *file, char *line, size_t size)
{
	char path[64];

	*line = '\0';
	snprintf(path, sizeof(path), "/proc/%d/task/%d/%s", pid, tid, file);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	ssize_t n = read(fd, line, size - 1);
	if (n < 0)
		n = -errno;
	close(fd);
	line[n < 0 ? 0 : n] = '\0';
	return n;
}

/* From /proc/PID/task/TID/stat: R, S, D, Z, ... GONE: there is no such thread. UNKNOWN: the file
 * cannot be read, which says nothing about the thread. */
enum { GONE = 0, UNKNOWN = '?' };

static char state_of(pid_t pid, pid_t tid)
{
	char line[512];
	ssize_t n = read_task(pid, tid, "stat", line, sizeof(line));
	const char *name_end = strrchr(line, ')'); /* the name may hold anything */

	if (name_end && name_end[1] == ' ')
		return name_end[2];
	return n == -ENOENT || n == -ESRCH ? GONE : UNKNOWN;
}

/* Its processor time, and how often it was given a processor; 0 where the kernel does not tell. */
static void ran(pid_t pid, pid_t tid, uint64_t *run_ns, uint64_t *turns)
{
	unsigned long long ns = 0, n = 0;
	char line[80];

	if (read_task(pid, tid, "schedstat", line, sizeof(line)) <= 0 ||
	    sscanf(line, "%llu %*u %llu", &ns, &n) != 2)
		ns = n = 0;
	*run_ns = ns;
	*turns = n;
}

void threads_name(pid_t pid, pid_t tid, char name[THREAD_NAME_BYTES])
{
	char line[64];

	read_task(pid, tid, "comm", line, sizeof(line));
	line[strcspn(line, "\n")] = '\0';
	snprintf(name, THREAD_NAME_BYTES, "%.*s", THREAD_NAME_BYTES - 1, line);
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

/* What a walk over the threads has seen. */
struct pending_sample {
	size_t sleeping, others; /* that can be stopped */
	pid_t last;              /* of these */
	bool asleep;             /* where nothing interrupts it */
};

/* Walks until the nth thread that sleeps, or the nth of the others that can be stopped. 0: there is
 * none, or the list cannot be read further (errno). */
static pid_t walk(DIR *d, pid_t pid, size_t nth_sleeping, size_t nth_other,
		  struct pending_sample *seen)
{
	pid_t tid;

	*seen = (struct pending_sample){ 0 };
	while ((errno = 0, tid = threads_next(d))) {
		const char state = state_of(pid, tid);

		seen->asleep |= state == 'D';
		if (state == GONE || strchr("ZXD", state))
			continue;
		seen->last = tid;
		if (state == 'S' ? seen->sleeping++ == nth_sleeping : seen->others++ == nth_other)
			break;
	}
	return tid;
}

pid_t threads_idle(pid_t pid, size_t nth)
{
	DIR *d = open_tasks(pid);
	int err = d ? 0 : errno;
	struct pending_sample seen = { 0 };
	pid_t tid = d ? walk(d, pid, nth, SIZE_MAX, &seen) : 0;

	if (d && !tid)
		err = errno;
	if (d && !tid && seen.last) {
		const size_t sleeping = seen.sleeping;
		const pid_t any = seen.last;

		nth %= sleeping + seen.others;
		rewinddir(d);
		tid = nth < sleeping ? walk(d, pid, nth, SIZE_MAX, &seen)
				     : walk(d, pid, SIZE_MAX, nth - sleeping, &seen);
		tid = tid ? tid : any; /* they change meanwhile */
	}
	if (d)
		closedir(d);
	if (tid)
		return tid;
	if (seen.asleep)
		return -EAGAIN;
	return err == ENOENT ? 0 : -err;
}

/* It has given its memory back, and ends. */
static bool is_without_memory(pid_t pid, pid_t tid)
{
	char line[80];

	return read_task(pid, tid, "statm", line, sizeof(line)) > 0 && !strncmp(line, "0 ", 2);
}

bool threads_ended(pid_t pid)
{
	DIR *d = open_tasks(pid);
	bool ended = true;
	pid_t tid;

	if (!d)
		return errno == ENOENT;
	while (ended && (errno = 0, tid = threads_next(d))) {
		char state = state_of(pid, tid);

		ended = state == GONE || strchr("ZX", state) || is_without_memory(pid, tid);
	}
	ended &= !errno || errno == ENOENT;
	closedir(d);
	return ended;
}

bool threads_end_soon(pid_t pid)
{
	bool ended = threads_ended(pid);

	for (int i = 0; !ended && i < 100; i++) {
		nanosleep(&(struct timespec){ 0, 10000000 }, NULL);
		ended = threads_ended(pid);
	}
	return ended;
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

		if (state == GONE || state == 'Z' || state == 'X') /* it has ended */
			return 0;
		/* The thread has, which says nothing about the process. */
		return err == -ESRCH ? -EAGAIN : err;
	}
	t->at[t->n++] = (struct thread){ .tid = tid };
	return 0;
}

/* Seizes the threads that are not seized yet; *n_new, how many. */
static int seize_new(struct threads *t, size_t *n_new)
{
	DIR *d = open_tasks(t->pid);
	size_t before = t->n;
	int err = d ? 0 : errno == ENOENT ? -ESRCH : -errno;
	pid_t tid = 0;

	do {
		errno = 0;
		tid = err ? 0 : threads_next(d);
		if (!err && !tid) /* ENOENT: it has been reaped meanwhile */
			err = errno == ENOENT ? 0 : -errno;
		else if (tid && !known(t, tid))
			err = seize(t, tid);
	} while (tid);
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

/* A look at a thread that has not stopped yet. */
static void look_at(const struct threads *t, struct thread *th, uint64_t now_ns)
{
	uint64_t run_ns, turns;

	th->state = state_of(t->pid, th->tid);
	ran(t->pid, th->tid, &run_ns, &turns);
	if (!th->looked) {
		th->looked = true;
		th->run_ns = run_ns;
	}
	th->has_run = run_ns != th->run_ns;
	/* It may have slept several times: each is one sleep. */
	if (th->state != 'D')
		th->asleep_since_ns = 0;
	else if (!th->asleep_since_ns || turns != th->turns)
		th->asleep_since_ns = now_ns;
	th->turns = turns;
}

/* Is the time up for a thread that has not stopped? t->late says what it does. */
static bool is_late(struct threads *t, const struct patience *p, uint64_t began_ns)
{
	const uint64_t now_ns = clock_monotonic_ns();

	for (size_t i = 0; i < t->n; i++) {
		struct thread *th = &t->at[i];

		if (th->stopped || th->gone)
			continue;
		look_at(t, th, now_ns);
		const bool asleep = th->asleep_since_ns &&
				    now_ns - th->asleep_since_ns >= p->asleep_ns;
		if (!asleep && now_ns - began_ns < p->busy_ns)
			continue;
		t->late = (struct late_thread){
			.tid = th->tid,
			.does = asleep || th->state == 'D' ? LATE_SLEEPS
				: th->state != 'R'         ? LATE_UNKNOWN
				: th->has_run              ? LATE_WORKS
							   : LATE_WAITS,
			.waited_ns = now_ns - began_ns,
		};
		threads_name(t->pid, th->tid, t->late.name);
		return true;
	}
	return false;
}

/* How many have not stopped yet. */
static size_t take_stops(struct threads *t)
{
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
	return missing;
}

/* Waits until all have stopped. */
static int wait_all(struct threads *t, const struct patience *p)
{
	const struct timespec pause = { .tv_nsec = LOOK_AGAIN_NS };
	const uint64_t began_ns = clock_monotonic_ns();
	uint64_t look_ns = began_ns + LOOK_AT_STATE_NS;

	while (take_stops(t)) {
		if (clock_monotonic_ns() >= look_ns) {
			if (is_late(t, p, began_ns))
				return -ETIMEDOUT;
			look_ns = clock_monotonic_ns() + LOOK_AT_STATE_NS;
		}
		nanosleep(&pause, NULL);
	}
	return 0;
}

static uint64_t min_ns(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static struct patience patience_of_try(bool one, unsigned try)
{
	const unsigned doubled = one ?
	try : try
		< SHORT_TRIES ? 0 : try - SHORT_TRIES + 1;
	const uint64_t ns = (one ? ONE_NS : ALL_NS) << doubled;

	return (struct patience){ .asleep_ns = min_ns(ns, ASLEEP_MAX_NS),
				  .busy_ns = min_ns(ns, BUSY_MAX_NS) };
}

static int interrupt_from(struct threads *t, size_t first)
{
	for (size_t i = first; i < t->n; i++) {
		int err = ptrace_do(PTRACE_INTERRUPT, t->at[i].tid, 0, 0);

		if (err && err != -ESRCH)
			return err;
	}
	return wait_all(t, &t->patience);
}

int threads_stop(struct threads *t, pid_t pid, pid_t tid, unsigned try)
{
	size_t n_new = 0;
	int err;

	*t = (struct threads){
		.pid = pid,
		.stop_ns = clock_monotonic_ns(),
		.patience = patience_of_try(tid != 0, try),
	};
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

const char *threads_say_late(const struct threads *t, char buf[LATE_THREAD_BYTES])
{
	static const char *const does[] = {
		[LATE_SLEEPS] = "sleeps in the kernel, where nothing interrupts it (state D)",
		[LATE_WAITS] = "is runnable and got no processor",
		[LATE_WORKS] = "works in the kernel and does not stop",
		[LATE_UNKNOWN] = "does not stop",
	};
	const struct late_thread *late = &t->late;

	snprintf(buf, LATE_THREAD_BYTES, "its thread %d (%s) %s, for %llu ms", late->tid,
		 late->name, does[late->does], (unsigned long long)late->waited_ns / 1000000);
	return buf;
}

void threads_pause(unsigned try)
{
	const uint64_t ns = min_ns(PAUSE_NS << try, PAUSE_MAX_NS);

	nanosleep(&(struct timespec){ (time_t)(ns / 1000000000), (long)(ns % 1000000000) }, NULL);
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
	const struct patience last = { LAST_PATIENCE_NS, LAST_PATIENCE_NS };
	if (wait_all(t, &last)) {
		char why[LATE_THREAD_BYTES];

		log_warn("waiting to let process %d go: %s", t->pid, threads_say_late(t, why));
		while (wait_all(t, &last))
			;
	}
	detach_stopped(t);
	free(t->at);
	*t = (struct threads){ 0 };
	return ns;
}
