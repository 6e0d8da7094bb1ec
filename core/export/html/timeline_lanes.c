// SPDX-License-Identifier: BSD-2-Clause
#include "export/html/timeline_lanes.h"

#include <errno.h>
#include <stdlib.h>

#include "base/compare.h"
#include "base/vec.h"

#define QUOTA     24 /* lanes of a go statement, */
#define QUOTA_ALL 96 /* or of all together, if there are few go statements */

static uint32_t lane_hash(uint64_t id, uint32_t image, bool system)
{
	return hash_u64_pair(id, (uint64_t)image << 1 | system);
}

uint32_t timeline_lane_find(const struct timeline *t, uint64_t id, uint32_t image, bool system)
{
	size_t at;
	uint32_t i = hash_index_first(&t->by_id, lane_hash(id, image, system), &at);

	while (i != HASH_NONE &&
	       (t->lanes[i].id != id || t->lanes[i].image != image || t->lanes[i].system != system))
		i = hash_index_next(&t->by_id, lane_hash(id, image, system), &at);
	return i;
}

int timeline_lane_add(struct timeline *t, uint64_t id, uint32_t image, bool system)
{
	int err = vec_reserve(&t->lanes, &t->cap_lanes, t->n_lanes + 1);

	if (!err)
		err = hash_index_put(&t->by_id, lane_hash(id, image, system), (uint32_t)t->n_lanes);
	if (!err)
		t->lanes[t->n_lanes++] =
			(struct timeline_lane){ .id = id, .image = image, .system = system };
	return err;
}

/* ---- the order in which they are kept */

struct choice {
	uint32_t lane;
	uint32_t rank;     /* among those of its go statement, busiest first */
	uint64_t start[2]; /* which go statement that is */
	uint64_t busy_ns;
	size_t spans;
	int place; /* 0: pinned, 1: of the quota, 2: above it */
};

static int by_start(const void *x, const void *y)
{
	const struct choice *a = x, *b = y;
	int c = compare_u64(a->start[0], b->start[0]);

	if (!c)
		c = compare_u64(a->start[1], b->start[1]);
	if (!c)
		c = compare_u64(b->busy_ns, a->busy_ns);
	return c ? c : compare_u64(a->lane, b->lane);
}

/* Of the quota, each go statement's first ones come first; above it, the busiest. */
static int by_place(const void *x, const void *y)
{
	const struct choice *a = x, *b = y;
	int c = a->place - b->place;

	if (!c && a->place == 1)
		c = compare_u64(a->rank, b->rank);
	if (!c)
		c = compare_u64(b->busy_ns, a->busy_ns);
	return c ? c : compare_u64(a->lane, b->lane);
}

static bool same_start(const struct choice *a, const struct choice *b)
{
	return a->start[0] == b->start[0] && a->start[1] == b->start[1];
}

static void place_all(const struct timeline *t, struct choice *all)
{
	size_t starts = 0;

	qsort(all, t->n_lanes, sizeof(*all), by_start);
	for (size_t i = 0; i < t->n_lanes; i++) {
		all[i].rank = i && same_start(&all[i - 1], &all[i]) ? all[i - 1].rank + 1 : 0;
		starts += !all[i].rank;
	}
	const size_t quota = QUOTA_ALL / starts > QUOTA ? QUOTA_ALL / starts : QUOTA;

	for (size_t i = 0; i < t->n_lanes; i++)
		all[i].place = t->lanes[all[i].lane].pinned ? 0 : all[i].rank < quota ? 1 : 2;
	qsort(all, t->n_lanes, sizeof(*all), by_place);
}

/* n_lanes of them, in order; NULL: no memory. */
static struct choice *choices(const struct timeline *t)
{
	struct choice *all = calloc(t->n_lanes + 1, sizeof(*all));

	for (uint32_t i = 0; all && i < t->n_lanes; i++)
		all[i] = (struct choice){ .lane = i,
					  .start = { t->lanes[i].start_func, t->lanes[i].start_go },
					  .busy_ns = t->lanes[i].busy_ns };
	for (size_t i = 0; all && i < t->n; i++)
		all[t->spans[i].lane].spans++;
	if (all && t->n_lanes)
		place_all(t, all);
	return all;
}

/* ---- leaving out */

/* The lanes that kept has a number of, and their spans, by these numbers. 0 or -ENOMEM */
static int keep_lanes(struct timeline *t, const uint32_t *kept)
{
	size_t n = 0;
	int err = 0;

	for (size_t i = 0; i < t->n; i++)
		if (kept[t->spans[i].lane]) {
			t->spans[n] = t->spans[i];
			t->spans[n++].lane = kept[t->spans[i].lane] - 1;
		}
	t->n = n;
	n = 0;
	hash_index_free(&t->by_id);
	for (size_t i = 0; i < t->n_lanes; i++)
		if (kept[i])
			t->lanes[n++] = t->lanes[i];
		else
			free(t->lanes[i].last);
	t->n_lanes = n;
	for (uint32_t i = 0; !err && i < n; i++)
		err = hash_index_put(
			&t->by_id, lane_hash(t->lanes[i].id, t->lanes[i].image, t->lanes[i].system),
			i);
	return err;
}

int timeline_lanes_leave_out(struct timeline *t, size_t most, size_t most_lanes, bool spare)
{
	uint32_t *kept = calloc(t->n_lanes + 1, sizeof(*kept)), n = 0;
	struct choice *all = choices(t);
	size_t taken = 0, sum = 0;
	int err = all && kept ? 0 : -ENOMEM;

	for (; !err && taken < t->n_lanes && taken < most_lanes; taken++) {
		sum += all[taken].spans;
		if (taken && sum > most && !(spare && all[taken].place < 2))
			break;
		kept[all[taken].lane] = 1;
	}
	free(all);
	if (!err && taken < t->n_lanes) {
		for (size_t i = 0; i < t->n_lanes; i++) /* in the order that they had */
			if (kept[i])
				kept[i] = ++n;
		t->left_out = true;
		err = keep_lanes(t, kept);
	}
	free(kept);
	return err;
}
