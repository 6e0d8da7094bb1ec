// SPDX-License-Identifier: BSD-2-Clause
/*
 * What --min-duration passes on: of random executions and of all cases exactly the long calls, on
 * their paths, and besides only what started goroutines that are there.
 */
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/test_fixture.h"
#include "base/vec.h"
#include "keep/event_list_fixture.h"
#include "keep/min_duration_internal.h"
#include "model/exec_fixture.h"
#include "trace/evlist_fixture.h"

static int finished;

static int end(void *ctx, struct trace_info *info)
{
	(void)ctx;
	(void)info;
	finished++;
	return 0;
}

/* What is left of the events; *most: that waited at a time. */
static struct event_list filter(const struct trace_info *info, const struct event_ext *ev, size_t n,
				uint64_t min_ns, size_t *most)
{
	struct event_list out = { 0 };
	const struct trace_sink next = { .event = event_list_take, .finish = end, .ctx = &out };
	struct min_duration *m = min_duration_new(info, min_ns, &next);
	struct trace_sink sink = min_duration_sink(m);

	for (size_t i = 0; i < n; i++) {
		if (i % 3 == 0) /* all before it were given */
			assert_int_equal(sink.round(sink.ctx, ev[i].h.ts_ns), 0);
		if (i % 2 || event_kind_has_args(ev[i].h.kind))
			assert_int_equal(sink.event(sink.ctx, &ev[i]), 0);
		else
			assert_int_equal(sink.many(sink.ctx, &ev[i].h, 1), 0);
	}
	finished = 0;
	assert_int_equal(sink.finish(sink.ctx, NULL), 0);
	assert_int_equal(finished, 1);
	if (most)
		*most = m->queue.most;
	min_duration_free(m);
	return out;
}

/* ---- calls of a list */

struct seen {
	uint64_t goid, start_ns, end_ns;
	uint32_t func, tid, image;
	bool system, suspect, started; /* started: its path goes through a go statement */
	enum call_end end;
	char path[120];
};

struct calls {
	struct seen *all;
	size_t n, cap;
	const struct model *model;
};

static void on_call(void *ctx, const struct call *c)
{
	struct calls *to = ctx;
	size_t n, len = 0;
	const struct path_node *nodes = model_paths(to->model, &n);

	assert_int_equal(vec_reserve(&to->all, &to->cap, to->n + 1), 0);
	struct seen *s = &to->all[to->n++];

	memset(s, 0, sizeof(*s));
	*s = (struct seen){ c->goid,  c->start_ns, c->end_ns,  c->func,      c->tid,
			    c->image, c->system,   c->suspect, .end = c->end };
	for (uint32_t i = c->path; i; i = nodes[i].parent) {
		s->started |= nodes[i].go_edge;
		if (len < sizeof(s->path) - 12)
			len += (size_t)snprintf(s->path + len, sizeof(s->path) - len, "%s%x",
						nodes[i].go_edge ? "!" : ".", nodes[i].func);
	}
}

static int by_start(const void *x, const void *y)
{
	const struct seen *a = x, *b = y;

	if (a->start_ns != b->start_ns)
		return a->start_ns < b->start_ns ? -1 : 1;
	if (a->goid != b->goid)
		return a->goid < b->goid ? -1 : 1;
	if (a->end_ns != b->end_ns)
		return a->end_ns > b->end_ns ? -1 : 1;
	return (a->func > b->func) - (a->func < b->func);
}

/* last_ns: of all events, as the summary of a trace says; 0: of these. */
static struct calls pair(const struct trace_info *info, const struct event_ext *ev, size_t n,
			 uint64_t *last_ns)
{
	struct calls c = { 0 };
	struct model *m = model_new(info, &(struct model_options){ .on_call = on_call, .ctx = &c });

	c.model = m;
	for (size_t i = 0; i < n; i++)
		assert_int_equal(model_feed(m, &ev[i]), 0);
	if (*last_ns)
		model_view_end(m, *last_ns);
	*last_ns = model_totals(m)->last_ns;
	assert_int_equal(model_finish(m), 0);
	model_free(m);
	if (c.n)
		qsort(c.all, c.n, sizeof(*c.all), by_start);
	return c;
}

