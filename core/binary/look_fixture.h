/* SPDX-License-Identifier: BSD-2-Clause */
/* Asks an open binary everything that can be asked: for tests of damaged ones. */
#ifndef GOTRACE_LOOK_FIXTURE_H
#define GOTRACE_LOOK_FIXTURE_H

#include "binary/gobin.h"

/* Looks at about max_funcs functions in full, spread evenly. *digest changes with every
 * answer. NULL, or what no binary may ever lead to. */
const char *look_at_everything(const struct gobin *b, size_t max_funcs, uint64_t *digest);

#endif
