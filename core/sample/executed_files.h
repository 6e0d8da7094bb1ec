/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The files that were executed on this machine a moment ago, open. The kernel hands out a
 * descriptor of each (fanotify(7), FAN_OPEN_EXEC). The process may have ended and the file may be
 * removed before gotrace comes to look. This requires CAP_SYS_ADMIN. Without it the list
 * stays empty.
 */
#ifndef GOTRACE_SAMPLE_EXECUTED_FILES_H
#define GOTRACE_SAMPLE_EXECUTED_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "trace/samples.h"

/* The newest are kept. */
#define EXECUTED_FILES_MAX 64

struct executed_files {
	bool on;
	int fd; /* fanotify(7) */
	struct executed_file {
		int fd;
		uint64_t seen_ns; /* CLOCK_MONOTONIC, when it was executed last */
		struct stat st;
	} at[EXECUTED_FILES_MAX];
	size_t n;
};

/* Asks the kernel for them. A zeroed struct has no files. */
void executed_files_open(struct executed_files *e);
/* Reads the descriptors that wait, and closes those that are seconds old. */
void executed_files_read(struct executed_files *e);
/* A descriptor, to be closed, of the file of an image: of the same build id, or path if the image
 * has none; its build id is filled in. -ENOENT: there is none. */
int executed_files_find(struct executed_files *e, struct sample_image *i);
void executed_files_close(struct executed_files *e);

#endif
