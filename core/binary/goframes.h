/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the functions that an address of a Go binary is in, inlined ones included. */
#ifndef GOTRACE_GOFRAMES_H
#define GOTRACE_GOFRAMES_H

#include "binary/gobin.h"

struct goframe {
	const char *func;          /* the linker's name, owned by the gobin */
	const char *file;          /* source file of the address, NULL when not known */
	uint32_t line, start_line; /* 0 when not known */
	bool wrapper;              /* GOFUNC_WRAPPER */
};

/*
 * Finds the frames at a link-time address, which lies inside the instruction that executes or
 * calls. The innermost inlined function is first, the compiled function last. Returns their number,
 * at most max, or 0 when no function is there. The walk is that of runtime.inlineUnwinder
 * (runtime/symtabinl.go), before Go 1.20 that of runtime.Frames (runtime/symtab.go).
 */
size_t gobin_frames(const struct gobin *b, uint64_t vaddr, struct goframe *frames, size_t max);

#endif
