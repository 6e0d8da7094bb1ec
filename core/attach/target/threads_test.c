// SPDX-License-Identifier: BSD-2-Clause
/* Threads that do not stop at once: which one, and why. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/test_fixture.h"
#include "attach/target/process_stat.h"
#include "attach/target/threads.h"

/* The child of a vfork sleeps so long; its parent sleeps in the kernel, where nothing interrupts
 * it. */
static void sleep_in_kernel(long ms)
{
	pid_t child = vfork();

	if (!child) {
		nanosleep(&(struct timespec){ ms / 1000, ms % 1000 * 1000000 }, NULL);
		_exit(0);
	}
	waitpid(child, NULL, 0);
}

static pid_t start(long ms, bool often)
{
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_NAME, "sleeper");
	do
		sleep_in_kernel(ms);
	while (often);
	for (;;)
		pause();
}

static char state_of(pid_t pid)
{
	char line[PROCESS_STAT_BYTES];
	const char *at = process_stat(pid, line);

	return at && *at ? at[1] : 0;
}

static void wait_for_state(pid_t pid, char state)
{
	while (state_of(pid) != state)
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

TEST(sleeps_in_the_kernel)
{
	char why[LATE_THREAD_BYTES], whole[LATE_THREAD_BYTES];
	struct threads t;
	pid_t pid = start(3000, false);

	wait_for_state(pid, 'D');
	assert_int_equal(threads_stop(&t, pid, 0, 0), -ETIMEDOUT);
	assert_int_equal(t.late.tid, pid);
	assert_int_equal(t.late.does, LATE_SLEEPS);
	threads_say_late(&t, why);
	snprintf(whole, sizeof(whole), "its thread %d (sleeper) sleeps in the kernel", pid);
	assert_memory_equal(why, whole, strlen(whole));
	threads_go(&t); /* it waits until that sleep is over */
	wait_for_state(pid, 'S');
	assert_int_equal(threads_stop(&t, pid, 0, THREADS_LAST), 0);
	threads_go(&t);
	end(pid);
}

/* Each sleep is short, and it can be stopped between them. */
TEST(sleeps_often)
{
	struct threads t;
	pid_t pid = start(10, true);

	wait_for_state(pid, 'D');
	for (int i = 0; i < 10; i++) {
		assert_int_equal(threads_stop(&t, pid, 0, THREADS_LAST), 0);
		threads_go(&t);
	}
	end(pid);
}

/* All others stand still while one is waited for: not for long at first. */
TEST(patience_grows)
{
	struct patience before = { 0 };
	pid_t pid = start(1, false), ended;

	ended = fork();
	if (!ended)
		_exit(0);
	end(ended);
	for (unsigned one = 0; one < 2; one++)
		for (unsigned try = 0; try < THREADS_TRIES; try++) {
			struct threads t;

			threads_stop(&t, one ? pid : ended, one ? pid : 0, try);
			if (!try)
				assert_true(one || t.patience.busy_ns <= 20000000);
			else
				assert_true(t.patience.busy_ns >= before.busy_ns);
			assert_true(t.patience.asleep_ns <= t.patience.busy_ns);
			before = t.patience;
			threads_go(&t);
			if (try == THREADS_LAST)
				assert_int_equal(before.busy_ns, 2000000000);
		}
	end(pid);
}

TEST(is_gone)
{
	struct threads t;
	pid_t pid = start(1, false);

	end(pid);
	assert_int_equal(threads_stop(&t, pid, 0, 0), -ESRCH);
	threads_go(&t);
}

/* A thread that waits for its child of a vfork is of no use, but has not ended. */
TEST(idle_in_the_kernel)
{
	pid_t pid = start(3000, false);

	wait_for_state(pid, 'D');
	assert_int_equal(threads_idle(pid, 0), -EAGAIN);
	end(pid);
}

static void *sleep_for_ever(void *ctx)
{
	(void)ctx;
	for (;;)
		pause();
	return NULL;
}

static void *work_for_ever(void *ctx)
{
	(void)ctx;
	for (volatile int i = 0;; i++)
		;
	return NULL;
}

/* A child with two threads that sleep and two that work. */
static pid_t start_four(void)
{
	static void *(*const what[])(void *) = { work_for_ever, sleep_for_ever, work_for_ever };
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (size_t i = 0; i < 3; i++) {
		pthread_t thread;

		if (pthread_create(&thread, NULL, what[i], NULL))
			_exit(1);
	}
	pause();
	_exit(2);
}

static bool is_among(pid_t tid, const pid_t *tids, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (tids[i] == tid)
			return true;
	return false;
}

/* Where one thread is of no use, another is tried: those that sleep first. */
TEST(idle_in_turn)
{
	pid_t pid = start_four(), tids[4];
	size_t n = 0;

	while (n < 4) {
		for (n = 0; n < 4; n++) {
			tids[n] = threads_idle(pid, n);
			assert_true(tids[n] > 0);
			if (is_among(tids[n], tids, n) || state_of(tids[n]) != "SSRR"[n])
				break; /* not all have begun what they do */
		}
	}
	assert_int_equal(threads_idle(pid, 4), tids[0]);
	assert_int_equal(threads_idle(pid, 9), tids[1]);
	end(pid);
}

/* A list of threads that cannot be opened says nothing about the process. */
TEST(no_descriptor_left)
{
	struct rlimit was, none;
	struct threads t;
	pid_t pid = start(1, false);

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &was), 0);
	none = (struct rlimit){ 0, was.rlim_max };
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	assert_int_equal(threads_stop(&t, pid, 0, 0), -EMFILE);
	threads_go(&t);
	assert_false(threads_ended(pid));
	assert_int_equal(threads_idle(pid, 0), -EMFILE);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &was), 0);
	wait_for_state(pid, 'S');
	assert_int_equal(threads_idle(pid, 0), pid);
	end(pid);
	assert_int_equal(threads_idle(pid, 0), 0);
}

/* A thread that is gone is no sign of the end, an end in a moment is one. */
TEST(ends_soon)
{
	pid_t pid = fork();

	if (!pid) {
		nanosleep(&(struct timespec){ 0, 100000000 }, NULL);
		_exit(0);
	}
	assert_false(threads_ended(pid));
	assert_true(threads_end_soon(pid));
	end(pid);
	pid = start(1, false);
	assert_false(threads_end_soon(pid));
	end(pid);
}

TESTS(sleeps_in_the_kernel, sleeps_often, patience_grows, is_gone, idle_in_the_kernel, idle_in_turn,
      no_descriptor_left, ends_soon)
