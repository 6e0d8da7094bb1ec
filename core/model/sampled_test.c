// SPDX-License-Identifier: BSD-2-Clause
/*
 * Whose processor time a sample is. Of random executions: a sample of each stack between any two
 * events that stands for all of that time gives each path its self time back.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/test_fixture.h"
#include "model/exec_check_fixture.h"
#include "model/summary.h"
#include "trace/evlist_fixture.h"

/* ---- random executions */

struct stacks {
	uint64_t ids[256]; /* goid, or thread with bit 63 */
	size_t n;
};

static void meet(struct stacks *s, const struct event *e)
{
	bool system = e->flags & EVF_SYSTEM;
	uint64_t id = system ? 1ull << 63 | e->tid : e->goid;

	for (size_t i = 0; i < s->n; i++)
		if (s->ids[i] == id)
			return;
	if (s->n < sizeof(s->ids) / sizeof(*s->ids))
		s->ids[s->n++] = id;
}

/* Of all that was met, as deep as a stack can be. */
static void sample_all(struct trial *t, const struct stacks *s, uint64_t from_ns, uint64_t to_ns)
{
	for (size_t i = 0; i < s->n; i++) {
		bool system = s->ids[i] >> 63;
		struct event_ext ev = {
			.h = { .ts_ns = from_ns,
			       .goid = system ? 0 : s->ids[i],
			       .site = TRACE_NONE,
			       .depth = system ? 1u << 28 : UINT32_MAX,
			       .tid = system ? (uint32_t)s->ids[i] : 1,
			       .kind = EV_SAMPLE,
			       .flags = system ? EVF_SYSTEM : 0 },
			.arg = { to_ns - from_ns,
				 exec_random(&t->rng) % 2 ? SAMPLED_PROGRAM : SAMPLED_STUB },
		};

		trial_add(t, &ev);
	}
}

static void check_samples(struct trial *t)
{
	const struct exec *x = t->x;
	struct stacks stacks = { .n = 0 };
	struct seen seen;
	size_t n, n_sampled;

	for (size_t i = 0; i < x->n; i++) {
		trial_add(t, &x->events[i]);
		meet(&stacks, &x->events[i].h);
		/* At a new image, calls have ended with the last event before. */
		if (i + 1 < x->n && x->events[i + 1].h.kind != EV_IMAGE)
			sample_all(t, &stacks, x->events[i].h.ts_ns, x->events[i + 1].h.ts_ns);
	}
	struct model *m = trial_run(t, &seen);
	const struct path_node *nodes = model_paths(m, &n);
	const struct path_sampled *sampled = model_path_sampled(m, &n_sampled);
	const struct model_sampled *totals = &model_totals(m)->sampled;
	uint64_t *ns = calloc(n, sizeof(*ns)), sum = 0, missing_ns = 0;

	assert_non_null(ns);
	for (size_t i = 0; i < n_sampled; i++) {
		HOLDS(t, sampled[i].path < n && !ns[sampled[i].path]);
		ns[sampled[i].path] = sampled[i].ns + sampled[i].probe_ns;
		sum += sampled[i].ns + sampled[i].probe_ns;
	}
	/* Until a stopped prologue goes on it is not known whether it is of a function that is not
	 * probed, whose caller has part of the time. The thesis's probes enter a call before its
	 * prologue is stopped, and once more: the time in between is in no call. */
	for (size_t i = 0; i < n; i++) {
		uint64_t self_ns = nodes[i].stats.self_ns;

		HOLDS(t, t->opt->thesis || ns[i] <= self_ns);
		missing_ns += ns[i] < self_ns ? self_ns - ns[i] : 0;
	}
	HOLDS(t, missing_ns <= totals->apart_ns);
	HOLDS(t, totals->ns == sum + totals->outside_ns + totals->apart_ns);
	free(ns);
	trial_forget(m, &seen);
}

TEST(test_random)
{
	exec_check_each("sampled", check_samples);
}

/* ---- one at a time */

static struct evlist list;
static struct model *model;

static void feed(const char *events)
{
	assert_int_equal(evlist_parse(&list, events, "test"), 0);
	model = model_new(&list.info, &(struct model_options){ 0 });
	assert_non_null(model);
	for (size_t i = 0; i < list.n; i++)
		assert_int_equal(model_feed(model, &list.events[i]), 0);
	assert_int_equal(model_finish(model), 0);
}

