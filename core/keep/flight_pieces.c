// SPDX-License-Identifier: BSD-2-Clause
/* What is kept: pieces of packed blocks, and windows made of them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "keep/flight_internal.h"
#include "keep/window_begin.h"

/* ---- pieces */

void segment_release(struct segment *s)
{
	if (atomic_fetch_sub(&s->users, 1) > 1)
		return;
	for (size_t i = 0; i < s->n; i++)
		free(s->blocks[i]);
	free(s->blocks);
	free(s);
}

struct segment *flight_current(struct flight *f)
{
	return f->segments[f->n_segments - 1];
}

int flight_add_segment(struct flight *f, uint64_t first_ns)
{
	struct segment *s = calloc(1, sizeof(*s));

	if (!s)
		return -ENOMEM;
	s->users = 1;
	s->first_ns = s->last_ns = first_ns;
	f->segments[f->n_segments++] = s;
	return 0;
}

static void drop_oldest(struct flight *f)
{
	struct segment *s = f->segments[0];

	f->bytes -= s->bytes;
	f->dropped = true;
	memmove(f->segments, f->segments + 1, --f->n_segments * sizeof(*f->segments));
	segment_release(s);
}

/* The block at hand becomes a part of the piece at hand. */
static int seal(struct flight *f)
{
	struct segment *s = flight_current(f);

	if (!packer_events(f->packer))
		return 0;
	struct packed_block *b = packer_end(f->packer);
	int err = b ? vec_reserve(&s->blocks, &s->cap, s->n + 1) : -errno;

	if (err) {
		free(b);
		return err;
	}
	s->blocks[s->n++] = b;
	s->bytes += packed_block_bytes(b);
	s->events += b->events;
	f->bytes += packed_block_bytes(b);
	if (f->bytes > f->stats.most_bytes)
		f->stats.most_bytes = f->bytes;
	if (b->last_ns > s->last_ns)
		s->last_ns = b->last_ns;
	return 0;
}

/* Lets go of what there is no room for, and of what is too old. */
void flight_trim(struct flight *f, uint64_t now_ns)
{
	uint64_t keep_ns = f->opt.keep_ns;

	while (f->n_segments > 1 && f->bytes > f->opt.keep_bytes) {
		if (keep_ns && now_ns - f->segments[1]->first_ns < keep_ns)
			f->stats.full = true;
		drop_oldest(f);
	}
	while (f->n_segments > 1 && ((keep_ns && now_ns > f->segments[1]->first_ns &&
				      now_ns - f->segments[1]->first_ns >= keep_ns) ||
				     f->n_segments > SEGMENTS_MOST))
		drop_oldest(f);
}

/* ---- events */

/* As flight_add, where no new piece is begun. */
void flight_pack(struct flight *f, const struct event *ev, size_t n, const uint64_t (*arg)[4])
{
	for (size_t done = 0; done < n && !f->err;) {
		size_t added = packer_add(f->packer, ev + done, n - done, arg);

		done += added;
		if (done < n || !added)
			f->err = seal(f);
	}
}

static void pack_values(struct flight *f)
{
	int err = f->err ? f->err : packer_values(f->packer, f->values);

	if (err == -ENOBUFS) {
		err = seal(f);
		err = err ? err : packer_values(f->packer, f->values);
	}
	f->err = f->err ? f->err : err;
	f->values = NULL;
}

static void emit(void *ctx, const struct event_ext *ev)
{
	flight_pack(ctx, &ev->h, 1, event_kind_has_args(ev->h.kind) ? &ev->arg : NULL);
}

/* A new piece begins with what is open. */
void flight_begin_piece(struct flight *f)
{
	const struct window_begin t = { emit, f, f->last_ns };

	if (!f->err)
		f->err = seal(f);
	if (!f->err)
		f->err = flight_add_segment(f, f->last_ns);
	if (f->err)
		return;
	window_begin_all(&t, &f->open, WINDOW_BY_ROOM);
	if (!f->err)
		f->err = seal(f);
	struct segment *s = flight_current(f);

	s->n_before = s->n;
	s->events_before = s->events;
}

