// SPDX-License-Identifier: BSD-2-Clause
/* What goroutines of snapshots do most (sample --wall). */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/test_fixture.h"
#include "analysis/samples/sample_answer.h"
#include "analysis/samples/wall_fixture.h"
#include "trace/keys.h"
#include "trace/samples.h"

#define MS 1000000ull

static void put(struct trace_writer *w, uint64_t goid, uint8_t state, uint8_t reason,
		uint64_t ts_ms, uint64_t weight_ms)
{
	const uint64_t pcs[] = { 0x1000 };
	const struct sample_stack stack = { .n = 1, .pcs = pcs };
	struct sample s = { .ts_ns = ts_ms * MS,
			    .goid = goid,
			    .weight_ns = weight_ms * MS,
			    .error_ns = weight_ms * MS,
			    .state = state,
			    .reason = reason };

	assert_int_equal(trace_writer_stack(w, &stack, &s.stack), 0);
	assert_int_equal(trace_writer_sample(w, &s), 0);
}

static void locked(struct trace_writer *w)
{
	put(w, 1, STATE_WAITING, 1, 1000, 700);
	put(w, 2, STATE_WAITING, 2, 1500, 200);
	put(w, 2, STATE_RUNNABLE, 0, 2000, 100);
}

static void mixed(struct trace_writer *w)
{
	put(w, 1, STATE_WAITING, 2, 1000, 500);
	put(w, 1, STATE_RUNNABLE, 0, 1500, 450);
	put(w, 1, STATE_WAITING, 1, 2000, 50);
}

/* Of no goroutine. */
static void threads(struct trace_writer *w)
{
	put(w, 0, STATE_WAITING, 1, 1000, 700);
}

static void check(void (*fill)(struct trace_writer *w), const char *begins, const char *has)
{
	char path[] = "/tmp/answer-XXXXXX";
	struct loaded_trace t;
	struct trace_writer *w = wall_trace_begin(path, "sleep");

	fill(w);
	assert_int_equal(trace_writer_finish(w, NULL, 0), 0);
	struct trace_reader *r = trace_reader_open(path);

	assert_non_null(r);
	assert_int_equal(trace_load(&t, r, NULL, NULL), 0);
	char *said = sample_answer_say(&t);

	assert_non_null(said);
	if (strncmp(said, begins, strlen(begins)) != 0 || !strstr(said, has))
		fail_msg("%s", said);
	assert_true(*begins || !*said);
	free(said);
	trace_unload(&t);
	trace_reader_close(r);
	unlink(path);
}

TEST(test_answers)
{
	check(locked, "goroutines wait 70% of their time for a lock (together 1.00s in 1.00s)\n",
	      ", sync.Mutex.Lock (70%)\n  ended by  samples do not tell");
	check(mixed,
	      "goroutines sleep 50% of their time, wait 45% of their time for a processor (together ",
	      ", sleep (50%)\n");
	check(threads, "", "");
}

TESTS(test_answers)
