/* SPDX-License-Identifier: BSD-2-Clause */
/* Traces of sample --wall for tests of their answers. */
#ifndef GOTRACE_WALL_FIXTURE_H
#define GOTRACE_WALL_FIXTURE_H

#include <stdlib.h>

#include "bpf/event.h"
#include "trace/keys.h"
#include "trace/samples.h"
#include "trace/trace.h"

/* Begins a trace in the new file `path` (as of mkstemp) with one process. Reason 1 is a lock,
 * reason 2 is `second`, reason 3 a select. The caller adds samples and finishes it. */
static inline struct trace_writer *wall_trace_begin(char *path, const char *second)
{
	const struct sample_process p = { .pid = 7, .comm = "prog" };
	struct trace_info info = { 0 };
	uint32_t number;
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(trace_info_set(&info, KEY_MODE, MODE_SAMPLES), 0);
	assert_int_equal(trace_info_set(&info, KEY_SAMPLE_WALL, "1"), 0);
	assert_int_equal(trace_info_set(&info, KEY_STATES, "1"), 0);
	assert_int_equal(trace_info_set(&info, "states.reason.1", "sync.Mutex.Lock"), 0);
	assert_int_equal(trace_info_set(&info, "states.reason.2", second), 0);
	assert_int_equal(trace_info_set(&info, "states.reason.3", "select"), 0);
	struct trace_writer *w = trace_writer_new(fd, &info);

	trace_info_free(&info);
	assert_non_null(w);
	assert_int_equal(trace_writer_process(w, &p, &number), 0);
	return w;
}

/* Adds a sample at that time, in which a goroutine waits for that reason in the function with that
 * number. */
static inline void wall_trace_wait(struct trace_writer *w, uint64_t goid, uint64_t func,
				   uint16_t reason, uint64_t ts_ms, uint64_t weight_ms,
				   uint64_t error_ms)
{
	const uint64_t pcs[] = { 0x1000 * func }, ms = 1000000;
	const struct sample_stack stack = { .n = 1, .pcs = pcs };
	struct sample s = { .ts_ns = ts_ms * ms,
			    .goid = goid,
			    .weight_ns = weight_ms * ms,
			    .error_ns = error_ms * ms,
			    .state = STATE_WAITING,
			    .reason = reason };

	assert_int_equal(trace_writer_stack(w, &stack, &s.stack), 0);
	assert_int_equal(trace_writer_sample(w, &s), 0);
}

/* Adds a sample of a wait whose reason is not known. */
static inline void wall_trace_put(struct trace_writer *w, uint64_t goid, uint64_t func,
				  uint64_t ts_ms, uint64_t weight_ms, uint64_t error_ms)
{
	wall_trace_wait(w, goid, func, 0, ts_ms, weight_ms, error_ms);
}

#endif
