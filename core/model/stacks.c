// SPDX-License-Identifier: BSD-2-Clause
/* Stacks by goroutine and by thread: found by number. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/vec.h"
#include "model/model_internal.h"

#define KEEP_FRAMES 256 /* a spare stack keeps at most so many frames' room */

/* Something may happen on s, of t, which has room for all its stacks in each list. */
static void touch(struct stack_table *t, struct stack *s)
{
	for (int i = 0; i < SINCE_KINDS; i++)
		if (!s->since[i]) {
			t->since[i].all[t->since[i].n++] = s;
			s->since[i] = (uint32_t)t->since[i].n;
		}
}

static void untouch(struct stack_table *t, const struct stack *s)
{
	for (int i = 0; i < SINCE_KINDS; i++)
		if (s->since[i]) {
			struct stack *last = t->since[i].all[--t->since[i].n];

			last->since[i] = s->since[i];
			t->since[i].all[s->since[i] - 1] = last;
		}
}

static int by_index(const void *x, const void *y)
{
	const struct stack *const *a = x, *const *b = y;

	return compare_u64((*a)->index, (*b)->index);
}

struct stack **stacks_since(struct stack_table *t, enum since since, size_t *n)
{
	struct stack_list *list = &t->since[since];

	*n = list->n;
	if (list->n)
		qsort(list->all, list->n, sizeof(*list->all), by_index);
	for (size_t i = 0; i < list->n; i++)
		list->all[i]->since[since] = 0;
	list->n = 0;
	memset(t->recent, 0, sizeof(t->recent));
	return list->all;
}

static inline void pair_on_found(struct stack_table *t, struct stack *s)
{
	touch(t, s);
}

#define PAIR_STACKS struct stack_table
#define PAIR_ID(s)  ((s)->info.goid)
#include "pair/stacks.h"

struct stack *stack_find(struct stack_table *t, uint64_t id)
{
	return pair_stacks_find(t, id);
}

static int table_add(struct stack_table *t, struct stack *s)
{
	int err = 0;

	for (int i = 0; i < SINCE_KINDS && !err; i++)
		err = vec_reserve(&t->since[i].all, &t->since[i].cap, t->n + 1);
	if (!err)
		err = pair_stacks_add(t, s);
	if (!err)
		touch(t, s);
	return err;
}

static void table_remove(struct stack_table *t, const struct stack *s)
{
	untouch(t, s);
	pair_stacks_remove(t, s);
}

/* A used stack as new, with the room for frames that it had. */
static void reset(struct stack *s)
{
	struct frame *frames = s->frames;
	struct frame_states *frame_states = s->frame_states;
	struct call_wait *waits = s->waits;
	size_t cap = s->cap, cap_frame_states = s->cap_frame_states, cap_waits = s->cap_waits;

	open_funcs_free(&s->open);
	call_values_free(s);
	memset(s, 0, sizeof(*s));
	s->frames = frames;
	s->cap = cap;
	s->frame_states = frame_states;
	s->cap_frame_states = cap_frame_states;
	s->waits = waits;
	s->cap_waits = cap_waits;
}

struct stack *stack_get_slow(struct model *m, bool system, uint64_t id, uint64_t ts_ns)
{
	struct stack_table *t = system ? &m->threads : &m->goroutines;
	struct stack *s = stack_find(t, id);

	if (s)
		return s;
	if (m->totals.goroutines + m->n_threads >= m->max_stacks) {
		errno = E2BIG;
		return NULL;
	}
	s = m->n_spare ? m->spare[--m->n_spare] : calloc(1, sizeof(*s));
	if (!s)
		return NULL;
	s->system = system;
	s->info = (struct goroutine_info){
		.goid = id, .image = m->image, .first_ns = ts_ns, .last_ns = ts_ns, .system = system
	};
	if (table_add(t, s)) {
		stack_free(m, s);
		errno = ENOMEM;
		return NULL;
	}
	s->muted = !system && view_mutes_goid(m, id);
	states_begin(m, s, ts_ns);
	m->totals.goroutines += !system;
	m->n_threads += system;
	return s;
}

int stack_grow(struct model *m, struct stack *s)
{
	size_t before = s->cap;

	if (!before && (s->frames = calloc(STACK_FRAMES, sizeof(*s->frames))))
		s->cap = STACK_FRAMES;
	int err = vec_reserve(&s->frames, &s->cap, s->n + 1);

	m->frames_room += s->cap - before;
	return err ? err : m->frames_room > m->max_frames_room ? -E2BIG : 0;
}

void stack_free(struct model *m, struct stack *s)
{
	m->frames_room -= s->cap;
	free(s->frames);
	free(s->frame_states);
	free(s->waits);
	open_funcs_free(&s->open);
	call_values_free(s);
	free(s);
}

void stack_drop(struct model *m, struct stack *s)
{
	struct goroutine_info *g = &s->info;

	if (m->opt.view) /* outermost calls may not count */
		g->total_ns = g->self_ns + g->morestack_ns + g->preempt_ns;
	/* Of a view, only goroutines that something of it happened on. */
	if (m->opt.on_goroutine && (!m->opt.view || g->calls || g->total_ns))
		m->opt.on_goroutine(m->opt.ctx, g);
	table_remove(s->system ? &m->threads : &m->goroutines, s);
	if (m->n_spare == sizeof(m->spare) / sizeof(m->spare[0]) || s->cap > KEEP_FRAMES) {
		stack_free(m, s);
		return;
	}
	reset(s);
	m->spare[m->n_spare++] = s;
}

void stack_table_free(struct model *m, struct stack_table *t)
{
	for (size_t i = 0; i < t->n; i++)
		stack_free(m, t->all[i]);
	for (int i = 0; i < SINCE_KINDS; i++)
		free(t->since[i].all);
	free(t->all);
	hash_index_free(&t->by_id);
	*t = (struct stack_table){ 0 };
}
