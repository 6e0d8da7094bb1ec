// SPDX-License-Identifier: BSD-2-Clause
#include "base/test_fixture.h"
#include "base/side_job.h"

#include <signal.h>

static void work(void *ctx)
{
	sigset_t mask;

	pthread_sigmask(SIG_SETMASK, NULL, &mask);
	*(int *)ctx = sigismember(&mask, SIGINT) ? 7 : 1;
}

TEST(test_work_is_done)
{
	struct side_job j;
	int done = 0;

	side_job_begin(&j, work, &done);
	side_job_end(&j);
	assert_int_equal(done, 7);
	side_job_end(&j); /* it has ended */
	j = (struct side_job){ 0 };
	side_job_end(&j); /* none was begun */
}

TEST(test_signals_of_the_caller_stay)
{
	sigset_t before, after;
	struct side_job j;
	int done = 0;

	pthread_sigmask(SIG_SETMASK, NULL, &before);
	side_job_begin(&j, work, &done);
	pthread_sigmask(SIG_SETMASK, NULL, &after);
	side_job_end(&j);
	assert_int_equal(sigismember(&before, SIGINT), sigismember(&after, SIGINT));
}

TESTS(test_work_is_done, test_signals_of_the_caller_stay)
