// SPDX-License-Identifier: BSD-2-Clause
/*
 * Meddles with the rings of a program that inline stubs trace:
 *
 *   meddle hold MS PID        stops a thread that has read the clock in a stub and not published
 * its event, and lets it go MS ms later meddle spoil PID          makes the first ring that was
 * written claim more than it can hold meddle rings PID SIZE     how many rings of SIZE bytes were
 * written
 *
 * Exits with 0 when that was done, 1 when it could not be.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "plan/ring.h"

#define TRIES 100
#define STEPS 64

struct mapping {
	uint64_t from, to;
};

/* The first mapping of a file whose name has `name` in it, at `offset` in the file if that is not
 * 0. */
static bool find_mapping(int pid, const char *name, uint64_t offset, struct mapping *m)
{
	char path[64], line[512];
	bool found = false;

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	FILE *f = fopen(path, "re");

	while (f && !found && fgets(line, sizeof(line), f)) {
		uint64_t at;

		found = strstr(line, name) &&
			sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64, &m->from, &m->to,
			       &at) == 3 &&
			(!offset || (at <= offset && offset - at < m->to - m->from));
		if (found && offset)
			m->from += offset - at;
	}
	if (f)
		fclose(f);
	return found;
}

static bool in_stubs(int pid, uint64_t pc)
{
	char path[64], line[512];
	bool in = false;

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	FILE *f = fopen(path, "re");

	while (f && !in && fgets(line, sizeof(line), f)) {
		struct mapping m;

		in = strstr(line, "gotrace-stubs") &&
		     sscanf(line, "%" SCNx64 "-%" SCNx64, &m.from, &m.to) == 2 && pc >= m.from &&
		     pc < m.to;
	}
	if (f)
		fclose(f);
	return in;
}

static int open_memory(int pid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/mem", pid);
	return open(path, O_RDWR | O_CLOEXEC);
}

/* ---- hold */

/* Seizes and stops the thread. The signal that was on its way is delivered. */
static bool stop_thread(int tid)
{
	int status;

	if (ptrace(PTRACE_SEIZE, tid, 0, 0))
		return false;
	if (ptrace(PTRACE_INTERRUPT, tid, 0, 0))
		return false;
	while (waitpid(tid, &status, __WALL) == tid && WIFSTOPPED(status)) {
		if (status >> 16 == PTRACE_EVENT_STOP)
			return true;
		ptrace(PTRACE_CONT, tid, 0, WSTOPSIG(status));
	}
	return false;
}

/* Steps until the thread has read the clock. false: it left the stub, or got a signal, which *sig
 * then is. */
static bool step_over_clock(int pid, int tid, int mem, int *sig)
{
	struct user_regs_struct regs;
	int status;

	for (int i = 0; i < STEPS; i++) {
		uint8_t code[2];

		if (ptrace(PTRACE_GETREGS, tid, 0, &regs) || !in_stubs(pid, regs.rip) ||
		    pread(mem, code, 2, (off_t)regs.rip) != 2)
			return false;
		if (ptrace(PTRACE_SINGLESTEP, tid, 0, 0) || waitpid(tid, &status, __WALL) != tid ||
		    !WIFSTOPPED(status))
			return false;
		if (WSTOPSIG(status) != SIGTRAP) {
			*sig = WSTOPSIG(status);
			return false;
		}
		if (code[0] == 0x0f && code[1] == 0x31)
			return true;
	}
	return false;
}

/* Lets the thread run until it writes to `at`. false: it did not, though it had some time. */
static bool run_to_write(int tid, uint64_t at)
{
	const unsigned long one_write_of_8 = 1 | 1 << 16 | 2 << 18;
	const struct timespec pause = { .tv_nsec = 1000000 };
	bool asked = false;
	int status;

	if (ptrace(PTRACE_POKEUSER, tid, offsetof(struct user, u_debugreg[0]), at) ||
	    ptrace(PTRACE_POKEUSER, tid, offsetof(struct user, u_debugreg[7]), one_write_of_8) ||
	    ptrace(PTRACE_CONT, tid, 0, 0))
		return false;
	for (int ms = 0;; ms++) {
		int got = waitpid(tid, &status, __WALL | WNOHANG);

		if (got < 0 || (got == tid && !WIFSTOPPED(status)))
			return false;
		if (!got) {
			asked |= ms >= 50 && !ptrace(PTRACE_INTERRUPT, tid, 0, 0);
			nanosleep(&pause, NULL);
			continue;
		}
		if (status >> 16 == PTRACE_EVENT_STOP || WSTOPSIG(status) == SIGTRAP)
			break;
		ptrace(PTRACE_CONT, tid, 0, WSTOPSIG(status));
	}
	ptrace(PTRACE_POKEUSER, tid, offsetof(struct user, u_debugreg[7]), 0);
	return status >> 16 != PTRACE_EVENT_STOP;
}

