/* SPDX-License-Identifier: BSD-2-Clause */
/* Which functions an address of a Go binary is in, inlined ones included. */
#ifndef GOTRACE_GOFRAMES_H
#define GOTRACE_GOFRAMES_H

#include "binary/gobin.h"

struct goframe {
	const char *func;          /* as the linker has it; owned by the gobin */
	const char *file;          /* where in it the address is; NULL when not known */
	uint32_t line, start_line; /* 0 when not known */
	bool wrapper;              /* GOFUNC_WRAPPER */
};

/*
 * The frames at a link-time address, which lies inside the instruction that executes or calls: the
 * innermost inlined function first, the function that was compiled last. How many, at most max; 0:
 * no function is there. The walk is runtime.inlineUnwinder's (runtime/symtabinl.go; before Go 1.20
 * that of runtime.Frames, runtime/symtab.go).
 */
size_t gobin_frames(const struct gobin *b, uint64_t vaddr, struct goframe *frames, size_t max);

#endif
