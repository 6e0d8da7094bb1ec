// SPDX-License-Identifier: BSD-2-Clause
#include "model/path_events.h"

#include <stdlib.h>

#include "base/vec.h"
#include "model/model_internal.h"

struct path_events path_event_of(uint32_t path, uint8_t code)
{
	unsigned both = code - (NO_EVENT + 1);

	return (struct path_events){ .path = path, .role = both % ROLES, .how = both / ROLES };
}

int path_events_add_many(struct path_event_table *t, uint32_t path, uint8_t code, uint64_t n)
{
	struct path_events new = path_event_of(path, code);
	uint32_t hash = hash_u64_pair(path, code);
	size_t at;

	if (code == NO_EVENT)
		return 0;
	for (uint32_t i = hash_index_first(&t->index, hash, &at); i != HASH_NONE;
	     i = hash_index_next(&t->index, hash, &at)) {
		struct path_events *e = &t->all[i];

		if (e->path == path && e->role == new.role && e->how == new.how) {
			e->n += n;
			return 0;
		}
	}
	new.n = n;
	int err = vec_reserve(&t->all, &t->cap, t->n + 1);

	if (!err)
		err = hash_index_put(&t->index, hash, (uint32_t)t->n);
	if (!err)
		t->all[t->n++] = new;
	return err;
}

void path_events_free(struct path_event_table *t)
{
	free(t->all);
	hash_index_free(&t->index);
}

void model_path_events(const struct model *m, void (*tell)(void *ctx, const struct path_events *e),
		       void *ctx)
{
	const struct path_event_table *t = &m->paths.events;

	for (uint32_t i = 1; i < m->paths.n; i++)
		for (int end = 0; end < 2; end++) {
			const struct call_stats *st = &m->paths.nodes[i].stats;
			uint64_t all = end ? st->finished : st->calls,
				 others = m->paths.aux[i].unusual[end];
			uint8_t code = m->paths.hot[i].usual[end];
			struct path_events e = path_event_of(i, code);

			e.n = all - others;
			if (code > NO_EVENT && all > others)
				tell(ctx, &e);
		}
	for (size_t i = 0; i < t->n; i++)
		tell(ctx, &t->all[i]);
}
