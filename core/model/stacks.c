// SPDX-License-Identifier: BSD-2-Clause
/* Stacks by goroutine and by thread: a small open-addressing table with a small cache. */
#include <stdlib.h>
#include <string.h>

#include "model/model_internal.h"

#define KEEP_FRAMES 256 /* a spare stack keeps at most so many frames' room */

static size_t home(const struct stack_table *t, uint64_t id)
{
	uint64_t h = id * 0x9e3779b97f4a7c15ull;

	return (h ^ h >> 32) & (t->n_slots - 1);
}

struct stack *stack_find(struct stack_table *t, uint64_t id)
{
	struct stack **recent = stack_recent(t, id);

	if (*recent && (*recent)->info.goid == id)
		return *recent;
	for (size_t i = t->n_slots ? home(t, id) : 0; t->n_slots && t->slots[i];
	     i = (i + 1) & (t->n_slots - 1))
		if (t->slots[i]->info.goid == id)
			return *recent = t->slots[i];
	return NULL;
}

static void place(struct stack_table *t, struct stack *s)
{
	size_t i = home(t, s->info.goid);

	while (t->slots[i])
		i = (i + 1) & (t->n_slots - 1);
	t->slots[i] = s;
}

static int table_grow(struct stack_table *t)
{
	struct stack **old = t->slots;
	size_t n_old = t->n_slots;
	struct stack **fresh = calloc(n_old ? 2 * n_old : 64, sizeof(*fresh));

	if (!fresh)
		return -1;
	t->slots = fresh;
	t->n_slots = n_old ? 2 * n_old : 64;
	for (size_t i = 0; i < n_old; i++)
		if (old[i])
			place(t, old[i]);
	free(old);
	return 0;
}

/* Closes the hole, so that a search never needs a mark for "something was here". */
static void table_remove(struct stack_table *t, const struct stack *s)
{
	size_t mask = t->n_slots - 1, hole = home(t, s->info.goid);

	while (t->slots[hole] != s)
		hole = (hole + 1) & mask;
	for (size_t i = (hole + 1) & mask; t->slots[i]; i = (i + 1) & mask) {
		size_t want = home(t, t->slots[i]->info.goid);

		if (((i - want) & mask) >= ((i - hole) & mask)) {
			t->slots[hole] = t->slots[i];
			hole = i;
		}
	}
	t->slots[hole] = NULL;
	t->n--;
	if (*stack_recent(t, s->info.goid) == s)
		*stack_recent(t, s->info.goid) = NULL;
}

/* A used stack as new, with the room for frames that it had. */
static void reset(struct stack *s)
{
	struct frame *frames = s->frames;
	size_t cap = s->cap;

	open_funcs_free(&s->open);
	memset(s, 0, sizeof(*s));
	s->frames = frames;
	s->cap = cap;
}

struct stack *stack_get_slow(struct model *m, bool system, uint64_t id, uint64_t ts_ns)
{
	struct stack_table *t = system ? &m->threads : &m->goroutines;
	struct stack *s = stack_find(t, id);

	if (s)
		return s;
	if (t->n + 1 > t->n_slots / 2 && table_grow(t))
		return NULL;
	s = m->n_spare ? m->spare[--m->n_spare] : calloc(1, sizeof(*s));
	if (!s)
		return NULL;
	s->system = system;
	s->info = (struct goroutine_info){
		.goid = id, .image = m->image, .first_ns = ts_ns, .last_ns = ts_ns, .system = system
	};
	place(t, s);
	t->n++;
	*stack_recent(t, id) = s;
	m->totals.goroutines += !system;
	return s;
}

void stack_free(struct stack *s)
{
	free(s->frames);
	open_funcs_free(&s->open);
	free(s);
}

void stack_drop(struct model *m, struct stack *s)
{
	if (m->opt.on_goroutine)
		m->opt.on_goroutine(m->opt.ctx, &s->info);
	table_remove(s->system ? &m->threads : &m->goroutines, s);
	if (m->n_spare == sizeof(m->spare) / sizeof(m->spare[0]) || s->cap > KEEP_FRAMES) {
		stack_free(s);
		return;
	}
	reset(s);
	m->spare[m->n_spare++] = s;
}

void stack_table_free(struct stack_table *t)
{
	for (size_t i = 0; i < t->n_slots; i++)
		if (t->slots[i])
			stack_free(t->slots[i]);
	free(t->slots);
	*t = (struct stack_table){ 0 };
}
