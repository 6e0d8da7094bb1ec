// SPDX-License-Identifier: BSD-2-Clause
/* The answer of a recording that goes on: each look tells what a reader finds that reads the file
 * at that moment from its begin. */
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/test_fixture.h"
#include "analysis/answer.h"
#include "analysis/calls/correction.h"
#include "analysis/live_trace.h"
#include "analysis/parked.h"
#include "analysis/trace_fixture.h"
#include "model/summary.h"

#define LOOKS 6

/* A file that is being written, as a recorded one was. */
struct growing {
	struct trace_reader *from;
	struct trace_writer *to;
	char path[32];
	size_t n_pcs;
};

static void begin(struct growing *g, const char *recorded)
{
	strcpy(g->path, "/tmp/gotrace-live-XXXXXX");
	int fd = mkstemp(g->path);

	assert_true(fd >= 0);
	g->n_pcs = 0;
	g->from = trace_reader_open(recorded);
	assert_non_null(g->from);
	g->to = trace_writer_new(fd, trace_reader_info(g->from));
	assert_non_null(g->to);
}

/* Copies n events more, and the names of what they tell of. False: there are no more. */
static bool go_on(struct growing *g, size_t n)
{
	struct event_ext ev;
	int got = 1;

	for (size_t i = 0; i < n && (got = trace_reader_next(g->from, &ev)) > 0; i++) {
		const struct trace_info *info = trace_reader_info(g->from);

		for (size_t k = 0; g->n_pcs != info->n_pcs && k < info->n_pcs; k++)
			assert_int_equal(trace_writer_pc(g->to, &info->pcs[k]), 0);
		g->n_pcs = info->n_pcs;
		assert_int_equal(trace_writer_event(g->to, &ev), 0);
	}
	assert_true(got >= 0);
	assert_int_equal(trace_writer_flush(g->to), 0);
	return got > 0;
}

static void end(struct growing *g)
{
	trace_writer_abort(g->to);
	trace_reader_close(g->from);
	unlink(g->path);
}

static size_t count(const char *recorded)
{
	struct trace_reader *r = trace_reader_open(recorded);
	struct event_ext ev;
	size_t n = 0;

	assert_non_null(r);
	while (trace_reader_next(r, &ev) > 0)
		n++;
	trace_reader_close(r);
	return n;
}

/* The trace was just read. To be freed. */
static char *answer_of(struct loaded_trace *t)
{
	struct answer a;

	assert_int_equal(correction_apply(t), 0);
	assert_int_equal(loaded_trace_leave_out_parked(t), 0);
	assert_int_equal(answer_find(&a, t), 0);
	char *text = answer_say(&a, t->info);

	assert_non_null(text);
	return text;
}

static char *read_anew(const char *path)
{
	struct trace_watch watch = { .wakes = true, .holds = true, .parked = true };
	struct trace_reader *r = trace_reader_open(path);
	struct loaded_trace t;

	assert_non_null(r);
	assert_int_equal(trace_load(&t, r, NULL, &watch), 0);
	assert_true(t.growing);
	char *text = answer_of(&t);

	trace_unload(&t);
	trace_reader_close(r);
	return text;
}

/* Feeds a model with n events more. False: there are no more. */
static bool feed(struct model *m, struct trace_reader *r, size_t n)
{
	struct event_ext ev;
	int got = 1;

	for (size_t i = 0; i < n && (got = trace_reader_next(r, &ev)) > 0; i++)
		assert_int_equal(model_feed(m, &ev), 0);
	assert_true(got >= 0);
	return got > 0;
}

