/* SPDX-License-Identifier: BSD-2-Clause */
/* For what a goroutine waits, runtime.waitReason: its numbers differ by Go version. */
#ifndef GOTRACE_WAIT_REASONS_H
#define GOTRACE_WAIT_REASONS_H

#include "binary/gobin.h"

#define WAIT_REASONS_MAX 128
#define WAIT_REASON_TEXT 48

struct wait_reasons {
	unsigned n; /* numbers 0 to n - 1 */
	char text[WAIT_REASONS_MAX][WAIT_REASON_TEXT];
	bool from_binary; /* from its runtime.waitReasonStrings, else from a table by version */
};

/* Those of b. 0, or -ENOENT: the binary does not show them and its Go version is in no table. */
int wait_reasons_of(const struct gobin *b, struct wait_reasons *out);

/* The number of the reason with that text, 0 when there is none. */
uint8_t wait_reason_named(const struct wait_reasons *w, const char *text);

#endif
