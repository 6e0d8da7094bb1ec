/* SPDX-License-Identifier: BSD-2-Clause */
/* The counter of this processor that inline stubs take the time from. A folder beside this file has
 * the functions of one processor. */
#ifndef GOTRACE_HOST_COUNTER_H
#define GOTRACE_HOST_COUNTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Reads it after all earlier loads. */
uint64_t host_counter_read(void);

/* The functions below return false if the counter cannot be used. Then `why`, n bytes, gets a
 * clause. */

/* This process may read the counter. */
bool host_counter_allowed(char *why, size_t n);
/* The kernel's clock source `source` counts by it. *compared: the kernel has compared the counters
 * of all CPUs. */
bool host_counter_is_source(const char *source, bool *compared, char *why, size_t n);
/* It never changes its rate or stops. */
bool host_counter_steady(char *why, size_t n);

#endif
