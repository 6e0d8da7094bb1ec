// SPDX-License-Identifier: BSD-2-Clause
/* A call from its entry to its end: its node in the tree and what its time counts for. */
#include <errno.h>

#include "base/vec.h"
#include "model/losses.h"
#include "model/model_internal.h"

/* Path and flags of a call of func on top of s. */
static int locate(struct model *m, struct stack *s, struct frame *f)
{
	const uint32_t func = f->row;
	struct frame *below = pair_top(s);
	int err;

	f->recursion = 1;
	if (below && below->row == func) { /* direct recursion is one node */
		f->path = below->path;
		f->recursion = (below->flags & FRAME_FOLDED ? 1 : below->recursion) + 1;
		if (f->recursion > m->paths.nodes[f->path].max_recursion)
			m->paths.nodes[f->path].max_recursion = f->recursion;
		return 0;
	}
	if (below)
		err = paths_call(&m->paths, below->path, func, &f->path);
	else if (s->go_edge)
		err = paths_go(&m->paths, s->root, func, s->root_pc, &f->path);
	else
		err = paths_call(&m->paths, s->root, func, &f->path);
	if (err)
		return err;
	if (!below)
		m->paths.nodes[f->path].again += s->info.calls != 0;
	if (below && paths_folded(&m->paths, below->path, f->path)) {
		f->flags |= FRAME_FOLDED;
		f->fold = m->paths.fold;
		return 0;
	}
	if (!below || below->path != f->path)
		f->flags |= FRAME_FIRST;
	if (m->paths.hot[f->path].outermost)
		f->flags |= FRAME_OUTERMOST;
	return 0;
}

void call_count_again(struct model *m, const struct frame *f, int by)
{
	if (!(f->flags & FRAME_FOLDED))
		m->paths.nodes[f->path].recursive += f->flags & FRAME_FIRST ? 0 : (uint64_t)by;
	else if (f->fold != PATHS_NO_FOLD)
		m->paths.folds[f->fold].calls += (uint64_t)by;
}

/* Below PATH_OTHER the tree cannot tell whether func is open already; count instead. */
static int locate_folded(struct stack *s, struct frame *f)
{
	int err = 0;

	if (!s->open.n)
		for (size_t i = 0; !err && i < s->n; i++)
			err = open_funcs_add(&s->open, s->frames[i].row, 1);
	if (!open_funcs_count(&s->open, f->row))
		f->flags |= FRAME_OUTERMOST;
	return err;
}

/* f is above all that is muted on s. */
static void fill(const struct model *m, const struct stack *s, const struct frame *f,
		 struct call *c)
{
	*c = (struct call){ .start_ns = f->start_ns,
			    .goid = s->system ? f->label : s->info.goid,
			    .order = f->order,
			    .func = f->func,
			    .path = f->path,
			    .level = (uint32_t)(f - s->frames - s->n_muted),
			    .tid = f->tid,
			    .image = s->info.image,
			    .suspect = frame_suspect(m, s, f),
			    .system = s->system,
			    .recursive = !(f->flags & (FRAME_FIRST | FRAME_FOLDED)) };
}

/* What PATH_OTHER needs on top. */
static int push_folded(struct stack *s, struct frame *f, bool folded)
{
	int err = folded ? locate_folded(s, f) : 0;

	return err ? err : open_funcs_add(&s->open, f->row, 1);
}

static int push_muted(struct stack *s, struct frame *f)
{
	f->flags |= FRAME_MUTED;
	s->n_muted++;
	s->n++;
	return 0;
}

int call_push(struct model *m, struct stack *s, const struct event *e, uint32_t func)
{
	int err = __builtin_expect(s->n == s->cap, 0) ? stack_grow(m, s) : 0;

	if (has_states(m, s) && !err)
		err = states_push_slow(m, s, e->ts_ns);
	if (__builtin_expect(err, 0))
		return err;
	struct frame *f = &s->frames[s->n];

	*f = (struct frame){ .start_ns = e->ts_ns,
			     .order = m->next_order,
			     .label = e->goid,
			     .depth = e->depth,
			     .func = func,
			     .row = func,
			     .tid = e->tid };
	err = call_values_enter(m, s, s->n, e, f);
	if (__builtin_expect(!err, 1))
		err = locate(m, s, f);

	if (err)
		return err;
	bool folded = m->paths.other && f->path == m->paths.other;

	if (__builtin_expect(folded || s->open.n, 0)) {
		err = push_folded(s, f, folded);
		if (err)
			return err;
	}
	if (__builtin_expect(m->opt.view != NULL, 0) && view_mutes(m, s, f))
		return push_muted(s, f);
	err = paths_event(&m->paths, f->path, 0, m->entry_code);
	if (err)
		return err;
	if (__builtin_expect(!(f->flags & FRAME_FIRST), 0))
		call_count_again(m, f, 1);
	if (__builtin_expect(e->flags & (EVF_BEFORE | EVF_DOUBT), 0))
		f->flags |= (e->flags & EVF_BEFORE ? FRAME_CUT : 0) |
			    (e->flags & EVF_DOUBT ? PAIR_SUSPECT : 0);
	m->next_order++;
	s->n++;
	s->info.calls++;
	m->totals.calls++;
	call_begun(m, s, f);
	return 0;
}

