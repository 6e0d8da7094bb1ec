/* SPDX-License-Identifier: BSD-2-Clause */
/* Work in a second thread while the caller goes on. */
#ifndef GOTRACE_SIDE_JOB_H
#define GOTRACE_SIDE_JOB_H

#include <pthread.h>
#include <stdbool.h>

/* A zeroed struct has no running job. */
struct side_job {
	pthread_t thread;
	bool running;
	void (*fn)(void *ctx);
	void *ctx;
};

/* Calls fn(ctx) in a thread that takes no signals from outside, or at once where there can be no
 * thread. fn owns its data until side_job_end, which waits for it. The job must not move meanwhile.
 * All threads of a process share its user. So no job that needs root may run while user_enter is in
 * effect. */
void side_job_begin(struct side_job *j, void (*fn)(void *ctx), void *ctx);
/* Waits for the job. Has no effect where none runs. */
void side_job_end(struct side_job *j);

#endif
