/* SPDX-License-Identifier: BSD-2-Clause */
/* What is not certain never stands first. */
#ifndef GOTRACE_SURE_FIRST_H
#define GOTRACE_SURE_FIRST_H

#include <stdbool.h>
#include <stddef.h>

#include "model/model.h"

/* rows: n functions, the heaviest first. The heaviest one that is certain goes before those above
 * it. False: none is, of those that took any time. */
bool sure_first(size_t *rows, size_t n, const struct call_stats *funcs);

#endif
