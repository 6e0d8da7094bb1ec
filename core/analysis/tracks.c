// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/tracks.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

struct track *tracks_get(struct tracks *t, struct track_key key)
{
	struct track *x = t->last;

	if (x && !memcmp(&x->key, &key, sizeof(key)))
		return x;
	HASH_FIND(hh, t->all, &key, sizeof(key), x);
	if (!x) {
		x = calloc(1, sizeof(*x));
		if (!x)
			return NULL;
		x->key = key;
		HASH_ADD(hh, t->all, key, sizeof(x->key), x);
		if (!HASH_ADDED(x)) {
			free(x);
			return NULL;
		}
	}
	return t->last = x;
}

static void drop(struct tracks *t, struct track *x)
{
	if (t->last == x)
		t->last = NULL;
	HASH_DEL(t->all, x);
	free(x->below_ns);
	free(x);
}

void tracks_drop(struct tracks *t, struct track_key key)
{
	struct track *x;

	HASH_FIND(hh, t->all, &key, sizeof(key), x);
	if (x)
		drop(t, x);
}

int track_reserve(struct track *t, uint32_t level)
{
	return vec_reserve(&t->below_ns, &t->cap, (size_t)level + 1);
}

void tracks_free(struct tracks *t)
{
	struct track *x, *next;

	HASH_ITER(hh, t->all, x, next)
		drop(t, x);
}
