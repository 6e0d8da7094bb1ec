/* SPDX-License-Identifier: BSD-2-Clause */
/* Work that is done beside what the caller does meanwhile. */
#ifndef GOTRACE_SIDE_JOB_H
#define GOTRACE_SIDE_JOB_H

#include <pthread.h>
#include <stdbool.h>

/* Zeroed: none runs. */
struct side_job {
	pthread_t thread;
	bool running;
	void (*fn)(void *ctx);
	void *ctx;
};

/* Calls fn(ctx) in a thread that takes no signals from outside, or at once where there can be no
 * thread. What fn uses is its own until side_job_end, which waits for it; the job must not move
 * meanwhile. The user of a process is that of all of its threads: no job that needs root may run
 * while user_enter is in effect. */
void side_job_begin(struct side_job *j, void (*fn)(void *ctx), void *ctx);
/* Has no effect where none runs. */
void side_job_end(struct side_job *j);

#endif