static void forget(void)
{
	model_free(model);
	evlist_free(&list);
}

/* Of the path of that function: its only one. */
static struct path_sampled of(const char *func)
{
	size_t n, n_sampled;
	const struct path_node *nodes = model_paths(model, &n);
	const struct path_sampled *sampled = model_path_sampled(model, &n_sampled);

	for (size_t i = 0; i < n_sampled; i++)
		if (nodes[sampled[i].path].func < list.info.n_funcs &&
		    !strcmp(list.info.funcs[nodes[sampled[i].path].func].name, func))
			return sampled[i];
	return (struct path_sampled){ 0 };
}

/* main.b has not returned yet by its events, and rsp says that it has; in its prologue, and where
 * it has no frame, rsp is at its return address. What a probe takes is the open call's. */
TEST(test_depth)
{
	feed("1 entry main.a 100 1000\n"
	     "1 sample - 150 2000 arg0=10000 arg1=1\n"
	     "1 entry main.b 200 3000\n"
	     "1 sample - 192 4000 arg0=20000 arg1=1\n"
	     "1 sample - 200 5000 arg0=40000 arg1=1\n"
	     "1 sample - 192 6000 arg0=80000 arg1=4\n"
	     "1 exit main.b 200 7000\n"
	     "1 sample - 90 8000 arg0=160000 arg1=1\n"
	     "1 exit main.a 100 9000\n"
	     "1 sample - 90 9500 arg0=320000 arg1=5\n"
	     "7 sample - 90 9600 arg0=640000 arg1=1\n");
	assert_int_equal(of("main.a").n, 2);
	assert_int_equal(of("main.a").ns, 30000);
	assert_int_equal(of("main.a").squares, 10 * 10 + 20 * 20);
	assert_int_equal(of("main.a").probe_n, 0);
	assert_int_equal(of("main.b").ns, 40000);
	assert_int_equal(of("main.b").probe_ns, 80000);
	const struct model_sampled *t = &model_totals(model)->sampled;

	assert_int_equal(t->n, 7);
	assert_int_equal(t->ns, 1270000);
	assert_int_equal(t->probe_ns, 400000);
	assert_int_equal(t->outside_ns, 160000 + 320000 + 640000);
	/* A sample is no event of a call. */
	assert_int_equal(model_totals(model)->events, 4);
	assert_int_equal(model_totals(model)->last_ns, 9000);
	forget();
}

/* In main.b's code (arg2: its index plus 1) before its event comes: a call that main.a makes, if it
 * ever does. */
TEST(test_function)
{
	feed("1 entry main.a 100 1000\n"
	     "1 sample - 200 1500 arg0=5000 arg1=1 arg2=2\n"
	     "1 entry main.b 200 2000\n"
	     "1 exit main.b 200 3000\n"
	     "1 sample - 200 4000 arg0=10000 arg1=1 arg2=2\n"
	     "1 sample - 200 5000 arg0=20000 arg1=1 arg2=1\n"
	     "1 sample - 200 6000 arg0=40000 arg1=1 arg2=99\n"
	     "1 exit main.a 100 9000\n");
	assert_int_equal(of("main.b").ns, 10000);
	assert_int_equal(of("main.a").ns, 65000);
	forget();
}

/* main.c, which main.b calls, waits for memory; events of what comes later are older than that.
 * arg2: what is on its stack, its caller in the upper half; arg1: the next caller likewise. */
