/* SPDX-License-Identifier: BSD-2-Clause */
/* Keeps signals from outside for the main thread. */
#ifndef GOTRACE_THREAD_SIGNALS_H
#define GOTRACE_THREAD_SIGNALS_H

#include <signal.h>

/*
 * Blocks all signals except those of a fault. A fault's signal belongs to the thread that caused
 * it, and when blocked it would end the process without a message (kernel/signal.c,
 * force_sig_info_to_task). To be called before the creation of a thread, which inherits the mask.
 * `old` is for thread_signals_put_back after it.
 */
void thread_signals_block(sigset_t *old);
void thread_signals_put_back(const sigset_t *old);

/* Signals of a fault; the last is 0. */
extern const int fault_signals[];

#endif
