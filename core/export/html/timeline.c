// SPDX-License-Identifier: BSD-2-Clause
#include "export/html/timeline.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/vec.h"
#include "export/html/timeline_lanes.h"

#define MOST_LANES  ((size_t)1 << 15) /* while calls are added */
#define MOST_LEVELS 512               /* deeper calls are counted, not kept */
#define STEPS       1024 /* into so many the time is divided before lanes are left out */

/* ---- lanes */

static int reduce(struct timeline *t, size_t most, size_t most_lanes);

/* Its lane, a new one when it has none. HASH_NONE: there is no memory. */
static uint32_t lane_of(struct timeline *t, uint64_t id, uint32_t image, bool system)
{
	uint32_t i = timeline_lane_find(t, id, image, system);

	if (i != HASH_NONE)
		return i;
	if (t->n_lanes == MOST_LANES)
		t->err = reduce(t, t->most, MOST_LANES / 2);
	if (t->err)
		return HASH_NONE;
	t->err = timeline_lane_add(t, id, image, system);
	return t->err ? HASH_NONE : (uint32_t)t->n_lanes - 1;
}

static uint32_t slot_of(uint32_t level)
{
	return level == TIMELINE_STATES ? 0 : level + 1;
}

/* Of a lane's level: its last span. NULL: no memory */
static uint32_t *last_of(struct timeline_lane *l, uint32_t level)
{
	uint32_t slot = slot_of(level);

	if (slot >= l->n_last) {
		uint32_t n = slot + 2;
		uint32_t *more = realloc(l->last, n * sizeof(*more));

		if (!more)
			return NULL;
		for (uint32_t i = l->n_last; i < n; i++)
			more[i] = UINT32_MAX;
		l->last = more;
		l->n_last = n;
	}
	return &l->last[slot];
}

/* ---- spans */

/* Makes a and what follows it, b, one: of what had most, by the vote of Boyer and Moore, MJRTY
 * (1991), each nanosecond a voice. */
static void join(struct timeline_span *a, const struct timeline_span *b)
{
	a->end_ns = b->end_ns > a->end_ns ? b->end_ns : a->end_ns;
	a->start_ns = b->start_ns < a->start_ns ? b->start_ns : a->start_ns;
	a->busy_ns += b->busy_ns;
	a->woken = 0;
	a->n = a->n > UINT32_MAX - b->n ? UINT32_MAX : a->n + b->n;
	if (a->what == b->what) {
		a->lead_ns += b->lead_ns;
	} else if (a->lead_ns >= b->lead_ns) {
		a->lead_ns -= b->lead_ns;
	} else {
		a->what = b->what;
		a->lead_ns = b->lead_ns - a->lead_ns;
	}
}

static bool fit(const struct timeline *t, const struct timeline_span *a,
		const struct timeline_span *b)
{
	uint64_t start_ns = a->start_ns < b->start_ns ? a->start_ns : b->start_ns,
		 end_ns = a->end_ns > b->end_ns ? a->end_ns : b->end_ns;

	return a->lane == b->lane && a->level == b->level && end_ns - start_ns <= t->apart_ns;
}

static int by_place(const void *x, const void *y)
{
	const struct timeline_span *a = x, *b = y;
	int c = compare_u64(a->lane, b->lane);

	if (!c) /* states, the greatest level, come first */
		c = compare_u64(slot_of(a->level), slot_of(b->level));
	if (!c)
		c = compare_u64(a->start_ns, b->start_ns);
	return c ? c : compare_u64(a->end_ns, b->end_ns);
}

static void join_all(struct timeline *t)
{
	size_t n = 0;

	for (size_t i = 0; i < t->n; i++)
		if (n && fit(t, &t->spans[n - 1], &t->spans[i]))
			join(&t->spans[n - 1], &t->spans[i]);
		else
			t->spans[n++] = t->spans[i];
	t->n = n;
}

/* Twice as long, from a microsecond on. */
static void lengthen(struct timeline *t)
{
	t->apart_ns = !t->apart_ns ? 1000 : t->apart_ns >> 63 ? UINT64_MAX : 2 * t->apart_ns;
	join_all(t);
}

/* At most so many spans and lanes. */
static int reduce(struct timeline *t, size_t most, size_t most_lanes)
{
	uint64_t span_ns = t->to_ns - t->from_ns;
	int err = 0;

	if (t->n)
		qsort(t->spans, t->n, sizeof(*t->spans), by_place);
	for (size_t i = 0; i < t->n_lanes; i++)
		t->lanes[i].pinned = false;
	if (t->pin && (t->n > most || t->n_lanes > most_lanes))
		t->pin(t->pin_ctx, t);
	if (t->n_lanes > most_lanes)
		err = timeline_lanes_leave_out(t, SIZE_MAX, most_lanes, false);
	if (!err && t->n > most)
		err = timeline_lanes_leave_out(t, most, most_lanes, true);
	while (!err && t->n > most && t->apart_ns < span_ns / STEPS)
		lengthen(t);
	if (!err && t->n > most)
		err = timeline_lanes_leave_out(t, most, most_lanes, false);
	while (!err && t->n > most && t->apart_ns < span_ns) /* one lane is left */
		lengthen(t);
	for (size_t i = 0; i < t->n_lanes; i++)
		for (uint32_t k = 0; k < t->lanes[i].n_last; k++)
			t->lanes[i].last[k] = UINT32_MAX;
	for (size_t i = 0; i < t->n; i++)
		*last_of(&t->lanes[t->spans[i].lane], t->spans[i].level) = (uint32_t)i;
	return err;
}