void call_begun(struct model *m, struct stack *s, struct frame *f)
{
	struct call c;

	if (!m->opt.on_entry || f->flags & FRAME_MUTED)
		return;
	fill(m, s, f, &c);
	call_values_fill(m, s, f, false, &c);
	m->opt.on_entry(m->opt.ctx, &c);
}

/* A call that is over. */
struct ended {
	uint64_t dur_ns, self_ns;
	enum call_end end;
	bool suspect, begun_before;
	const struct call_states *states; /* NULL: there are none */
};

/* Apart, as there are traces without. */
static void add_states(struct call_stats *st, const struct call_states *c, bool whole)
{
	off_times_add(&st->off_self, &c->self);
	if (whole)
		off_times_add(&st->off_total, &c->total);
}

/* What is not a finished call counted whole. */
static void add_rare(struct call_stats *st, const struct ended *c, bool whole)
{
	bool finished = c->end == CALL_FINISHED || c->end == CALL_TAIL;

	st->calls += !finished;
	st->unwound += c->end == CALL_UNWOUND;
	st->unfinished += c->end == CALL_UNFINISHED;
	st->begun_before += c->begun_before;
	st->suspect += c->suspect;
	if (whole) {
		st->total_ns += finished ? 0 : c->dur_ns;
		st->suspect_ns += c->suspect ? c->dur_ns : 0;
	} else if (finished) {
		st->total_ns -= c->dur_ns; /* paths_settle takes all of sum_ns for it */
	}
}

static void add_self(struct path_selfs *s, uint64_t ns, bool first)
{
	s->min_ns = first || ns < s->min_ns ? ns : s->min_ns;
	s->max_ns = first || ns > s->max_ns ? ns : s->max_ns;
}

/* Counts a call of path node `path`. */
static void add_to_node(struct paths *t, uint32_t path, const struct ended *c, bool whole)
{
	struct path_hot *h = &t->hot[path];
	bool finished = c->end == CALL_FINISHED || c->end == CALL_TAIL;

	h->self_ns += c->self_ns;
	if (finished) {
		h->finished++;
		h->sum_ns += c->dur_ns;
		h->min_ns = c->dur_ns < h->min_ns ? c->dur_ns : h->min_ns;
		h->max_ns = c->dur_ns > h->max_ns ? c->dur_ns : h->max_ns;
		if (t->selfs)
			add_self(&t->selfs[path], c->self_ns, h->finished == 1);
	}
	if (__builtin_expect(!finished || !whole || c->suspect, 0))
		add_rare(&t->nodes[path].stats, c, whole);
	if (__builtin_expect(c->states != NULL, 0))
		add_states(&t->nodes[path].stats, c->states, whole);
}

/* Counts a call that PATH_OTHER stands for, where its function is not named. */
static void add_to_func(struct call_stats *st, const struct ended *c, bool whole)
{
	st->self_ns += c->self_ns;
	if (c->end == CALL_FINISHED || c->end == CALL_TAIL) {
		st->min_ns = !st->finished || c->dur_ns < st->min_ns ? c->dur_ns : st->min_ns;
		st->max_ns = c->dur_ns > st->max_ns ? c->dur_ns : st->max_ns;
		st->calls++;
		st->finished++;
		st->sum_ns += c->dur_ns;
		st->total_ns += c->dur_ns;
	}
	add_rare(st, c, whole);
	if (c->states)
		add_states(st, c->states, whole);
}