static bool hold_thread(int pid, int tid, int mem, uint64_t reserved, long ms)
{
	struct timespec pause = { ms / 1000, ms % 1000 * 1000000 };
	bool there = false;
	int sig = 0;

	if (!stop_thread(tid))
		return false;
	/* It reserves before it reads the clock; and writes there once more when it has published.
	 */
	for (int i = 0; i < 4 && !there && !sig && run_to_write(tid, reserved); i++)
		there = step_over_clock(pid, tid, mem, &sig);

	if (there)
		nanosleep(&pause, NULL);
	ptrace(PTRACE_DETACH, tid, 0, sig);
	return there;
}

static int hold(int pid, long ms)
{
	struct mapping first;
	int mem = open_memory(pid);
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	for (int tries = 0; tries < TRIES && find_mapping(pid, "gotrace-rings", 4096, &first);
	     tries++) {
		const uint64_t reserved = first.from + offsetof(struct ring_head, reserved);
		const struct dirent *entry;
		DIR *dir = opendir(path);

		while (dir && (entry = readdir(dir))) {
			int tid = atoi(entry->d_name);

			if (tid && hold_thread(pid, tid, mem, reserved, ms)) {
				printf("held thread %d for %ld ms\n", tid, ms);
				return 0;
			}
		}
		if (dir)
			closedir(dir);
	}
	fprintf(stderr, "meddle: no thread was in a stub\n");
	return 1;
}

/* ---- the rings' heads */

static bool still_spoilt(int mem, uint64_t at, uint64_t value)
{
	uint64_t now;

	return pread(mem, &now, sizeof(now), (off_t)at) == sizeof(now) && now >= value;
}

/* Sets the head beyond the ring, or the tail to RING_DISABLED. A stub that has just read the head,
 * or the collector, may write its own value over it. Then it is set again. */
static int spoil(int pid, bool tail)
{
	const uint64_t value = tail ? RING_DISABLED : 1ull << 40;
	const size_t at = tail ? offsetof(struct ring_head, tail)
			       : offsetof(struct ring_head, head);
	struct mapping m;
	int mem = open_memory(pid);
	bool set = false;

	/* behind the page of signals */
	for (int tries = 0; tries < 6000 && find_mapping(pid, "gotrace-rings", 4096, &m); tries++) {
		struct ring_head r;

		if (set && still_spoilt(mem, m.from + at, value))
			return 0;
		set = pread(mem, &r, sizeof(r), (off_t)m.from) == sizeof(r) && r.head &&
		      pwrite(mem, &value, sizeof(value), (off_t)(m.from + at)) == sizeof(value);
		usleep(10000);
	}
	fprintf(stderr, "meddle: the first ring was not written\n");
	return 1;
}

static int rings(int pid, uint64_t size)
{
	struct mapping m;
	int mem = open_memory(pid), n = 0;

	for (uint64_t i = 0; i < RING_MAX; i++) {
		struct ring_head r;

		if (find_mapping(pid, "gotrace-rings", 4096 + i * (RING_DATA + size), &m) &&
		    pread(mem, &r, sizeof(r), (off_t)m.from) == sizeof(r))
			n += r.head > 0;
	}
	printf("%d\n", n);
	return !n;
}

int main(int argc, char **argv)
{
	if (argc == 4 && !strcmp(argv[1], "hold"))
		return hold(atoi(argv[3]), atol(argv[2]));
	if (argc == 4 && !strcmp(argv[1], "spoil"))
		return spoil(atoi(argv[3]), !strcmp(argv[2], "tail"));
	if (argc == 4 && !strcmp(argv[1], "rings"))
		return rings(atoi(argv[2]), strtoull(argv[3], NULL, 10));
	fprintf(stderr, "usage: meddle hold MS PID | spoil head|tail PID | rings PID SIZE\n");
	return 2;
}
