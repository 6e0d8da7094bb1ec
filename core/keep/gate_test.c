// SPDX-License-Identifier: BSD-2-Clause
/* The gate, one rule at a time: a list of events goes in, another comes out. */
#include <stdlib.h>
#include <string.h>

#include "base/test_fixture.h"
#include "keep/gate.h"
#include "trace/evlist_fixture.h"

static struct evlist list; /* of the running test */

static int take(void *ctx, const struct event_ext *ev)
{
	return evlist_write_event(ctx, &list.info, NULL, ev, NULL);
}

static int take_many(void *ctx, const struct event *ev, size_t n)
{
	int err = 0;

	for (size_t i = 0; i < n && !err; i++)
		err = take(ctx, &(struct event_ext){ .h = ev[i] });
	return err;
}

/* main.f is the trigger, if there is one. Switched at the times in `at`, which ends with 0. */
static void expect(const char *in, struct gate_options opt, const uint64_t *at, const char *want)
{
	bool trigger[16] = { false };
	char *got = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&got, &size);
	struct trace_info end = { 0 };

	assert_non_null(out);
	assert_int_equal(evlist_parse(&list, in, "case"), 0);
	for (size_t i = 0; i < list.info.n_funcs; i++)
		trigger[i] = !strcmp(list.info.funcs[i].name, "main.f");
	opt.info = &list.info;
	opt.next = (struct trace_sink){ .event = take, .many = take_many, .ctx = out };
	opt.trigger = opt.trigger ? trigger : NULL;
	struct gate *g = gate_new(&opt);

	assert_non_null(g);
	struct trace_sink sink = gate_sink(g);

	for (; at && *at; at++)
		assert_true(gate_switch(g, *at));
	for (size_t i = 0; i < list.n; i++)
		assert_int_equal(sink.event(sink.ctx, &list.events[i]), 0);
	assert_int_equal(sink.finish(sink.ctx, &end), 0);
	fclose(out);
	assert_string_equal(got, want);
	free(got);
	trace_info_free(&end);
	gate_free(g);
	evlist_free(&list);
}

static const bool some[1]; /* there is a trigger */

/* Its exit was lost. Its caller's next call shows that it is over; that one is not recorded. */
TEST(test_over)
{
	expect("1 entry main.main 16 10\n"
	       "1 entry main.f 32 20\n"
	       "1 entry main.g 48 30\n"
	       "1 loss - 0 35 arg0=36 arg1=2\n"
	       "1 entry main.g 32 40\n"
	       "1 exit main.g 32 50\n"
	       "1 exit main.main 16 60\n",
	       (struct gate_options){ .trigger = some }, NULL,
	       "1 entry main.f 32 20\n"
	       "1 entry main.g 48 30\n"
	       "1 loss - 0 35 arg0=36 arg1=2\n"
	       "1 window - 32 40 site=0 arg0=3\n"
	       "0 window - 0 60 site=0 tid=0 flags=all arg0=6\n");
}

/* What was left out inside a call is told of before it ends, by how it came about. */
TEST(test_left_out)
{
	expect("1 entry main.f 16 10 how=inline\n"
	       "1 entry main.g 32 20 how=inline\n"
	       "1 exit main.g 32 30 how=ret\n"
	       "1 entry main.g 32 40 how=inline\n"
	       "1 exit main.g 32 50 how=step\n"
	       "1 exit main.f 16 60 how=inline\n",
	       (struct gate_options){ .depth = 1 }, NULL,
	       "1 entry main.f 16 10 how=inline\n"
	       "1 window - 16 50 site=0 how=inline arg0=4 arg1=2\n"
	       "1 window - 16 50 site=0 how=ret arg0=4 arg1=1\n"
	       "1 window - 16 60 site=0 how=step arg0=4 arg1=1\n"
	       "1 exit main.f 16 60 how=inline\n");
}

/* A call that another jumped to has its place, and its exit ends both. */
TEST(test_tail)
{
	expect("1 entry main.f 16 10\n"
	       "1 tail main.f 16 20 target=main.g\n"
	       "1 entry main.g 16 30\n"
	       "1 entry main.h 32 40\n"
	       "1 exit main.h 32 50\n"
	       "1 exit main.g 16 60\n",
	       (struct gate_options){ .depth = 1 }, NULL,
	       "1 entry main.f 16 10\n"
	       "1 tail main.f 16 20 target=main.g\n"
	       "1 entry main.g 16 30\n"
	       "1 exit main.g 16 60\n");
}

