// SPDX-License-Identifier: BSD-2-Clause
/*
 * Samples as Chrome's trace events: a CPU profile as V8 writes it, "Profile" and "ProfileChunk",
 * for each goroutine, and for each thread outside of any. Chrome's DevTools, Perfetto, speedscope
 * and Firefox Profiler read these. A profile's samples last until the next one, so each is given
 * the time that it stands for, which ends when it was taken or, where the one before needs that,
 * later; between them is "(idle)".
 */
#include "export/chrome_samples.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/samples/sample_load.h"
#include "analysis/trace_json.h"
#include "analysis/trace_names.h"
#include "base/json.h"
#include "base/log.h"
#include "base/outfile.h"
#include "base/vec.h"
#include "export/sample_profiles.h"
#include "trace/keys.h"

/* Functions on the stacks of one goroutine, for a recording of so many bytes. */
#define MOST_NODES(bytes) ((1u << 20) + 8 * (bytes))

enum { NODE_ROOT = 1, NODE_IDLE, NODE_FIRST };

/* Of the profile's tree of functions. Number: index + NODE_FIRST. */
struct node {
	uint32_t parent, func;
};

struct writing {
	struct loaded_trace trace;
	struct loaded_samples *s;
	struct json j;
	uint32_t *node_of; /* of groups, 0: none yet */
	struct node *nodes;
	size_t n_nodes, cap_nodes, cap_funcs, most_nodes; /* of one goroutine */
	struct hash_index by_key;
	uint32_t *funcs;
	uint64_t base_ns, pid, n_profiles;
};

static const struct sample_group *group_of(const struct loaded_samples *s, uint32_t single)
{
	return &s->groups[s->singles[single].group];
}

/* ---- the tree of a profile */

static int child(struct writing *w, uint32_t parent, uint32_t func, uint32_t *node)
{
	uint32_t hash = hash_u64_pair(parent, func);
	size_t at;

	for (uint32_t i = hash_index_first(&w->by_key, hash, &at); i != HASH_NONE;
	     i = hash_index_next(&w->by_key, hash, &at))
		if (w->nodes[i].parent == parent && w->nodes[i].func == func) {
			*node = i + NODE_FIRST;
			return 0;
		}
	if (w->n_nodes >= w->most_nodes) {
		log_error("its stacks are too many and too deep for this format");
		return -E2BIG;
	}
	if (vec_reserve(&w->nodes, &w->cap_nodes, w->n_nodes + 1) ||
	    hash_index_put(&w->by_key, hash, (uint32_t)w->n_nodes))
		return -ENOMEM;
	*node = (uint32_t)w->n_nodes + NODE_FIRST;
	w->nodes[w->n_nodes++] = (struct node){ parent, func };
	return 0;
}

static int node_of_group(struct writing *w, uint32_t group)
{
	struct trace_info *info = (struct trace_info *)(uintptr_t)w->trace.info;
	uint32_t node = NODE_ROOT;
	bool unresolved;
	size_t n;

	if (w->node_of[group])
		return 0;
	int err = sample_stack_funcs(w->s, info, w->s->groups[group].stack, &w->funcs,
				     &w->cap_funcs, &n, &unresolved);
	for (size_t i = 0; i < n && !err; i++)
		err = child(w, node, w->funcs[i], &node);
	w->node_of[group] = node;
	return err;
}

static void put_node(struct json *j, uint32_t id, uint32_t parent, const char *name,
		     const struct trace_func *f)
{
	json_open(j, '{');
	json_kv_u64(j, "id", id);
	if (parent)
		json_kv_u64(j, "parent", parent);
	json_key(j, "callFrame");
	json_open(j, '{');
	json_kv_str(j, "functionName", name);
	json_kv_str(j, "scriptId", "0");
	if (f && f->file)
		json_kv_str(j, "url", f->file);
	if (f && f->line)
		json_kv_u64(j, "lineNumber", f->line - 1); /* counted from 0 */
	json_close(j, '}');
	json_close(j, '}');
}

