// SPDX-License-Identifier: BSD-2-Clause
/*
 * A profile of Perun, the performance version system, in the shape that its
 * collectors return (one list of resources, which Perun packs on loading).
 *
 * Layouts. "stacks": a resource a path, its uid all functions of it; what Perun
 * reads since it draws flame graphs and reports of perf's folded stacks
 * (perun/profiles/conversions/native_folded.py; looked at in 0.28.3, where nothing reads a list of
 * callers). "flat": the same with the function as uid and its callers as a list, for Perun 0.21 to
 * 0.25. The amount of both is the self time in nanoseconds. "legacy": a resource a path and column,
 * as the thesis's collector wrote it for its own Sankey view; other views would add all columns up.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/stat_columns.h"
#include "analysis/trace_names.h"
#include "base/json.h"
#include "base/log.h"
#include "base/outfile.h"
#include "base/vec.h"
#include "export/export_formats.h"
#include "export/thesis.h"
#include "trace/keys.h"

struct perun {
	struct thesis t;
	struct json j;
	/* of the current node, outermost first */
	uint32_t *path;
	size_t cap;
	char *stack;
	size_t cap_stack;
};

/* A frame after what is in p->stack already; n is its length. ';' separates, so it cannot be
 * in a name. */
static int add_frame(struct perun *p, size_t *n, const char *name)
{
	size_t more = strlen(name);
	int err = vec_reserve(&p->stack, &p->cap_stack, *n + more + 2);

	if (err)
		return err;
	if (*n)
		p->stack[(*n)++] = ';';
	for (size_t i = 0; i <= more; i++)
		p->stack[*n + i] = name[i] == ';' ? ',' : name[i];
	*n += more;
	return 0;
}

/* All functions of the current path, joined. */
static int fill_stack(struct perun *p, uint32_t node)
{
	const struct call_node *nodes = p->t.tree.nodes;
	uint32_t levels = nodes[node].level;
	size_t n = 0;
	int err = 0;

	for (uint32_t i = 0; !err && i < levels; i++) {
		if (nodes[p->path[i]].go) {
			char *go = trace_name_go(p->t.trace.info, nodes[p->path[i]].func);

			err = go ? add_frame(p, &n, go) : -ENOMEM;
			free(go);
		}
		if (!err)
			err = add_frame(p, &n,
					trace_name_func(p->t.trace.info, nodes[p->path[i]].func));
	}
	return err;
}

static void put_caller(struct perun *p, const char *name)
{
	json_open(&p->j, '{');
	json_kv_str(&p->j, "func", name);
	json_close(&p->j, '}');
}

static int put_callers(struct perun *p, uint32_t node)
{
	const struct call_node *nodes = p->t.tree.nodes;
	uint32_t n = nodes[node].level;
	int err = 0;

	json_key(&p->j, "trace");
	json_open(&p->j, '[');
	for (uint32_t i = 0; !err && i < n; i++) {
		const struct call_node *x = &nodes[p->path[i]];

		if (x->go) {
			char *go = trace_name_go(p->t.trace.info, x->func);

			err = go ? 0 : -ENOMEM;
			put_caller(p, go ? go : "");
			free(go);
		}
		if (i + 1 < n)
			put_caller(p, trace_name_func(p->t.trace.info, x->func));
	}
	json_close(&p->j, ']');
	return err;
}

/* uid NULL: the function, with its callers apart. */
static int open_resource(struct perun *p, uint32_t node, const char *uid, const char *subtype)
{
	const struct call_node *n = &p->t.tree.nodes[node];
	int err = 0;

	fputc('\n', p->j.out);
	json_open(&p->j, '{');
	json_kv_str(&p->j, "uid", uid ? uid : trace_name_func(p->t.trace.info, n->func));
	if (!uid)
		err = put_callers(p, node);
	json_kv_str(&p->j, "type", "time");
	json_kv_str(&p->j, "subtype", subtype);
	json_kv_u64(&p->j, "ncalls", n->stats->calls);
	return err;
}

