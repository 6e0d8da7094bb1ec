// SPDX-License-Identifier: BSD-2-Clause
/* What a model knows, as bytes and back: on every case of fixtures/cases, at every moment of it. */
#include <glob.h>
#include <stdlib.h>
#include <string.h>

#include "base/test_fixture.h"
#include "model/summary.h"
#include "trace/evlist_fixture.h"

static const struct model_options selfs = { .path_selfs = true, .wakes = true };

static struct model *fed(const struct evlist *l, size_t n)
{
	struct model *m = model_new(&l->info, &selfs);

	assert_non_null(m);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(model_feed(m, &l->events[i]), 0);
	return m;
}

static struct summary_bytes put(const struct model *m)
{
	struct summary_bytes b = { 0 };

	assert_int_equal(summary_put(&b, m), 0);
	return b;
}

static void same_bytes(const struct summary_bytes *a, const struct summary_bytes *b)
{
	assert_int_equal(a->n, b->n);
	assert_memory_equal(a->data, b->data, a->n);
}

static void same_stats(const struct call_stats *a, const struct call_stats *b)
{
	struct call_stats x = *a, y = *b;

	memset(&x.hist, 0, sizeof(x.hist));
	memset(&y.hist, 0, sizeof(y.hist));
	assert_memory_equal(&x, &y, sizeof(x));
	assert_int_equal(a->hist.count, b->hist.count);
	for (double q = 0; q <= 1; q += 0.125)
		assert_int_equal(hist_quantile(&a->hist, q), hist_quantile(&b->hist, q));
}

/* Those without calls do not matter. */
static void same_folds(const struct model *a, const struct model *b)
{
	size_t n, n_b;
	const struct path_fold *x = model_path_folds(a, &n), *y = model_path_folds(b, &n_b);
	uint64_t sum = 0, sum_b = 0;

	for (size_t i = 0; i < n; i++) {
		uint64_t calls = 0;

		for (size_t k = 0; k < n_b; k++)
			if (y[k].from == x[i].from && y[k].to == x[i].to)
				calls += y[k].calls;
		assert_int_equal(calls, x[i].calls);
		sum += x[i].calls;
	}
	for (size_t k = 0; k < n_b; k++)
		sum_b += y[k].calls;
	assert_int_equal(sum, sum_b);
}

/* Shows what put(a) and put(b) might both leave out. */
static void same_models(const struct model *a, const struct model *b)
{
	size_t n, n_b;
	const struct call_stats *f = model_funcs(a, &n), *g = model_funcs(b, &n_b);

	assert_int_equal(n, n_b);
	for (size_t i = 0; i < n; i++) {
		same_stats(&f[i], &g[i]);
		assert_int_equal(model_released_ns(a, (uint32_t)i),
				 model_released_ns(b, (uint32_t)i));
	}
	const struct path_node *x = model_paths(a, &n), *y = model_paths(b, &n_b);

	assert_int_equal(n, n_b);
	for (size_t i = 0; i < n; i++) {
		assert_memory_equal(&x[i], &y[i], offsetof(struct path_node, stats));
		same_stats(&x[i].stats, &y[i].stats);
	}
	same_folds(a, b);
	assert_memory_equal(model_totals(a), model_totals(b), sizeof(struct model_totals));
	if (n > 1)
		assert_memory_equal(model_path_selfs(a), model_path_selfs(b),
				    n * sizeof(struct path_selfs));
}

static void check_case(const struct evlist *l)
{
	struct model *m = fed(l, l->n), *empty = fed(l, 0), *also = fed(l, l->n / 2);

	assert_int_equal(model_finish(m) | model_finish(empty) | model_finish(also), 0);
	struct summary_bytes b = put(m);
	struct model_totals t;

	assert_null(summary_totals(&t, b.data, b.n));
	assert_int_equal(t.calls, model_totals(m)->calls);
	assert_null(summary_restore(empty, b.data, b.n, b.n));
	same_models(m, empty);
	struct summary_bytes again = put(empty);

	same_bytes(&b, &again);
	/* A model that knows other events takes the same numbers. */
	assert_null(summary_restore(also, b.data, b.n, b.n));
	same_models(m, also);
	free(b.data);
	free(again.data);
	model_free(m);
	model_free(empty);
	model_free(also);
}

