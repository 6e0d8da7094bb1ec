/* SPDX-License-Identifier: BSD-2-Clause */
/* Asks an open binary everything, for tests of damaged binaries. */
#ifndef GOTRACE_LOOK_FIXTURE_H
#define GOTRACE_LOOK_FIXTURE_H

#include "binary/gobin.h"

/* Looks at about max_funcs functions in full, spread evenly. *digest changes with every answer.
 * Returns NULL, or a text about a result that no binary may ever have. */
const char *look_at_everything(const struct gobin *b, size_t max_funcs, uint64_t *digest);

#endif
