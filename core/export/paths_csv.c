// SPDX-License-Identifier: BSD-2-Clause
/*
 * The thesis's table of paths, with its columns in its order, then what it did
 * not have; or a row a call. Times are milliseconds with all digits down to the
 * nanosecond: their sum is that of other formats.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/calls/call_spool.h"
#include "analysis/calls/callers.h"
#include "analysis/stat_columns.h"
#include "analysis/trace_names.h"
#include "analysis/calls/value_text.h"
#include "analysis/calls/wait_rows.h"
#include "base/csv.h"
#include "base/log.h"
#include "base/outfile.h"
#include "base/text_format.h"
#include "export/export_formats.h"
#include "export/thesis.h"

#define ARROW " -> "
#define GO    "[go]"

static void ms(FILE *out, uint64_t ns)
{
	fprintf(out, ",%" PRIu64 ".%06u", ns / 1000000, (unsigned)(ns % 1000000));
}

/* The callers of path[0..n), outermost first; what a go statement started follows [go]. */
static void put_callers(const struct thesis *t, const uint32_t *path, uint32_t n, FILE *out)
{
	const struct call_node *nodes = t->tree.nodes;
	bool quote = false;

	for (uint32_t i = 0; i + 1 < n; i++)
		quote |= strpbrk(trace_name_func(t->trace.info, nodes[path[i]].func),
				 CSV_SPECIAL) != NULL;
	fputc(',', out);
	csv_begin(out,
		  n > 1 && !nodes[path[0]].go ? trace_name_func(t->trace.info, nodes[path[0]].func)
					      : "",
		  quote);
	for (uint32_t i = 0; i < n; i++) {
		if (nodes[path[i]].go)
			fputs(i ? ARROW GO : GO, out);
		if (i + 1 == n)
			break;
		fputs(i ? ARROW : "", out);
		csv_part(out, trace_name_func(t->trace.info, nodes[path[i]].func), 0);
	}
	if (quote)
		fputc('"', out);
}

static void columns(const struct thesis *t, uint32_t node, FILE *out)
{
	const struct call_stats *st = t->tree.nodes[node].stats;
	const struct thesis_extra *x = &t->extra[node];

	for (const struct thesis_column *c = thesis_columns; c->name; c++) {
		if (!thesis_has(c, st)) {
			fputc(',', out);
			continue;
		}
		uint64_t v = c->get(st, x);

		if (c->unit == THESIS_NS)
			ms(out, v);
		else if (c->unit == THESIS_COUNT)
			fprintf(out, ",%" PRIu64, v);
		else if (c->unit == THESIS_PER_CALL)
			fprintf(out, ",%.3f", st->calls ? (double)v / (double)st->calls : 0);
		else
			fprintf(out, ",%.4f", share_pct(v, t->trace.totals->root_ns));
	}
	ms(out, st->preempt_ns);
	fprintf(out, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64, st->unfinished, st->unwound, st->suspect);
	if (t->trace.totals->states) {
		ms(out, st->self_ns - off_times_sum(&st->off_self));
		ms(out, st->off_self.runnable_ns);
		ms(out, st->off_self.wait_ns);
		ms(out, st->off_self.syscall_ns);
		ms(out, st->off_self.unknown_ns);
		ms(out, st->off_self.off_cpu_ns);
	}
	fputc('\n', out);
}

static int paths(struct trace_reader *r, const struct export_options *opt, FILE *out)
{
	struct thesis t;
	uint32_t *path = NULL;
	size_t cap = 0;
	int err = thesis_load(&t, r, opt->view, opt->no_go_edges);

	fputs("Function,Trace,Calls [#]", out);
	for (const struct thesis_column *c = thesis_columns; c->name; c++)
		fprintf(out, ",%s", c->name);
	fputs(",Total Preempt T [ms],Unfinished [#],Unwound [#],Suspect [#]", out);
	fputs(!err && t.trace.totals->states
		      ? ",Run T [ms],Runnable T [ms],Wait T [ms],Syscall T [ms],Unknown T [ms],Off-CPU T [ms]\n"
		      : "\n",
	      out);
	for (size_t i = 0; !err && i + 1 < t.tree.n; i++) {
		uint32_t node = t.order[i];

		if (!stat_any(t.tree.nodes[node].stats))
			continue;
		err = call_tree_path(&t.tree, node, &path, &cap);
		if (err)
			break;
		csv_field(out, trace_name_func(t.trace.info, t.tree.nodes[node].func));
		put_callers(&t, path, t.tree.nodes[node].level, out);
		fprintf(out, ",%" PRIu64, t.tree.nodes[node].stats->calls);
		columns(&t, node, out);
	}
	free(path);
	thesis_free(&t);
	return err;
}

