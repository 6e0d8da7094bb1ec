/* SPDX-License-Identifier: BSD-2-Clause */
/* Opens the events of threads. Each thread has each event once, and no thread is missed. */
#ifndef GOTRACE_SAMPLE_ATTACHING_H
#define GOTRACE_SAMPLE_ATTACHING_H

#include "sample/sampling.h"

/* Opens the events that a thread lacks, for the thread and for the threads that it starts from then
 * on. has NULL: the thread is held before its exec and has no event. Returns 0 or -errno. The
 * function logs errors but -ESRCH, which means that the thread has ended. */
int sampling_open_thread(struct sampling *s, pid_t tid, const struct thread_has *has);
/* Opens the events of all threads of all targets, which run. Sets s->behind if they start threads
 * so fast that some may be missing. Returns 0 or -errno (logged). */
int sampling_attach(struct sampling *s);
/* Opens the events of threads that are still missing. If this fails (logged), sets s->missed, and
 * the events that are open already go on. */
void sampling_attach_again(struct sampling *s);

#endif
