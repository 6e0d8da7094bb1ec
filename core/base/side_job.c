// SPDX-License-Identifier: BSD-2-Clause
#include "base/side_job.h"

#include "base/thread_signals.h"

static void *run(void *arg)
{
	struct side_job *j = arg;

	j->fn(j->ctx);
	return NULL;
}

void side_job_begin(struct side_job *j, void (*fn)(void *ctx), void *ctx)
{
	sigset_t old;

	*j = (struct side_job){ .fn = fn, .ctx = ctx };
	thread_signals_block(&old);
	j->running = !pthread_create(&j->thread, NULL, run, j);
	thread_signals_put_back(&old);
	if (!j->running)
		fn(ctx);
}

void side_job_end(struct side_job *j)
{
	if (j->running)
		pthread_join(j->thread, NULL);
	j->running = false;
}
