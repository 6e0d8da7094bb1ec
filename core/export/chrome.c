// SPDX-License-Identifier: BSD-2-Clause
/*
 * Chrome's trace events as JSON, complete ones ("X") only: viewers pair begins
 * and ends by themselves at several times the cost. A call comes before those it made, so that
 * viewers nest calls of equal times correctly. Goroutines are threads of one process, system stacks
 * threads of a second one; each image has two such processes.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "analysis/calls/call_spool.h"
#include "analysis/calls/goroutine_rows.h"
#include "analysis/stat_columns.h"
#include "analysis/trace_json.h"
#include "analysis/trace_names.h"
#include "analysis/calls/value_text.h"
#include "base/json.h"
#include "base/log.h"
#include "base/outfile.h"
#include "export/chrome_samples.h"
#include "export/export_formats.h"
#include "trace/keys.h"
#include "trace/samples.h"

#define MANY_CALLS 1000000

struct chrome {
	struct loaded_trace trace;
	struct goroutines goroutines;
	struct call_spool calls;
	struct json j;
	uint64_t pid, n;
	bool args; /* asked for */
	struct trace_watch watch;
};

static void open_event(struct chrome *c, const char *ph, uint32_t image, bool system, uint64_t tid)
{
	fputc('\n', c->j.out);
	json_open(&c->j, '{');
	json_kv_str(&c->j, "ph", ph);
	json_kv_u64(&c->j, "pid", c->pid + 2 * (uint64_t)image + system);
	json_kv_u64(&c->j, "tid", tid);
}

/* The name of a process or thread, or its position. */
static void put_meta(struct chrome *c, const char *what, uint32_t image, bool system, uint64_t tid,
		     const char *name)
{
	open_event(c, "M", image, system, tid);
	json_kv_str(&c->j, "name", what);
	json_key(&c->j, "args");
	json_open(&c->j, '{');
	if (name)
		json_kv_str(&c->j, "name", name);
	else
		json_kv_u64(&c->j, "sort_index", tid);
	json_close(&c->j, '}');
	json_close(&c->j, '}');
}

static void name_process(struct chrome *c, uint32_t image, bool system)
{
	const char *command = trace_info_get(c->trace.info, KEY_COMMAND);
	char name[512];

	snprintf(name, sizeof(name), "%s",
		 system    ? "system stacks"
		 : command ? command
			   : "Go program");
	if (image)
		snprintf(name + strlen(name), sizeof(name) - strlen(name), " (image %u)",
			 image + 1);
	put_meta(c, "process_name", image, system, 0, name);
}

static void put_names(struct chrome *c)
{
	/* of how many images goroutines, and system stacks, have a name above them */
	uint64_t named[2] = { 1, 0 };
	char name[512];

	name_process(c, 0, false);
	for (size_t i = 0; i < c->goroutines.n; i++) {
		const struct goroutine_info *g = &c->goroutines.rows[i].g;

		if (!g->calls)
			continue;
		while (named[g->system] <= g->image)
			name_process(c, (uint32_t)named[g->system]++, g->system);
		snprintf(name, sizeof(name), "%s %" PRIu64 " %s",
			 g->system ? "thread" : "goroutine", g->goid,
			 trace_name_start(c->trace.info, g));
		if (name[strlen(name) - 1] == ' ')
			name[strlen(name) - 1] = '\0';
		put_meta(c, "thread_name", g->image, g->system, g->goid, name);
		put_meta(c, "thread_sort_index", g->image, g->system, g->goid, NULL);
	}
}

