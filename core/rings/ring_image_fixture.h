/* SPDX-License-Identifier: BSD-2-Clause */
/* Rings made of the text of an image (ring_image.h), for tests and the fuzzer. */
#ifndef GOTRACE_RING_IMAGE_FIXTURE_H
#define GOTRACE_RING_IMAGE_FIXTURE_H

#include <stddef.h>

#include "rings/rings.h"

#define IMAGE_SITES 4096
#define IMAGE_RINGS 64

struct ring_image {
	struct ring_site sites[IMAGE_SITES];
	uint32_t n_sites;
	struct ring_memory memory[IMAGE_RINGS];
	unsigned n_rings;
	uint64_t first, last; /* the smallest and the largest counter in slots */
};

/* Makes the rings. Returns false when a line is no line of an image, or memory is short. The caller
 * calls ring_image_free in every case. */
bool ring_image_read(struct ring_image *image, const char *text, size_t n);
void ring_image_free(struct ring_image *image);

#endif
