/* SPDX-License-Identifier: BSD-2-Clause */
/* Small files of text that say what is wanted: of options, of the agent. */
#ifndef GOTRACE_INVOKER_FILE_H
#define GOTRACE_INVOKER_FILE_H

#include <stddef.h>

/*
 * The text of a regular file with less than `most` bytes and no zero byte, read with the rights of
 * the user who called sudo; a FIFO or a device is not waited for. To be freed. NULL and errno, not
 * logged: EINVAL, it is another thing; ENOMEM; EACCES and others. ECANCELED (logged): it is not
 * known who called sudo.
 */
char *invoker_file_read(const char *path, size_t most);

#endif
