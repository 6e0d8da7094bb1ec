// SPDX-License-Identifier: BSD-2-Clause
#include "export/html/html_slow.h"

#include <errno.h>
#include <stdlib.h>

#include "base/vec.h"

#define MOST_CALLS 200000 /* of all functions together: about 27 MB */
#define LEAST      4      /* of a function, however many there are */

static bool slower(const struct html_slow_call *a, const struct html_slow_call *b)
{
	return a->ns != b->ns ? a->ns > b->ns : a->order < b->order;
}

static void swap(struct html_slow_call *a, struct html_slow_call *b)
{
	struct html_slow_call t = *a;

	*a = *b;
	*b = t;
}

static void rise(struct html_slow_call *heap, size_t i)
{
	for (; i && slower(&heap[(i - 1) / 2], &heap[i]); i = (i - 1) / 2)
		swap(&heap[i], &heap[(i - 1) / 2]);
}

static void sink(struct html_slow_call *heap, size_t n)
{
	for (size_t i = 0, child; (child = 2 * i + 1) < n; i = child) {
		if (child + 1 < n && slower(&heap[child], &heap[child + 1]))
			child++;
		if (slower(&heap[child], &heap[i]))
			return;
		swap(&heap[i], &heap[child]);
	}
}

/* ---- what a call did */

/* In the order of their time; the shortest gives way. */
static void put_part(struct html_slow_call *to, unsigned state, uint32_t reason, uint64_t ns)
{
	size_t i = to->n_parts;

	if (!ns || (i == HTML_PARTS && to->parts[i - 1].ns >= ns))
		return;
	if (i == HTML_PARTS)
		i--;
	else
		to->n_parts++;
	for (; i && to->parts[i - 1].ns < ns; i--)
		to->parts[i] = to->parts[i - 1];
	to->parts[i] = (struct html_part){ STATE_DEPTH(state, reason), ns };
}

static struct html_slow_call taken(const struct call *c)
{
	struct html_slow_call to = { .start_ns = c->start_ns,
				     .ns = c->end_ns - c->start_ns,
				     .id = c->system ? c->tid : c->goid,
				     .order = c->order,
				     .image = c->image,
				     .level = c->level,
				     .system = c->system };
	const struct call_states *s = c->states;

	if (!s)
		return to;
	const uint64_t off_ns = off_times_sum(&s->total);

	put_part(&to, STATE_RUNNING, 0, to.ns > off_ns ? to.ns - off_ns : 0);
	put_part(&to, STATE_RUNNABLE, 0, s->total.runnable_ns);
	put_part(&to, STATE_SYSCALL, 0, s->total.syscall_ns);
	put_part(&to, STATE_OFF_CPU, 0, s->total.off_cpu_ns);
	for (size_t i = 0; i < s->n_waits; i++)
		put_part(&to, STATE_WAITING, s->waits[i].reason, s->waits[i].total_ns);
	return to;
}

/* ---- which are kept */

static void begin(struct html_slow *s, size_t n_funcs)
{
	s->funcs = calloc(n_funcs + 1, sizeof(*s->funcs));
	s->err = s->funcs ? 0 : -ENOMEM;
	s->n_funcs = s->funcs ? n_funcs : 0;
	s->most = MOST_CALLS / (n_funcs + 1);
	s->most = s->most > HTML_SLOW ? HTML_SLOW : s->most < LEAST ? LEAST : s->most;
}

void html_slow_call(struct html_slow *s, size_t n_funcs, const struct call *c)
{
	if (!s->funcs && !s->err)
		begin(s, n_funcs);
	if (s->err || c->func >= s->n_funcs || c->end_ns <= c->start_ns)
		return;
	struct html_slow_func *f = &s->funcs[c->func];

	f->all_ns += c->end_ns - c->start_ns;
	if (f->n == s->most && f->calls[0].ns >= c->end_ns - c->start_ns)
		return;
	if (f->n < s->most) {
		s->err = vec_reserve(&f->calls, &f->cap, f->n + 1);
		if (s->err)
			return;
		f->calls[f->n] = taken(c);
		rise(f->calls, f->n++);
	} else {
		f->calls[0] = taken(c);
		sink(f->calls, f->n);
	}
}

static int slowest_first(const void *x, const void *y)
{
	const struct html_slow_call *a = x, *b = y;

	return slower(b, a) - slower(a, b);
}

static int slowest_last(const void *x, const void *y)
{
	return slowest_first(y, x);
}

static void sort_all(struct html_slow *s, int (*order)(const void *, const void *))
{
	for (size_t i = 0; i < s->n_funcs; i++)
		if (s->funcs[i].n)
			qsort(s->funcs[i].calls, s->funcs[i].n, sizeof(*s->funcs[i].calls), order);
}

void html_slow_sort(struct html_slow *s)
{
	sort_all(s, slowest_last);
}

int html_slow_finish(struct html_slow *s)
{
	if (!s->err)
		sort_all(s, slowest_first);
	return s->err;
}

void html_slow_free(struct html_slow *s)
{
	for (size_t i = 0; i < s->n_funcs; i++)
		free(s->funcs[i].calls);
	free(s->funcs);
	*s = (struct html_slow){ 0 };
}
