// SPDX-License-Identifier: BSD-2-Clause
#include "base/side_job.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static void work(void *ctx)
{
	sigset_t mask;

	pthread_sigmask(SIG_SETMASK, NULL, &mask);
	*(int *)ctx = sigismember(&mask, SIGINT) ? 7 : 1;
}

static void test_work_is_done(void **state)
{
	(void)state;
	struct side_job j;
	int done = 0;

	side_job_begin(&j, work, &done);
	side_job_end(&j);
	assert_int_equal(done, 7);
	side_job_end(&j); /* it has ended */
	j = (struct side_job){ 0 };
	side_job_end(&j); /* none was begun */
}

static void test_signals_of_the_caller_stay(void **state)
{
	(void)state;
	sigset_t before, after;
	struct side_job j;
	int done = 0;

	pthread_sigmask(SIG_SETMASK, NULL, &before);
	side_job_begin(&j, work, &done);
	pthread_sigmask(SIG_SETMASK, NULL, &after);
	side_job_end(&j);
	assert_int_equal(sigismember(&before, SIGINT), sigismember(&after, SIGINT));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_work_is_done),
		cmocka_unit_test(test_signals_of_the_caller_stay),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
