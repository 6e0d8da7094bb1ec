// SPDX-License-Identifier: BSD-2-Clause
/*
 * What became of the prologues that a trace of the thesis strategy saw stopped.
 *
 *	stops TRACE
 *
 * One line "WHERE,CLASS,COUNT,NS" for each class. WHERE: traced functions, whose
 * call of morestack is probed, as the thesis counted them; or others, which it did
 * not see. CLASS: growth, yield, gc, declined. NS: from the call of morestack to the
 * function's second entry; 0 for others, whose entry is not seen.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/vec.h"
#include "trace/trace.h"

#define CLASSES   4
#define GOIDS_MAX (1 << 24)

/* A goroutine's prologue that has stopped and not gone on yet. */
struct pending {
	bool active, traced;
	uint32_t depth, class;
	uint64_t from_ns;
};

struct tally {
	uint64_t count[2][CLASSES], ns[CLASSES];
};

static void finish(struct pending *p, struct tally *t, uint64_t entered_ns)
{
	if (!p->active)
		return;
	t->count[p->traced][p->class]++;
	if (p->traced && entered_ns > p->from_ns)
		t->ns[p->class] += entered_ns - p->from_ns;
	p->active = false;
}

static void feed(struct pending *p, struct tally *t, const struct event_ext *ev)
{
	const struct event *e = &ev->h;
	bool same = p->active && p->depth == e->depth;

	switch (e->kind) {
	case EV_MORESTACK:
		finish(p, t, 0); /* its entry is missing: no time is known */
		*p = (struct pending){ .active = true,
				       .traced = true,
				       .depth = e->depth,
				       .class = STOP_DECLINED,
				       .from_ns = e->ts_ns };
		break;
	case EV_STOP:
		if (same && p->traced)
			break;
		finish(p, t, 0);
		*p = (struct pending){ .active = true, .depth = e->depth, .class = STOP_DECLINED };
		break;
	case EV_RESUME:
		if (p->active && ev->arg[2] < CLASSES)
			p->class = (uint32_t)ev->arg[2];
		break;
	case EV_ENTRY:
		finish(p, t, same && p->traced ? e->ts_ns : 0);
		break;
	case EV_EXIT:
	case EV_TAIL:
	case EV_ENTRY_EXIT:
	case EV_ENTRY_TAIL:
	case EV_UNWIND:
	case EV_END:
		finish(p, t, 0);
		break;
	}
}

static int tally_trace(struct trace_reader *r, struct tally *t)
{
	struct pending *by_goid = NULL;
	size_t n = 0, cap = 0;
	struct event_ext ev;
	int got, err = 0;

	while (!err && (got = trace_reader_next(r, &ev)) > 0) {
		if (ev.h.goid >= GOIDS_MAX || ev.h.flags & EVF_SYSTEM)
			continue;
		if (ev.h.goid >= n) {
			err = vec_reserve(&by_goid, &cap, ev.h.goid + 1);
			for (; !err && n < cap; n++)
				by_goid[n].active = false;
		}
		if (!err)
			feed(&by_goid[ev.h.goid], t, &ev);
	}
	for (size_t i = 0; i < n; i++)
		finish(&by_goid[i], t, 0);
	free(by_goid);
	return err ? err : got;
}

int main(int argc, char **argv)
{
	static const char *const classes[CLASSES] = { "declined", "growth", "yield", "gc" };
	static const char *const where[2] = { "others", "traced" };
	struct tally t = { 0 };

	if (argc != 2) {
		fprintf(stderr, "usage: stops TRACE\n");
		return 2;
	}
	struct trace_reader *r = trace_reader_open(argv[1]);
	if (!r || tally_trace(r, &t))
		return 1;
	trace_reader_close(r);
	for (int w = 1; w >= 0; w--)
		for (int c = 0; c < CLASSES; c++)
			printf("%s,%s,%" PRIu64 ",%" PRIu64 "\n", where[w], classes[c],
			       t.count[w][c], w ? t.ns[c] : 0);
	return 0;
}