static void begin_piece_if_due(struct flight *f)
{
	const struct segment *s = flight_current(f);
	uint64_t before = 0;

	for (size_t i = 0; i < s->n_before; i++)
		before += packed_block_bytes(s->blocks[i]);
	/* Where much is open, telling of it takes more than what happens: half of it, then. */
	if (s->bytes >= f->opt.keep_bytes / PIECES + before ||
	    (f->opt.keep_ns && f->last_ns - s->first_ns >= f->opt.keep_ns / PIECES))
		flight_begin_piece(f);
}

void flight_add(struct flight *f, const struct event *ev, size_t n, const uint64_t (*arg)[4])
{
	size_t blocks = flight_current(f)->n;

	if (f->values)
		pack_values(f);
	flight_pack(f, ev, n, arg);
	if (flight_current(f)->n == blocks || f->err)
		return;
	begin_piece_if_due(f);
	flight_trim(f, f->last_ns);
}

/* ---- windows */

/* A window begins with the calls that were open then, unless the program began with it. */
static bool has_before(const struct flight_window *w, size_t segment)
{
	return !segment && !w->whole;
}

static struct flight_window *window_of(struct flight *f, bool hit)
{
	struct flight_window *w = calloc(1, sizeof(*w));
	int err;

	if (!w)
		return NULL;
	w->segments = calloc(f->n_segments, sizeof(struct segment *));
	err = w->segments ? 0 : -ENOMEM;
	for (size_t i = 0; i < f->pcs.n_pcs && !err; i++)
		err = trace_info_add_pc(&w->pcs, &f->pcs.pcs[i]);
	w->whole = !f->dropped;
	for (size_t i = 0; i < f->n_segments && !err; i++) {
		const struct segment *s = f->segments[i];

		f->segments[i]->users++;
		w->segments[w->n_segments++] = f->segments[i];
		w->events += s->events - s->samples - (has_before(w, i) ? 0 : s->events_before);
	}
	if (err) {
		flight_window_free(w);
		return NULL;
	}
	w->hit = hit;
	w->first_ns = f->segments[0]->first_ns;
	w->last_ns = f->last_ns;
	return w;
}

/* What there is now waits to be written, and is not added to. */
void flight_shoot(struct flight *f, bool hit)
{
	f->err = f->err ? f->err : seal(f);
	struct flight_window *w = f->err ? NULL : window_of(f, hit);

	if (!w) {
		f->err = f->err ? f->err : -ENOMEM;
		return;
	}
	flight_begin_piece(f);
	flight_trim(f, f->last_ns);
	f->stats.windows++;
	pthread_mutex_lock(&f->lock);
	if (f->last)
		f->last->next = w;
	else
		f->first = w;
	f->last = w;
	pthread_mutex_unlock(&f->lock);
}

struct flight_window *flight_take(struct flight *f)
{
	pthread_mutex_lock(&f->lock);
	struct flight_window *w = f->first;

	if (w) {
		f->first = w->next;
		if (!f->first)
			f->last = NULL;
		w->next = NULL;
	}
	pthread_mutex_unlock(&f->lock);
	return w;
}

struct flight_window *flight_last(struct flight *f)
{
	f->err = f->err ? f->err : seal(f);
	return f->err ? NULL : window_of(f, f->ended);
}

int flight_window_write(const struct flight_window *w, struct trace_writer *to, bool pcs)
{
	int err = 0;

	for (size_t i = 0; i < w->pcs.n_pcs && pcs && !err; i++)
		err = trace_writer_pc(to, &w->pcs.pcs[i]);
	for (size_t i = 0; i < w->n_segments && !err; i++) {
		const struct segment *s = w->segments[i];

		for (size_t k = has_before(w, i) ? 0 : s->n_before; k < s->n && !err; k++)
			err = trace_writer_packed(to, s->blocks[k]);
	}
	return err;
}

void flight_window_free(struct flight_window *w)
{
	if (!w)
		return;
	for (size_t i = 0; i < w->n_segments; i++)
		segment_release(w->segments[i]);
	free(w->segments);
	trace_info_free(&w->pcs);
	free(w);
}
