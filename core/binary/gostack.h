/* SPDX-License-Identifier: BSD-2-Clause */
/* The table for a walk of a Go program's stack from outside. It also serves at instructions where
 * the frame is not there yet. It joins the pcsp tables of the program's pclntab
 * (cmd/link/internal/ld/pcln.go). */
#ifndef GOTRACE_GOSTACK_H
#define GOTRACE_GOSTACK_H

#include "binary/gobin.h"

/* A row. At addresses from `off` on, up to the next row, the return address is `delta` bytes above
 * the stack pointer. `off` counts from the text's start. delta is -1 when not known. */
struct gostack_row {
	uint32_t off;
	int32_t delta;
};

struct gostack {
	struct gostack_row *rows; /* ascending */
	size_t n;
	uint64_t text, etext; /* link-time addresses of Go's own functions */
	uint64_t start_code;  /* lowest address of an executable segment, like mm->start_code */
};

/* Returns true when the file on descriptor `fd` (borrowed) has a function table of Go's. Logs
 * nothing when it has none. If reading the file takes more than most_bytes (0 for no limit), only
 * the names of its sections decide. */
bool gostack_is_go(int fd, const char *path, uint64_t most_bytes);

/* Returns 0 and *out, which the caller frees with gostack_free. Returns -EBADMSG when the text is
 * not known or beyond 4 GiB, or -ENOMEM. Logs nothing. */
int gostack_read(const struct gobin *b, struct gostack *out);
void gostack_free(struct gostack *s);

#endif
