// SPDX-License-Identifier: BSD-2-Clause
#include "plan/inline_hook.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash_index.h"
#include "base/vec.h"
#include "plan/inline_regions.h"
#include "plan/ring.h"

/*
 * The hook in memory: code, shapes, metas, granules. A granule is 1 << GRANULE_BITS bytes of stubs;
 * its word is the number of the stub that it belongs to, from 1 on, 0 for none. A meta says where
 * that stub and its window are; stubs of one make share a shape, which lists the regions of code.
 */

/* inline_hook_code.S */
extern const uint8_t inline_hook_code[], inline_hook_end[];
struct patch {
	uint16_t at; /* from inline_hook_code */
	uint16_t what;
};
extern const struct patch inline_hook_patches[], inline_hook_patches_end[];

_Static_assert(1 << GRANULE_BITS == INLINE_ALIGN, "a granule belongs to one stub");
_Static_assert(offsetof(struct ring_signals, in_stubs) == 0, "inline_hook_code.S has it so");
_Static_assert(offsetof(struct ring_signals, rolled_back) == 8, "likewise");
_Static_assert(offsetof(struct ring_signals, shown) == 16, "likewise");
_Static_assert(offsetof(struct ring_signals, faults) == 24, "likewise");
_Static_assert(offsetof(struct region, undo) == 2 && offsetof(struct region, resume) == 3 &&
		       offsetof(struct region, at) == 4 && offsetof(struct region, shown) == 6 &&
		       offsetof(struct region, show) == 8,
	       "likewise");
_Static_assert(offsetof(struct shape, slow) == 0 && offsetof(struct shape, regions) == 2,
	       "likewise");

struct meta {
	uint32_t start; /* of the stub, from the first byte of all stubs */
	int32_t window; /* likewise */
	uint32_t shape; /* of its struct shape, from the first */
};
_Static_assert(sizeof(struct meta) == 12, "inline_hook_code.S has it so");

struct inline_hook {
	struct meta *metas;
	uint16_t *ends; /* of each, from its start */
	size_t n, cap, cap_ends;
	/* shapes, one after the other, none longer than needed */
	uint8_t *shapes;
	size_t shape_bytes, cap_shapes;
	struct hash_index by_key;
	/* of each shape in by_key: all that it follows from, and where it is */
	struct shape_key {
		uint64_t key;
		uint32_t at;
	} * keys;
	size_t n_keys, cap_keys;
};

struct inline_hook *inline_hook_new(void)
{
	return calloc(1, sizeof(struct inline_hook));
}

void inline_hook_free(struct inline_hook *h)
{
	if (!h)
		return;
	free(h->metas);
	free(h->ends);
	free(h->shapes);
	free(h->keys);
	hash_index_free(&h->by_key);
	free(h);
}

/* ---- shapes */

/* What inline_regions looks at. */
static uint64_t shape_key(const struct inline_program *p, const struct inline_stub *s,
			  const struct inline_parts *o)
{
	bool call = s->n_fixes && s->fixes[s->n_fixes - 1].kind == INLINE_FIX_CALL;

	return (uint64_t)s->tells << 32 | s->len | s->compare_len << 8 | o->n_probes << 16 |
	       s->keeps_rdx << 24 | s->late << 25 | call << 26 | p->drop << 27 | s->bare << 28 |
	       s->returns << 29;
}

static int add_shape(struct inline_hook *h, const struct inline_program *p,
		     const struct inline_stub *s, const struct inline_parts *o, uint64_t key,
		     uint32_t *at)
{
	struct shape shape = { 0 };
	size_t bytes = offsetof(struct shape, regions) +
		       inline_regions(p, s, o, &shape) * sizeof(struct region);

	if (vec_reserve(&h->shapes, &h->cap_shapes, h->shape_bytes + bytes) ||
	    vec_reserve(&h->keys, &h->cap_keys, h->n_keys + 1) ||
	    hash_index_put(&h->by_key, hash_u64(key), (uint32_t)h->n_keys))
		return -ENOMEM;
	memcpy(h->shapes + h->shape_bytes, &shape, bytes);
	*at = (uint32_t)h->shape_bytes;
	h->keys[h->n_keys++] = (struct shape_key){ .key = key, .at = *at };
	h->shape_bytes += bytes;
	return 0;
}

