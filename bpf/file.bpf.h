/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Recognizes a file by its inode: number, size, and time of the last change of contents. */
#ifndef GOTRACE_FILE_BPF_H
#define GOTRACE_FILE_BPF_H

#include <bpf/bpf_core_read.h>

#include "bpf/event.h"

/* The used fields of the kernel's structs. With CO-RE, BTF gives their offsets. */
struct inode___local {
	unsigned long i_ino;
	long long i_size;
} __attribute__((preserve_access_index));
struct file___local {
	struct inode___local *f_inode;
} __attribute__((preserve_access_index));

/* The time of the last change, in three layouts: before Linux 6.7, up to 6.10, and since then. */
struct timespec64___local {
	long long tv_sec;
	long tv_nsec;
} __attribute__((preserve_access_index));
struct inode___plain {
	struct timespec64___local i_mtime;
} __attribute__((preserve_access_index));
struct inode___wrapped {
	struct timespec64___local __i_mtime;
} __attribute__((preserve_access_index));
struct inode___apart {
	long long i_mtime_sec;
	uint32_t i_mtime_nsec;
} __attribute__((preserve_access_index));

static __always_inline void file_id_of(struct file_id *id, struct file___local *file)
{
	struct inode___local *inode = file ? file->f_inode : 0;
	struct inode___plain *plain = (void *)inode;
	struct inode___wrapped *wrapped = (void *)inode;
	struct inode___apart *apart = (void *)inode;

	id->ino = inode ? inode->i_ino : 0;
	id->bytes = inode ? inode->i_size : 0;
	id->changed_s = id->changed_ns = 0;
	if (!inode)
		return;
	if (bpf_core_field_exists(apart->i_mtime_sec)) {
		id->changed_s = apart->i_mtime_sec;
		id->changed_ns = apart->i_mtime_nsec;
	} else if (bpf_core_field_exists(wrapped->__i_mtime)) {
		id->changed_s = wrapped->__i_mtime.tv_sec;
		id->changed_ns = wrapped->__i_mtime.tv_nsec;
	} else if (bpf_core_field_exists(plain->i_mtime)) {
		id->changed_s = plain->i_mtime.tv_sec;
		id->changed_ns = plain->i_mtime.tv_nsec;
	}
}

#endif
