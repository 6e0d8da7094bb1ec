/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GOTRACE_EXECUTABLE_ID_H
#define GOTRACE_EXECUTABLE_ID_H

#include <sys/stat.h>

#include "bpf/event.h"

static inline struct file_id executable_id_of(const struct stat *st)
{
	return (struct file_id){ .ino = st->st_ino,
				 .bytes = (uint64_t)st->st_size,
				 .changed_s = (uint64_t)st->st_mtim.tv_sec,
				 .changed_ns = (uint64_t)st->st_mtim.tv_nsec };
}

/* Fills in the ID by which BPF programs know the file on fd (bpf/file.bpf.h). Returns 0, or -1 with
 * errno set and *id zero. */
static inline int executable_id(int fd, struct file_id *id)
{
	struct stat st;
	int err = fstat(fd, &st);

	*id = err ? (struct file_id){ 0 } : executable_id_of(&st);
	return err;
}

#endif
