// SPDX-License-Identifier: BSD-2-Clause
/* A recording whose own process prints its numbers hands out copies of the model. */
#include <stdlib.h>
#include <unistd.h>

#include "base/test_fixture.h"
#include "keep/live_model.h"
#include "model/summary.h"
#include "trace/evlist_fixture.h"
#include "trace/keys.h"

static const char events[] = "1 entry main.work 100 1000\n1 exit main.work 100 2000\n"
			     "1 entry main.work 100 3000\n1 exit main.work 100 4000\n";

struct taken {
	size_t n;
	struct model_totals last;
};

static int take(void *ctx, struct model *copy)
{
	struct taken *t = ctx;

	assert_int_equal(model_finish(copy), 0);
	t->n++;
	t->last = *model_totals(copy);
	model_free(copy);
	return 0;
}

TEST(test_copies)
{
	char path[] = "/tmp/gotrace-live-model-XXXXXX";
	int fd = mkstemp(path);
	struct taken taken = { 0 };
	struct evlist l;

	assert_true(fd >= 0);
	assert_int_equal(evlist_parse(&l, events, "test"), 0);
	assert_int_equal(trace_info_set(&l.info, KEY_SUMMARY, SUMMARY_ALONE), 0);
	struct trace_writer *w = trace_writer_new(fd, &l.info);

	assert_non_null(w);
	struct live_model *m = live_model_new(&(struct live_model_options){
		.info = &l.info, .writer = w, .take = take, .take_ctx = &taken });

	assert_non_null(m);
	struct trace_sink sink = live_model_sink(m);

	for (size_t i = 0; i < 2; i++)
		assert_int_equal(sink.event(sink.ctx, &l.events[i]), 0);
	assert_int_equal(sink.round(sink.ctx, 2500), 0);
	assert_int_equal(taken.n, 1);
	assert_int_equal(taken.last.calls, 1);
	assert_int_equal(taken.last.up_to_ns, 2500);
	for (size_t i = 2; i < 4; i++)
		assert_int_equal(sink.event(sink.ctx, &l.events[i]), 0);
	/* the end hands out all of it, and the file has the summary all the same */
	assert_int_equal(sink.finish(sink.ctx, NULL), 0);
	assert_int_equal(taken.n, 2);
	assert_int_equal(taken.last.calls, 2);
	live_model_free(m);
	assert_int_equal(trace_writer_finish(w, NULL, 0), 0);

	struct trace_reader *r = trace_reader_open(path);
	const uint8_t *p;
	size_t n;
	struct event_ext ev;
	struct model_totals totals = { 0 };

	assert_non_null(r);
	assert_int_equal(trace_reader_next(r, &ev), 0); /* it has no events */
	assert_int_equal(trace_reader_summary(r, &p, &n), 1);
	assert_null(summary_totals(&totals, p, n));
	assert_int_equal(totals.calls, 2);
	trace_reader_close(r);
	evlist_free(&l);
	unlink(path);
}

TESTS(test_copies)
