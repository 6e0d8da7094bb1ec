// SPDX-License-Identifier: BSD-2-Clause
#include "attach/collect/urgent_threads.h"

#include <sched.h>
#include <signal.h>

#include "base/thread_signals.h"
#include "base/urgency.h"

#define MORE_URGENT 10

int urgent_threads(int (*start)(void *ctx), void *ctx)
{
	sigset_t old;

	thread_signals_block(&old); /* threads inherit both */
	const int was = urgency_raise(MORE_URGENT);
	int err = start(ctx);

	urgency_put_back(was);
	thread_signals_put_back(&old);
	return err;
}

bool urgent_threads_alone(void)
{
	cpu_set_t cpus;

	return !sched_getaffinity(0, sizeof(cpus), &cpus) && CPU_COUNT(&cpus) == 1;
}
