// SPDX-License-Identifier: BSD-2-Clause
/* Differences between looks at a trace that grows, with events and with summaries. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/test_fixture.h"
#include "analysis/live_trace.h"
#include "analysis/rates.h"
#include "analysis/trace_fixture.h"
#include "base/log.h"
#include "model/summary.h"
#include "trace/keys.h"

/* Three calls of f for 100 ns and one of g for 40 in it; then two of f for 300; then one of h. */
static const char events[] = "1 entry main.f 100 1000\n1 entry main.g 200 1010\n"
			     "1 exit main.g 200 1050\n1 exit main.f 100 1100\n"
			     "1 entry main.f 100 2000\n1 exit main.f 100 2100\n"
			     "1 entry main.f 100 3000\n1 exit main.f 100 3100\n"
			     "1 entry main.f 100 4000\n1 exit main.f 100 4300\n"
			     "1 entry main.f 100 5000\n1 exit main.f 100 5300\n"
			     "1 entry main.h 100 6000\n1 exit main.h 100 6064\n";
static const size_t steps[] = { 0, 8, 12, 14 };

static const struct rate *find(const struct rates *r, uint32_t func)
{
	for (size_t i = 0; i < r->n; i++)
		if (r->rows[i].func == func)
			return &r->rows[i];
	return NULL;
}

/* What is written at a step: events, or a summary of all up to then. */
static void go_on(struct trace_writer *w, const struct evlist *l, struct model *m, size_t step,
		  bool summaries)
{
	struct summary_bytes b = { 0 };
	struct trace_summary s;

	for (size_t i = step ? steps[step - 1] : 0; i < steps[step]; i++) {
		if (!summaries)
			assert_int_equal(trace_writer_event(w, &l->events[i]), 0);
		assert_int_equal(model_feed(m, &l->events[i]), 0);
	}
	assert_int_equal(trace_writer_flush(w), 0);
	if (!summaries)
		return;
	struct model *now = model_snapshot(m);

	model_is_up_to(now, 1000 * (step + 1));
	assert_int_equal(model_finish(now), 0);
	assert_int_equal(summary_put(&b, now), 0);
	assert_int_equal(trace_summary_pack(&s, b.data, b.n), 0);
	assert_int_equal(trace_writer_summary(w, &s, false), 0);
	trace_summary_free(&s);
	free(b.data);
	model_free(now);
}

static void check(size_t step, const struct rates *r)
{
	const struct rate *f = find(r, 0), *g = find(r, 1), *h = find(r, 2);

	switch (step) {
	case 0:
		assert_int_equal(r->n, 0);
		break;
	case 1:
		assert_true(f && g && !h && !r->compares);
		assert_true(f->calls == 3 && f->self_ns == 260 && g->calls == 1);
		assert_true(f->p50_ns >= 99 && f->p50_ns <= 101 && g->self_ns == 40);
		assert_int_equal(r->calls, 4);
		break;
	case 2: /* of the calls since then only */
		assert_true(f && g && r->compares);
		assert_true(f->calls == 2 && f->before == 3 && f->self_ns == 600);
		assert_true(f->p50_ns >= 298 && f->p50_ns <= 302);
		assert_true(g->calls == 0 && g->before == 1 && !g->p50_ns);
		break;
	default:
		assert_true(f && h && !g);
		assert_true(f->calls == 0 && f->before == 2 && h->calls == 1 && h->before == 0);
		assert_int_equal(h->p99_ns, 64);
		break;
	}
}

static void grows(bool summaries)
{
	char path[] = "/tmp/gotrace-rates-XXXXXX";
	struct rates_base base = { 0 };
	struct live_trace live;
	struct evlist l;
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(evlist_parse(&l, events, "test"), 0);
	if (summaries)
		assert_int_equal(trace_info_set(&l.info, KEY_SUMMARY, SUMMARY_ALONE), 0);
	struct trace_writer *w = trace_writer_new(fd, &l.info);
	struct model *m = model_new(&l.info, NULL);

	assert_true(w && m);
	for (size_t step = 0; step < 4; step++) {
		struct loaded_trace t;
		struct rates r;
		uint64_t up_to_ns;

		go_on(w, &l, m, step, summaries);
		if (!step)
			assert_int_equal(live_trace_open(&live, path, NULL), 0);
		assert_int_equal(live_trace_look(&live, &t, &up_to_ns), 0);
		assert_true(t.growing && !t.complete);
		assert_int_equal(rates_find(&r, &base, &t, up_to_ns), 0);
		if (summaries)
			assert_int_equal(up_to_ns, 1000 * (step + 1));
		assert_true(!summaries || !step || r.span_ns == 1000);
		check(step, &r);
		rates_free(&r);
		trace_unload(&t);
	}
	live_trace_close(&live);
	rates_base_free(&base);
	assert_int_equal(trace_writer_finish(w, NULL, 0), 0);
	model_free(m);
	evlist_free(&l);
	unlink(path);
}

TEST(test_events)
{
	grows(false);
}

TEST(test_summaries)
{
	grows(true);
}

/* What could be wrong is not first, unless all of it could. */
TEST(test_sure_first)
{
	struct rate rows[] = { { .func = 1, .self_ns = 9, .doubtful = true },
			       { .func = 2, .self_ns = 8, .doubtful = true },
			       { .func = 3, .self_ns = 7 },
			       { .func = 4, .self_ns = 6 } };
	struct rates r = { .rows = rows, .n = 4 };

	rates_sure_first(&r);
	assert_int_equal(rows[0].func, 3);
	assert_int_equal(rows[1].func, 1);
	assert_int_equal(rows[2].func, 2);
	assert_int_equal(rows[3].func, 4);
	r = (struct rates){ .rows = rows + 1, .n = 2 };
	rates_sure_first(&r);
	assert_int_equal(rows[1].func, 1);
	r.n = 0;
	rates_sure_first(&r);
}

TESTS(test_events, test_summaries, test_sure_first)
