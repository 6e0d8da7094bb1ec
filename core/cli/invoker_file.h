/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads small files of text: options, and the agent's file. */
#ifndef GOTRACE_INVOKER_FILE_H
#define GOTRACE_INVOKER_FILE_H

#include <stddef.h>

/*
 * Returns the text of a regular file with fewer than `most` bytes and no zero byte. It reads with
 * the rights of the user who called sudo, and does not wait for a FIFO or a device. The caller
 * frees the text. Returns NULL and sets errno on error, without logging. EINVAL: it is no such
 * file. Others: ENOMEM, EACCES and the like. ECANCELED (logged): the user who called sudo is not
 * known.
 */
char *invoker_file_read(const char *path, size_t most);

#endif
