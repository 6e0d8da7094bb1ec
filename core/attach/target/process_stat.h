/* SPDX-License-Identifier: BSD-2-Clause */
/* The fields of /proc/PID/stat, proc(5). */
#ifndef GOTRACE_PROCESS_STAT_H
#define GOTRACE_PROCESS_STAT_H

#include <sys/types.h>

#define PROCESS_STAT_BYTES 1024

/* Reads the file into line. Returns the text from the third field on, with a blank before it: the
 * second, the command's name, may hold anything. NULL: the file cannot be read. */
const char *process_stat(pid_t pid, char line[PROCESS_STAT_BYTES]);

#endif
