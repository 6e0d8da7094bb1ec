/* SPDX-License-Identifier: BSD-2-Clause */
/* In which system call a thread is. */
#ifndef GOTRACE_SAMPLE_SYSTEM_CALLS_H
#define GOTRACE_SAMPLE_SYSTEM_CALLS_H

#include <stdbool.h>
#include <stdint.h>

#define SYSTEM_CALL_NAME 32

/* false: it runs, or could. Else its name, such as "read", by /proc/PID/task/TID/syscall; "": not
 * known. */
bool system_call_of(uint32_t pid, uint32_t tid, char name[SYSTEM_CALL_NAME]);

/* The name of a call of 64-bit programs. */
void system_call_name(long number, char name[SYSTEM_CALL_NAME]);

#endif
