/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The two signals that glibc keeps for itself: 32 to cancel threads, 33 to change the IDs of all of
 * them. Whoever started gotrace may have had them ignored. Once gotrace has a thread they are
 * handled (nptl/pthread_create.c, late_init), and what is handled is the default after an exec:
 * then a command would not get what it gets without gotrace. glibc's sigaction() refuses both, so
 * these go by the system call.
 */
#ifndef GOTRACE_LIBC_SIGNALS_H
#define GOTRACE_LIBC_SIGNALS_H

/* Notes whether they are ignored. Once, before the process has a second thread. */
void libc_signals_note(void);

/* Ignores those that were, for an exec to come. In a forked child. */
void libc_signals_put_back(void);

#endif
