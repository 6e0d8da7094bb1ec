// SPDX-License-Identifier: BSD-2-Clause
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/test_fixture.h"
#include "cli/bombs_fixture.h"
#include "trace/format.h"
#include "trace/keys.h"

#define FUNCS 500u
#define CHAIN 200000u /* goroutines of STARTED */

uint32_t bomb_many(uint32_t n)
{
	const uint32_t part = test_one_of(10, 100);

	return n < part ? 1 : n / part;
}

static void add_function(struct trace_info *t, uint32_t f, bool alike)
{
	char name[16];

	snprintf(name, sizeof(name), "f%u", alike ? 0 : f);
	assert_int_equal(trace_info_add_func(t, &(struct trace_func){ .name = name }), 0);
	for (uint16_t kind = EV_ENTRY; kind <= EV_EXIT; kind++)
		assert_int_equal(
			trace_info_add_site(t, &(struct trace_site){ f, TRACE_NONE, 0, kind }), 0);
}

static void put(struct trace_writer *w, uint64_t *ts, uint64_t goid, uint32_t site, uint32_t depth)
{
	const struct event_ext ev = { .h = { .ts_ns = ++*ts,
					     .goid = goid,
					     .site = site,
					     .depth = depth,
					     .tid = 1,
					     .kind = site & 1 ? EV_EXIT : EV_ENTRY } };

	assert_int_equal(trace_writer_event(w, &ev), 0);
}

/* No two events are as far apart. */
static void pass(uint64_t *ts)
{
	static uint64_t random = 1;

	random = random * 6364136223846793005u + 1442695040888963407u;
	*ts += 20 + (random >> 57);
}

static void call(struct trace_writer *w, uint64_t *ts, uint64_t goid, uint32_t site, uint32_t depth)
{
	pass(ts);
	put(w, ts, goid, site, depth);
}

/*
 * The i-th of numbers whose product with 2^64 / phi has two equal halves: a hash that folds it is 0
 * of all. In no order, so that each takes its bytes.
 */
static uint64_t colliding(uint32_t i)
{
	const uint64_t inverse = 0xf1de83e19937733dull;
	uint32_t half = i * 0x85ebca6bu;

	half = (half ^ half >> 13) * 0xc2b2ae35u;
	return ((uint64_t)half << 32 | half) * inverse;
}

static void all_alive(struct trace_writer *w)
{
	const uint64_t n = bomb_many(150000);
	uint64_t ts = 0;

	call(w, &ts, 1, 4, 8);
	for (uint64_t i = 2; i < n + 2; i++) {
		pass(&ts);
		const struct event_ext create = {
			.h = { .ts_ns = ++ts, .goid = 1, .site = 0, .tid = 1, .kind = EV_CREATE },
			.arg = { i, 0x1000, 0x2000 }
		};

		assert_int_equal(trace_writer_event(w, &create), 0);
	}
	for (uint64_t i = 2; i < n + 2; i++) {
		call(w, &ts, i, 0, 80);
		call(w, &ts, i, 2, 160);
		call(w, &ts, i, 3, 160);
	}
	for (uint64_t i = 2; i < n + 2; i++)
		call(w, &ts, i, 1, 80);
}

static uint32_t functions_of(enum bomb b)
{
	switch (b) {
	case FUNCTIONS:
		return 600 * FUNCS;
	case NESTED: /* all their paths, written out, are more than may be written */
		return bomb_many(30000);
	case NESTED_REASONS:
		return bomb_many(5000);
	default:
		return FUNCS;
	}
}

/* Goroutine 1 waits for a moment. */
static void put_wait(struct trace_writer *w, uint64_t *ts, uint32_t reason)
{
	struct event_ext ev = { .h = { .ts_ns = ++*ts,
				       .goid = 1,
				       .site = TRACE_NONE,
				       .depth = STATE_DEPTH(STATE_WAITING, reason),
				       .tid = 1,
				       .kind = EV_STATE } };

	assert_int_equal(trace_writer_event(w, &ev), 0);
	ev.h.ts_ns = ++*ts;
	ev.h.depth = STATE_DEPTH(STATE_RUNNING, 0);
	assert_int_equal(trace_writer_event(w, &ev), 0);
}

