/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes single bytes of a process's text while it runs. A kernel with PROC_MEM_FORCE_PTRACE
 * (Linux 6.12) lets only a tracer write text. On such a kernel the process's first thread is
 * stopped meanwhile. */
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

/* Returns 0 or -errno. -ENOENT: there is no such process. */
int held_text_open(struct held_text *h, pid_t pid);

/* Writes one byte at a run-time address. Returns false if it cannot be written. */
bool held_text_write(struct held_text *h, uint64_t at, uint8_t byte);

/* Lets the stopped thread continue. The thread that wrote must call it. */
void held_text_close(struct held_text *h);

#endif
