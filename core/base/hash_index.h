/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A hash table from keys to elements of an array that the caller owns. It holds each element's
 * index and 32 bits of its key's hash. The caller computes the hash (hash_u64, hash_u64_pair) and
 * compares the keys:
 *
 *	size_t at;
 *
 *	for (uint32_t i = hash_index_first(x, hash, &at); i != HASH_NONE;
 *	     i = hash_index_next(x, hash, &at))
 *		if (items[i].key == key)
 *			return &items[i];
 *
 * A zeroed struct is an empty table. Open addressing, at most half full.
 */
#ifndef GOTRACE_HASH_INDEX_H
#define GOTRACE_HASH_INDEX_H

#include <stddef.h>
#include <stdint.h>

#define HASH_NONE UINT32_MAX /* no element; never an index */

struct hash_slot {
	uint32_t hash;
	uint32_t used; /* the element's index + 1, 0 in an empty slot */
};

struct hash_index {
	struct hash_slot *slots;
	size_t n_slots; /* 0 or a power of two */
	size_t n;       /* elements */
};

/* Returns the hash of n bytes, eight at a time. */
uint32_t hash_bytes(const void *bytes, size_t n);

/*
 * Returns an odd number. It differs in each run, because the kernel puts the program at another
 * address. The author of a file cannot know it, and so cannot choose keys with one hash, which
 * would take quadratic time. So no output may depend on a hash.
 */
static inline uint64_t hash_secret(void)
{
	return (uint64_t)(uintptr_t)hash_bytes * 0x9e3779b97f4a7c15ull | 1;
}

/* Returns both halves of a product, combined by XOR. */
static inline uint64_t hash_fold(uint64_t x, uint64_t factor)
{
	const unsigned __int128 product = (unsigned __int128)x * factor;

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/*
 * The second product spreads numbers that the first leaves together. About one secret in twenty has
 * a high byte that maps successive numbers to few slots.
 */
static inline uint64_t hash_mix_with(uint64_t x, uint64_t secret)
{
	return hash_fold(hash_fold(x, secret), 0x9e3779b97f4a7c15ull);
}

static inline uint64_t hash_mix(uint64_t x)
{
	return hash_mix_with(x, hash_secret());
}

static inline uint32_t hash_u64(uint64_t key)
{
	return (uint32_t)hash_mix(key);
}

static inline uint32_t hash_u64_pair(uint64_t a, uint64_t b)
{
	return hash_u64(a ^ hash_mix(b + 1));
}

/*
 * A hash for numbers that are given in the order of first appearance, such as those of paths. The
 * next number is mostly near the last one. Eight neighbours have slots side by side, in one or two
 * cache lines.
 */
static inline uint32_t hash_near(uint64_t key, uint32_t number)
{
	return hash_u64_pair(key, number / 8) * 8 + number % 8;
}

/* Returns 64 bits of a hash of n bytes that begins with h, for contents that are equal when it is.
 * Nobody can make others of the same hash, because it has the secret. */
uint64_t hash_wide(uint64_t h, const void *bytes, size_t n);

/* Returns the next element with that hash, HASH_NONE after the last. The table must not change
 * between calls. */
static inline uint32_t hash_index_next(const struct hash_index *x, uint32_t hash, size_t *at)
{
	for (;;) {
		const struct hash_slot *s = &x->slots[*at & (x->n_slots - 1)];

		(*at)++;
		if (!s->used)
			return HASH_NONE;
		if (s->hash == hash)
			return s->used - 1;
	}
}

/* Returns the first element with that hash. Other keys may have the same hash, so compare keys. */
static inline uint32_t hash_index_first(const struct hash_index *x, uint32_t hash, size_t *at)
{
	*at = hash;
	return x->n_slots ? hash_index_next(x, hash, at) : HASH_NONE;
}

/* Adds an element whose key is not there yet. 0 or -ENOMEM (then the table is unchanged). */
int hash_index_put(struct hash_index *x, uint32_t hash, uint32_t item);

/* Removes an element, which must be there. */
void hash_index_remove(struct hash_index *x, uint32_t hash, uint32_t item);

/* Changes the index of an element, which must be there, from `from` to `to`. */
void hash_index_move(struct hash_index *x, uint32_t hash, uint32_t from, uint32_t to);

/* Makes `to`, which is empty, a copy of `from`. 0 or -ENOMEM. */
int hash_index_copy(struct hash_index *to, const struct hash_index *from);

/* Frees the table and leaves it empty. The caller owns the elements. */
void hash_index_free(struct hash_index *x);

#endif
