/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What was measured of this machine and kernel, kept for the next recording: measuring takes longer
 * than all the rest of a short recording. It holds for an hour at most, and only while everything
 * is as it was: the kernel since its start, without a sleep of the machine; gotrace's file; its
 * capabilities; whether a filter of system calls is in force.
 */
#ifndef GOTRACE_MEASUREMENT_CACHE_H
#define GOTRACE_MEASUREMENT_CACHE_H

#include <stdbool.h>
#include <stddef.h>

#define MEASUREMENT_CACHE_DIR "/run/gotrace" /* only root keeps anything, and only for root */
#define KEPT_MAX_BYTES        65536          /* more is not kept */

/* Fills `data` with what was kept under this name in the folder. false: nothing that holds. */
bool measurement_cache_get(const char *dir, const char *name, void *data, size_t bytes);

/* The same of data whose size is not known before: *data of *bytes, to be freed. */
bool measurement_cache_get_any(const char *dir, const char *name, void **data, size_t *bytes);

/* Keeps it in place of what there was. Where that cannot be, it is measured again next time: only a
 * debug line is logged. */
void measurement_cache_put(const char *dir, const char *name, const void *data, size_t bytes);

#endif