/* Samples of the processor time pass while recording is on: in a call that is left out they are of
 * the call that it is in, as its time is. Those before are of no use. */
TEST(test_samples)
{
	const uint64_t at[] = { 25, 0 };

	expect("1 entry main.f 16 10\n"
	       "1 sample - 40 20 arg0=7 arg1=1\n"
	       "1 entry main.g 32 30\n"
	       "1 sample - 48 40 arg0=7 arg1=1\n"
	       "1 exit main.g 32 50\n"
	       "1 exit main.f 16 60\n",
	       (struct gate_options){ .depth = 1 }, NULL,
	       "1 entry main.f 16 10\n"
	       "1 sample - 40 20 arg0=7 arg1=1\n"
	       "1 sample - 48 40 arg0=7 arg1=1\n"
	       "1 exit main.f 16 60\n");
	expect("1 sample - 40 20 arg0=7 arg1=1\n"
	       "1 sample - 40 30 arg0=7 arg1=1\n",
	       (struct gate_options){ .off = true }, at,
	       "0 window - 0 25 site=0 tid=0 flags=all arg0=1\n"
	       "1 sample - 40 30 arg0=7 arg1=1\n");
}

/* Switched on in the middle: what is open is told of, with where its goroutine is from. */
TEST(test_window)
{
	static const uint64_t at[] = { 55, 75, 95, 0 };

	expect("@pc 100 main.main line=7\n"
	       "1 entry main.main 16 10\n"
	       "1 create - 0 20 arg0=5 arg1=100 arg2=200\n"
	       "5 entry main.f 16 30\n"
	       "5 tail main.f 16 35 target=main.g\n"
	       "5 entry main.g 16 40\n"
	       "5 loss - 0 45 arg0=46 arg1=1\n"
	       "5 entry main.h 32 50\n"
	       "5 exit main.h 32 60\n"
	       "5 entry main.h 32 70\n"
	       "5 exit main.h 32 80\n"
	       "5 exit main.g 16 90\n"
	       "5 end - 0 94\n"
	       "1 exit main.main 16 100\n",
	       (struct gate_options){ .off = true, .why = WINDOW_BY_TOGGLE }, at,
	       "0 window - 0 55 site=0 tid=0 flags=all arg0=1 arg1=2\n"
	       "1 entry main.main 16 55 flags=before\n"
	       "1 create - 0 55 site=0 flags=before arg0=5 arg1=100 arg2=200\n"
	       "5 entry main.f 16 55 flags=before,doubt\n"
	       "5 tail main.f 16 55 target=main.g flags=before,doubt\n"
	       "5 entry main.g 16 55 flags=before,doubt\n"
	       "5 entry main.h 32 55 flags=before\n"
	       "5 exit main.h 32 60\n"
	       "5 entry main.h 32 70\n"
	       "0 window - 0 75 site=0 tid=0 flags=all arg0=2\n"
	       "5 end - 0 94\n"
	       "0 window - 0 95 site=0 tid=0 flags=all arg0=1 arg1=2\n"
	       "1 entry main.main 16 95 flags=before\n"
	       "1 exit main.main 16 100\n");
}

/* Calls are not seen while it is off: neither those that began before nor what ends one of those is
 * recorded in a window. Goroutines are known. */