static bool same_call(const struct seen *a, const struct seen *b)
{
	return a->goid == b->goid && a->func == b->func && a->start_ns == b->start_ns &&
	       a->system == b->system;
}

static const struct seen *find(const struct calls *in, const struct seen *c)
{
	for (size_t i = 0; i < in->n; i++)
		if (same_call(&in->all[i], c) && in->all[i].end_ns == c->end_ns &&
		    in->all[i].end == c->end)
			return &in->all[i];
	return NULL;
}

/* Open as the process executed another image: its end is the last event before, whichever. */
static bool cut_by_image(const struct event_ext *ev, size_t n, const struct seen *c)
{
	bool images = false;

	for (size_t i = 0; i < n; i++)
		images |= ev[i].h.kind == EV_IMAGE && ev[i].h.ts_ns >= c->start_ns;
	return images && c->end == CALL_UNFINISHED;
}

/* It started a goroutine, or its prologue was stopped for long (thesis) before it began anew. */
static bool matters(const struct event_list *l, const struct seen *c)
{
	for (size_t i = 0; i < l->n; i++) {
		const struct event *e = &l->ev[i].h;

		if (e->kind == EV_CREATE && e->goid == c->goid && e->ts_ns >= c->start_ns &&
		    e->ts_ns <= c->end_ns)
			return true;
		if (e->kind == EV_MORESTACK && e->goid == c->goid && e->ts_ns <= c->start_ns)
			return true;
	}
	return false;
}

/* A call that is there jumped to it, and ended with it. */
static bool is_target(const struct calls *in, const struct event_list *l, const struct seen *c,
		      uint64_t min_ns)
{
	for (size_t i = 0; i < in->n; i++) {
		const struct seen *a = &in->all[i];

		if (a->goid == c->goid && a->system == c->system && a->end_ns == c->end_ns &&
		    a->start_ns < c->start_ns &&
		    (a->end_ns - a->start_ns >= min_ns || matters(l, a)))
			return true;
	}
	return false;
}

struct counts {
	size_t long_calls, otherwise, short_calls, other_paths;
};

static void check(const struct trace_info *info, const struct event_ext *ev, size_t n,
		  uint64_t min_ns, const char *name, struct counts *sum)
{
	struct event_list left = filter(info, ev, n, min_ns, NULL);
	uint64_t last_ns = 0;
	struct calls all = pair(info, ev, n, &last_ns),
		     some = pair(info, left.ev, left.n, &last_ns);

	bool in_order = true; /* hand-written ones need not be */

	for (size_t i = 1; i < n; i++)
		in_order &= ev[i - 1].h.ts_ns <= ev[i].h.ts_ns;
	for (size_t i = 1; in_order && i < left.n; i++)
		if (left.ev[i].h.kind != EV_LOSS && left.ev[i - 1].h.kind != EV_LOSS)
			assert_true(left.ev[i - 1].h.ts_ns <= left.ev[i].h.ts_ns);
	for (size_t i = 0; i < all.n; i++) {
		const struct seen *c = &all.all[i], *same;

		if (c->end_ns - c->start_ns < min_ns)
			continue;
		same = find(&some, c);
		sum->long_calls++;
		if (!same && !c->suspect && !cut_by_image(ev, n, c))
			fail_msg("%s, %d ns: the call of function %d from %d to %d is missing",
				 name, (int)min_ns, (int)c->func, (int)c->start_ns, (int)c->end_ns);
		sum->otherwise += !same;
		if (same && strcmp(same->path, c->path)) {
			if (!c->started && !c->suspect)
				fail_msg("%s, %d ns: path %s, not %s", name, (int)min_ns,
					 same->path, c->path);
			sum->other_paths++;
		}
	}
	for (size_t i = 0; i < some.n; i++) {
		const struct seen *c = &some.all[i];

		if (c->end_ns - c->start_ns >= min_ns || c->suspect || cut_by_image(ev, n, c))
			continue;
		sum->short_calls++;
		if (!matters(&left, c) && !is_target(&some, &left, c, min_ns))
			fail_msg("%s, %d ns: a call of function %d from %d to %d", name,
				 (int)min_ns, (int)c->func, (int)c->start_ns, (int)c->end_ns);
	}
	free(left.ev);
	free(all.all);
	free(some.all);
}

