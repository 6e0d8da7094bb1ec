/* SPDX-License-Identifier: BSD-2-Clause */
/* Opening the events of threads: each has each event once, and none is missed. */
#ifndef GOTRACE_SAMPLE_ATTACHING_H
#define GOTRACE_SAMPLE_ATTACHING_H

#include "attach/sample/sampling.h"

/* Opens what a thread, and what it starts from then on, is to have and has not; NULL: it is held
 * before its exec, where it has nothing. 0 or -errno (logged, but for -ESRCH: it has ended). */
int sampling_open_thread(struct sampling *s, pid_t tid, const struct thread_has *has);
/* All threads of all targets, which run. s->behind: they start new ones so fast that some may be
 * missing. 0 or -errno (logged). */
int sampling_attach(struct sampling *s);
/* Those that are missing still. Where they cannot be opened (logged), what is sampled already goes
 * on: s->missed. */
void sampling_attach_again(struct sampling *s);

#endif
