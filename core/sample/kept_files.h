/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The open files of images. A file is kept open from the first time that a process is seen to have
 * it mapped. It is closed after all such processes have ended and their addresses have names.
 * Before that, an executable may be removed or replaced, or its file system may be unmounted.
 */
#ifndef GOTRACE_SAMPLE_KEPT_FILES_H
#define GOTRACE_SAMPLE_KEPT_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "sample/executed_files.h"
#include "trace/samples.h"
#include "trace/trace.h"

/* The most open files. A quarter of the descriptors that gotrace may have is a limit, too. */
#define KEPT_FILES_MAX 1024

struct kept_files {
	struct executed_files *executed; /* given: files of processes that have ended; NULL: none */
	struct kept_file {
		int fd; /* -1: this place is free */
		dev_t dev;
		ino_t ino;
		off_t bytes;
		struct timespec changed; /* when its contents changed last */
		uint8_t build_id[SAMPLE_BUILD_ID_BYTES];
		uint8_t build_id_len;
		uint64_t number; /* that of its images (struct sample_image, file) */
		uint64_t where;  /* hash of its path and view, 0 if not known */
		uint32_t users;  /* number of lists with this file */
	} * files;
	size_t n, cap, n_open;
	uint64_t no_room; /* images whose file found no room */
};

/* The files of one process. */
struct kept_list {
	struct kept_image {
		uint64_t start; /* start address of the image */
		uint32_t file;
	} * at;
	size_t n, cap;
};

/* Opens the file of an image that process pid has mapped, and adds it to the list. Fills in the
 * image's build ID if it has none, and the number of its file. exe: the image is the executable of
 * the process. If the process has ended, takes the file that others had at its path, then one
 * of `executed`, then the one at the path as gotrace sees it. Returns false if there is no file or
 * no room. */
bool kept_files_take(struct kept_files *k, struct kept_list *l, uint32_t pid, bool exe,
		     struct sample_image *i);
/* Copies the list for a forked process. `to` is empty. */
void kept_files_copy(struct kept_files *k, struct kept_list *to, const struct kept_list *from);
/* Returns a descriptor of the image's file. The caller closes it. -ENOENT: the file is in no list.
 * -ESTALE: its contents have changed. */
int kept_files_open(const struct kept_files *k, const struct kept_list *l,
		    const struct sample_image *i);
/* Empties the list. Closes files that are in no other list. */
void kept_files_drop(struct kept_files *k, struct kept_list *l);
/* Adds a warning about files without room. Returns 0 or -ENOMEM. */
int kept_files_describe(const struct kept_files *k, struct trace_info *end);
void kept_files_free(struct kept_files *k);

#endif
