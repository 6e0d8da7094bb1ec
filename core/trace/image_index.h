/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the image at an address. A trace may have a million images, and as many addresses. */
#ifndef GOTRACE_IMAGE_INDEX_H
#define GOTRACE_IMAGE_INDEX_H

#include <stddef.h>
#include <stdint.h>

struct sample_image;

/* Addresses in which one image counts. */
struct image_range {
	uint64_t start, end; /* end: the address after the last one */
	uint32_t process;    /* TRACE_NONE: the kernel */
	uint32_t image;      /* index */
};

/* A zeroed one is empty. */
struct image_index {
	struct image_range *ranges; /* by process and address; none overlap */
	size_t n, cap;
};

/* Fills the empty x from the n images of a trace. 0 or -ENOMEM; image_index_free in either case. */
int image_index_build(struct image_index *x, const struct sample_image *images, size_t n);
/* Returns the index of the last image at an address, or TRACE_NONE. For kernel addresses any
 * process will do. */
uint32_t image_index_find(const struct image_index *x, uint32_t process, uint64_t pc);
void image_index_free(struct image_index *x);

#endif
