// SPDX-License-Identifier: BSD-2-Clause
/* Which goroutines of snapshots are parked (sample --wall). */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/test_fixture.h"
#include "analysis/samples/sample_parked.h"
#include "analysis/samples/wall_fixture.h"

#define MS   1000000ull
#define SPAN 2000 /* ms, of each recording */

/* Works: it is in another place in each of twenty looks. */
static void busy(struct trace_writer *w)
{
	for (int i = 1; i <= SPAN / 100; i++)
		wall_trace_put(w, 100, 50 + i % 2, 100 * i, 100, 100);
}

/* One wait, of which a part is written in the middle. */
static void parked(struct trace_writer *w)
{
	busy(w);
	wall_trace_put(w, 1, 1, 1000, 1000, 100);
	wall_trace_put(w, 1, 1, 2000, 1000, 0);
}

/* One wait for a lock. */
static void locked(struct trace_writer *w)
{
	busy(w);
	wall_trace_wait(w, 1, 1, 1, 1000, 1000, 100);
	wall_trace_wait(w, 1, 1, 1, 2000, 1000, 0);
}

/* In the same place in each look, but each time another wait: for a lock, say. */
static void waits_again(struct trace_writer *w)
{
	busy(w);
	for (int i = 1; i <= SPAN / 100; i++)
		wall_trace_put(w, 1, 1, 100 * i, 100, 100);
}

/* Each wait is seen in two looks. */
static void waits_again_for_long(struct trace_writer *w)
{
	busy(w);
	for (int i = 1; i <= SPAN / 200; i++)
		wall_trace_put(w, 1, 1, 200 * i, 200, 100);
}

/* Of very many, each look sees some. Twenty stay, one does not; of thirty there was one look. */
static void drawn(struct trace_writer *w)
{
	busy(w);
	for (uint64_t goid = 1; goid <= 20; goid++) {
		wall_trace_put(w, goid, 1, 100, 400, 400);
		wall_trace_put(w, goid, 1, 1900, 400, 346);
	}
	wall_trace_put(w, 21, 1, 100, 400, 400);
	wall_trace_put(w, 21, 1, 1900, 400, 400);
	wall_trace_put(w, 21, 2, 1950, 400, 400);
	for (uint64_t goid = 22; goid <= 51; goid++)
		wall_trace_put(w, goid, 1, 1000, 400, 400);
}

/* There would be nothing left. */
static void all_parked(struct trace_writer *w)
{
	for (uint64_t goid = 1; goid <= 3; goid++) {
		wall_trace_put(w, goid, 1, 1000, 1000, 100);
		wall_trace_put(w, goid, 1, 2000, 1000, 0);
	}
}

static void record(char *path, void (*fill)(struct trace_writer *w))
{
	struct trace_writer *w = wall_trace_begin(path, "IO wait");

	fill(w);
	assert_int_equal(trace_writer_finish(w, NULL, 0), 0);
}

/* How many milliseconds are left out, and of how many goroutines the line says so. */
static void check(void (*fill)(struct trace_writer *w), uint64_t left_out_ms, unsigned goroutines)
{
	static const struct trace_view view = { .leave_out_parked = true, .said = true };
	char path[] = "/tmp/parked-XXXXXX", want[64];
	struct loaded_trace t, whole;

	record(path, fill);
	struct trace_reader *r = trace_reader_open(path), *again = trace_reader_open(path);

	assert_true(r && again);
	assert_int_equal(trace_load(&t, r, &view, NULL), 0);
	assert_int_equal(trace_load(&whole, again, NULL, NULL), 0);
	assert_int_equal((whole.totals->root_ns - t.totals->root_ns) / MS, left_out_ms);
	char *said = sample_parked_say(&t);

	snprintf(want, sizeof(want), " of %u parked goroutine", goroutines);
	if (goroutines)
		assert_non_null(said && strstr(said, want) ? said : NULL);
	else
		assert_null(said);
	free(said);
	trace_unload(&t);
	trace_unload(&whole);
	trace_reader_close(r);
	trace_reader_close(again);
	unlink(path);
}

TEST(test_parked)
{
	check(parked, 2000, 1);
	check(drawn, 20 * 800 + 30 * 400, 50);
}

TEST(test_not_parked)
{
	check(waits_again, 0, 0);
	check(waits_again_for_long, 0, 0);
	check(all_parked, 0, 0);
	check(locked, 0, 0);
}

TESTS(test_parked, test_not_parked)
