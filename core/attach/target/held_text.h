/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes single bytes of a process's text while it runs. A kernel with PROC_MEM_FORCE_PTRACE (Linux
 * 6.12) lets only a tracer write text. The process's first thread stands still there. */
#ifndef GOTRACE_HELD_TEXT_H
#define GOTRACE_HELD_TEXT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "attach/target/threads.h"

struct held_text {
	pid_t pid;
	int mem_fd; /* /proc/PID/mem */
	bool held, refused;
	struct threads threads; /* while held */
};

/* 0 or -errno: -ENOENT when there is no such process. */
int held_text_open(struct held_text *h, pid_t pid);

/* One byte at a run-time address. False if it cannot be written. */
bool held_text_write(struct held_text *h, uint64_t at, uint8_t byte);

/* Lets the thread go. By the thread that wrote. */
void held_text_close(struct held_text *h);

#endif
