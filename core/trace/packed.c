// SPDX-License-Identifier: BSD-2-Clause
#include "trace/packed.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "trace/block.h"
#include "trace/chunk.h"
#include "trace/value_items.h"

struct packer {
	struct block_encoder *encoder;
	struct chunk_packer chunk;
	uint64_t last_ns;
	struct value_items values;
	struct chunk_packer values_chunk;
};

struct packer *packer_new(void)
{
	struct packer *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->encoder = block_encoder_new();
	if (p->encoder && !chunk_packer_init(&p->chunk) && !chunk_packer_init(&p->values_chunk))
		return p;
	packer_free(p);
	return NULL;
}

void packer_free(struct packer *p)
{
	if (!p)
		return;
	block_encoder_free(p->encoder);
	chunk_packer_free(&p->chunk);
	chunk_packer_free(&p->values_chunk);
	value_items_free(&p->values);
	free(p);
}

size_t packer_add(struct packer *p, const struct event *ev, size_t n, const uint64_t (*arg)[4])
{
	size_t room = BLOCK_EVENTS - block_events(p->encoder);

	n = block_add(p->encoder, ev, n < room ? n : room, arg);
	if (n)
		p->last_ns = ev[n - 1].ts_ns;
	return n;
}

size_t packer_events(const struct packer *p)
{
	return block_events(p->encoder);
}

int packer_values(struct packer *p, const struct trace_values *v)
{
	size_t at = block_events(p->encoder);

	if (at == BLOCK_EVENTS || (at && p->values.b.n + v->bytes > VALUES_END_BYTES))
		return -ENOBUFS;
	return value_items_put(&p->values, (uint32_t)at, v);
}

/* Nothing that is given leaves h zeroed, with no bytes. */
static int pack_values(struct packer *p, struct chunk_head *h)
{
	struct block_piece piece = { p->values.b.data, p->values.b.n };
	int err;

	*h = (struct chunk_head){ .type = CHUNK_VALUES,
				  .flags = CHUNK_OPTIONAL,
				  .count = p->values.count };
	err = h->count ? chunk_pack(&p->values_chunk, h, &piece, 1) : 0;
	value_items_clear(&p->values);
	return err;
}

struct packed_block *packer_end(struct packer *p)
{
	struct chunk_head h = { .type = CHUNK_EVENTS,
				.count = (uint32_t)block_events(p->encoder),
				.first_ns = block_first_ns(p->encoder) },
			  v;
	int err = chunk_pack(&p->chunk, &h, block_end(p->encoder), N_COLS + 1);
	int values_err = pack_values(p, &v);
	struct packed_block *b = NULL;

	err = err ? err : values_err;
	if (!err)
		b = malloc(sizeof(*b) + h.stored_bytes + v.stored_bytes);
	if (!b) {
		err = err ? err : -ENOMEM;
		log_error("a block of the trace cannot be kept: %s", strerror(-err));
		errno = -err;
		return NULL;
	}
	*b = (struct packed_block){ .first_ns = h.first_ns,
				    .last_ns = p->last_ns,
				    .events = h.count,
				    .raw_bytes = h.raw_bytes,
				    .stored_bytes = h.stored_bytes,
				    .crc = h.payload_crc,
				    .flags = h.flags,
				    .values = { v.count, v.raw_bytes, v.stored_bytes, v.payload_crc,
						v.flags } };
	memcpy(b->stored, p->chunk.out.data + CHUNK_HEAD_BYTES, h.stored_bytes);
	if (v.stored_bytes)
		memcpy(b->stored + h.stored_bytes, p->values_chunk.out.data + CHUNK_HEAD_BYTES,
		       v.stored_bytes);
	return b;
}