/* s: of the lane that it says */
static void add_span(struct timeline *t, const struct timeline_span *s)
{
	uint32_t *last = last_of(&t->lanes[s->lane], s->level);

	if (!last) {
		t->err = -ENOMEM;
		return;
	}
	if (*last != UINT32_MAX && fit(t, &t->spans[*last], s)) {
		join(&t->spans[*last], s);
		return;
	}
	if (vec_reserve(&t->spans, &t->cap, t->n + 1)) {
		t->err = -ENOMEM;
		return;
	}
	*last = (uint32_t)t->n;
	t->spans[t->n++] = *s;
}

/* The lane that gets another span, for which there is room. HASH_NONE: no memory */
static uint32_t lane_for(struct timeline *t, uint64_t id, uint32_t image, bool system)
{
	if (!t->err && t->n >= t->most)
		t->err = reduce(t, t->most / 2, t->most_lanes);
	return t->err ? HASH_NONE : lane_of(t, id, image, system);
}

/* ---- what happens */

/* In which it did not wait. */
static uint64_t busy_ns(const struct call *c)
{
	uint64_t wait_ns = c->states ? c->states->self.wait_ns : 0;

	return c->self_ns > wait_ns ? c->self_ns - wait_ns : 0;
}

/* Where its goroutine began is known by its first call. */
static void find_start(const struct timeline *t, struct timeline_lane *l, const struct call *c)
{
	size_t n = 0;
	const struct path_node *nodes = t->model ? model_paths(t->model, &n) : NULL;
	uint32_t p = c->path;

	if (l->start_path || (!nodes && c->level))
		return;
	while (p < n && !nodes[p].go_edge && nodes[p].parent)
		p = nodes[p].parent;
	l->start_path = p;
	if (p < n && nodes[p].go_edge) {
		l->start_func = nodes[p].func;
		l->start_go = nodes[p].go_pc;
	} else {
		l->start_func = nodes ? PATH_ROOT : p;
	}
}

void timeline_call(struct timeline *t, const struct call *c)
{
	uint64_t start_ns = c->start_ns > t->from_ns ? c->start_ns : t->from_ns,
		 end_ns = c->end_ns > start_ns ? c->end_ns : start_ns;

	if (t->err)
		return;
	t->to_ns = end_ns > t->to_ns ? end_ns : t->to_ns;
	if (!c->level)
		t->err = timeline_strips_add(&t->strips, c->path, start_ns - t->from_ns,
					     end_ns - t->from_ns);
	if (c->level >= MOST_LEVELS) {
		t->too_deep++;
		return;
	}
	uint32_t lane = lane_for(t, c->system ? c->tid : c->goid, c->image, c->system);

	if (lane == HASH_NONE)
		return;
	t->lanes[lane].busy_ns += busy_ns(c);
	find_start(t, &t->lanes[lane], c);
	add_span(t, &(struct timeline_span){ .start_ns = start_ns,
					     .end_ns = end_ns,
					     .busy_ns = end_ns - start_ns,
					     .lead_ns = end_ns - start_ns,
					     .lane = lane,
					     .level = c->level,
					     .what = c->path,
					     .n = 1 });
}

void timeline_state(struct timeline *t, const struct state_span *s)
{
	uint64_t start_ns = s->from_ns > t->from_ns ? s->from_ns : t->from_ns;

	if (t->err || s->to_ns <= start_ns)
		return;
	uint32_t lane = lane_for(t, s->goid, s->image, false);

	if (lane == HASH_NONE)
		return;
	t->to_ns = s->to_ns > t->to_ns ? s->to_ns : t->to_ns;
	add_span(t,
		 &(struct timeline_span){ .start_ns = start_ns,
					  .end_ns = s->to_ns,
					  .busy_ns = s->to_ns - start_ns,
					  .lead_ns = s->to_ns - start_ns,
					  .lane = lane,
					  .level = TIMELINE_STATES,
					  .what = STATE_DEPTH(s->state, s->reason),
					  .n = 1,
					  /* WAKE_NONE becomes 0 */
					  .woken = s->state == STATE_RUNNABLE ? s->by_func + 1 : 0,
					  .by = s->by });
}

void timeline_goroutine(struct timeline *t, const struct goroutine_info *g)
{
	uint32_t lane = t->err ? HASH_NONE : timeline_lane_find(t, g->goid, g->image, g->system);

	if (lane != HASH_NONE)
		t->lanes[lane].start_pc = g->start_pc;
}

bool timeline_pin(struct timeline *t, uint64_t id, uint32_t image, bool system)
{
	uint32_t lane = timeline_lane_find(t, id, image, system);

	if (lane == HASH_NONE || t->lanes[lane].pinned)
		return false;
	t->lanes[lane].pinned = true;
	return true;
}

int timeline_finish(struct timeline *t)
{
	if (!t->err)
		t->err = reduce(t, t->most, t->most_lanes);
	return t->err;
}

void timeline_free(struct timeline *t)
{
	for (size_t i = 0; i < t->n_lanes; i++)
		free(t->lanes[i].last);
	free(t->lanes);
	free(t->spans);
	timeline_strips_free(&t->strips);
	hash_index_free(&t->by_id);
	*t = (struct timeline){ 0 };
}
