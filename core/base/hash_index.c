// SPDX-License-Identifier: BSD-2-Clause
#include "base/hash_index.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_SLOTS 64

static uint64_t mix_bytes(uint64_t sum, const void *bytes, size_t n)
{
	const uint8_t *p = bytes;
	uint64_t word;

	for (; n >= sizeof(word); n -= sizeof(word), p += sizeof(word)) {
		memcpy(&word, p, sizeof(word));
		sum = hash_mix(sum ^ word);
	}
	word = 0;
	if (n)
		memcpy(&word, p, n);
	return hash_mix(sum ^ word);
}

uint32_t hash_bytes(const void *bytes, size_t n)
{
	return (uint32_t)mix_bytes(n, bytes, n);
}

uint64_t hash_wide(uint64_t h, const void *bytes, size_t n)
{
	return mix_bytes(hash_mix(h) ^ n, bytes, n);
}

static void put(struct hash_index *x, struct hash_slot s)
{
	size_t mask = x->n_slots - 1, at = s.hash & mask;

	while (x->slots[at].used)
		at = (at + 1) & mask;
	x->slots[at] = s;
}

static int grow(struct hash_index *x)
{
	struct hash_index fresh = { .n_slots = x->n_slots ? 2 * x->n_slots : FIRST_SLOTS,
				    .n = x->n };

	fresh.slots = calloc(fresh.n_slots, sizeof(*fresh.slots));
	if (!fresh.slots)
		return -ENOMEM;
	for (size_t i = 0; i < x->n_slots; i++)
		if (x->slots[i].used)
			put(&fresh, x->slots[i]);
	free(x->slots);
	*x = fresh;
	return 0;
}

int hash_index_put(struct hash_index *x, uint32_t hash, uint32_t item)
{
	if (2 * (x->n + 1) > x->n_slots && grow(x))
		return -ENOMEM;
	put(x, (struct hash_slot){ hash, item + 1 });
	x->n++;
	return 0;
}

static size_t find(const struct hash_index *x, uint32_t hash, uint32_t item)
{
	size_t mask = x->n_slots - 1, at = hash & mask;

	while (x->slots[at].used != item + 1)
		at = (at + 1) & mask;
	return at;
}

void hash_index_move(struct hash_index *x, uint32_t hash, uint32_t from, uint32_t to)
{
	x->slots[find(x, hash, from)].used = to + 1;
}

/* Moves later elements into the hole, so that no slot needs a mark for "something was here". */
void hash_index_remove(struct hash_index *x, uint32_t hash, uint32_t item)
{
	size_t mask = x->n_slots - 1, hole = find(x, hash, item);

	for (size_t i = (hole + 1) & mask; x->slots[i].used; i = (i + 1) & mask) {
		size_t home = x->slots[i].hash & mask;

		if (((i - home) & mask) >= ((i - hole) & mask)) {
			x->slots[hole] = x->slots[i];
			hole = i;
		}
	}
	x->slots[hole] = (struct hash_slot){ 0 };
	x->n--;
}

int hash_index_copy(struct hash_index *to, const struct hash_index *from)
{
	size_t bytes = from->n_slots * sizeof(*from->slots);
	struct hash_slot *slots = bytes ? malloc(bytes) : NULL;

	if (bytes && !slots)
		return -ENOMEM;
	if (bytes)
		memcpy(slots, from->slots, bytes);
	*to = (struct hash_index){ slots, from->n_slots, from->n };
	return 0;
}

void hash_index_free(struct hash_index *x)
{
	free(x->slots);
	*x = (struct hash_index){ 0 };
}