/* A call that does not count, or of which a part does not. */
static int pop_viewed(struct model *m, struct stack *s, uint64_t dur_ns, enum call_end *end)
{
	struct frame *f = pair_top(s);
	bool finished = *end == CALL_FINISHED || *end == CALL_TAIL;
	int err = 0;

	if (!(f->flags & FRAME_MUTED)) {
		if (finished) {
			*end = CALL_UNFINISHED;
			err = path_events_add(&m->paths.events, f->path, m->exit_code);
			m->exit_code = NO_EVENT;
		}
		return err;
	}
	if (finished)
		m->exit_code = NO_EVENT;
	if (s->open.n)
		err = open_funcs_add(&s->open, f->row, -1);
	if (s->n > 1)
		s->frames[s->n - 2].child_ns += dur_ns;
	call_waits_pass(m, s);
	s->n_muted--;
	s->n--;
	return err;
}

static void end_outermost(struct model *m, struct stack *s, uint32_t func, uint64_t dur_ns,
			  uint64_t ts_ns)
{
	s->info.total_ns += dur_ns;
	m->totals.root_ns += dur_ns;
	s->state.call_to_ns = ts_ns;
	s->state.call_func = func;
}

int call_end_seen(struct model *m, struct stack *s, uint64_t ts_ns, enum call_end end)
{
	struct frame *f = &s->frames[s->n - 1];
	uint64_t dur = ts_ns > f->start_ns ? ts_ns - f->start_ns : 0;
	uint64_t self = dur > f->child_ns ? dur - f->child_ns : 0;
	bool suspect = frame_suspect(m, s, f), off = false, begun_before = false;
	struct call_states states;
	int err = 0;

	if (has_states(m, s)) {
		states_advance(m, s, ts_ns);
		off = states_of_call(s, dur, self, &states);
		if (m->opt.holds)
			holds_returned(m, s, dur, ts_ns);
	}
	if (__builtin_expect(f->flags & (FRAME_MUTED | FRAME_CUT), 0)) {
		const enum call_end seen = end;

		err = pop_viewed(m, s, dur, &end);
		if (err || f->flags & FRAME_MUTED)
			return err;
		begun_before = end != seen;
	}
	const struct ended ended = { dur, self, end, suspect, begun_before, off ? &states : NULL };

	add_to_node(&m->paths, f->path, &ended, f->flags & FRAME_FIRST);
	if (__builtin_expect(f->flags & FRAME_FOLDED, 0))
		paths_pass_over(&m->paths, f[-1].path, f->path, dur);
	if (__builtin_expect(off && f->flags & FRAME_FOLDED, 0))
		states_pass_over(&m->paths, f[-1].path, f->path, &states.total);
	if (__builtin_expect(m->paths.other && f->path == m->paths.other, 0))
		add_to_func(&m->funcs[f->row], &ended, f->flags & FRAME_OUTERMOST);
	if (end == CALL_FINISHED || end == CALL_TAIL) {
		err = hist_add(&m->hists[f->row], dur);
		if (!err)
			err = paths_event(&m->paths, f->path, 1, m->exit_code);
		m->exit_code = NO_EVENT; /* what it ends besides */
	}
	if (!err && s->open.n)
		err = open_funcs_add(&s->open, f->row, -1);
	if (s->n > 1) {
		s->frames[s->n - 2].child_ns += dur;
	} else {
		end_outermost(m, s, f->func, dur, ts_ns);
	}
	s->info.self_ns += self;
	if (suspect) {
		m->totals.suspect_calls++;
		m->totals.suspect_ns += self;
	}
	if (m->opt.on_call) {
		struct call c;

		fill(m, s, f, &c);
		call_values_fill(m, s, f, end == CALL_FINISHED, &c);
		c.end_ns = f->start_ns + dur;
		c.self_ns = self;
		c.end = end;
		c.begun_before = begun_before;
		c.states = off ? &states : NULL;
		m->opt.on_call(m->opt.ctx, &c);
	}
	call_waits_pass(m, s);
	s->n--;
	return err;
}

/* A call whose prologue never went on was none: the other strategies never saw it begin. */
static int uncount(struct model *m, struct stack *s)
{
	struct frame *f = pair_top(s);

	if (f->flags & FRAME_MUTED) {
		s->n_muted--;
	} else {
		s->info.calls--;
		m->totals.calls--;
		call_count_again(m, f, -1);
	}
	call_waits_pass(m, s);
	s->n--;
	return s->open.n ? open_funcs_add(&s->open, f->row, -1) : 0;
}

int call_end_unseen(struct model *m, struct stack *s, uint64_t ts_ns, enum call_end end)
{
	struct frame *f = pair_top(s);

	if (end == CALL_INFERRED) {
		f->flags |= PAIR_SUSPECT;
		if (f->flags & PAIR_STOPPED)
			states_ran(m, s);
	} else if (f->flags & PAIR_STOPPED) {
		return uncount(m, s);
	}
	return call_end_seen(m, s, ts_ns, end);
}