TEST(test_ahead)
{
#define ON_STACK(innermost, caller) ((uint64_t)(caller) << 32 | (innermost))
	char events[1024];

	snprintf(events, sizeof(events),
		 "1 entry main.a 100 1000\n"
		 "1 entry main.b 200 2000\n"
		 "1 entry main.c 300 3000\n"
		 "1 exit main.c 300 4000\n"
		 "1 sample - 310 4500 arg0=1000 arg1=1 arg2=%" PRIu64 "\n" /* b is open */
		 "1 exit main.b 200 5000\n"
		 "1 sample - 310 5500 arg0=2000 arg1=%" PRIu64 " arg2=%" PRIu64 "\n" /* a is */
		 "1 entry main.d 200 6000\n"
		 "1 sample - 310 6500 arg0=4000 arg1=%" PRIu64 " arg2=%" PRIu64 "\n" /* d is */
		 "1 sample - 210 6600 arg0=8000 arg1=1 arg2=%" PRIu64 "\n"           /* of d */
		 "1 exit main.d 200 7000\n"
		 "1 sample - 310 7500 arg0=16000 arg1=1 arg2=%" PRIu64 "\n" /* d calls no c */
		 "1 exit main.a 100 9000\n",
		 ON_STACK(3, 2), ON_STACK(1, 1), ON_STACK(3, 2), ON_STACK(1, 1), ON_STACK(3, 2),
		 ON_STACK(4, 1), ON_STACK(3, 4));
	feed(events);
	assert_int_equal(of("main.c").ns, 7000);
	assert_int_equal(of("main.d").ns, 8000);
	assert_int_equal(of("main.a").ns, 16000);
	assert_int_equal(of("main.b").n, 0);
	forget();
}

/* On a thread's system stack: of the call open there, else of the goroutine's it works for. */
TEST(test_system)
{
	feed("1 entry main.a 100 1000 tid=5\n"
	     "1 sample - 4294900000 2000 tid=5 flags=system arg0=10000 arg1=2\n"
	     "1 entry main.s 4294890000 3000 tid=5 flags=system\n"
	     "1 sample - 4294890100 4000 tid=5 flags=system arg0=20000 arg1=1\n"
	     "1 exit main.s 4294890000 5000 tid=5 flags=system\n"
	     "0 sample - 4294900000 6000 tid=5 flags=system arg0=40000 arg1=1\n"
	     "1 exit main.a 100 9000 tid=5\n");
	assert_int_equal(of("main.a").ns, 10000);
	assert_int_equal(of("main.s").ns, 20000);
	assert_int_equal(model_totals(model)->sampled.outside_ns, 40000);
	forget();
}

/* While its prologue is stopped, where events are lost, and while it does not run: nobody's. */
TEST(test_apart)
{
	feed("@set states 1\n"
	     "1 entry main.a 100 1000\n"
	     "1 state - 1 1100\n"
	     "1 sample - 200 2000 arg0=1000 arg1=1\n"
	     "1 state - 4 3000\n"
	     "1 sample - 200 3500 arg0=2000 arg1=3\n"
	     "1 state - 1 4000\n"
	     "1 stop - 200 5000 arg0=0\n"
	     "1 sample - 200 5500 arg0=4000 arg1=1\n"
	     "1 resume - 0 6000 arg0=2048 arg1=4096 arg2=1\n"
	     "1 entry main.b 200 6500\n"
	     "1 exit main.b 200 7000\n"
	     "1 loss - 0 7100 arg0=8000 arg1=3\n"
	     "1 sample - 200 7500 arg0=8000 arg1=1\n"
	     "1 exit main.a 100 9000\n");
	assert_int_equal(of("main.a").ns, 1000);
	assert_int_equal(model_totals(model)->sampled.apart_ns, 14000);
	forget();
}

/* A summary keeps them. */
TEST(test_summary)
{
	struct summary_bytes bytes = { 0 };

	feed("1 entry main.a 100 1000\n"
	     "1 sample - 150 2000 arg0=10000 arg1=1\n"
	     "1 sample - 150 2500 arg0=20000 arg1=4\n"
	     "1 exit main.a 100 9000\n");
	assert_int_equal(summary_put(&bytes, model), 0);
	model_free(model);
	model = model_new(&list.info, &(struct model_options){ 0 });
	assert_non_null(model);
	assert_null(summary_restore(model, bytes.data, bytes.n, bytes.n));
	assert_int_equal(of("main.a").ns, 10000);
	assert_int_equal(of("main.a").probe_ns, 20000);
	assert_int_equal(of("main.a").probe_squares, 400);
	assert_int_equal(model_totals(model)->sampled.ns, 30000);
	free(bytes.data);
	forget();
}

TESTS(test_depth, test_function, test_ahead, test_system, test_apart, test_summary, test_random)
