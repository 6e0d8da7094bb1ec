// SPDX-License-Identifier: BSD-2-Clause
/* Many events at once, and in a hurry. */
#include "base/test_fixture.h"
#include "trace/sample_trace_fixture.h"

static struct trace_writer *begin(int fd)
{
	struct trace_info info;

	sample_info(&info);
	struct trace_writer *w = trace_writer_new(sample_dup(fd), &info);
	assert_non_null(w);
	trace_info_free(&info);
	return w;
}

/* Events in arrays make the same file as one by one; in a hurry it is another one that reads the
 * same. */
TEST(test_many)
{
	uint64_t seed = sample_seed("many");
	size_t n = 100000, done = 0, of[3] = { 0 };
	struct event_ext *ev = sample_events(n, 0, &seed), *got;
	struct event *plain = malloc(n * sizeof(*plain));
	struct event_ext read;
	int fd[3];
	struct trace_writer *w[3];

	for (size_t i = 0; i < n; i++) {
		if (event_kind_has_args(ev[i].h.kind))
			ev[i] = (struct event_ext){ .h = ev[i ? i - 1 : 0].h };
		if (event_kind_has_args(ev[i].h.kind))
			ev[i].h.kind = EV_ENTRY;
		plain[i] = ev[i].h;
	}
	for (int k = 0; k < 3; k++) {
		fd[k] = sample_file();
		w[k] = begin(fd[k]);
	}
	trace_writer_hurry(w[2], true);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(trace_writer_event(w[0], &ev[i]), 0);
	while (done < n) {
		size_t some = sample_random(&seed) % 700;

		some = some < n - done ? some : n - done;
		for (int k = 1; k < 3; k++)
			assert_int_equal(trace_writer_many(w[k], plain + done, some), 0);
		done += some;
	}
	for (int k = 0; k < 3; k++) {
		assert_int_equal(trace_writer_flush(w[k]), 0);
		of[k] = trace_writer_bytes(w[k]);
		assert_int_equal(trace_writer_finish(w[k], NULL, 0), 0);
	}
	assert_int_equal(of[0], of[1]);
	assert_in_range(of[2], of[0] / 2, 2 * of[0]);
	uint8_t *a = malloc(of[0]), *b = malloc(of[0]);

	assert_int_equal(pread(fd[0], a, of[0], 0), of[0]);
	assert_int_equal(pread(fd[1], b, of[0], 0), of[0]);
	assert_memory_equal(a, b, of[0]);
	struct trace_reader *r = trace_reader_open(sample_path(fd[2]));

	assert_non_null(r);
	for (got = ev; got < ev + n; got++)
		assert_true(trace_reader_next(r, &read) == 1 && !memcmp(&read, got, sizeof(read)));
	assert_int_equal(trace_reader_next(r, &read), 0);
	assert_true(trace_reader_complete(r));
	trace_reader_close(r);
	for (int k = 0; k < 3; k++)
		close(fd[k]);
	free(a);
	free(b);
	free(plain);
	free(ev);
}

TESTS(test_many)
