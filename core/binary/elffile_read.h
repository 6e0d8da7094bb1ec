/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GOTRACE_ELFFILE_READ_H
#define GOTRACE_ELFFILE_READ_H

#include "binary/elffile.h"

/* Reads a file into e->map, e->size bytes of anonymous memory, which whoever calls unmaps. 0, or
 * -ENOEXEC, -ENOMEM, -EIO (logged). */
int elffile_read(struct elffile *e, int fd, const char *path);

#endif