TEST(test_rests)
{
	static const uint64_t at[] = { 25, 45, 75, 0 };

	expect("@pc 100 main.main line=7\n"
	       "1 create - 0 10 arg0=5 arg1=100 arg2=200\n"
	       "5 exit main.f 32 30\n"
	       "5 tail main.g 16 31 target=main.h\n"
	       "5 entry main.h 16 32\n"
	       "5 entry main.g 32 40\n"
	       "5 entry main.f 48 46\n"
	       "5 create - 0 47 arg0=6\n"
	       "5 entry main.g 32 60\n"
	       "5 exit main.g 32 80\n"
	       "5 entry main.g 32 82\n"
	       "5 exit main.g 32 84\n"
	       "5 exit main.h 16 86\n"
	       "6 end - 0 88\n",
	       (struct gate_options){ .off = true, .rests = true, .why = WINDOW_BY_TOGGLE }, at,
	       "0 window - 0 25 site=0 tid=0 flags=all arg0=1 arg1=2\n"
	       "1 create - 0 32 flags=before arg0=5 arg1=100 arg2=200\n"
	       "5 entry main.h 16 32\n" /* that a call jumped to */
	       "5 entry main.g 32 40\n"
	       "0 window - 0 45 site=0 tid=0 flags=all arg0=2\n"
	       "0 window - 0 75 site=0 tid=0 flags=all arg0=1 arg1=2\n"
	       "5 entry main.g 32 82\n"
	       "5 exit main.g 32 84\n"
	       "6 end - 0 88\n");
}

/* A goroutine that is started in a call that is not chosen is not recorded, whatever it calls. */
TEST(test_one_in)
{
	expect("1 entry main.f 16 10\n"
	       "1 create - 0 11 arg0=5\n"
	       "1 exit main.f 16 12\n"
	       "1 entry main.f 16 20\n"
	       "1 create - 0 21 arg0=6\n"
	       "1 exit main.f 16 22\n"
	       "5 entry main.g 16 30\n"
	       "6 entry main.f 16 31\n"
	       "6 create - 0 32 arg0=7\n"
	       "7 entry main.g 16 33\n"
	       "7 exit main.g 16 34\n"
	       "6 exit main.f 16 35\n"
	       "5 exit main.g 16 36\n",
	       (struct gate_options){ .trigger = some, .one_in = 2 }, NULL,
	       "1 entry main.f 16 10\n"
	       "1 create - 0 11 arg0=5\n"
	       "1 exit main.f 16 12\n"
	       "5 entry main.g 16 30\n"
	       "5 exit main.g 16 36\n");
}

/* States of goroutine 1 are known inside the trigger, and behind it until one is left out. A wake
 * says what 2 is in, of which nothing else is recorded; that of 2 itself matters to nobody. */
TEST(test_waker)
{
	expect("@set states 1\n"
	       "1 entry main.main 16 10\n"
	       "2 entry main.refresh 16 15\n"
	       "1 state - 2 16\n"
	       "1 state - 1 17\n"
	       "1 entry main.f 32 20\n"
	       "1 state - 0x703 30\n"
	       "2 state - 0x1303 31\n"
	       "- wake - 2 32\n"
	       "2 wake - 1 40\n"
	       "1 state - 1 50\n"
	       "1 exit main.f 32 60\n"
	       "1 state - 0x703 70\n",
	       (struct gate_options){ .trigger = some }, NULL,
	       "1 entry main.f 32 20\n"
	       "1 state - 1795 30\n"
	       "2 wake - 1 40 site=1\n"
	       "1 state - 1 50\n"
	       "1 exit main.f 32 60\n"
	       "1 state - 0 70 site=4294967295\n");
}

/* A goroutine is in a system call as the trigger is entered, which its entry does not say. */
TEST(test_inside_again)
{
	expect("@set states 1\n"
	       "1 state - 4 10\n"
	       "1 entry main.f 32 20\n"
	       "1 exit main.f 32 30\n",
	       (struct gate_options){ .trigger = some }, NULL,
	       "1 entry main.f 32 20\n"
	       "1 state - 4 20 site=4294967295 flags=before\n"
	       "1 exit main.f 32 30\n");
}

/* More switches than can wait are refused. */
TEST(test_many_switches)
{
	struct trace_info info = { 0 };
	struct gate *g = gate_new(&(struct gate_options){
		.info = &info, .next = { .event = take, .many = take_many, .ctx = stdout } });

	assert_non_null(g);
	for (int i = 0; i < 64; i++)
		assert_true(gate_switch(g, 1000));
	assert_false(gate_switch(g, 1000));
	gate_free(g);
}

TESTS(test_over, test_left_out, test_tail, test_window, test_one_in, test_rests, test_many_switches,
      test_samples, test_waker, test_inside_again)
