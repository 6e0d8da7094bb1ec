// SPDX-License-Identifier: BSD-2-Clause
/* What the kernel tells of threads that wait for a processor. */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/test_fixture.h"
#include "attach/target/run_delay.h"
#include "base/clock.h"

#define SPIN_NS (50ull * 1000 * 1000)

static void *spin(void *ctx)
{
	(void)ctx;
	for (uint64_t end_ns = clock_monotonic_ns() + SPIN_NS; clock_monotonic_ns() < end_ns;)
		;
	return NULL;
}

/* Three threads that compute on one processor: two of them wait at any time. All have ended. */
static void crowd(void)
{
	pthread_t t[3];
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	sched_setaffinity(0, sizeof(one), &one);
	for (int i = 0; i < 3; i++)
		if (pthread_create(&t[i], NULL, spin, NULL))
			_exit(1);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
}

static bool can_ask(struct run_delay *d)
{
	if (run_delay_open(d))
		return false;
	run_delay_look(d, getpid());
	if (!d->told) /* without CAP_NET_ADMIN */
		run_delay_close(d);
	return d->told;
}

/* Threads that have ended count, of a process that has ended and was not waited for, too. */
TEST(test_ended)
{
	struct run_delay d;
	siginfo_t ended;

	if (!can_ask(&d))
		skip();
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid) {
		crowd();
		_exit(0);
	}
	assert_int_equal(waitid(P_PID, (id_t)pid, &ended, WEXITED | WNOWAIT), 0);
	run_delay_look(&d, pid);
	uint64_t ns = d.ns;

	assert_true(ns > SPIN_NS / 2);
	assert_true(d.times >= 4); /* each thread got a processor */
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	run_delay_look(&d, pid); /* it is gone: the last look counts */
	assert_true(d.told && d.ns == ns);
	run_delay_close(&d);
}

/* A look that is not due does not ask. */
TEST(test_seldom)
{
	struct run_delay d;

	if (!can_ask(&d))
		skip();
	d.due_ns = UINT64_MAX;
	d.ns = UINT64_MAX;
	run_delay_look_seldom(&d, getpid());
	assert_true(d.ns == UINT64_MAX);
	d.due_ns = 0;
	run_delay_look_seldom(&d, getpid());
	assert_true(d.ns != UINT64_MAX && d.due_ns > 0);
	run_delay_close(&d);
}

/* Where the kernel does not tell, nothing is known. */
TEST(test_closed)
{
	struct run_delay d = { 0 };

	run_delay_look(&d, getpid());
	assert_false(d.told);
	run_delay_close(&d);
}

TESTS(test_ended, test_seldom, test_closed)
