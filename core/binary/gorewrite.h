/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Programs that replace their own functions, as libraries for mocking do. Finds the functions that
 * make text writable, and those that can be replaced. It decides by the machine code, so it works
 * in stripped binaries, too.
 */
#ifndef GOTRACE_GOREWRITE_H
#define GOTRACE_GOREWRITE_H

#include "binary/gobin.h"

/*
 * Calls fn for each function that seems to make text writable, once for each place. Such a function
 * asks mprotect for memory that is writable and executable. Or it calls a function that passes its
 * own argument on to mprotect, and asks that for it. Assembly that executes mprotect itself need
 * not ask for executable memory. Compilers at run time map memory and make it executable. Neither
 * makes a function count.
 */
void gobin_text_writers(const struct gobin *b, void (*fn)(void *ctx, const struct gofunc *f),
			void *ctx);

/* Calls fn for each place in the data that holds the address of a function's first byte: func
 * values, itabs, and methods that reflection finds. */
void gobin_taken_funcs(const struct gobin *b, void (*fn)(void *ctx, const struct gofunc *f),
		       void *ctx);

#endif