static void put_nodes(struct writing *w)
{
	const struct trace_info *info = w->trace.info;

	json_key(&w->j, "nodes");
	json_open(&w->j, '[');
	put_node(&w->j, NODE_ROOT, 0, "(root)", NULL);
	put_node(&w->j, NODE_IDLE, NODE_ROOT, "(idle)", NULL);
	for (uint32_t i = 0; i < w->n_nodes; i++)
		put_node(&w->j, i + NODE_FIRST, w->nodes[i].parent,
			 trace_name_func(info, w->nodes[i].func), &info->funcs[w->nodes[i].func]);
	json_close(&w->j, ']');
}

/* ---- events */

static void open_event(struct writing *w, const char *ph, const char *name,
		       const struct sample_group *g)
{
	fputc('\n', w->j.out);
	json_open(&w->j, '{');
	json_kv_str(&w->j, "ph", ph);
	json_kv_u64(&w->j, "pid", w->pid + 2 * (uint64_t)g->process + !g->goid);
	json_kv_u64(&w->j, "tid", sample_profile_id(g));
	json_kv_str(&w->j, "name", name);
}

static void put_meta(struct writing *w, const char *what, const struct sample_group *g,
		     const char *name)
{
	open_event(w, "M", what, g);
	json_key(&w->j, "args");
	json_open(&w->j, '{');
	json_kv_str(&w->j, "name", name);
	json_close(&w->j, '}');
	json_close(&w->j, '}');
}

static void put_names(struct writing *w, const struct sample_group *g)
{
	const struct sample_process *p = &w->s->tables->processes[g->process];
	char name[512];

	snprintf(name, sizeof(name), "%.400s %u%s", p->comm, p->pid,
		 g->goid ? "" : ": outside of goroutines");
	put_meta(w, "process_name", g, name);
	snprintf(name, sizeof(name), "%s %" PRIu64, g->goid ? "goroutine" : "thread",
		 sample_profile_id(g));
	put_meta(w, "thread_name", g, name);
}

static void open_profile_event(struct writing *w, const char *name, const struct sample_group *g,
			       uint64_t number, uint64_t at_us)
{
	char id[32];

	open_event(w, "P", name, g);
	json_kv_str(&w->j, "cat", "disabled-by-default-v8.cpu_profiler");
	snprintf(id, sizeof(id), "0x%" PRIx64, number);
	json_kv_str(&w->j, "id", id);
	json_kv_u64(&w->j, "ts", at_us);
	json_key(&w->j, "args");
	json_open(&w->j, '{');
	json_key(&w->j, "data");
	json_open(&w->j, '{');
}

static void close_profile_event(struct writing *w)
{
	json_close(&w->j, '}');
	json_close(&w->j, '}');
	json_close(&w->j, '}');
}

/* One sample after the other: called with a node and the time when it begins, microseconds. */
typedef void put_fn(struct writing *w, uint32_t node, uint64_t delta_us);

static void put_sample(struct writing *w, uint32_t node, uint64_t delta_us)
{
	(void)delta_us;
	json_u64(&w->j, node);
}

static void put_delta(struct writing *w, uint32_t node, uint64_t delta_us)
{
	(void)node;
	json_u64(&w->j, delta_us);
}

/* Returns when the first begins. */
static uint64_t each(struct writing *w, const uint32_t *order, size_t n, put_fn *put)
{
	uint64_t end_ns = 0, last_us = 0, first_us = 0;

	for (size_t i = 0; i < n; i++) {
		const struct sample_single *x = &w->s->singles[order[i]];
		uint64_t ts_ns = x->ts_ns - w->base_ns,
			 begin_ns = ts_ns > x->weight_ns ? ts_ns - x->weight_ns : 0;

		if (begin_ns < end_ns)
			begin_ns = end_ns;
		if (!i) {
			first_us = last_us = begin_ns / 1000;
		} else if (begin_ns / 1000 > end_ns / 1000 && put) {
			put(w, NODE_IDLE, end_ns / 1000 - last_us);
			last_us = end_ns / 1000;
		}
		if (put)
			put(w, w->node_of[x->group], begin_ns / 1000 - last_us);
		last_us = begin_ns / 1000;
		end_ns = begin_ns + x->weight_ns;
	}
	if (put)
		put(w, NODE_IDLE, end_ns / 1000 - last_us);
	return first_us;
}

