// SPDX-License-Identifier: BSD-2-Clause
/* Whether events are read and fed one by one, by blocks, or both in turns makes no difference. */
#include <glob.h>
#include <string.h>

#include "base/test_fixture.h"
#include "model/model.h"

struct figures {
	struct model_totals totals;
	struct call_stats sum;
};

/* `singles` events one by one, then a span, and so on; 0: spans only. */
static struct figures read_all(const char *path, unsigned singles)
{
	struct trace_reader *r = trace_reader_open(path);
	struct figures f = { 0 };
	struct trace_span span;
	struct event_ext ev;
	int got = 1;
	size_t n;

	assert_non_null(r);
	struct model *m = model_new(trace_reader_info(r), NULL);

	assert_non_null(m);
	for (unsigned i = 0; got > 0; i++) {
		if (i % (singles + 1) < singles) {
			got = trace_reader_next(r, &ev);
			if (got > 0)
				assert_int_equal(model_feed(m, &ev), 0);
		} else {
			got = trace_reader_span(r, &span);
			assert_int_equal(model_feed_span(m, &span), 0);
		}
	}
	assert_int_equal(got, 0);
	assert_int_equal(trace_reader_span(r, &span), 0); /* the end stays the end */
	assert_int_equal(span.n, 0);
	assert_int_equal(model_finish(m), 0);
	const struct call_stats *st = model_funcs(m, &n);

	f.totals = *model_totals(m);
	for (size_t i = 0; i < n; i++)
		call_stats_add(&f.sum, &st[i]);
	model_free(m);
	trace_reader_close(r);
	return f;
}

TEST(test_same)
{
	glob_t g;

	assert_int_equal(glob("fixtures/traces/*.gotrace", 0, NULL, &g), 0);
	assert_true(g.gl_pathc >= 20);
	for (size_t i = 0; i < g.gl_pathc; i++) {
		struct figures one = read_all(g.gl_pathv[i], UINT32_MAX - 1);
		static const unsigned turns[] = { 0, 1, 100 };

		assert_true(one.totals.calls > 0);
		for (size_t k = 0; k < sizeof(turns) / sizeof(turns[0]); k++) {
			struct figures other = read_all(g.gl_pathv[i], turns[k]);

			assert_memory_equal(&one, &other, sizeof(one));
		}
	}
	globfree(&g);
}

TESTS(test_same)
