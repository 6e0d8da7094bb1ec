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
		uint32_t pid;     /* the process that executed it last */
		struct stat st;
	} at[EXECUTED_FILES_MAX];
	size_t n;
};

/* Asks the kernel for them. A zeroed struct has no files. */
void executed_files_open(struct executed_files *e);
/* Reads the descriptors that wait, and closes those that are seconds old. */
void executed_files_read(struct executed_files *e);
/* Returns a descriptor, to be closed, of the file of an image of process pid. The file has the
 * build ID of the image, if that has one. The process executed it, or it has the image's path.
 * Fills in the build ID of the image. -ENOENT: there is none, or several have that path and that
 * build ID. */
int executed_files_find(struct executed_files *e, uint32_t pid, struct sample_image *i);
void executed_files_close(struct executed_files *e);

#endif
