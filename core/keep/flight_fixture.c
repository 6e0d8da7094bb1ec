// SPDX-License-Identifier: BSD-2-Clause
#include "keep/flight_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

void flight_fixture_read(const struct flight_window *w, const struct trace_info *info,
			 void (*each)(void *ctx, const struct event_ext *ev,
				      const struct trace_values *values),
			 void *ctx)
{
	int fd = memfd_create("window", 0);
	char path[40];
	struct event_ext ev;
	uint64_t n = 0;

	assert_true(fd >= 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", dup(fd));
	struct trace_writer *to = trace_writer_new(fd, info);

	assert_non_null(to);
	assert_int_equal(flight_window_write(w, to, true), 0);
	assert_int_equal(trace_writer_finish(to, NULL, 0), 0);
	struct trace_reader *r = trace_reader_open(path);

	assert_non_null(r);
	for (; trace_reader_next(r, &ev) == 1; n += ev.h.kind != EV_SAMPLE)
		each(ctx, &ev, trace_reader_values(r));
	assert_true(trace_reader_complete(r));
	assert_int_equal(w->events, n);
	for (size_t i = 0; i < w->pcs.n_pcs; i++)
		assert_non_null(trace_info_pc(trace_reader_info(r), w->pcs.pcs[i].pc));
	trace_reader_close(r);
	close(atoi(strrchr(path, '/') + 1));
}
