/* SPDX-License-Identifier: BSD-2-Clause */
/* Asks an open binary everything, for tests of damaged binaries. */
#ifndef GOTRACE_LOOK_FIXTURE_H
#define GOTRACE_LOOK_FIXTURE_H

#include "binary/gobin.h"

/* Looks at about max_funcs functions in full, spread evenly. *digest changes with every answer.
 * Returns NULL, or a text about a result that no binary may ever have. */
const char *look_at_everything(const struct gobin *b, size_t max_funcs, uint64_t *digest);

/* Makes an edit of the bytes at `at` for fuzzers: a bad number, or the present one changed by
 * `value`. The lowest 2 bits of what choose the width of the number, and the others its kind.
 * Returns the number of bytes in out to write there. */
size_t look_edit(const uint8_t *bytes, size_t size, size_t at, uint8_t what, uint32_t value,
		 uint8_t out[8]);

#endif
