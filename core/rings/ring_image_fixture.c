// SPDX-License-Identifier: BSD-2-Clause
#include "rings/ring_image_fixture.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/event_kinds.h"
#include "base/event_kinds_fixture.h"

/* Larger ones are not worth a fixture. */
#define IMAGE_RING_MAX (1u << 20)

static struct ring_head *last_ring(const struct ring_image *image)
{
	return image->memory[image->n_rings - 1].at;
}

static bool add_site(struct ring_image *image, const char *line)
{
	uint32_t number;
	char kind[32];
	uint16_t to_frame;

	if (sscanf(line, "site %" SCNu32 " %31s %" SCNu16, &number, kind, &to_frame) != 3 ||
	    number >= IMAGE_SITES || !rings_kind(event_kind_by_name(kind)))
		return false;
	image->sites[number] = rings_site(event_kind_by_name(kind), to_frame);
	if (number >= image->n_sites)
		image->n_sites = number + 1;
	return true;
}

static bool add_ring(struct ring_image *image, const char *line)
{
	uint64_t size, head, reserved;

	if (sscanf(line, "ring %" SCNu64 " %" SCNu64 " %" SCNu64, &size, &head, &reserved) != 3 ||
	    image->n_rings == IMAGE_RINGS || size < RING_SIZE_MIN || size > IMAGE_RING_MAX ||
	    size & (size - 1))
		return false;
	struct ring_head *r = aligned_alloc(64, RING_DATA + size);

	if (!r)
		return false;
	memset(r, 0, RING_DATA + size);
	r->head = head;
	r->reserved = reserved;
	image->memory[image->n_rings++] = (struct ring_memory){ r, size };
	return true;
}

static bool set_dropped(const struct ring_image *image, const char *line)
{
	struct ring_head *r = image->n_rings ? last_ring(image) : NULL;

	return r && sscanf(line, "dropped %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64,
			   &r->dropped, &r->dropped_first, &r->dropped_last, &r->dropped_goid) == 4;
}

/* `at`: bytes of slots that the last ring has; moves on. */
static bool add_slot(struct ring_image *image, const char *line, uint64_t *at)
{
	struct ring_slot s = { 0 };

	if (sscanf(line, "slot %" SCNu64 " %" SCNu32 " %" SCNu32, &s.clock, &s.depth, &s.site) ==
	    3) {
		image->first = s.clock < image->first ? s.clock : image->first;
		image->last = s.clock > image->last ? s.clock : image->last;
	} else if (sscanf(line, "context %" SCNu64 " %" SCNu32, &s.clock, &s.depth) == 2) {
		s.site = RING_CONTEXT;
	} else if (sscanf(line, "arg %" SCNu64 " %" SCNu32, &s.clock, &s.depth) == 2) {
		s.site = RING_ARG;
	} else {
		return false;
	}
	if (!image->n_rings || *at >= image->memory[image->n_rings - 1].size)
		return false;
	memcpy((char *)last_ring(image) + RING_DATA + *at, &s, sizeof(s));
	*at += RING_SLOT;
	return true;
}

bool ring_image_read(struct ring_image *image, const char *text, size_t n)
{
	uint64_t at = 0;

	memset(image, 0, sizeof(*image));
	image->first = UINT64_MAX;
	for (size_t i = 0, len; i < n; i += len + 1) {
		const char *newline = memchr(text + i, '\n', n - i);
		char line[128] = "";

		len = newline ? (size_t)(newline - text) - i : n - i;
		if (len >= sizeof(line))
			return false;
		memcpy(line, text + i, len);
		if (!len || line[0] == '#')
			continue;
		if (line[0] == 'r' && add_ring(image, line))
			at = 0;
		else if (!add_site(image, line) && !set_dropped(image, line) &&
			 !add_slot(image, line, &at))
			return false;
	}
	return image->n_rings > 0;
}

void ring_image_free(struct ring_image *image)
{
	for (unsigned i = 0; i < image->n_rings; i++)
		free(image->memory[i].at);
	image->n_rings = 0;
}