static void each_case(void (*check)(const struct evlist *l))
{
	glob_t g;

	assert_int_equal(glob("fixtures/cases/*.events", 0, NULL, &g), 0);
	assert_true(g.gl_pathc >= 40);
	for (size_t i = 0; i < g.gl_pathc; i++) {
		struct evlist l;

		assert_int_equal(evlist_load(&l, g.gl_pathv[i]), 0);
		check(&l);
		evlist_free(&l);
	}
	globfree(&g);
}

TEST(test_round_trip)
{
	each_case(check_case);
}

/* At each event: as if the trace ended there; and the model goes on as if nothing had been. */
static void check_snapshots(const struct evlist *l)
{
	struct model *m = fed(l, 0), *undisturbed = fed(l, l->n);

	for (size_t i = 0; i < l->n; i++) {
		struct model *now = model_snapshot(m), *cut = fed(l, i);

		assert_non_null(now);
		assert_int_equal(model_finish(now) | model_finish(cut), 0);
		same_models(cut, now);
		model_free(now);
		model_free(cut);
		assert_int_equal(model_feed(m, &l->events[i]), 0);
	}
	assert_int_equal(model_finish(m) | model_finish(undisturbed), 0);
	same_models(undisturbed, m);
	model_free(m);
	model_free(undisturbed);
}

TEST(test_snapshots)
{
	each_case(check_snapshots);
}

/* A tree that was full says so, and keeps what is under [other]. */
TEST(test_full_tree)
{
	struct evlist l;
	const struct model_options few = { .max_paths = 2, .path_selfs = true, .wakes = true };

	assert_int_equal(evlist_load(&l, "fixtures/cases/go.events"), 0);
	struct model *m = model_new(&l.info, &few), *empty = model_new(&l.info, &selfs);

	for (size_t i = 0; i < l.n; i++) {
		struct model *now = model_snapshot(m);

		assert_int_equal(model_finish(now), 0);
		model_free(now);
		assert_int_equal(model_feed(m, &l.events[i]), 0);
	}
	assert_int_equal(model_finish(m) | model_finish(empty), 0);
	assert_true(model_totals(m)->folded_nodes > 0);
	struct summary_bytes b = put(m);

	assert_null(summary_restore(empty, b.data, b.n, b.n));
	same_models(m, empty);
	free(b.data);
	model_free(m);
	model_free(empty);
	evlist_free(&l);
}

static void restore_any(const struct evlist *l, const uint8_t *p, size_t n, bool must_fail)
{
	struct model *m = fed(l, 0);
	struct model_totals t;

	assert_int_equal(model_finish(m), 0);
	const char *fault = summary_restore(m, p, n, n);

	summary_totals(&t, p, n);
	if (must_fail)
		assert_non_null(fault);
	model_free(m);
}

/* Any bytes: cut off anywhere is a fault, one changed is a fault or another summary. */
static void check_broken(const struct evlist *l)
{
	struct model *m = fed(l, l->n);

	assert_int_equal(model_finish(m), 0);
	struct summary_bytes b = put(m);

	for (size_t i = 0; i < b.n; i++) {
		uint8_t *cut = malloc(i + 1), was = b.data[i];

		memcpy(cut, b.data, i);
		restore_any(l, cut, i, true);
		free(cut);
		for (unsigned v = 0; v < 256; v += 51) {
			b.data[i] = (uint8_t)v;
			restore_any(l, b.data, b.n, false);
		}
		b.data[i] = was;
	}
	free(b.data);
	model_free(m);
}

TEST(test_broken)
{
	each_case(check_broken);
}

/* Few bytes may not claim a million paths or a billion buckets. */
TEST(test_bomb)
{
	struct evlist l;

	assert_int_equal(evlist_load(&l, "fixtures/cases/go.events"), 0);
	struct model *m = fed(&l, 0);

	assert_int_equal(model_finish(m), 0);
	struct summary_bytes b = put(m);
	/* without paths, events, functions, folds, samples and states: eleven zeros at the end */
	static const uint8_t million[] = { 0xc0, 0x84, 0x3d };
	uint8_t *bomb = malloc(b.n + sizeof(million));

	assert_non_null(bomb);
	memcpy(bomb, b.data, b.n - 11);
	memcpy(bomb + b.n - 11, million, sizeof(million));
	assert_string_equal(summary_restore(m, bomb, b.n, b.n),
			    "it claims more paths than so many bytes can hold");
	free(bomb);
	free(b.data);
	model_free(m);
	evlist_free(&l);
}

TESTS(test_round_trip, test_snapshots, test_full_tree, test_broken, test_bomb)
