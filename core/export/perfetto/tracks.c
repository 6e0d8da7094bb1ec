// SPDX-License-Identifier: BSD-2-Clause
#include "export/perfetto/tracks.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

static uint32_t hash_of(const struct track_key *key)
{
	return hash_u64_pair(key->id, (uint64_t)key->image << 32 | key->system);
}

/* Its place in t->all, HASH_NONE: there is none. */
static uint32_t find(const struct tracks *t, const struct track_key *key)
{
	const uint32_t hash = hash_of(key);
	size_t at;
	uint32_t i = hash_index_first(&t->index, hash, &at);

	while (i != HASH_NONE && memcmp(&t->all[i]->key, key, sizeof(*key)) != 0)
		i = hash_index_next(&t->index, hash, &at);
	return i;
}

static struct track *add(struct tracks *t, const struct track_key *key)
{
	struct track *x = calloc(1, sizeof(*x));

	if (!x || vec_reserve(&t->all, &t->cap, t->n + 1) ||
	    hash_index_put(&t->index, hash_of(key), (uint32_t)t->n)) {
		free(x);
		return NULL;
	}
	x->key = *key;
	return t->all[t->n++] = x;
}

struct track *tracks_get(struct tracks *t, struct track_key key)
{
	if (t->last && !memcmp(&t->last->key, &key, sizeof(key)))
		return t->last;
	const uint32_t i = find(t, &key);
	struct track *x = i != HASH_NONE ? t->all[i] : add(t, &key);

	if (x)
		t->last = x;
	return x;
}

static void track_free(struct track *x)
{
	free(x->below_ns);
	free(x);
}

void tracks_drop(struct tracks *t, struct track_key key)
{
	const uint32_t i = find(t, &key);

	if (i == HASH_NONE)
		return;
	if (t->last == t->all[i])
		t->last = NULL;
	hash_index_remove(&t->index, hash_of(&key), i);
	track_free(t->all[i]);
	if (i != --t->n) { /* the last one takes its place */
		t->all[i] = t->all[t->n];
		hash_index_move(&t->index, hash_of(&t->all[i]->key), (uint32_t)t->n, i);
	}
}

int track_reserve(struct track *t, uint32_t level)
{
	return vec_reserve(&t->below_ns, &t->cap, (size_t)level + 1);
}

void tracks_free(struct tracks *t)
{
	for (size_t i = 0; i < t->n; i++)
		track_free(t->all[i]);
	hash_index_free(&t->index);
	free(t->all);
	*t = (struct tracks){ 0 };
}
