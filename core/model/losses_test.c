// SPDX-License-Identifier: BSD-2-Clause
/* The edges of gaps, and what else makes a call suspect: one event more or less. */
#include <stdio.h>

#include "base/test_fixture.h"
#include "model/model.h"
#include "trace/keys.h"

/* Functions f and g, with these sites. */
enum { F, G, N_FUNCS };
enum { F_ENTRY, F_EXIT, F_TO_G, F_MORESTACK, G_ENTRY, G_EXIT };
static const struct trace_site sites[] = {
	[F_ENTRY] = { F, TRACE_NONE, 0, EV_ENTRY },
	[F_EXIT] = { F, TRACE_NONE, 1, EV_EXIT },
	[F_TO_G] = { F, G, 2, EV_TAIL },
	[F_MORESTACK] = { F, TRACE_NONE, 3, EV_MORESTACK },
	[G_ENTRY] = { G, TRACE_NONE, 4, EV_ENTRY },
	[G_EXIT] = { G, TRACE_NONE, 5, EV_EXIT },
};
#define N_SITES (sizeof(sites) / sizeof(sites[0]))

static struct trace_info info;
static struct model *m;
static uint16_t flags; /* of events from now on */
static uint32_t tid;

FIXTURE(set_up)
{
	flags = 0;
	tid = 1;
	info = (struct trace_info){ 0 };
	for (int f = 0; f < N_FUNCS; f++)
		if (trace_info_add_func(&info, &(struct trace_func){ .name = f == F ? "main.f"
										    : "main.g" }))
			return -1;
	for (size_t i = 0; i < N_SITES; i++)
		if (trace_info_add_site(&info, &sites[i]))
			return -1;
	m = model_new(&info, &(struct model_options){ 0 });
	return m ? 0 : -1;
}

FIXTURE(tear_down)
{
	model_free(m);
	trace_info_free(&info);
	return 0;
}

static void feed(uint64_t ts_ns, uint64_t goid, uint32_t site, uint32_t depth)
{
	const struct event_ext e = { .h = { .ts_ns = ts_ns,
					    .goid = goid,
					    .depth = depth,
					    .tid = tid,
					    .site = site,
					    .kind = sites[site].kind,
					    .flags = flags } };

	assert_int_equal(model_feed(m, &e), 0);
}

static void feed_other(uint64_t ts_ns, uint64_t goid, uint16_t kind, uint16_t with, uint64_t arg0,
		       uint64_t arg1)
{
	const struct event_ext e = {
		.h = { .ts_ns = ts_ns, .goid = goid, .kind = kind, .flags = with },
		.arg = { arg0, arg1 }
	};

	assert_int_equal(model_feed(m, &e), 0);
}

static void feed_state(uint64_t ts_ns, uint64_t goid, uint32_t of)
{
	const struct event_ext e = { .h = { .ts_ns = ts_ns,
					    .goid = goid,
					    .site = TRACE_NONE,
					    .depth = STATE_DEPTH(of, 0),
					    .kind = EV_STATE } };

	assert_int_equal(model_feed(m, &e), 0);
}

/* An event was lost between two moments, these included: of a goroutine, 0: of any. */
static void lose(uint64_t from_ns, uint64_t until_ns, uint64_t goid)
{
	feed_other(from_ns, goid, EV_LOSS, goid ? 0 : EVF_ALL, until_ns, 1);
}

static const struct call_stats *stats(int func)
{
	size_t n;

	return &model_funcs(m, &n)[func];
}

static void ends(uint64_t suspect)
{
	assert_int_equal(model_finish(m), 0);
	assert_int_equal(model_totals(m)->suspect_calls, suspect);
}

/* A call that begins in the moment in which a gap ends may have begun before it. */
TEST(test_begins_at_the_end)
{
	lose(100, 200, 0);
	feed(200, 1, F_ENTRY, 64);
	feed(210, 1, F_EXIT, 64);
	feed(211, 1, F_ENTRY, 64);
	feed(220, 1, F_EXIT, 64);
	ends(1);
}

TEST(test_begins_at_the_end_of_its_own)
{
	feed(90, 1, F_ENTRY, 64);
	feed(91, 1, F_EXIT, 64);
	lose(100, 200, 1);
	feed(200, 2, F_ENTRY, 64); /* another goroutine lost nothing */
	feed(200, 1, F_ENTRY, 64);
	feed(210, 1, F_EXIT, 64);
	feed(210, 2, F_EXIT, 64);
	ends(1);
}

/* The same of a loss that is told when the call has begun. */
TEST(test_told_later)
{
	feed(200, 1, F_ENTRY, 64);
	feed(201, 1, G_ENTRY, 128);
	lose(100, 200, 0);
	feed(210, 1, G_EXIT, 128);
	feed(211, 1, F_EXIT, 64);
	ends(1);
	assert_int_equal(stats(F)->suspect, 1);
}

/* A call whose prologue grew the stack is entered again. */
TEST(test_entered_again_at_the_end)
{
	feed(90, 1, F_ENTRY, 64);
	feed(91, 1, F_MORESTACK, 64);
	lose(100, 200, 0);
	feed(200, 1, F_ENTRY, 64);
	feed(210, 1, F_EXIT, 64);
	ends(1);
	assert_int_equal(stats(F)->calls, 1);
}

/* A call whose prologue grew the stack is entered again behind the gap that it was open in. */
TEST(test_entered_again_behind_it)
{
	feed(90, 1, F_ENTRY, 64);
	feed(91, 1, F_MORESTACK, 64);
	lose(100, 200, 0);
	feed(201, 1, F_ENTRY, 64);
	feed(210, 1, F_EXIT, 64);
	ends(1);
}

