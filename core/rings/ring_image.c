// SPDX-License-Identifier: BSD-2-Clause
#include "rings/ring_image.h"

#include <errno.h>
#include <inttypes.h>

#include "base/event_kinds.h"

static void write_ring(FILE *out, const struct ring_memory *m)
{
	/* Volatile: what is read may change, and is read once. */
	const volatile struct ring_head *r = m->at;
	const volatile struct ring_slot *slots =
		(const volatile struct ring_slot *)((const char *)m->at + RING_DATA);
	uint64_t head = r->head, n = head < m->size ? head : m->size;

	fprintf(out, "ring %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", m->size, head, r->reserved);
	if (r->dropped)
		fprintf(out, "dropped %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n",
			r->dropped, r->dropped_first, r->dropped_last, r->dropped_goid);
	for (uint64_t i = 0; i < n / RING_SLOT; i++) {
		struct ring_slot s = { slots[i].clock, slots[i].depth, slots[i].site };

		if (s.site == RING_CONTEXT)
			fprintf(out, "context %" PRIu64 " %" PRIu32 "\n", s.clock, s.depth);
		else if (s.site == RING_ARG)
			fprintf(out, "arg %" PRIu64 " %" PRIu32 "\n", s.clock, s.depth);
		else
			fprintf(out, "slot %" PRIu64 " %" PRIu32 " %" PRIu32 "\n", s.clock, s.depth,
				s.site);
	}
}

int ring_image_write(FILE *out, const struct rings_options *opt)
{
	for (uint32_t i = 0; i < opt->n_sites; i++)
		if (rings_site_kind(&opt->sites[i]))
			fprintf(out, "site %" PRIu32 " %s %u\n", i,
				event_kind_name(rings_site_kind(&opt->sites[i])),
				opt->sites[i].to_frame_bytes);
	for (unsigned i = 0; i < opt->n_rings; i++)
		write_ring(out, &opt->memory[i]);
	return fflush(out) || ferror(out) ? -EIO : 0;
}
