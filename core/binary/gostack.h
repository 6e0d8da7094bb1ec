/* SPDX-License-Identifier: BSD-2-Clause */
/* What it takes to walk the stack of a Go program from outside, also of instructions at which the
 * frame is not there yet: the pcsp tables of its pclntab (cmd/link/internal/ld/pcln.go) as one. */
#ifndef GOTRACE_GOSTACK_H
#define GOTRACE_GOSTACK_H

#include "binary/gobin.h"

/* From `off` bytes from the text's start on, up to the next row, the return address is `delta`
 * bytes above rsp; -1: not known. */
struct gostack_row {
	uint32_t off;
	int32_t delta;
};

struct gostack {
	struct gostack_row *rows; /* ascending */
	size_t n;
	uint64_t text, etext; /* link-time addresses, of Go's own functions */
	uint64_t start_code;  /* the lowest of an executable segment, as in the kernel's mm */
};

/* Tests if the file on descriptor `fd` (borrowed) has a function table of Go's. Nothing is logged
 * when it has none. If reading the file takes more than most_bytes (0: no limit), only the names of
 * its sections decide. */
bool gostack_is_go(int fd, const char *path, uint64_t most_bytes);

/* 0 and *out, to be freed with gostack_free; -EBADMSG: the text is not known or beyond 4 GiB,
 * -ENOMEM. Nothing logged. */
int gostack_read(const struct gobin *b, struct gostack *out);
void gostack_free(struct gostack *s);

#endif