/* Only when asked for: to speedscope calls with different args are different functions. */
static int put_args(struct chrome *c, const struct call *call)
{
	struct call_values v = { 0 };
	struct call_states s = { 0 };
	int err = kept_values_get(&c->calls.values, call, &v);

	if (!err && c->args && c->trace.totals->states)
		err = kept_states_get(&c->calls.values, call, &s);

	json_key(&c->j, "args");
	json_open(&c->j, '{');
	if (c->args) {
		json_kv_u64(&c->j, "self_ns", call->self_ns);
		if (call->end != CALL_FINISHED)
			json_kv_str(&c->j, "outcome", call_end_name(call->end));
		if (call->suspect)
			json_kv_bool(&c->j, "suspect", true);
	}
	if (c->args && c->trace.totals->states) { /* parts of its duration */
		json_kv_u64(&c->j, "runnable_ns", s.total.runnable_ns);
		json_kv_u64(&c->j, "wait_ns", s.total.wait_ns);
		json_kv_u64(&c->j, "syscall_ns", s.total.syscall_ns);
		json_kv_u64(&c->j, "unknown_ns", s.total.unknown_ns);
		json_kv_u64(&c->j, "off_cpu_ns", s.total.off_cpu_ns);
	}
	if (!err && call->kept && c->trace.info->n_values)
		call_values_json(&c->j, c->trace.info, &v);
	json_close(&c->j, '}');
	return err;
}

static int put_call(struct chrome *c, const struct call *call)
{
	int err = 0;

	open_event(c, "X", call->image, call->system, call->system ? call->tid : call->goid);
	json_kv_str(&c->j, "name", trace_name_func(c->trace.info, call->func));
	json_key(&c->j, "ts");
	json_decimal(&c->j, call->start_ns - c->trace.totals->first_ns, 3);
	json_key(&c->j, "dur");
	json_decimal(&c->j, call->end_ns - call->start_ns, 3);
	/* What was recorded with the call was asked for, too. */
	if (c->args || (call->kept && c->trace.info->n_values))
		err = put_args(c, call);
	json_close(&c->j, '}');
	c->n++;
	return err;
}

static int put_trace(struct chrome *c)
{
	int err;

	json_open(&c->j, '{');
	json_kv_str(&c->j, "displayTimeUnit", "ns");
	json_key(&c->j, "otherData");
	json_open(&c->j, '{');
	json_kv_u64(&c->j, "lost_events", c->trace.totals->lost_events);
	json_kv_bool(&c->j, "complete", c->trace.complete);
	err = trace_json_warnings(&c->trace, false, &c->j);
	json_close(&c->j, '}');
	json_key(&c->j, "traceEvents");
	json_open(&c->j, '[');
	put_names(c);
	for (size_t i = 0; !err && !ferror(c->j.out) && i < c->calls.n; i++) {
		const struct call *call;

		err = call_spool_get(&c->calls, i, &call);
		if (!err && call)
			err = put_call(c, call);
	}
	json_close(&c->j, ']');
	json_close(&c->j, '}');
	return err;
}

static void on_call(void *ctx, const struct call *call)
{
	struct chrome *c = ctx;

	if (!c->watch.err)
		c->watch.err = call_spool_put(&c->calls, call);
}

static void on_goroutine(void *ctx, const struct goroutine_info *g)
{
	struct chrome *c = ctx;

	if (!c->watch.err)
		c->watch.err = goroutines_add(&c->goroutines, g);
}

int export_chrome(struct trace_reader *const *r, size_t n, const struct export_options *opt,
		  FILE *out)
{
	struct chrome c = {
		.pid = trace_info_u64(trace_reader_info(r[0]), KEY_PID, 1),
		.args = opt->args,
		.watch = { .calls = CALLS_SOME,
			   .on_entry = on_call,
			   .on_call = on_call,
			   .on_goroutine = on_goroutine,
			   .ctx = &c },
	};
	if (trace_is_samples(trace_reader_info(r[0])))
		return chrome_samples(r[0], opt, out);
	int err = call_spool_open(&c.calls);

	(void)n;
	json_init(&c.j, out, false);
	if (!err)
		err = trace_load(&c.trace, r[0], opt->view, &c.watch);
	if (!err)
		err = put_trace(&c);
	err = outfile_end(out, err);
	if (!err && c.n > MANY_CALLS)
		log_warn(
			"%" PRIu64
			" calls are many for programs that open this format; --format=perfetto suits so many",
			c.n);
	call_spool_close(&c.calls);
	goroutines_free(&c.goroutines);
	trace_unload(&c.trace);
	return err;
}
