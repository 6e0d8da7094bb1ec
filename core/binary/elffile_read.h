/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GOTRACE_ELFFILE_READ_H
#define GOTRACE_ELFFILE_READ_H

#include "binary/elffile.h"

/* Reads a file into e->map, e->size bytes of anonymous memory, which the caller unmaps. part is
 * NULL for all of the file. Returns 0, -ENOEXEC, -ENOMEM or -EIO (logged), or -EFBIG. */
int elffile_read(struct elffile *e, int fd, const char *path, const struct elffile_part *part);
/* Returns true when no name of a function needs this section. */
bool elffile_not_names(const char *section);

#endif
