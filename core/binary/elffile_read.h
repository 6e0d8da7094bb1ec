/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GOTRACE_ELFFILE_READ_H
#define GOTRACE_ELFFILE_READ_H

#include "binary/elffile.h"

/* Reads a file into e->map, e->size bytes of anonymous memory, which whoever calls unmaps. part:
 * NULL, all of it. 0, or -ENOEXEC, -ENOMEM, -EIO (logged), or -EFBIG. */
int elffile_read(struct elffile *e, int fd, const char *path, const struct elffile_part *part);
/* Is this section needed for no name of a function? */
bool elffile_not_names(const char *section);

#endif
