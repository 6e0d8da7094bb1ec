/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The two signals that glibc reserves: 32 to cancel threads, 33 to change the IDs of all of them.
 * The program that started gotrace may have ignored them. Once gotrace has a thread, glibc handles
 * them (nptl/pthread_create.c, late_init). A handled signal has its default action after an exec.
 * So a command would not have the same signals ignored as without gotrace. glibc's sigaction()
 * refuses both, so these functions use the system call.
 */
#ifndef GOTRACE_LIBC_SIGNALS_H
#define GOTRACE_LIBC_SIGNALS_H

/* Notes whether they are ignored. The caller calls it once, before the process has a second thread.
 */
void libc_signals_note(void);

/* Ignores those that were ignored, for a later exec. A forked child calls it. */
void libc_signals_put_back(void);

#endif