static void put_array(struct writing *w, const char *key, const uint32_t *order, size_t n,
		      put_fn *put)
{
	json_key(&w->j, key);
	json_open(&w->j, '[');
	each(w, order, n, put);
	json_close(&w->j, ']');
}

static int put_profile(void *ctx, const uint32_t *order, size_t n)
{
	struct writing *w = ctx;
	const struct sample_group *g = group_of(w->s, *order);
	uint64_t start_us = each(w, order, n, NULL);
	uint64_t number = ++w->n_profiles;
	int err = 0;

	w->n_nodes = 0;
	hash_index_free(&w->by_key);
	for (size_t i = 0; i < n && !err; i++)
		err = node_of_group(w, w->s->singles[order[i]].group);
	if (err)
		return err;
	put_names(w, g);
	open_profile_event(w, "Profile", g, number, start_us);
	json_kv_u64(&w->j, "startTime", start_us);
	close_profile_event(w);
	open_profile_event(w, "ProfileChunk", g, number, start_us);
	json_key(&w->j, "cpuProfile");
	json_open(&w->j, '{');
	put_nodes(w);
	put_array(w, "samples", order, n, put_sample);
	json_close(&w->j, '}');
	put_array(w, "timeDeltas", order, n, put_delta);
	close_profile_event(w);
	return ferror(w->j.out) ? -EIO : 0;
}

static int put_trace(struct writing *w)
{
	int err;

	json_open(&w->j, '{');
	json_key(&w->j, "otherData");
	json_open(&w->j, '{');
	json_kv_u64(&w->j, "samples", w->s->shown.samples);
	json_kv_u64(&w->j, "lost_samples", trace_info_u64(w->trace.info, KEY_END_SAMPLES_LOST, 0));
	json_kv_bool(&w->j, "complete", w->trace.complete);
	err = trace_json_warnings(&w->trace, false, &w->j);
	json_close(&w->j, '}');
	json_key(&w->j, "traceEvents");
	json_open(&w->j, '[');
	if (!err)
		err = sample_profiles(w->s, put_profile, w);
	json_close(&w->j, ']');
	json_close(&w->j, '}');
	return err;
}

static int prepare(struct writing *w)
{
	w->s = w->trace.samples;
	w->node_of = calloc(w->s->n_groups + 1, sizeof(*w->node_of));
	if (!w->node_of)
		return -ENOMEM;
	w->base_ns = UINT64_MAX;
	for (uint32_t i = 0; i < w->s->n_singles; i++) {
		const struct sample_single *x = &w->s->singles[i];
		uint64_t from_ns = x->ts_ns > x->weight_ns ? x->ts_ns - x->weight_ns : 0;

		if (!group_of(w->s, i)->left_out && from_ns < w->base_ns)
			w->base_ns = from_ns;
	}
	return 0;
}

int chrome_samples(struct trace_reader *r, const struct export_options *opt, FILE *out)
{
	struct trace_watch watch = { .calls = CALLS_SOME, .on_samples = sample_profiles_wanted };
	struct writing w = { .pid = trace_info_u64(trace_reader_info(r), KEY_PID, 1) };
	int err = trace_load(&w.trace, r, opt->view, &watch);

	json_init(&w.j, out, false);
	w.most_nodes = MOST_NODES(trace_reader_bytes(r));
	if (!err)
		err = prepare(&w);
	if (!err)
		err = put_trace(&w);
	err = outfile_end(out, err);
	hash_index_free(&w.by_key);
	free(w.node_of);
	free(w.nodes);
	free(w.funcs);
	trace_unload(&w.trace);
	return err;
}
