/* SPDX-License-Identifier: BSD-2-Clause */
/* What the hook does with a signal, by the place in a stub. Private to core/plan. */
#ifndef GOTRACE_INLINE_REGIONS_H
#define GOTRACE_INLINE_REGIONS_H

#include "plan/inline_asm.h"
#include "plan/inline_stub.h"

/* From the end of the region before it on. */
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
	uint16_t slow; /* where a record that faults goes on */
	struct region
		regions[REGIONS_MAX]; /* as many as there are, the last for all that follows */
};

/* Fills *out and returns the number of its regions. */
unsigned inline_regions(const struct inline_program *p, const struct inline_stub *s,
			const struct inline_parts *parts, struct shape *out);

#endif
