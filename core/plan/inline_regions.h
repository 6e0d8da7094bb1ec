/* SPDX-License-Identifier: BSD-2-Clause */
/* For each part of a stub, how the hook treats a signal there. Private to core/plan. */
#ifndef GOTRACE_INLINE_REGIONS_H
#define GOTRACE_INLINE_REGIONS_H

#include "plan/inline_asm.h"
#include "plan/inline_stub.h"

/* A part of a stub. It begins where the region before it ends. */
struct region {
	uint16_t end;   /* from the stub's first byte */
	uint8_t undo;   /* UNDO_* */
	uint8_t resume; /* RESUME_* */
	uint16_t at;    /* for RESUME_STUB */
	int16_t shown;  /* for SHOW_FIXED, SHOW_MOVING */
	uint8_t show;   /* SHOW_* */
	uint8_t pad;
};
_Static_assert(sizeof(struct region) == REGION_BYTES, "as the hook has it");

#define REGIONS_MAX 16

struct shape {
	uint16_t slow; /* where the thread continues after a fault in a record */
	struct region regions[REGIONS_MAX]; /* the stub's, then one for all after it */
};

/* Fills *out and returns the number of its regions. */
unsigned inline_regions(const struct inline_program *p, const struct inline_stub *s,
			const struct inline_parts *parts, struct shape *out);

#endif
