// SPDX-License-Identifier: BSD-2-Clause
/* What a writer says it may still write, against what it writes. */
#include "base/test_fixture.h"
#include "trace/sample_trace_fixture.h"

/* Whatever the events are, and however few of them a flush writes. */
TEST(bounds_what_a_flush_writes)
{
	uint64_t seed = 1, most_of_an_event = 0;

	for (unsigned wild = 0; wild <= 100; wild += 50) {
		struct event_ext *ev = sample_events(20000, wild, &seed);
		struct trace_info info;
		int fd = sample_file();

		sample_info(&info);
		struct trace_writer *w = trace_writer_new(sample_dup(fd), &info);
		assert_non_null(w);
		for (size_t i = 0, n = 1; i + n < 20000; i += n, n *= 7) {
			const struct trace_pc pc = { .pc = i, .func = (char *)(uintptr_t) "f" };

			for (size_t k = 0; k < n; k++)
				assert_int_equal(trace_writer_event(w, &ev[i + k]), 0);
			assert_int_equal(trace_writer_pc(w, &pc), 0);
			uint64_t before = trace_writer_bytes(w), most = trace_writer_bytes_max(w);
			assert_int_equal(trace_writer_flush(w), 0);
			uint64_t wrote = trace_writer_bytes(w) - before;
			if (before + wrote > most)
				fail_msg("%zu events: %llu bytes, not %llu", n,
					 (unsigned long long)wrote,
					 (unsigned long long)(most - before));
			if (n > 1000 && wrote / n > most_of_an_event)
				most_of_an_event = wrote / n;
		}
		trace_writer_abort(w);
		trace_info_free(&info);
		free(ev);
		close(fd);
	}
	assert_true(most_of_an_event > 16); /* ordinary ones take 2 to 5 */
}

TESTS(bounds_what_a_flush_writes)
