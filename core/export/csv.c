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

#include "base/log.h"
#include "base/vec.h"
#include "analysis/callers.h"
#include "export/thesis.h"

#define ARROW " -> "

static void ms(FILE *out, uint64_t ns)
{
	fprintf(out, ",%" PRIu64 ".%06u", ns / 1000000, (unsigned)(ns % 1000000));
}

/* The callers of path[0..n), outermost first; what a go statement started stands behind [go]. */
static void trace(const struct thesis *t, const uint32_t *path, uint32_t n, FILE *out)
{
	const struct export_node *nodes = t->tree.nodes;
	bool quote = false;

	for (uint32_t i = 0; i + 1 < n; i++)
		quote |= strpbrk(report_name(&t->rep, nodes[path[i]].func), ",\"\r\n") != NULL;
	fputs(quote ? ",\"" : ",", out);
	for (uint32_t i = 0; i < n; i++) {
		if (nodes[path[i]].go)
			fputs(i ? ARROW GO_FRAME : GO_FRAME, out);
		if (i + 1 == n)
			break;
		fputs(i ? ARROW : "", out);
		csv_inside(out, report_name(&t->rep, nodes[path[i]].func));
	}
	if (quote)
		fputc('"', out);
}

static void columns(const struct thesis *t, uint32_t node, FILE *out)
{
	const struct call_stats *st = &t->tree.nodes[node].stats;
	const struct thesis_extra *x = &t->extra[node];

	for (const struct thesis_column *c = thesis_columns; c->name; c++) {
		if (c->of_finished && !st->finished) {
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
			fprintf(out, ",%.4f", share_pct(v, t->rep.totals->root_ns));
	}
	ms(out, st->preempt_ns);
	fprintf(out, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n", st->unfinished, st->unwound,
		st->suspect);
}

/* The nodes from the outermost down to `node`; their number. */
static uint32_t path_to(const struct export_tree *t, uint32_t node, uint32_t *path)
{
	uint32_t n = t->nodes[node].level;

	for (uint32_t i = n; i-- > 0; node = t->nodes[node].parent)
		path[i] = node;
	return n;
}

static int paths(struct trace_reader *r, const struct export_options *opt, FILE *out)
{
	struct thesis t;
	uint32_t *path = NULL;
	size_t cap = 0;
	int err = thesis_load(&t, r, !opt->no_go_edges);

	fputs("Function,Trace,Calls [#]", out);
	for (const struct thesis_column *c = thesis_columns; c->name; c++)
		fprintf(out, ",%s", c->name);
	fputs(",Total Preempt T [ms],Unfinished [#],Unwound [#],Suspect [#]\n", out);
	for (size_t i = 0; !err && i + 1 < t.tree.n; i++) {
		uint32_t node = t.order[i];

		if (!report_has_row(&t.tree.nodes[node].stats))
			continue;
		err = vec_reserve(&path, &cap, t.tree.nodes[node].level);
		if (err)
			break;
		csv_field(out, report_name(&t.rep, t.tree.nodes[node].func));
		trace(&t, path, path_to(&t.tree, node, path), out);
		fprintf(out, ",%" PRIu64, t.tree.nodes[node].stats.calls);
		columns(&t, node, out);
	}
	free(path);
	thesis_free(&t);
	return err;
}

static int calls(struct trace_reader *r, const struct export_options *opt, FILE *out)
{
	struct callfile file;
	struct callers callers = { 0 };
	struct export_tree tree;
	struct report rep;
	uint64_t id = 0, caller;
	int err = export_load_calls(&rep, &tree, &file, r, !opt->no_go_edges);

	fputs("call,caller,goroutine,level,function,start_ns,duration_ns,self_ns,end,suspect,thread,system,image\n",
	      out);
	for (size_t i = 0; !err && !ferror(out) && i < file.n; i++) {
		const struct call *c;

		err = callfile_get(&file, i, &c);
		if (err || !c)
			continue;
		err = callers_put(&callers, c, ++id, &caller);
		if (err)
			log_error("no memory for the open calls of all goroutines");
		fprintf(out, "%" PRIu64 ",", id);
		if (caller)
			fprintf(out, "%" PRIu64, caller);
		fprintf(out, ",%" PRIu64 ",%u,", c->goid, c->level);
		csv_field(out, report_name(&rep, c->func));
		fprintf(out, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%s,%d,%u,%d,%u\n",
			c->start_ns - rep.totals->first_ns, c->end_ns - c->start_ns, c->self_ns,
			call_end_name(c->end), c->suspect, c->tid, c->system, c->image);
	}
	callers_free(&callers);
	export_tree_free(&tree);
	callfile_close(&file);
	report_free(&rep);
	return err;
}

int export_csv(struct trace_reader *const *r, size_t n, const struct export_options *opt, FILE *out)
{
	int err = (opt->calls ? calls : paths)(r[0], opt, out);

	(void)n;
	return err ? err : report_written(out);
}
