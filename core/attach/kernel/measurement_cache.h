/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stores measurements of this machine and kernel for the next recording, because measuring takes
 * longer than all the rest of a short recording. A value is valid for an hour at most. It requires
 * that nothing has changed: the kernel since its start, without a sleep of the machine; gotrace's
 * file; its capabilities; a filter of system calls.
 */
#ifndef GOTRACE_MEASUREMENT_CACHE_H
#define GOTRACE_MEASUREMENT_CACHE_H

#include <stdbool.h>
#include <stddef.h>

#define MEASUREMENT_CACHE_DIR "/run/gotrace" /* only root stores values, and only for root */
#define KEPT_MAX_BYTES        65536          /* larger data is not stored */

/* Fills `data` with the value stored under this name in the folder. Returns false if there is no
 * valid value. */
bool measurement_cache_get(const char *dir, const char *name, void *data, size_t bytes);

/* Gets a value of unknown size: *data of *bytes. The caller frees *data. */
bool measurement_cache_get_any(const char *dir, const char *name, void **data, size_t *bytes);

/* Stores a value in place of the old one. If it fails, logs a debug line, and the next recording
 * measures again. */
void measurement_cache_put(const char *dir, const char *name, const void *data, size_t bytes);

#endif