/* What one does to the next. */
static void chain(struct trace_writer *w, enum bomb b)
{
	const uint32_t n = b == STARTED ? bomb_many(CHAIN) : functions_of(b);
	uint64_t ts = 0;

	for (uint32_t i = 0; i < n && b < STARTED; i++) {
		put(w, &ts, 1, 2 * i, 8 * (i + 1));
		put_wait(w, &ts, b == NESTED_REASONS ? i % 256 : 1);
	}
	for (uint32_t i = 0; i < n && b == STARTED; i++) {
		const struct event_ext create = {
			.h = { .ts_ns = ++ts, .goid = i + 1, .tid = 1, .kind = EV_CREATE },
			.arg = { i + 2, 0x1000 + i, 0x2000 }
		};

		put(w, &ts, i + 1, 0, 8);
		assert_int_equal(trace_writer_event(w, &create), 0);
	}
}

/* Many open calls, and many events of one kind that are about all of them. */
static void about_all(struct trace_writer *w, enum bomb b)
{
	const uint32_t n = bomb_many(60000);
	struct event_ext e = { .h = { .kind = b == WINDOWS ? EV_WINDOW : EV_LOSS, .goid = 1 } };
	uint64_t ts = 0;

	for (uint32_t i = 1; i <= n; i++) {
		const struct event_ext entry = { .h = { .ts_ns = ++ts,
							.goid = i,
							.depth = 8,
							.tid = i,
							.kind = EV_ENTRY,
							.flags = b == THREAD_LOSSES ? EVF_SYSTEM
										    : 0 } };

		assert_int_equal(trace_writer_event(w, &entry), 0);
	}
	e.h.flags = b == THREAD_LOSSES ? 0 : EVF_ALL;
	e.arg[0] = b == WINDOWS ? WINDOW_BEGIN : 0;
	e.arg[1] = 1;
	for (uint32_t i = 0; i < n; i++) {
		e.h.ts_ns = ++ts;
		assert_int_equal(trace_writer_event(w, &e), 0);
	}
}

void bomb_events(struct trace_writer *w, enum bomb b)
{
	uint64_t ts = 0;

	if (b == ALL_ALIVE)
		all_alive(w);
	if ((b >= NESTED && b <= STARTED))
		chain(w, b);
	if (b == LOSSES || b == THREAD_LOSSES || b == WINDOWS)
		about_all(w, b);

	for (uint64_t i = 1; i <= bomb_many(3000000) && b <= ENDED_GOROUTINES; i++) {
		put(w, &ts, i, 0, 8);
		if (b == ENDED_GOROUTINES)
			put(w, &ts, i, 1, 8);
	}
	for (uint32_t i = 1; i <= bomb_many(200000) && b == COLLIDING; i++)
		put(w, &ts, colliding(i), 0, 8);
	for (uint32_t i = 1; i <= bomb_many(8000000) && b == OPEN_CALLS; i++)
		put(w, &ts, 1, 0, 8 * i);
	for (uint32_t f = 0; f < bomb_many(FUNCS) && b == PATHS; f++) {
		put(w, &ts, 1, 2 * f, 8);
		for (uint32_t g = 0; g < FUNCS; g++) {
			put(w, &ts, 1, 2 * g, 16);
			put(w, &ts, 1, 2 * g + 1, 16);
		}
		put(w, &ts, 1, 2 * f + 1, 8);
	}
}

/* Of so many go statements, the highest address first. */
static void add_addresses(struct trace_info *info)
{
	for (uint32_t i = PCS_MAX; i-- > 0;)
		assert_int_equal(
			trace_info_add_pc(info, &(struct trace_pc){ .pc = i, .func = "f" }), 0);
}

void bomb_write(enum bomb b, char path[TRACE_PATH_BYTES])
{
	struct trace_info info = { 0 };

	snprintf(path, TRACE_PATH_BYTES, "/tmp/gotrace-bomb-XXXXXX");
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	if (b >= BOMBS_OF_SAMPLES)
		assert_int_equal(trace_info_set(&info, KEY_MODE, MODE_SAMPLES), 0);
	if (b == WAITING_GOROUTINES || b == WAITING_LONG)
		assert_int_equal(trace_info_set(&info, KEY_SAMPLE_WALL, "1"), 0);
	if (b == LOSSES || b == NESTED || b == NESTED_REASONS)
		assert_int_equal(trace_info_set(&info, KEY_STATES, "1"), 0);
	for (uint32_t f = 0; b < BOMBS_OF_SAMPLES && f < functions_of(b); f++)
		add_function(&info, f, b == FUNCTIONS);
	if (b == ADDRESSES)
		add_addresses(&info);
	struct trace_writer *w = trace_writer_new(fd, &info);

	assert_non_null(w);
	if (b >= BOMBS_OF_SAMPLES)
		bomb_samples(w, b);
	else
		bomb_events(w, b);
	assert_int_equal(trace_writer_finish(w, NULL, 0), 0);
	trace_info_free(&info);
}