static const uint64_t lengths[] = { 1, 7, 30, 150, 500, 2000, 20000 };
#define N_LENGTHS (sizeof(lengths) / sizeof(lengths[0]))

TEST(test_cases)
{
	struct counts sum = { 0 };
	glob_t g;

	assert_int_equal(glob("fixtures/cases/*.events", 0, NULL, &g), 0);
	assert_true(g.gl_pathc >= 40);
	for (size_t i = 0; i < g.gl_pathc; i++) {
		struct evlist l;

		assert_int_equal(evlist_load(&l, g.gl_pathv[i]), 0);
		for (size_t k = 0; k < N_LENGTHS; k++)
			check(&l.info, l.events, l.n, lengths[k], g.gl_pathv[i], &sum);
		evlist_free(&l);
	}
	globfree(&g);
	print_message("%zu long calls, %zu seen otherwise; %zu short\n", sum.long_calls,
		      sum.otherwise, sum.short_calls);
}

TEST(test_random)
{
	struct counts sum = { 0 };
	char name[32];

	for (uint64_t seed = 1; seed <= 1500; seed++) {
		const struct exec_options opt = { .thesis = seed % 3 == 0,
						  .global = seed % 2,
						  .steps = 120 };
		struct exec x;

		assert_int_equal(exec_make(&x, seed, &opt), 0);
		snprintf(name, sizeof(name), "seed %d", (int)seed);
		check(&x.info, x.events, x.n, lengths[seed % N_LENGTHS], name, &sum);
		exec_free(&x);
	}
	print_message("%zu long calls, %zu seen otherwise, %zu on shorter paths; %zu short\n",
		      sum.long_calls, sum.otherwise, sum.other_paths, sum.short_calls);
	assert_true(sum.long_calls > 10000);
	/* few chains of goroutines that are all short */
	assert_true(sum.other_paths * 50 < sum.long_calls);
}

static void filtered_is(const char *events, uint64_t min_ns, const char *want)
{
	struct evlist l;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_int_equal(evlist_parse(&l, events, "test"), 0);
	struct event_list left = filter(&l.info, l.events, l.n, min_ns, NULL);

	for (size_t i = 0; i < left.n; i++)
		fprintf(out, "%s%s@%d", i ? " " : "", event_kind_name(left.ev[i].h.kind),
			(int)left.ev[i].h.ts_ns);
	fclose(out);
	assert_string_equal(text, want);
	free(text);
	free(left.ev);
	evlist_free(&l);
}

