/* SPDX-License-Identifier: BSD-2-Clause */
/* Which image is at an address. A trace may have a million images, and as many addresses. */
#ifndef GOTRACE_IMAGE_INDEX_H
#define GOTRACE_IMAGE_INDEX_H

#include <stddef.h>
#include <stdint.h>

struct sample_image;

/* Addresses in which one image counts. */
struct image_range {
	uint64_t start, end; /* end: after the last */
	uint32_t process;    /* TRACE_NONE: the kernel */
	uint32_t image;      /* index */
};

/* A zeroed one is empty. */
struct image_index {
	struct image_range *ranges; /* by process and address; none overlap */
	size_t n, cap;
};

/* Of the n images of a trace; x is empty. 0 or -ENOMEM; image_index_free in either case. */
int image_index_build(struct image_index *x, const struct sample_image *images, size_t n);
/* The index of the image at an address, of several the last; TRACE_NONE: there is none. Kernel
 * addresses may be asked for with any process. */
uint32_t image_index_find(const struct image_index *x, uint32_t process, uint64_t pc);
void image_index_free(struct image_index *x);

#endif
