/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The files of images, kept open from when a process is first seen to have them mapped until all
 * such processes have ended and their addresses have names: an executable may be removed, replaced
 * or on a file system that is gone by then.
 */
#ifndef GOTRACE_SAMPLE_KEPT_FILES_H
#define GOTRACE_SAMPLE_KEPT_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "attach/sample/executed_files.h"
#include "trace/samples.h"
#include "trace/trace.h"

/* So many are open at most, and no more than a quarter of the descriptors that gotrace may have. */
#define KEPT_FILES_MAX 1024

struct kept_files {
	struct executed_files *executed; /* given: of processes that have ended; NULL: none */
	struct kept_file {
		int fd; /* -1: a free one */
		dev_t dev;
		ino_t ino;
		off_t bytes;
		struct timespec changed; /* its contents */
		uint8_t build_id[SAMPLE_BUILD_ID_BYTES];
		uint8_t build_id_len;
		uint32_t users; /* in lists */
	} * files;
	size_t n, cap, n_open;
	uint64_t no_room; /* images whose file is not open for want of room */
};

/* Those of one process. */
struct kept_list {
	struct kept_image {
		uint64_t start; /* of the image */
		uint32_t file;
	} * at;
	size_t n, cap;
};

/* The file of an image that process pid has mapped goes into its list; the image's build id is
 * filled in if it has none. exe: whether it is what the process executes. False: the process has
 * ended and did not execute it, or there is no room. */
bool kept_files_take(struct kept_files *k, struct kept_list *l, uint32_t pid, bool exe,
		     struct sample_image *i);
/* What a forked process has mapped: `to` is empty. */
void kept_files_copy(struct kept_files *k, struct kept_list *to, const struct kept_list *from);
/* A descriptor of the image's file, to be closed. -ENOENT: it is in no list; -ESTALE: its contents
 * have changed since. */
int kept_files_open(const struct kept_files *k, const struct kept_list *l,
		    const struct sample_image *i);
/* Empties the list, and closes files that are in no other. */
void kept_files_drop(struct kept_files *k, struct kept_list *l);
/* What there was no room for, as a warning. 0 or -ENOMEM. */
int kept_files_describe(const struct kept_files *k, struct trace_info *end);
void kept_files_free(struct kept_files *k);

#endif
