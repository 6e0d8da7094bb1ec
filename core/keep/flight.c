// SPDX-License-Identifier: BSD-2-Clause
#include "keep/flight.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "keep/flight_internal.h"
#include "trace/keys.h"

/* What is open after the event; before it is added. */
static void follow(struct flight *f, const struct event *e, const uint64_t arg[4])
{
	struct open_change ch;

	f->last_ns = e->ts_ns > f->last_ns ? e->ts_ns : f->last_ns;
	if (__builtin_expect(!flight_current(f)->first_ns, 0))
		flight_current(f)->first_ns = e->ts_ns;
	f->stats.events++;
	flight_current(f)->samples += e->kind == EV_SAMPLE;
	int err = open_calls_apply(&f->open, e, arg, &ch);

	if (err) {
		f->err = err;
		return;
	}
	if (ch.call && f->when && f->when[ch.call->func] && e->kind != EV_STOP)
		flight_watch(f, ch.stack, ch.call);
	if (e->kind == EV_ENTRY_EXIT || e->kind == EV_ENTRY_TAIL) {
		if (ch.stack)
			open_calls_end(&f->open, e, &ch);
	} else if (e->kind == EV_END && ch.stack) {
		open_calls_drop(&f->open, ch.stack);
	}
}

/* It goes before the event that showed it; no piece begins in between. */
static void pack_hit(struct flight *f)
{
	const struct event_ext hit = f->hit;

	f->hit = (struct event_ext){ 0 };
	if (hit.h.kind)
		flight_pack(f, &hit.h, 1, &hit.arg);
}

static int on_event(void *ctx, const struct event_ext *ev)
{
	struct flight *f = ctx;

	if (f->ended)
		return 0;
	follow(f, &ev->h, ev->arg);
	pack_hit(f);
	if (!f->err)
		flight_add(f, &ev->h, 1, event_kind_has_args(ev->h.kind) ? &ev->arg : NULL);
	return f->err;
}

static int on_values(void *ctx, const struct trace_values *v)
{
	struct flight *f = ctx;

	f->values = v;
	return f->err;
}

static int on_many(void *ctx, const struct event *ev, size_t n)
{
	static const uint64_t none[4];
	struct flight *f = ctx;
	size_t from = 0;

	if (f->ended)
		return 0;
	for (size_t i = 0; i < n && !f->err; i++) {
		follow(f, &ev[i], none);
		if (!f->hit.h.kind)
			continue;
		flight_pack(f, ev + from, i - from, NULL);
		from = i;
		pack_hit(f);
	}
	if (!f->err)
		flight_add(f, ev + from, n - from, NULL);
	return f->err;
}

void flight_ask(struct flight *f)
{
	f->asked = true;
}

bool flight_ended(const struct flight *f)
{
	return f->ended;
}

/* ---- life */

static int on_round(void *ctx, uint64_t now_ns)
{
	struct flight *f = ctx;

	if (f->ended || f->err)
		return f->err;
	if (f->when)
		flight_look(f, now_ns);
	if (atomic_exchange(&f->asked, false))
		flight_shoot(f, false);
	if (f->shoot_ns && (f->hit_ended || now_ns >= f->shoot_ns)) {
		f->shoot_ns = 0;
		f->hit_ended = false;
		if (++f->hits >= f->opt.times)
			f->ended = true; /* it is what there is then */
		else
			flight_shoot(f, true);
	}
	/* Where little happens, blocks are not full when they are too old. */
	if (!f->err && !f->ended && f->opt.keep_ns && now_ns >= f->last_ns && f->last_ns)
		if (now_ns - flight_current(f)->first_ns >= f->opt.keep_ns / PIECES) {
			f->last_ns = now_ns;
			flight_begin_piece(f);
			flight_trim(f, now_ns);
		}
	return f->err;
}

static int on_finish(void *ctx, struct trace_info *end)
{
	struct flight *f = ctx;
	struct flight_window *w = flight_last(f);
	int err = w ? 0 : f->err ? f->err : -ENOMEM;

	if (!err)
		err = flight_window_write(w, f->opt.writer, false);
	if (!err)
		err = trace_info_setf(end, KEY_END_WINDOW_NS, "%" PRIu64,
				      w->last_ns > w->first_ns ? w->last_ns - w->first_ns : 0);
	if (!err)
		err = trace_info_setf(end, KEY_END_WINDOW_EVENTS, "%" PRIu64, w->events);
	if (!err && f->stats.full)
		err = trace_info_set(end, KEY_END_WINDOW_FULL, "1");
	flight_window_free(w);
	return err;
}

void flight_name_pc(void *ctx, const struct trace_pc *pc)
{
	struct flight *f = ctx;

	if (!f->err)
		f->err = trace_info_add_pc(&f->pcs, pc);
}

struct trace_sink flight_sink(struct flight *f)
{
	return (struct trace_sink){ .event = on_event,
				    .many = on_many,
				    .values = on_values,
				    .round = on_round,
				    .finish = on_finish,
				    .ctx = f };
}

struct flight *flight_new(const struct flight_options *opt)
{
	struct flight *f = calloc(1, sizeof(*f));

	if (!f)
		return NULL;
	f->opt = *opt;
	pthread_mutex_init(&f->lock, NULL);
	int err = open_calls_init(&f->open, opt->info);

	f->packer = packer_new();
	if (!err && (!f->packer || flight_add_segment(f, 0)))
		err = -ENOMEM;
	if (!err && opt->when) {
		f->when = calloc(opt->info->n_funcs + 1, sizeof(*f->when));
		err = f->when ? 0 : -ENOMEM;
	}
	if (!err && opt->when)
		memcpy(f->when, opt->when, opt->info->n_funcs * sizeof(*f->when));
	f->open.ended = flight_call_ended;
	f->open.ended_flags = OPEN_WATCHED;
	f->open.ctx = f;
	if (!err)
		return f;
	flight_free(f);
	errno = -err;
	return NULL;
}

void flight_free(struct flight *f)
{
	struct flight_window *w;

	if (!f)
		return;
	while ((w = flight_take(f)))
		flight_window_free(w);
	while (f->n_segments)
		segment_release(f->segments[--f->n_segments]);
	open_calls_free(&f->open);
	packer_free(f->packer);
	trace_info_free(&f->pcs);
	pthread_mutex_destroy(&f->lock);
	free(f->when);
	free(f->queue);
	free(f);
}

struct flight_stats flight_stats(const struct flight *f)
{
	struct flight_stats s = f->stats;

	s.bytes = f->bytes;
	s.open_bytes = f->open.bytes;
	return s;
}