static int shape_of(struct inline_hook *h, const struct inline_program *p,
		    const struct inline_stub *s, const struct inline_parts *o, uint32_t *at)
{
	uint64_t key = shape_key(p, s, o);
	size_t slot;

	for (uint32_t i = hash_index_first(&h->by_key, hash_u64(key), &slot); i != HASH_NONE;
	     i = hash_index_next(&h->by_key, hash_u64(key), &slot)) {
		if (h->keys[i].key != key)
			continue;
		*at = h->keys[i].at;
		return 0;
	}
	return add_shape(h, p, s, o, key, at);
}

int inline_hook_add(struct inline_hook *h, const struct inline_program *p,
		    const struct inline_stub *s, uint64_t stubs, uint32_t start)
{
	struct inline_parts o;
	struct meta m = { .start = start };
	int64_t window = (int64_t)(s->window - stubs);
	int err = inline_stub_parts(p, s, &o);

	if (err)
		return err;
	if (window != (int32_t)window)
		return -ERANGE;
	m.window = (int32_t)window;
	err = shape_of(h, p, s, &o, &m.shape);
	if (err || vec_reserve(&h->metas, &h->cap, h->n + 1) ||
	    vec_reserve(&h->ends, &h->cap_ends, h->n + 1))
		return -ENOMEM;
	h->ends[h->n] = o.end;
	h->metas[h->n++] = m;
	return 0;
}

/* ---- in memory */

struct offsets {
	size_t shapes, metas, granules, end;
};

static size_t granules(uint64_t stubs_bytes)
{
	return (stubs_bytes + INLINE_ALIGN - 1) / INLINE_ALIGN;
}

static struct offsets lay_out(const struct inline_hook *h, uint64_t stubs_bytes)
{
	struct offsets o = { .shapes = (size_t)(inline_hook_end - inline_hook_code + 7) & ~7ul };

	o.metas = (o.shapes + h->shape_bytes + 7) & ~7ul;
	o.granules = o.metas + h->n * sizeof(struct meta);
	o.end = o.granules + granules(stubs_bytes) * sizeof(uint32_t);
	return o;
}

size_t inline_hook_bytes(const struct inline_hook *h, uint64_t stubs_bytes)
{
	return lay_out(h, stubs_bytes).end;
}

static void write_granules(const struct inline_hook *h, uint8_t *to)
{
	for (uint32_t i = 0; i < h->n; i++) {
		uint32_t number = i + 1, first = h->metas[i].start / INLINE_ALIGN,
			 n = (h->ends[i] + INLINE_ALIGN - 1) / INLINE_ALIGN;

		for (uint32_t k = first; k < first + n; k++)
			memcpy(to + k * sizeof(number), &number, sizeof(number));
	}
}

static int fill_in(const struct inline_hook_place *p, const struct offsets *o, uint8_t *code)
{
	const uint64_t targets[HOOK_PATCHES] = {
		[HOOK_STUBS] = p->stubs,
		[HOOK_TEXT] = p->text,
		[HOOK_GRANULES] = p->addr + o->granules,
		[HOOK_METAS] = p->addr + o->metas,
		[HOOK_SHAPES] = p->addr + o->shapes,
		[HOOK_TABLE] = p->table,
		[HOOK_SIGNALS] = p->signals,
		[HOOK_BACK] = p->sigtramp + INLINE_SIGTRAMP_BYTES,
		[HOOK_STUBS_BYTES] = p->stubs_bytes,
		/* A jump is read from pc on: all of it must lie in the text. */
		[HOOK_TEXT_BYTES] = p->text_bytes - 4,
	};

	for (const struct patch *t = inline_hook_patches; t < inline_hook_patches_end; t++) {
		int64_t value = (int64_t)targets[t->what];

		if (t->what < HOOK_STUBS_BYTES)
			value -= (int64_t)(p->addr + t->at + 4);
		if (value != (int32_t)value)
			return -ERANGE;
		memcpy(code + t->at, &(int32_t){ (int32_t)value }, 4);
	}
	return 0;
}

int inline_hook_write(const struct inline_hook *h, const struct inline_hook_place *place,
		      uint8_t *to)
{
	struct offsets o = lay_out(h, place->stubs_bytes);

	if (place->text_bytes < 5)
		return -ERANGE;
	memset(to, 0, o.end);
	memcpy(to, inline_hook_code, inline_hook_end - inline_hook_code);
	if (h->n) {
		memcpy(to + o.shapes, h->shapes, h->shape_bytes);
		memcpy(to + o.metas, h->metas, h->n * sizeof(*h->metas));
	}
	write_granules(h, to + o.granules);
	return fill_in(place, &o, to);
}
