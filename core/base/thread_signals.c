// SPDX-License-Identifier: BSD-2-Clause
#include "base/thread_signals.h"

const int fault_signals[] = { SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, 0 };

void thread_signals_block(sigset_t *old)
{
	sigset_t set;

	sigfillset(&set);
	for (const int *s = fault_signals; *s; s++)
		sigdelset(&set, *s);
	pthread_sigmask(SIG_SETMASK, &set, old);
}

void thread_signals_put_back(const sigset_t *old)
{
	pthread_sigmask(SIG_SETMASK, old, NULL);
}
