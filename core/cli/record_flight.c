// SPDX-License-Identifier: BSD-2-Clause
/* record --keep-last: the flight recorder, and the files that it writes. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/trace_view.h"
#include "attach/kernel/memory_cap.h"
#include "base/log.h"
#include "base/text_format.h"
#include "cli/record_run.h"
#include "trace/keys.h"

static int describe_window(const struct flight_window *w, struct trace_info *end)
{
	int err = trace_info_set(end, KEY_END_REASON, REASON_WINDOW);

	if (!err)
		err = trace_info_setf(end, KEY_END_WINDOW_NS, "%" PRIu64,
				      w->last_ns > w->first_ns ? w->last_ns - w->first_ns : 0);
	return err ? err : trace_info_setf(end, KEY_END_WINDOW_EVENTS, "%" PRIu64, w->events);
}

/* FILE.1, FILE.2, ...; a failure is said, recording goes on. */
static void write_window(struct run *r, const struct flight_window *w)
{
	char path[PATH_MAX];
	struct trace_info end = { 0 };
	int fd, err;

	if (record_open_window(r, ++r->keep.n_windows, path, &fd))
		return;
	struct trace_writer *to = trace_writer_new(fd, &r->info);

	err = to ? flight_window_write(w, to, true) : -errno;
	if (!err)
		err = describe_window(w, &end);
	if (to) {
		int closed = trace_writer_finish(to, end.kvs, end.n_kvs);

		err = err ? err : closed;
	}
	trace_info_free(&end);
	if (err)
		log_warn("%s is not whole: %s", path, strerror(-err));
	else
		log_info("%s: the last %s, %" PRIu64 " events (%s)", path,
			 HUMAN(w->last_ns > w->first_ns ? w->last_ns - w->first_ns : 0), w->events,
			 w->hit ? "--when" : "SIGUSR1");
}

bool record_flight_tick(void *ctx)
{
	struct run *r = ctx;
	struct flight_window *w;

	while (r->keep.flight && (w = flight_take(r->keep.flight))) {
		write_window(r, w);
		flight_window_free(w);
	}
	return r->keep.flight && flight_ended(r->keep.flight);
}

int record_flight_begin(struct run *r, struct trace_writer *writer)
{
	const struct flight_args *args = &r->opt->flight;
	const char *globs[] = { args->when_func };
	uint8_t *when = args->when ? calloc(r->info.n_funcs + 1, 1) : NULL;
	struct flight_options opt = {
		.info = &r->info,
		.writer = writer,
		.keep_ns = args->keep_ns,
		.keep_bytes = args->keep_bytes ? args->keep_bytes : memory_cap_bytes(),
		.when_ns = args->when_ns,
		.times = args->times ? args->times : 1,
	};
	int err = args->when && !when ? -ENOMEM : 0;

	if (!err && args->when)
		err = trace_view_mark("--when", globs, 1, 1, &r->info, when);
	opt.when = (const bool *)when; /* 0 and 1 */
	if (!err) {
		r->keep.flight = flight_new(&opt);
		err = r->keep.flight ? 0 : -errno;
	}
	free(when);
	if (err == -ENOMEM)
		log_no_memory("no memory for --keep-last");
	if (err)
		return err;
	r->keep.first = flight_sink(r->keep.flight);
	trace_writer_on_pc(writer, flight_name_pc, r->keep.flight);
	r->given.on_tick = record_flight_tick;
	r->given.on_tick_ctx = r;
	return 0;
}
