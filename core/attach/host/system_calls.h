/* SPDX-License-Identifier: BSD-2-Clause */
/* The system call that a thread is in. */
#ifndef GOTRACE_HOST_SYSTEM_CALLS_H
#define GOTRACE_HOST_SYSTEM_CALLS_H

#include <stdbool.h>
#include <stdint.h>

#define SYSTEM_CALL_NAME 32

/* Returns false if the thread runs or is runnable. Otherwise fills in the name of its system call,
 * such as "read", by /proc/PID/task/TID/syscall; "": not known. */
bool system_call_of(uint32_t pid, uint32_t tid, char name[SYSTEM_CALL_NAME]);

/* Fills in the name of a system call of 64-bit programs. */
void system_call_name(long number, char name[SYSTEM_CALL_NAME]);

#endif
