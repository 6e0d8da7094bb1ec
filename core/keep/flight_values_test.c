// SPDX-License-Identifier: BSD-2-Clause
/* The flight recorder keeps arguments with their calls, and lets go of both together. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/test_fixture.h"
#include "keep/flight_fixture.h"

static void describe(struct trace_info *info)
{
	const struct trace_func f = { .name = (char *)(uintptr_t) "main.f", .vaddr = 4096 };
	const struct trace_value_def v = { .type = TRACE_VALUE_UINT,
					   .name = (char *)(uintptr_t) "n" };

	assert_int_equal(trace_info_add_func(info, &f), 0);
	for (unsigned kind = EV_ENTRY; kind <= EV_EXIT; kind++)
		assert_int_equal(trace_info_add_site(info,
						     &(struct trace_site){ .target = TRACE_NONE,
									   .kind = (uint8_t)kind }),
				 0);
	assert_int_equal(trace_info_add_value(info, &v), 0);
}

/* A call at ts_ns, whose argument is that number. */
static void call(const struct trace_sink *sink, uint64_t ts_ns)
{
	const struct trace_value v = { .type = TRACE_VALUE_UINT, .v.u = ts_ns };
	uint8_t data[64];
	const struct trace_values values = { .n = 1,
					     .bytes = (uint32_t)(trace_value_put(data, &v) - data),
					     .data = data };
	struct event_ext ev = {
		.h = { .ts_ns = ts_ns, .goid = 1, .depth = 32, .tid = 7, .kind = EV_ENTRY }
	};

	assert_int_equal(sink->values(sink->ctx, &values), 0);
	assert_int_equal(sink->event(sink->ctx, &ev), 0);
	ev.h.site = 1;
	ev.h.kind = EV_EXIT;
	ev.h.ts_ns++;
	assert_int_equal(sink->many(sink->ctx, &ev.h, 1), 0);
}

/* Each entry that is there has its value, and nothing else has one. Counts them in ctx. */
static void check(void *ctx, const struct event_ext *ev, const struct trace_values *values)
{
	const bool entry = ev->h.kind == EV_ENTRY && !(ev->h.flags & EVF_BEFORE);
	struct trace_value got;

	assert_int_equal(values != NULL, entry);
	if (!entry)
		return;
	assert_non_null(trace_value_get(values->data, values->data + values->bytes,
					TRACE_VALUE_UINT, &got));
	assert_int_equal(got.v.u, ev->h.ts_ns);
	++*(uint64_t *)ctx;
}

TEST(test_values)
{
	struct trace_info info = { 0 };
	const uint64_t calls = 400000;

	describe(&info);
	struct flight *f = flight_new(
		&(struct flight_options){ .info = &info, .keep_bytes = 1 << 20 });

	assert_non_null(f);
	struct trace_sink sink = flight_sink(f);

	assert_non_null(sink.values);
	/* Values take memory as well: four bytes and more each. */
	for (uint64_t i = 1; i <= calls; i++) {
		call(&sink, 1000 * i * (i % 7 + 1));
		assert_true(flight_stats(f).bytes < 2 << 20);
	}
	struct flight_window *w = flight_last(f);

	assert_non_null(w);
	assert_false(w->whole);
	uint64_t n = 0;

	flight_fixture_read(w, &info, check, &n);
	assert_true(n > 1000 && n < calls);
	flight_window_free(w);
	flight_free(f);
	trace_info_free(&info);
}

TESTS(test_values)
