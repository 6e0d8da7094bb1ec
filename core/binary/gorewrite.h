/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Programs that replace their own functions, as libraries for mocking do: who makes text writable,
 * and which functions can be replaced. Told by what the code does, in stripped binaries, too.
 */
#ifndef GOTRACE_GOREWRITE_H
#define GOTRACE_GOREWRITE_H

#include "binary/gobin.h"

/*
 * Calls fn for each function that seems to make text writable, once for each place: it asks
 * mprotect for memory that is writable and executable, or calls a function that passes its own
 * argument on to mprotect and asks that for it. Assembly that executes mprotect itself need not
 * ask for executable memory. Mapping memory, and making it executable, is what compilers at run
 * time do: neither is meant.
 */
void gobin_text_writers(const struct gobin *b, void (*fn)(void *ctx, const struct gofunc *f),
			void *ctx);

/* Calls fn for each place in the data that holds the address of a function's first byte: func
 * values, itabs, and methods that reflection finds. */
void gobin_taken_funcs(const struct gobin *b, void (*fn)(void *ctx, const struct gofunc *f),
		       void *ctx);

#endif
