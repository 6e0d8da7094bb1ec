// SPDX-License-Identifier: BSD-2-Clause
#include "attach/collect/urgent_threads.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>

#include "base/log.h"
#include "base/thread_signals.h"

#define MORE_URGENT 10

int urgent_threads(int (*start)(void *ctx), void *ctx)
{
	int own = getpriority(PRIO_PROCESS, 0); /* of this thread, in Linux */
	sigset_t old;

	thread_signals_block(&old); /* threads inherit both */
	if (setpriority(PRIO_PROCESS, 0, own - MORE_URGENT))
		log_debug("the collector's priority stays: %s", strerror(errno));
	int err = start(ctx);

	setpriority(PRIO_PROCESS, 0, own);
	thread_signals_put_back(&old);
	return err;
}

bool urgent_threads_alone(void)
{
	cpu_set_t cpus;

	return !sched_getaffinity(0, sizeof(cpus), &cpus) && CPU_COUNT(&cpus) == 1;
}