/* A recording of this process hands out the numbers that a reader of its file would find. */
static void check_fed(const char *recorded)
{
	const size_t step = count(recorded) / LOOKS + 1;
	struct trace_reader *r = trace_reader_open(recorded);
	struct model_options opt = { 0 };
	struct live_trace live;
	struct live_feed from;
	struct growing g;
	bool more = true;

	assert_non_null(r);
	live_feed_init(&from);
	assert_int_equal(live_feed_begin(&from, trace_reader_info(r), &opt), 0);
	struct model *m = model_new(trace_reader_info(r), &opt);

	assert_non_null(m);
	begin(&g, recorded);
	assert_int_equal(live_trace_open(&live, g.path, &from), 0);
	for (size_t i = 0; more; i++) {
		struct loaded_trace t;
		uint64_t up_to_ns;

		go_on(&g, step);
		more = feed(m, r, step);
		struct model *copy = model_snapshot(m);

		assert_non_null(copy);
		model_is_up_to(copy, 1000 + i);
		assert_int_equal(live_feed_take(&from, copy), 0);
		for (int again = 0; again < 2; again++) { /* the second look finds no newer copy */
			assert_int_equal(live_trace_look(&live, &t, &up_to_ns), 0);
			assert_int_equal(up_to_ns, 1000 + i);
			char *said = answer_of(&t), *anew = read_anew(g.path);

			assert_string_equal(said, anew);
			assert_true(more || *said);
			free(said);
			free(anew);
			trace_unload(&t);
		}
	}
	live_trace_close(&live);
	end(&g);
	model_free(m);
	live_feed_free(&from);
	trace_reader_close(r);
}

TEST(test_fed)
{
	check_fed("fixtures/answers/evict.gotrace");
	check_fed("fixtures/answers/workers.gotrace");
}

/* Returns what the last look told. */
static char *check(const char *recorded)
{
	const size_t step = count(recorded) / LOOKS + 1;
	struct growing g;
	struct live_trace live;
	char *last = NULL;
	bool more = true;

	begin(&g, recorded);
	assert_int_equal(live_trace_open(&live, g.path, NULL), 0);
	while (more) {
		struct loaded_trace t;
		uint64_t up_to_ns;

		more = go_on(&g, step);
		assert_int_equal(live_trace_look(&live, &t, &up_to_ns), 0);
		assert_true(t.growing && t.totals->states);
		free(last);
		last = answer_of(&t);
		trace_unload(&t);
		char *anew = read_anew(g.path);

		assert_string_equal(last, anew);
		free(anew);
	}
	live_trace_close(&live);
	end(&g);
	return last;
}

TEST(test_recorded)
{
	glob_t all;
	size_t answers = 0;

	assert_int_equal(glob("fixtures/answers/*.gotrace", 0, NULL, &all), 0);
	assert_true(all.gl_pathc >= 15);
	for (size_t i = 0; i < all.gl_pathc; i++) {
		char *said = check(all.gl_pathv[i]);

		answers += *said != '\0';
		free(said);
	}
	assert_int_equal(answers, all.gl_pathc);
	globfree(&all);
}

/* Who held the lock, which a look must have of all that came before it. */
TEST(test_holders)
{
	char *said = check("fixtures/answers/evict.gotrace");

	assert_non_null(strstr(said, "main.serveEvict waits 79% of its time for a lock"));
	assert_non_null(strstr(said, "  held by   main.(*cache).find, 28 times, "));
	free(said);
}

/* Goroutines that are parked while others go on are left out of each look, and come back in the
 * next one. */
TEST(test_parked)
{
	static const char events[] =
		"@set states 1\n@set states.reason.7 chan receive\n@set states.reason.19 sleep\n"
		"2 entry main.idle 100 1000\n2 state - 0x703 1010\n"
		"1 entry main.main 100 1000\n1 entry main.work 200 1100\n1 exit main.work 200 1200\n"
		"1 entry main.work 200 1300\n1 exit main.work 200 1900\n"
		"1 entry main.work 200 2000\n1 exit main.work 200 8000\n";
	char recorded[TRACE_PATH_BYTES];
	struct live_trace live;
	struct growing g;
	uint64_t before_ns = 0;

	fixture_write_text(events, true, recorded);
	free(check(recorded));
	begin(&g, recorded);
	assert_int_equal(live_trace_open(&live, g.path, NULL), 0);
	for (int i = 0; i < 4; i++) {
		struct loaded_trace t;
		uint64_t up_to_ns;

		go_on(&g, i ? 2 : 4);
		assert_int_equal(live_trace_look(&live, &t, &up_to_ns), 0);
		assert_int_equal(loaded_trace_leave_out_parked(&t), 0);
		assert_int_equal(parked_ns(t.parked), i ? t.totals->last_ns - 1010 : 0);
		assert_true(!i || parked_ns(t.parked) > before_ns);
		before_ns = parked_ns(t.parked);
		trace_unload(&t);
	}
	live_trace_close(&live);
	end(&g);
	unlink(recorded);
}

TESTS(test_recorded, test_holders, test_parked, test_fed)
