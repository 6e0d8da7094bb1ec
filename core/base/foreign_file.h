/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads files whose names come from elsewhere: a sampled process, a trace, a binary. Such a name
 * may be that of a FIFO, a device, a link or a file without end, and gotrace may be root.
 */
#ifndef GOTRACE_FOREIGN_FILE_H
#define GOTRACE_FOREIGN_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

struct foreign_rule {
	uint64_t most_bytes; /* a larger file is refused; 0: any size */
	bool no_link;        /* the last part of the name must not be a symbolic link */
	bool owned;          /* the file must be root's, or the owner's */
	uid_t owner;
	bool kernels; /* a file that the kernel makes up may be opened, such as /proc/kallsyms */
};

/* The most bytes read of an executable or a library, and of a file of debugging symbols. */
#define FOREIGN_BINARY_BYTES (1ull << 30)
#define FOREIGN_DEBUG_BYTES  (4ull << 30)

/*
 * Returns a descriptor to read a regular file, which the caller closes. Another file is never
 * opened, so a device or FIFO notices nothing. Neither does the kernel, of which some files are
 * read once, such as /proc/kmsg. -errno: -EINVAL for no regular file or one of the kernel, -ELOOP
 * for a link, -EPERM for another owner, -EFBIG for a large file, or that of open(2). Logs nothing.
 */
int foreign_file_open(const char *path, const struct foreign_rule *rule);

/* Sets *owner to the process's effective user, for whose files it may answer. 0 or -errno when it
 * has ended. */
int foreign_file_owner(uint32_t pid, uid_t *owner);

/* Fills in device, inode, mode, size and time of change of the file. It asks no file system that
 * would have to ask another process or host (FUSE, NFS). Returns false if there is none. */
bool foreign_file_stat(const char *path, struct stat *st);

/* Returns a number that is equal for processes with one mount namespace and one root. They see the
 * same files at a path. Returns 0 if the process has ended, or gotrace may not look at it. */
uint64_t foreign_file_view(uint32_t pid);

/* Returns when work on such files that begins now must end. That is ten seconds from now,
 * CLOCK_MONOTONIC. */
uint64_t foreign_file_deadline(void);
/* To be called between blocks. 0, or -ETIMEDOUT past the deadline. -EINTR: the work has taken a
 * second, and a signal that ends gotrace is pending, because it is blocked. */
int foreign_file_may_go_on(uint64_t deadline_ns);
/* Does that for work that began at begin_ns and may last longer. */
int foreign_file_may_go_on_since(uint64_t begin_ns, uint64_t deadline_ns);
/* Calls `take` with each block of the file, from its beginning, for at most most_bytes of it (0:
 * all). 0, the error of `take`, -EFBIG where there is more, -EINTR, -ETIMEDOUT, or that of
 * read(2). */
int foreign_file_read(int fd, uint64_t most_bytes, uint64_t deadline_ns,
		      int (*take)(void *ctx, const char *bytes, size_t n), void *ctx);

#endif