static void put_ms(struct json *j, const char *key, uint64_t ns)
{
	json_key(j, key);
	json_decimal(j, ns, 6);
}

static int put_path(struct perun *p, uint32_t node, const char *uid)
{
	const struct call_stats *st = p->t.tree.nodes[node].stats;
	int err = open_resource(p, node, uid, "exclusive");

	json_kv_u64(&p->j, "amount", st->self_ns);
	put_ms(&p->j, "Total Inclusive T [ms]", st->total_ns);
	put_ms(&p->j, "Total Exclusive T [ms]", st->self_ns);
	put_ms(&p->j, "Total Morestack T [ms]", st->morestack_ns);
	put_ms(&p->j, "Total Preempt T [ms]", st->preempt_ns);
	json_close(&p->j, '}');
	return err;
}

static int put_legacy(struct perun *p, uint32_t node)
{
	const struct call_stats *st = p->t.tree.nodes[node].stats;
	uint64_t root_ns = p->t.trace.totals->root_ns;
	int err = 0;

	for (const struct thesis_column *c = thesis_columns; !err && c->name; c++) {
		if (!thesis_has(c, st))
			continue;
		uint64_t v = c->get(st, &p->t.extra[node]);

		err = open_resource(p, node, NULL, c->legacy);
		json_key(&p->j, "amount");
		if (c->unit == THESIS_NS && !c->legacy_ns)
			json_decimal(&p->j, v, 6);
		else if (c->unit == THESIS_PER_CALL)
			json_double(&p->j, st->calls ? (double)v / (double)st->calls : 0);
		else if (c->unit == THESIS_SHARE)
			/* of 1, in spite of its name */
			json_double(&p->j, root_ns ? (double)v / (double)root_ns : 0);
		else
			json_u64(&p->j, v);
		json_close(&p->j, '}');
	}
	return err;
}

static int put_resources(struct perun *p, enum perun_layout layout)
{
	int err = 0;

	json_key(&p->j, "resources");
	json_open(&p->j, '[');
	for (size_t i = 0; !err && i + 1 < p->t.tree.n; i++) {
		uint32_t node = p->t.order[i];

		if (!stat_any(p->t.tree.nodes[node].stats))
			continue;
		err = call_tree_path(&p->t.tree, node, &p->path, &p->cap);
		if (!err && layout == PERUN_STACKS)
			err = fill_stack(p, node);
		if (err)
			break;
		if (layout == PERUN_LEGACY)
			err = put_legacy(p, node);
		else
			err = put_path(p, node, layout == PERUN_STACKS ? p->stack : NULL);
	}
	json_close(&p->j, ']');
	return err;
}

/* The command's first word, and the rest. */
static int put_header(struct perun *p, enum perun_layout layout)
{
	const char *command = trace_info_get(p->t.trace.info, KEY_COMMAND);
	const char *status = trace_info_get(p->t.trace.info, KEY_END_STATUS);
	const char *rest = command ? strchr(command, ' ') : NULL;
	char *cmd = command ? strndup(command, rest ? (size_t)(rest - command) : strlen(command))
			    : NULL;

	if (command && !cmd)
		return -ENOMEM;
	json_key(&p->j, "header");
	json_open(&p->j, '{');
	json_kv_str(&p->j, "type", "time");
	json_kv_str(&p->j, "cmd", cmd ? cmd : "");
	json_kv_str(&p->j, "workload", rest ? rest + 1 : "");
	json_key(&p->j, "units");
	json_open(&p->j, '{');
	json_kv_str(&p->j, "time", layout == PERUN_LEGACY ? "ms" : "ns");
	json_close(&p->j, '}');
	json_kv_str(&p->j, "exitcode", status ? status : "?");
	json_close(&p->j, '}');
	free(cmd);
	return 0;
}

static void put_or(struct json *j, const char *key, const char *s)
{
	json_kv_str(j, key, s ? s : "unknown");
}

