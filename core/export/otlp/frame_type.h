/* SPDX-License-Identifier: BSD-2-Clause */
/* The type of a frame, by OpenTelemetry's conventions ("profile.frame.type"). */
#ifndef GOTRACE_FRAME_TYPE_H
#define GOTRACE_FRAME_TYPE_H

#include <stdbool.h>
#include <stdint.h>

/* A location of a pprof profile and its function, the outermost one if others are inlined. */
struct frame_place {
	uint64_t address;    /* 0: not known */
	const char *mapping; /* the path of its mapping; NULL for none */
	const char *file;    /* the source; "" if not known */
	const char *linker;  /* the linker's name of the function */
	bool beside_go;      /* other functions of its mapping are Go's */
};

/* Returns whether the function is Go's by its source, before beside_go is known. */
bool frame_is_go(const char *file);
/* Returns "kernel", "cpython", "go", "rust" or "native". Returns NULL where it is not known: for
 * code that a program made, and frames that stand for missing ones. */
const char *frame_type(const struct frame_place *p);

#endif