/* Of each gap that all lost events in: a goroutine whose state is known again loses it again. */
TEST(test_states_of_all)
{
	model_free(m);
	assert_int_equal(trace_info_set(&info, KEY_STATES, "1"), 0);
	m = model_new(&info, &(struct model_options){ 0 });
	assert_non_null(m);
	for (uint64_t ns = 100; ns <= 300; ns += 100) {
		feed_state(ns, 1, STATE_RUNNING);
		lose(ns + 10, ns + 11, 0); /* unknown up to the next state, 90 ns later */
	}
	feed_state(400, 1, STATE_RUNNING);
	feed_other(500, 1, EV_END, 0, 0, 0);
	assert_int_equal(model_finish(m), 0);
	assert_int_equal(model_totals(m)->life_ns, 400);
	assert_int_equal(model_totals(m)->off.unknown_ns, 3 * 90);
}

/* Where looking for the threads of a goroutine would take too long, all are suspect, no later call
 * is. */
TEST(test_many_system_stacks)
{
	enum { THREADS = 5000 };
	uint64_t ns = 100;

	flags = EVF_SYSTEM;
	for (tid = 1; tid <= THREADS; tid++)
		feed(ns++, 5, F_ENTRY, 64);
	for (int i = 0; i < THREADS; i++, ns++)
		lose(ns, ns, 6);
	for (tid = 1; tid <= THREADS; tid++) {
		feed(ns++, 5, F_EXIT, 64);
		feed(ns++, 5, G_ENTRY, 64);
		feed(ns++, 5, G_EXIT, 64);
	}
	ends(THREADS);
	assert_int_equal(stats(F)->suspect, THREADS);
}

/* What is not there when a goroutine's number is given out again has lost its end. */
TEST(test_goid_again)
{
	feed_other(90, 1, EV_CREATE, 0, 7, 0);
	feed(100, 7, F_ENTRY, 64);
	feed_other(110, 1, EV_CREATE, 0, 7, 0);
	feed(120, 7, G_ENTRY, 64);
	feed(130, 7, G_EXIT, 64);
	ends(1);
	assert_int_equal(stats(F)->suspect, 1);
	assert_int_equal(stats(F)->finished, 0);
	assert_int_equal(model_totals(m)->goroutines, 3);
}

/* A system stack works for one goroutine, then for another; what it began for the first is the
 * first's. */
TEST(test_system_stack)
{
	flags = EVF_SYSTEM;
	feed(100, 5, F_ENTRY, 64);
	feed(110, 6, G_ENTRY, 128);
	lose(105, 115, 5);
	feed(120, 6, G_EXIT, 128);
	feed(130, 5, F_EXIT, 64);
	ends(2); /* which of the two lost it is not known */
	assert_int_equal(stats(F)->suspect, 1);
}

/* The exit of a call that was stopped, and whose second entry is missing. */
TEST(test_exit_of_stopped)
{
	const struct event_ext over = {
		.h = { .ts_ns = 102, .goid = 1, .depth = 64, .kind = EV_UNWIND }
	};

	feed(100, 1, F_ENTRY, 64);
	feed(101, 1, F_MORESTACK, 64);
	assert_int_equal(model_feed(m, &over), 0); /* of nothing: but the stop is over */
	feed(110, 1, F_EXIT, 64);
	ends(1);
}

/* The exit of another function than the one that is open at its depth. */
TEST(test_exit_of_another)
{
	feed(100, 1, F_ENTRY, 64);
	feed(110, 1, G_EXIT, 64);
	ends(1);
	assert_int_equal(model_totals(m)->orphan_exits, 1);
	assert_int_equal(stats(F)->finished, 0);
	assert_int_equal(stats(G)->calls, 0);
}

/* f waits for g, to which it has jumped; it is f that begins there. */
TEST(test_tail_of_another)
{
	feed(100, 1, F_ENTRY, 64);
	feed(110, 1, F_TO_G, 64);
	feed(120, 1, F_ENTRY, 64);
	feed(130, 1, F_EXIT, 64);
	ends(1);
	assert_int_equal(stats(F)->calls, 2);
	assert_int_equal(stats(F)->finished, 1);
}

TEST(test_tail_of_that)
{
	feed(100, 1, F_ENTRY, 64);
	feed(110, 1, F_TO_G, 64);
	feed(120, 1, G_ENTRY, 64);
	feed(130, 1, G_EXIT, 64);
	ends(0);
	assert_int_equal(stats(F)->finished, 1);
	assert_int_equal(stats(F)->total_ns, 30);
	assert_int_equal(stats(F)->self_ns, 20);
}

/* A gap of one goroutine that reaches into the next image: whose it is there is not known. */
TEST(test_into_the_next_image)
{
	feed(100, 1, F_ENTRY, 64);
	lose(110, 200, 1);
	feed_other(150, 0, EV_IMAGE, 0, 0, 0);
	feed(160, 3, G_ENTRY, 64);
	feed(170, 3, G_EXIT, 64);
	ends(2);
	assert_int_equal(stats(G)->suspect, 1);
}

TESTS_EACH(set_up, tear_down, test_begins_at_the_end, test_begins_at_the_end_of_its_own,
	   test_told_later, test_entered_again_at_the_end, test_goid_again, test_system_stack,
	   test_exit_of_stopped, test_exit_of_another, test_tail_of_another, test_tail_of_that,
	   test_into_the_next_image, test_entered_again_behind_it, test_states_of_all,
	   test_many_system_stacks)