/* Perun's reports want every key; the trace does not know them all. */
static void put_machine(struct perun *p, const struct export_options *opt)
{
	const struct trace_info *info = p->t.trace.info;
	const char *kernel = trace_info_get(info, KEY_HOST_KERNEL),
		   *release = kernel ? strchr(kernel, ' ') : NULL;
	uint64_t cpus = trace_info_u64(info, KEY_HOST_CPUS, 0);
	char ram[32];

	snprintf(ram, sizeof(ram), "%.1f GiB",
		 (double)trace_info_u64(info, KEY_HOST_MEMORY_BYTES, 0) / (1u << 30));
	json_key(&p->j, "machine");
	json_open(&p->j, '{');
	json_kv_str(&p->j, "architecture", "x86_64");
	json_kv_str(&p->j, "system", "Linux");
	put_or(&p->j, "release", release ? release + 1 : NULL);
	put_or(&p->j, "host", opt->host);
	json_key(&p->j, "cpu");
	json_open(&p->j, '{');
	json_kv_u64(&p->j, "physical", cpus);
	json_kv_u64(&p->j, "total", cpus);
	json_kv_str(&p->j, "frequency", "unknown");
	json_close(&p->j, '}');
	json_key(&p->j, "memory");
	json_open(&p->j, '{');
	json_kv_str(&p->j, "total_ram", ram);
	json_kv_str(&p->j, "swap", "unknown");
	json_close(&p->j, '}');
	json_close(&p->j, '}');
}

/* A list of the values of PREFIX.0, PREFIX.1, ... */
static void put_list(struct perun *p, const char *name, const char *prefix)
{
	const char *v;
	char key[64];

	json_key(&p->j, name);
	json_open(&p->j, '[');
	for (unsigned i = 0; snprintf(key, sizeof(key), "%s.%u", prefix, i),
		      (v = trace_info_get(p->t.trace.info, key));
	     i++)
		json_str(&p->j, v);
	json_close(&p->j, ']');
}

static void put_collector(struct perun *p)
{
	const struct trace_info *info = p->t.trace.info;
	const struct model_totals *t = p->t.trace.totals;

	json_key(&p->j, "collector_info");
	json_open(&p->j, '{');
	json_kv_str(&p->j, "name", "gotrace");
	json_key(&p->j, "params");
	json_open(&p->j, '{');
	put_list(p, "packages", KEY_SELECT_PACKAGE);
	put_list(p, "functions", KEY_SELECT_FUNCTION);
	put_list(p, "excluded", KEY_SELECT_EXCLUDE);
	put_or(&p->j, "probe", trace_info_get(info, KEY_PROBE_STRATEGY));
	put_or(&p->j, "go", trace_info_get(info, KEY_GO_VERSION));
	json_kv_u64(&p->j, "events", t->events);
	json_kv_u64(&p->j, "lost events", t->lost_events);
	json_kv_u64(&p->j, "suspect calls", t->suspect_calls);
	json_close(&p->j, '}');
	json_close(&p->j, '}');
	json_key(&p->j, "postprocessors");
	json_open(&p->j, '[');
	json_close(&p->j, ']');
}

int export_perun(struct trace_reader *const *r, size_t n, const struct export_options *opt,
		 FILE *out)
{
	struct perun p = { .cap = 0 };
	int err = thesis_load(&p.t, r[0], opt->view, opt->no_go_edges);

	(void)n;
	if (!err) {
		json_init(&p.j, out, false);
		json_open(&p.j, '{');
		json_kv_str(&p.j, "origin", opt->origin ? opt->origin : "");
		err = put_header(&p, opt->layout);
		put_machine(&p, opt);
		put_collector(&p);
		json_key(&p.j, "global");
		json_open(&p.j, '{');
		json_kv_u64(&p.j, "time", loaded_trace_span_ns(&p.t.trace));
		if (!err)
			err = put_resources(&p, opt->layout);
		json_close(&p.j, '}');
		json_close(&p.j, '}');
		if (err)
			log_no_memory("no memory for the profile");
	}
	if (!err)
		err = outfile_check(out);
	free(p.path);
	free(p.stack);
	thesis_free(&p.t);
	return err;
}
