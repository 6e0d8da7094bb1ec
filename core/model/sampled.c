// SPDX-License-Identifier: BSD-2-Clause
/* EV_SAMPLE: whose processor time it was. */
#include "model/sampled.h"

#include <errno.h>
#include <stdlib.h>

#include "base/vec.h"
#include "model/model_internal.h"

#define SAMPLED_CALLS 3 /* on its stack, that a sample names */
#define FRAMES_ASKED  8 /* open calls that are compared with them */

static struct path_sampled *of_path(struct sampled *t, uint32_t path)
{
	uint32_t hash = hash_u64(path);
	size_t at;

	for (uint32_t i = hash_index_first(&t->by_path, hash, &at); i != HASH_NONE;
	     i = hash_index_next(&t->by_path, hash, &at))
		if (t->all[i].path == path)
			return &t->all[i];
	if (vec_reserve(&t->all, &t->cap, t->n + 1) ||
	    hash_index_put(&t->by_path, hash, (uint32_t)t->n))
		return NULL;
	t->all[t->n] = (struct path_sampled){ .path = path };
	return &t->all[t->n++];
}

int sampled_add(struct sampled *t, const struct path_sampled *more)
{
	struct path_sampled *x = of_path(t, more->path);

	if (!x)
		return -ENOMEM;
	x->n += more->n;
	x->ns += more->ns;
	x->squares += more->squares;
	x->probe_n += more->probe_n;
	x->probe_ns += more->probe_ns;
	x->probe_squares += more->probe_squares;
	return 0;
}

void sampled_free(struct sampled *t)
{
	free(t->all);
	hash_index_free(&t->by_path);
	*t = (struct sampled){ 0 };
}

/* The innermost call open on s whose return address is not below rsp; NULL: none is. The program
 * may have left calls whose exits come later, or were lost. */
static struct frame *open_at(struct stack *s, uint32_t depth)
{
	size_t n = s ? s->n : 0;

	while (n && (pair_deeper(s, s->frames[n - 1].depth, depth) ||
		     s->frames[n - 1].flags & PAIR_STOPPED))
		n--;
	return n ? &s->frames[n - 1] : NULL;
}

/* The node where the functions `of`, the outermost last, go on from `node`; 0: no such call was
 * seen. *err: -ENOMEM. */
static uint32_t descend(struct model *m, uint32_t node, const uint32_t *of, size_t n, int *err)
{
	while (n-- > 0 && node && !*err) {
		const uint32_t func = of[n] - 1;
		uint32_t next = paths_called(&m->paths, node, func);

		if (paths_plain(&m->paths, m->paths.hot[node].func) == func)
			continue; /* it calls itself: one node */
		/* It may have been called since it was released only. */
		if (!next && pair_is_released(&m->pair, func)) {
			*err = paths_call(&m->paths, node, func, &next);
			if (paths_folded(&m->paths, node, next) || next == m->paths.other)
				next = 0;
		}
		node = next;
	}
	return *err ? 0 : node;
}

/*
 * The path of a sample in the program's code. Its stack says which calls are open: `of`, the
 * innermost first. A processor executes ahead of what it has finished, and stamps with it: the
 * events of the innermost calls may be older than the sample, though they come after it. What is
 * open by events tells where the calls on the stack hang. Where none of them is open, f called the
 * innermost one.
 */
static int path_in(struct model *m, const struct stack *s, const struct frame *f,
		   const uint32_t of[SAMPLED_CALLS], uint32_t *path)
{
	int err = 0;

	*path = f->path;
	if (!of[0])
		return 0;
	const size_t open = (size_t)(f - s->frames) + 1;

	for (size_t i = 0; i < open && i < FRAMES_ASKED && !err; i++)
		for (size_t n = 0; n < SAMPLED_CALLS && of[n]; n++) {
			const struct frame *in = f - i;
			uint32_t node = of[n] - 1 == in->func ? descend(m, in->path, of, n, &err)
							      : 0;

			if (node) {
				*path = node;
				return 0;
			}
		}
	uint32_t called = err ? 0 : descend(m, f->path, of, 1, &err);

	*path = called ? called : *path;
	return err;
}

static bool runs(const struct model *m, const struct stack *s)
{
	return !has_states(m, s) || s->state.now == STATE_RUNNING ||
	       s->state.now == STATE_OFF_CPU || s->state.now == STATE_UNKNOWN;
}

/* Is the time now that of a stopped prologue? One of a function that is not probed ends unseen, as
 * soon as it goes on. */
static bool is_stopped(const struct stack *s)
{
	return s->stop.active && !(s->stop.classed && s->stop.func == STOP_UNPROBED);
}

/* A function's index plus 1, 0: it is none of the trace's. */
static uint32_t known(const struct model *m, uint64_t func)
{
	return (uint32_t)func <= m->n_funcs ? (uint32_t)func : 0;
}

int sampled_apply(struct model *m, const struct event *e, const uint64_t arg[4])
{
	struct model_sampled *t = &m->totals.sampled;
	const uint32_t what = (uint32_t)arg[1],
		       of[SAMPLED_CALLS] = { known(m, arg[2]), known(m, arg[2] >> 32),
					     known(m, arg[1] >> 32) };
	bool system = e->flags & EVF_SYSTEM, probes = what == SAMPLED_STUB || what == SAMPLED_TRAP;
	struct stack *thread = system ? stack_find(&m->threads, e->tid) : NULL,
		     *s = e->goid ? stack_find(&m->goroutines, e->goid) : NULL;
	/* A millennium of samples adds up to less than 2^64 ns. */
	uint64_t ns = arg[0] < SAMPLED_MOST_NS ? arg[0] : SAMPLED_MOST_NS, us = ns / 1000;
	struct frame *f = open_at(thread, e->depth);

	t->n++;
	t->ns += ns;
	t->probe_ns += probes ? ns : 0;
	if (f)
		s = thread;
	else if (s)
		f = system ? open_at(s, UINT32_MAX) : open_at(s, probes ? UINT32_MAX : e->depth);
	if (!f || f->flags & FRAME_MUTED) {
		t->outside_ns += ns;
		return 0;
	}
	if (is_stopped(s) || !runs(m, s) || states_lost(m, s, e->ts_ns)) {
		t->apart_ns += ns;
		return 0;
	}
	struct path_sampled one = { .path = f->path };

	if (probes) {
		one.probe_n = 1;
		one.probe_ns = ns;
		one.probe_squares = us * us;
	} else {
		int err = path_in(m, s, f, of, &one.path);

		if (err)
			return err;
		if (m->paths.hot[one.path].view & VIEW_MUTED) {
			t->outside_ns += ns;
			return 0;
		}
		one.n = 1;
		one.ns = ns;
		one.squares = us * us;
	}
	return sampled_add(&m->sampled, &one);
}

const struct path_sampled *model_path_sampled(const struct model *m, size_t *n)
{
	*n = m->sampled.n;
	return m->sampled.all;
}
