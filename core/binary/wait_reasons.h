/* SPDX-License-Identifier: BSD-2-Clause */
/* The reasons why goroutines wait, runtime.waitReason. Their numbers differ by Go version. */
#ifndef GOTRACE_WAIT_REASONS_H
#define GOTRACE_WAIT_REASONS_H

#include "binary/gobin.h"

#define WAIT_REASONS_MAX 128
#define WAIT_REASON_TEXT 48

struct wait_reasons {
	unsigned n; /* numbers 0 to n - 1 */
	char text[WAIT_REASONS_MAX][WAIT_REASON_TEXT];
	/* true when from its runtime.waitReasonStrings, false when from a table by version */
	bool from_binary;
};

/* Finds the reasons of b. Returns 0, or -ENOENT when the binary does not hold them and no table has
 * its Go version. */
int wait_reasons_of(const struct gobin *b, struct wait_reasons *out);

/* Returns the number of the reason with that text, 0 when there is none. */
uint8_t wait_reason_named(const struct wait_reasons *w, const char *text);

#endif
