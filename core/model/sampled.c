// SPDX-License-Identifier: BSD-2-Clause
/* EV_SAMPLE: whose processor time it was. */
#include "model/sampled.h"

#include <errno.h>
#include <stdlib.h>

#include "base/vec.h"
#include "model/model_internal.h"

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

	while (n &&
	       (deeper(s, s->frames[n - 1].depth, depth) || s->frames[n - 1].flags & FRAME_STOPPED))
		n--;
	return n ? &s->frames[n - 1] : NULL;
}

/*
 * The path of a sample in the program's code: of the innermost open call. Events are stamped by
 * another clock than samples, to some ten nanoseconds: where the code is that of a function, and
 * the call of it has not begun or is over by these stamps, it is a call that f makes.
 */
static int path_in(struct model *m, const struct frame *f, uint64_t func, uint32_t *path)
{
	uint32_t child = func && func - 1 != f->func && func <= m->n_funcs
				 ? paths_called(&m->paths, f->path, (uint32_t)func - 1)
				 : 0;
	int err = 0;

	*path = child ? child : f->path;
	/* f may call it since it was released only. */
	if (!child && func && func - 1 != f->func && is_released(m, (uint32_t)func - 1)) {
		err = paths_call(&m->paths, f->path, (uint32_t)func - 1, &child);
		if (!err && !paths_folded(&m->paths, f->path, child) && child != m->paths.other)
			*path = child;
	}
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

int sampled_apply(struct model *m, const struct event *e, const uint64_t arg[4])
{
	struct model_sampled *t = &m->totals.sampled;
	bool system = e->flags & EVF_SYSTEM,
	     probes = arg[1] == SAMPLED_STUB || arg[1] == SAMPLED_TRAP;
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
		int err = path_in(m, f, arg[2], &one.path);

		if (err)
			return err;
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