/* What is read with the trace for a row a call. */
struct reading {
	struct call_spool calls;
	struct trace_watch watch;
};

static void collect(void *ctx, const struct call *c)
{
	struct reading *in = ctx;

	if (!in->watch.err)
		in->watch.err = call_spool_put(&in->calls, c);
}

static int put_values(struct reading *in, const struct loaded_trace *trace, const struct call *c,
		      FILE *out)
{
	struct call_values v;
	int err = kept_values_get(&in->calls.values, c, &v);

	if (!err)
		call_values_csv(out, trace->info, &v);
	return err;
}

/* Parts of its duration. */
static int put_states(struct reading *in, const struct loaded_trace *trace, const struct call *c,
		      FILE *out)
{
	struct call_states s;
	int err = kept_states_get(&in->calls.values, c, &s);

	fprintf(out, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",",
		c->end_ns - c->start_ns - off_times_sum(&s.total), s.total.runnable_ns,
		s.total.wait_ns, s.total.syscall_ns, s.total.unknown_ns, s.total.off_cpu_ns);
	return err ? err : call_waits_csv(out, trace->info, &s);
}

static int call_rows(struct reading *in, const struct loaded_trace *trace, FILE *out)
{
	struct callers callers = { 0 };
	uint64_t id = 0, caller;
	int err = 0;

	fputs("call,caller,goroutine,level,function,start_ns,duration_ns,self_ns,end,suspect,thread,system,image",
	      out);
	if (trace->totals->states)
		fputs(",run_ns,runnable_ns,wait_ns,syscall_ns,unknown_ns,off_cpu_ns,waits", out);
	fputs(trace->info->n_values ? ",arguments,results\n" : "\n", out);
	for (size_t i = 0; !err && !ferror(out) && i < in->calls.n; i++) {
		const struct call *c;

		err = call_spool_get(&in->calls, i, &c);
		if (err || !c)
			continue;
		err = callers_put(&callers, c, ++id, &caller);
		if (err)
			log_no_memory("no memory for the open calls of all goroutines");
		fprintf(out, "%" PRIu64 ",", id);
		if (caller)
			fprintf(out, "%" PRIu64, caller);
		fprintf(out, ",%" PRIu64 ",%u,", c->goid, c->level);
		csv_field(out, trace_name_func(trace->info, c->func));
		fprintf(out, ",%" PRIu64 ",", c->start_ns - trace->totals->first_ns);
		if (call_timed(c))
			fprintf(out, "%" PRIu64, c->end_ns - c->start_ns);
		fprintf(out, ",%" PRIu64 ",%s,%d,%u,%d,%u", c->self_ns, call_end_name(c->end),
			c->suspect, c->tid, c->system, c->image);
		if (!err && trace->totals->states)
			err = put_states(in, trace, c, out);
		if (!err && trace->info->n_values)
			err = put_values(in, trace, c, out);
		fputc('\n', out);
	}
	callers_free(&callers);
	return err;
}

static int calls(struct trace_reader *r, const struct export_options *opt, FILE *out)
{
	struct reading in = { .watch = { .calls = CALLS_SOME,
					 .on_entry = collect,
					 .on_call = collect,
					 .call_waits = true,
					 .ctx = &in } };
	struct loaded_trace trace = { 0 };
	int err = call_spool_open(&in.calls);

	(void)opt;
	if (!err)
		err = trace_load(&trace, r, opt->view, &in.watch);
	if (!err)
		err = call_rows(&in, &trace, out);
	call_spool_close(&in.calls);
	trace_unload(&trace);
	return err;
}

int export_csv(struct trace_reader *const *r, size_t n, const struct export_options *opt, FILE *out)
{
	int err = (opt->calls ? calls : paths)(r[0], opt, out);

	(void)n;
	return outfile_end(out, err);
}
