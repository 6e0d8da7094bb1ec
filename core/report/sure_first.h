/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows that are not certain never come first. */
#ifndef GOTRACE_SURE_FIRST_H
#define GOTRACE_SURE_FIRST_H

#include <stdbool.h>
#include <stddef.h>

#include "model/model.h"

/* Moves the heaviest function that is certain to the front of `rows`, which are n functions, the
 * heaviest first. Returns false when no function that took time is certain, or doubtful ones hide
 * it (correction_hides). */
bool sure_first(size_t *rows, size_t n, const struct call_stats *funcs);

#endif