TEST(test_words)
{
	/* a short call in a long one */
	filtered_is("1 entry main.f 100 1000\n1 entry main.g 200 1010\n1 exit main.g 200 1020\n"
		    "1 exit main.f 100 2000\n",
		    100, "entry@1000 exit@2000");
	/* the length itself is long enough */
	filtered_is("1 entry main.f 100 1000\n1 exit main.f 100 1100\n", 100,
		    "entry@1000 exit@1100");
	filtered_is("1 entry main.f 100 1000\n1 exit main.f 100 1099\n", 100, "");
	/* what started a goroutine that does something long is there, other short calls are not */
	filtered_is(
		"1 entry main.f 100 1000\n1 entry main.h 200 1001\n1 exit main.h 200 1002\n"
		"1 entry main.g 200 1010\n1 create - 0 1015 arg0=7 arg1=0x401000\n"
		"1 exit main.g 200 1020\n1 exit main.f 100 1030\n"
		"7 entry main.w 100 1040\n7 exit main.w 100 3000\n7 end - 0 3001\n",
		100,
		"entry@1000 entry@1010 create@1015 exit@1020 exit@1030 entry@1040 exit@3000 end@3001");
	/* of a short goroutine nothing is left */
	filtered_is("1 entry main.f 100 1000\n1 create - 0 1015 arg0=7 arg1=0x401000\n"
		    "7 entry main.w 100 1040\n7 exit main.w 100 1050\n7 end - 0 1060\n"
		    "1 exit main.f 100 9000\n",
		    100, "entry@1000 exit@9000");
	/* a recovered panic ends long calls and short ones */
	filtered_is("1 entry main.a 100 1000\n1 entry main.f 200 1001\n1 entry main.g 300 1990\n"
		    "1 unwind - 100 2000\n1 exit main.a 100 2001\n",
		    100, "entry@1000 entry@1001 unwind@2000 exit@2001");
	filtered_is("1 entry main.a 100 1000\n1 entry main.f 200 1990\n1 entry main.g 300 1995\n"
		    "1 unwind - 100 2000\n1 exit main.a 100 2001\n",
		    100, "entry@1000 exit@2001");
	/* stopped prologues: of a long stop there is all */
	filtered_is("1 entry main.a 100 1000\n1 stop - 200 1001 arg0=0\n1 resume - 0 1900 arg2=1\n"
		    "1 entry main.f 200 1901\n1 exit main.f 200 1902\n1 exit main.a 100 2001\n",
		    100, "entry@1000 stop@1001 resume@1900 exit@2001");
	/* still open at the end: long ones are there, short ones are not */
	filtered_is("1 entry main.a 100 1000\n1 entry main.f 200 1950\n2 entry main.a 100 2000\n",
		    100, "entry@1000");
	/* a loss and an image are */
	filtered_is("1 entry main.f 100 1000\n- loss - 0 1001 arg0=1002 arg1=3 flags=all\n"
		    "1 exit main.f 100 1010\n1 image - 0 1020\n",
		    100, "loss@1001 image@1020");
}

/* A million short calls in a few long ones wait for nothing. */
TEST(test_bounded)
{
	const size_t n = 200000;
	struct evlist l;
	struct event_ext *ev = calloc(2 * n + 1, sizeof(*ev));
	size_t most;

	assert_non_null(ev);
	assert_int_equal(evlist_parse(&l,
				      "1 entry main.f 100 1000\n1 entry main.g 200 1010\n"
				      "1 exit main.g 200 1020\n",
				      "test"),
			 0);
	ev[0] = l.events[0];
	for (size_t i = 0; i < n; i++) {
		ev[1 + 2 * i] = l.events[1];
		ev[2 + 2 * i] = l.events[2];
		ev[1 + 2 * i].h.ts_ns = 1001 + 2 * i;
		ev[2 + 2 * i].h.ts_ns = 1002 + 2 * i;
	}
	struct event_list left = filter(&l.info, ev, 2 * n + 1, 100000, &most);

	assert_int_equal(left.n, 1);
	assert_true(most < 10);
	free(left.ev);
	free(ev);
	evlist_free(&l);
}

/* Goroutines that start their successors, all short: what waits does not grow. */
TEST(test_chain)
{
	enum { GOROUTINES = 20000 };
	struct evlist l;
	struct event_ext *ev = calloc(5 * GOROUTINES, sizeof(*ev));
	size_t most, n = 0;

	assert_non_null(ev);
	assert_int_equal(evlist_parse(&l,
				      "1 entry main.f 100 1000\n1 create - 0 1010 arg0=2 arg1=9\n"
				      "1 exit main.f 100 1020\n1 end - 0 1030\n",
				      "test"),
			 0);
	for (uint64_t i = 1; i <= GOROUTINES; i++)
		for (int k = 0; k < 4; k++) {
			ev[n] = l.events[k];
			ev[n].h.goid = i;
			ev[n].h.ts_ns = 1000 + 40 * i + 10 * (uint64_t)k;
			if (k == 1)
				ev[n].arg[0] = i + 1;
			n++;
		}
	struct event_list left = filter(&l.info, ev, n, 1000, &most);

	/* the end of the first, which was there before */
	assert_true(left.n == 1 && left.ev[0].h.kind == EV_END);
	assert_true(most < 1000);
	free(left.ev);
	free(ev);
	evlist_free(&l);
}

TESTS(test_words, test_cases, test_random, test_bounded, test_chain)
