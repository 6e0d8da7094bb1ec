// SPDX-License-Identifier: BSD-2-Clause
/* The flight recorder keeps arguments with their calls, and lets go of both together. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "keep/flight.h"

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

/* Each entry that is there has its value, and nothing else has one. Returns their number. */
static uint64_t check(const struct flight_window *w, const struct trace_info *info)
{
	int fd = memfd_create("window", 0);
	char path[40];
	struct event_ext ev;
	struct trace_value got;
	uint64_t n = 0;

	assert_true(fd >= 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", dup(fd));
	struct trace_writer *to = trace_writer_new(fd, info);

	assert_non_null(to);
	assert_int_equal(flight_window_write(w, to, true), 0);
	assert_int_equal(trace_writer_finish(to, NULL, 0), 0);
	struct trace_reader *r = trace_reader_open(path);

	assert_non_null(r);
	while (trace_reader_next(r, &ev) == 1) {
		const struct trace_values *v = trace_reader_values(r);
		bool entry = ev.h.kind == EV_ENTRY && !(ev.h.flags & EVF_BEFORE);

		assert_int_equal(v != NULL, entry);
		if (!entry)
			continue;
		assert_non_null(
			trace_value_get(v->data, v->data + v->bytes, TRACE_VALUE_UINT, &got));
		assert_int_equal(got.v.u, ev.h.ts_ns);
		n++;
	}
	assert_true(trace_reader_complete(r));
	trace_reader_close(r);
	close(atoi(strrchr(path, '/') + 1));
	return n;
}

static void test_values(void **state)
{
	struct trace_info info = { 0 };
	const uint64_t calls = 400000;

	(void)state;
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
	uint64_t n = check(w, &info);

	assert_true(n > 1000 && n < calls);
	flight_window_free(w);
	flight_free(f);
	trace_info_free(&info);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_values) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
