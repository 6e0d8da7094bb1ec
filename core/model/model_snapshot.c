// SPDX-License-Identifier: BSD-2-Clause
/* A model as it would be if the trace ended now, while the model itself goes on. */
#include "model/summary.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "model/model_internal.h"

/* A copy of n elements; *to NULL when there are none. 0 or -ENOMEM */
static int copy(void *to, const void *from, size_t n, size_t bytes)
{
	void *fresh = n ? malloc(n * bytes) : NULL;

	if (n && !fresh)
		return -ENOMEM;
	if (n)
		memcpy(fresh, from, n * bytes);
	*(void **)to = fresh;
	return 0;
}

static int copy_hot(struct paths *to, const struct paths *from)
{
	to->hot = aligned_alloc(sizeof(*to->hot), from->n * sizeof(*to->hot));
	if (!to->hot)
		return -ENOMEM;
	memcpy(to->hot, from->hot, from->n * sizeof(*to->hot));
	return 0;
}

/* Without the tables by which nodes are found: nothing is looked for any more. */
static int copy_paths(struct paths *to, const struct paths *from)
{
	const struct path_event_table *e = &from->events;

	*to = (struct paths){ .n = from->n,
			      .cap = from->n,
			      .cap_aux = from->n,
			      .cap_hot = from->n,
			      .cap_selfs = from->selfs ? from->n : 0,
			      .keep_selfs = from->keep_selfs,
			      .max = from->max,
			      .other = from->other,
			      .timer = from->timer,
			      .refused = from->refused,
			      .n_plain = UINT32_MAX }; /* of models without groups only */
	int err = copy(&to->nodes, from->nodes, from->n, sizeof(*to->nodes));

	if (!err)
		err = copy(&to->aux, from->aux, from->n, sizeof(*to->aux));
	if (!err)
		err = copy_hot(to, from);
	if (!err)
		err = copy(&to->selfs, from->selfs, to->cap_selfs, sizeof(*to->selfs));
	if (!err)
		err = copy(&to->events.all, e->all, e->n, sizeof(*e->all));
	if (!err)
		err = copy(&to->folds, from->folds, from->n_folds, sizeof(*to->folds));
	if (!err)
		to->n_folds = to->cap_folds = from->n_folds;
	if (!err)
		to->events.n = to->events.cap = e->n;
	/* What is still counted may be of a new kind. */
	return err ? err : hash_index_copy(&to->events.index, &e->index);
}

static int copy_open(struct open_funcs *to, const struct open_funcs *from)
{
	int err = copy(&to->funcs, from->funcs, from->n, sizeof(*to->funcs));

	to->n = to->cap = err ? 0 : from->n;
	return err ? err : hash_index_copy(&to->by_func, &from->by_func);
}

static int copy_stack(struct stack **to, const struct stack *from)
{
	struct stack *s = *to = calloc(1, sizeof(*s));

	if (!s)
		return -ENOMEM;
	*s = *from;
	s->cap = from->n;
	memset(s->since, 0, sizeof(s->since)); /* the copy has no such lists */
	s->open = (struct open_funcs){ 0 };
	s->values = NULL; /* nothing asks for them */
	s->frame_states = NULL;
	s->cap_frame_states = from->frame_states ? from->n : 0;
	s->waits = NULL; /* of single calls, which nothing asks for */
	s->n_waits = s->cap_waits = 0;
	s->cap_values = 0;
	s->frames = NULL;
	int err = copy(&s->frames, from->frames, from->n, sizeof(*s->frames));

	if (!err)
		err = copy(&s->frame_states, from->frame_states, s->cap_frame_states,
			   sizeof(*s->frame_states));
	return err ? err : copy_open(&s->open, &from->open);
}

static int copy_stacks(struct stack_table *to, const struct stack_table *from)
{
	to->all = calloc(from->n + 1, sizeof(*to->all));
	int err = to->all ? hash_index_copy(&to->by_id, &from->by_id) : -ENOMEM;

	to->cap = from->n;
	for (size_t i = 0; !err && i < from->n; i++) {
		err = copy_stack(&to->all[i], from->all[i]);
		to->n += to->all[i] != NULL;
	}
	return err;
}

static int copy_hists(struct model *to, const struct model *from)
{
	int err = 0;

	to->hists = calloc(from->n_funcs + 1, sizeof(*to->hists));
	if (!to->hists)
		return -ENOMEM;
	for (size_t i = 0; !err && i < from->n_funcs; i++)
		if (from->hists[i].count)
			err = hist_merge(&to->hists[i], &from->hists[i]);
	return err;
}

static int copy_sampled(struct sampled *to, const struct sampled *from)
{
	int err = copy(&to->all, from->all, from->n, sizeof(*to->all));

	to->n = to->cap = err ? 0 : from->n;
	return err;
}

/* What still waits may be of a new kind. */
static int copy_waits(struct model *to, const struct model *from)
{
	int err = copy(&to->waits.all, from->waits.all, from->waits.n, sizeof(*to->waits.all));

	to->waits.n = to->waits.cap = err ? 0 : from->waits.n;
	if (!err)
		err = copy(&to->wakes.all, from->wakes.all, from->wakes.n, sizeof(*to->wakes.all));
	to->wakes.n = to->wakes.cap = err ? 0 : from->wakes.n;
	if (!err)
		err = copy(&to->holds.all, from->holds.all, from->holds.n, sizeof(*to->holds.all));
	to->holds.n = to->holds.cap = err ? 0 : from->holds.n;
	return err ? err : hash_index_copy(&to->waits.index, &from->waits.index);
}

static int copy_all(struct model *to, const struct model *from)
{
	*to = (struct model){ .info = from->info,
			      .totals = from->totals,
			      .pair = { .n_funcs = from->pair.n_funcs,
					.n_released_open = from->pair.n_released_open },
			      .n_funcs = from->n_funcs,
			      .image = from->image,
			      .image_seen = from->image_seen,
			      .off_ns = from->off_ns,
			      .states = from->states,
			      .levels = from->levels,
			      .lost_until_ns = from->lost_until_ns,
			      .doubt_order = from->doubt_order,
			      .max_stacks = UINT64_MAX,
			      .max_frames_room = UINT64_MAX };
	int err = copy(&to->funcs, from->funcs, from->n_funcs, sizeof(*to->funcs));

	memcpy(to->idlers, from->idlers, sizeof(to->idlers));
	to->n_idlers = from->n_idlers;
	if (!err && from->pair.released_ns)
		err = copy(&to->pair.released_ns, from->pair.released_ns, from->pair.n_funcs,
			   sizeof(*to->pair.released_ns));
	if (!err)
		err = copy_hists(to, from);
	if (!err)
		err = copy_paths(&to->paths, &from->paths);
	if (!err)
		err = copy_sampled(&to->sampled, &from->sampled);
	if (!err)
		err = copy_waits(to, from);
	if (!err)
		err = copy_stacks(&to->goroutines, &from->goroutines);
	return err ? err : copy_stacks(&to->threads, &from->threads);
}

void model_snapshot_places(struct model *m,
			   void (*on_place)(void *ctx, const struct goroutine_place *p), void *ctx)
{
	m->opt.on_place = on_place;
	m->opt.place_ctx = ctx;
}

struct model *model_snapshot(const struct model *m)
{
	struct model *copied = calloc(1, sizeof(*copied));
	int err = copied ? copy_all(copied, m) : -ENOMEM;

	if (err) {
		model_free(copied);
		errno = -err;
		return NULL;
	}
	return copied;
}
