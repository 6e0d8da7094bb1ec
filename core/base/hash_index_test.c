// SPDX-License-Identifier: BSD-2-Clause
#include <stdbool.h>
#include <stdlib.h>

#include "base/test_fixture.h"
#include "base/hash_index.h"

#define N 5000

static uint64_t keys[N];

/* Few hashes for many keys, and long runs of full slots that wrap around. */
static uint32_t bad_hash(uint64_t key)
{
	return (uint32_t)(key % 7) - 3;
}

static uint32_t good_hash(uint64_t key)
{
	return hash_u64_pair(key, key >> 3);
}

static uint32_t find(const struct hash_index *x, uint32_t (*hash)(uint64_t), uint64_t key)
{
	size_t at;

	for (uint32_t i = hash_index_first(x, hash(key), &at); i != HASH_NONE;
	     i = hash_index_next(x, hash(key), &at))
		if (keys[i] == key)
			return i;
	return HASH_NONE;
}

/* Puts and removes at random; after each step, what must be there is found and nothing else. */
static void against_list(uint32_t (*hash)(uint64_t), unsigned n, unsigned steps)
{
	struct hash_index x = { 0 };
	bool there[N] = { false };
	size_t count = 0;

	for (unsigned i = 0; i < n; i++)
		keys[i] = (uint64_t)i * i * 977 + i;
	srand(1);
	for (unsigned step = 0; step < steps; step++) {
		uint32_t i = (uint32_t)rand() % n;

		if (there[i])
			hash_index_remove(&x, hash(keys[i]), i);
		else
			assert_int_equal(hash_index_put(&x, hash(keys[i]), i), 0);
		there[i] = !there[i];
		count += there[i] ? 1 : -1;
		assert_int_equal(x.n, count);
		assert_true(2 * x.n <= x.n_slots);
		for (unsigned k = step % 97; k < n; k += 97)
			assert_int_equal(find(&x, hash, keys[k]), there[k] ? k : HASH_NONE);
	}
	for (unsigned k = 0; k < n; k++)
		assert_int_equal(find(&x, hash, keys[k]), there[k] ? k : HASH_NONE);
	hash_index_free(&x);
	assert_int_equal(x.n_slots, 0);
}

TEST(test_good_hash)
{
	against_list(good_hash, N, 20000);
}

/* Numbers and texts made to collide by the constants in this file's sources do not. */
TEST(test_secret)
{
	const uint64_t inverse = 0xf1de83e19937733dull;
	const uint32_t first = hash_u64((1ull << 32 | 1) * inverse);
	unsigned same = 0;

	for (uint64_t i = 2; i < 2000; i++)
		same += hash_u64((i << 32 | i) * inverse) == first;
	assert_true(same < 3);
	same = 0;
	for (uint64_t b = 1; b < 2000; b++)
		same += hash_u64_pair((b + 1) * 0xc2b2ae3d27d4eb4full, b) ==
			hash_u64_pair(0xc2b2ae3d27d4eb4full, 0);
	assert_true(same < 3);
}

TEST(test_bad_hash)
{
	against_list(bad_hash, 200, 5000);
}

TEST(test_empty)
{
	struct hash_index x = { 0 };
	size_t at;

	assert_int_equal(hash_index_first(&x, 1, &at), HASH_NONE);
	hash_index_free(&x);
}

static unsigned most_in_a_slot(uint64_t secret, unsigned shift)
{
	uint8_t hits[1 << 16] = { 0 };
	unsigned most = 0;

	for (uint64_t key = 0; key < 1 << 15; key++) {
		uint8_t *h = &hits[hash_mix_with(key << shift, secret) & ((1 << 16) - 1)];

		if (++*h > most)
			most = *h;
	}
	return most;
}

/*
 * Numbers that follow one another, such as goroutines', go to slots of their own mostly, whatever
 * the secret is. Equal chances put 13 in one slot less than once in 10^9 secrets.
 */
TEST(test_spread)
{
	for (uint64_t high = 0; high < 256; high++)
		for (unsigned shift = 0; shift <= 32; shift += 8)
			assert_true(most_in_a_slot(high << 56 | 0xd1e995a3c59ac3ull, shift) <= 12);
	assert_true(most_in_a_slot(hash_secret(), 8) <= 12);
}

/* Neighbours by number have neighbouring slots, the next eight are elsewhere; the key counts. */
TEST(test_near)
{
	for (uint32_t i = 0; i < 8; i++)
		assert_int_equal(hash_near(5, 800 + i), hash_near(5, 800) + i);
	assert_int_not_equal(hash_near(5, 808), hash_near(5, 800) + 8);
	assert_int_not_equal(hash_near(6, 800), hash_near(5, 800));
}

TEST(test_move)
{
	struct hash_index x = { 0 };
	size_t at;

	for (uint32_t i = 0; i < 40; i++)
		assert_int_equal(hash_index_put(&x, i / 4, i), 0);
	hash_index_move(&x, 5, 22, 100);
	for (uint32_t i = hash_index_first(&x, 5, &at), seen = 0; seen < 4; seen++) {
		assert_int_equal(i, seen == 2 ? 100 : 20 + seen);
		i = hash_index_next(&x, 5, &at);
	}
	hash_index_remove(&x, 5, 100);
	assert_int_equal(x.n, 39);
	hash_index_free(&x);
}

TESTS(test_good_hash, test_bad_hash, test_empty, test_move, test_spread, test_near, test_secret)
