/* SPDX-License-Identifier: BSD-2-Clause */
/* Which signals threads take: those sent from outside are the main thread's. */
#ifndef GOTRACE_THREAD_SIGNALS_H
#define GOTRACE_THREAD_SIGNALS_H

#include <signal.h>

/*
 * Blocks all signals but those of a fault, which are the thread's that made it: a blocked one would
 * end the process without a word (kernel/signal.c, force_sig_info_to_task). Around the creation of
 * a thread, which inherits the mask; `old` is for thread_signals_put_back.
 */
void thread_signals_block(sigset_t *old);
void thread_signals_put_back(const sigset_t *old);

/* Signals of a fault; the last is 0. */
extern const int fault_signals[];

#endif
