// SPDX-License-Identifier: BSD-2-Clause
/*
 * speedscope's own format (its src/lib/file-format-spec.ts): first all paths with their self time,
 * then, where the trace has single calls or samples, a profile for each goroutine in the order of
 * time. Times of paths are corrected, those of single calls are as measured.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/calls/call_spool.h"
#include "analysis/calls/goroutine_rows.h"
#include "analysis/samples/sample_load.h"
#include "analysis/trace_names.h"
#include "base/hash_index.h"
#include "base/json.h"
#include "base/log.h"
#include "base/outfile.h"
#include "base/vec.h"
#include "export/export_formats.h"
#include "export/goroutine_calls.h"
#include "export/sample_profiles.h"
#include "export/tree_load.h"
#include "trace/keys.h"

#define SCHEMA "https://www.speedscope.app/file-format-schema.json"
/* speedscope becomes slow with more calls than that, and its list of profiles long. Then it gets
 * the goroutines that ran most. */
#define MANY_CALLS      1000000
#define MANY_GOROUTINES 200
#define MOST            50

/* A function, or a go statement that starts it. */
struct frame {
	uint32_t func;
	bool go;
};

struct speedscope {
	struct loaded_trace trace;
	struct call_tree tree;
	struct goroutines goroutines;
	size_t named; /* of them, by name_goroutine */
	struct call_spool calls;
	bool all_calls; /* however many */
	struct trace_watch watch;
	struct json j;
	struct frame *frames; /* in the order in which they were used first */
	size_t n_frames, cap_frames;
	struct hash_index by_func; /* of frames */
};

/* ---- frames */

/* The frame's number, a new one when it has none. UINT32_MAX: no memory. */
static uint32_t frame_of(struct speedscope *s, uint32_t func, bool go)
{
	uint32_t hash = hash_u64_pair(func, go);
	size_t at;

	for (uint32_t i = hash_index_first(&s->by_func, hash, &at); i != HASH_NONE;
	     i = hash_index_next(&s->by_func, hash, &at))
		if (s->frames[i].func == func && s->frames[i].go == go)
			return i;
	if (vec_reserve(&s->frames, &s->cap_frames, s->n_frames + 1) ||
	    hash_index_put(&s->by_func, hash, (uint32_t)s->n_frames))
		return UINT32_MAX;
	s->frames[s->n_frames] = (struct frame){ func, go };
	return (uint32_t)s->n_frames++;
}

static int put_frame(struct speedscope *s, uint32_t func, bool go)
{
	uint32_t frame = frame_of(s, func, go);

	if (frame == UINT32_MAX)
		return -ENOMEM;
	json_u64(&s->j, frame);
	return 0;
}

static int put_frames(struct speedscope *s)
{
	const struct trace_info *info = s->trace.info;
	int err = 0;

	json_key(&s->j, "shared");
	json_open(&s->j, '{');
	json_key(&s->j, "frames");
	json_open(&s->j, '[');
	for (size_t i = 0; !err && i < s->n_frames; i++) {
		uint32_t func = s->frames[i].func;
		bool go = s->frames[i].go;
		const struct trace_func *f = !go && func < info->n_funcs ? &info->funcs[func]
									 : NULL;
		char *name = go ? trace_name_go(info, func) : NULL;

		err = go && !name ? -ENOMEM : 0;
		json_open(&s->j, '{');
		json_kv_str(&s->j, "name", name ? name : trace_name_func(info, func));
		free(name);
		if (f && f->file)
			json_kv_str(&s->j, "file", f->file);
		if (f && f->line)
			json_kv_u64(&s->j, "line", f->line);
		json_close(&s->j, '}');
	}
	json_close(&s->j, ']');
	json_close(&s->j, '}');
	return err;
}

/* ---- profiles */

static void open_profile(struct speedscope *s, const char *type, const char *name,
			 uint64_t start_ns, uint64_t end_ns)
{
	fputc('\n', s->j.out);
	json_open(&s->j, '{');
	json_kv_str(&s->j, "type", type);
	json_kv_str(&s->j, "name", name);
	json_kv_str(&s->j, "unit", "nanoseconds");
	json_kv_u64(&s->j, "startValue", start_ns);
	json_kv_u64(&s->j, "endValue", end_ns);
}

static int put_stack(struct speedscope *s, const uint32_t *path, uint32_t level)
{
	int err = 0;

	json_open(&s->j, '[');
	for (uint32_t l = 1; l <= level && !err; l++) {
		const struct call_node *x = &s->tree.nodes[path[l]];

		if (x->go)
			err = put_frame(s, x->func, true);
		if (!err)
			err = put_frame(s, x->func, false);
	}
	json_close(&s->j, ']');
	return err;
}

/* All paths with their self times: nobody's order. */
static int put_paths(struct speedscope *s)
{
	const struct call_tree *t = &s->tree;
	uint32_t *path = NULL; /* the nodes from the outermost to the current one */
	size_t cap = 0;
	uint64_t sum = 0;
	int err = 0;

	for (size_t i = 1; i < t->n; i++)
		sum += t->nodes[i].stats->self_ns;
	open_profile(s, "sampled", "all goroutines, by path", 0, sum);
	json_key(&s->j, "samples");
	json_open(&s->j, '[');
	for (size_t i = 1; !err && i < t->n; i++) {
		const struct call_node *x = &t->nodes[i];

		err = vec_reserve(&path, &cap, (size_t)x->level + 1);
		if (err)
			break;
		path[x->level] = (uint32_t)i;
		if (x->stats->self_ns)
			err = put_stack(s, path, x->level);
	}
	json_close(&s->j, ']');
	json_key(&s->j, "weights");
	json_open(&s->j, '[');
	for (size_t i = 1; i < t->n; i++)
		if (t->nodes[i].stats->self_ns)
			json_u64(&s->j, t->nodes[i].stats->self_ns);
	json_close(&s->j, ']');
	json_close(&s->j, '}');
	free(path);
	return err;
}

/* ---- single calls */

/* Asked for in the order of goroutine_calls_order. */
static void name_goroutine(struct speedscope *s, const struct call *c, char *name, size_t size)
{
	const struct goroutine_row want = { .g = { .goid = c->system ? c->tid : c->goid,
						   .image = c->image,
						   .system = c->system } };
	const struct goroutines *all = &s->goroutines;
	const char *start = "";

	while (s->named < all->n && goroutine_calls_order(&all->rows[s->named], &want) < 0)
		s->named++;
	if (s->named < all->n && !goroutine_calls_order(&all->rows[s->named], &want))
		start = trace_name_start(s->trace.info, &all->rows[s->named].g);
	int n = snprintf(name, size, "%s %" PRIu64 "%s%.400s", c->system ? "thread" : "goroutine",
			 want.g.goid, *start ? " " : "", start);

	if (c->image && n > 0 && (size_t)n < size)
		snprintf(name + n, size - (size_t)n, " (image %u)", c->image + 1);
}

/* Begins and ends of one goroutine's calls. */
struct ends {
	struct speedscope *s;
	const struct call **open; /* calls that have begun and not ended, outermost first */
	size_t n, cap;
	uint64_t at_ns; /* of the last one: speedscope refuses what goes back in time */
};

static int put_end(struct ends *e, const char *type, uint32_t func, uint64_t ns)
{
	struct json *j = &e->s->j;

	e->at_ns = ns > e->at_ns ? ns : e->at_ns;
	json_open(j, '{');
	json_kv_str(j, "type", type);
	json_key(j, "frame");
	int err = put_frame(e->s, func, false);

	json_kv_u64(j, "at", e->at_ns - e->s->trace.totals->first_ns);
	json_close(j, '}');
	return err;
}

/* Of the calls that are open, those at this level and above it end. */
static int close_calls(struct ends *e, uint32_t level)
{
	int err = 0;

	while (!err && e->n && e->open[e->n - 1]->level >= level) {
		e->n--;
		err = put_end(e, "C", e->open[e->n]->func, e->open[e->n]->end_ns);
	}
	return err;
}

static int put_goroutine(struct speedscope *s, const uint64_t *order, size_t n)
{
	const struct call *slots = s->calls.slots, *first = &slots[order[0]];
	struct ends e = { .s = s, .at_ns = first->start_ns };
	uint64_t end_ns = first->end_ns, from_ns = s->trace.totals->first_ns;
	char name[600];
	int err = 0;

	for (size_t i = 0; i < n; i++)
		if (slots[order[i]].end_ns > end_ns)
			end_ns = slots[order[i]].end_ns;
	name_goroutine(s, first, name, sizeof(name));
	open_profile(s, "evented", name, first->start_ns - from_ns, end_ns - from_ns);
	json_key(&s->j, "events");
	json_open(&s->j, '[');
	for (size_t i = 0; i < n && !err; i++) {
		const struct call *c = &slots[order[i]];

		err = close_calls(&e, c->level);
		if (!err && vec_reserve(&e.open, &e.cap, e.n + 1))
			err = -ENOMEM;
		if (err)
			break;
		err = put_end(&e, "O", c->func, c->start_ns);
		e.open[e.n++] = c;
	}
	if (!err)
		err = close_calls(&e, 0);
	json_close(&s->j, ']');
	json_close(&s->j, '}');
	free(e.open);
	return err ? err : ferror(s->j.out) ? -EIO : 0;
}

static int put_goroutines(struct speedscope *s)
{
	struct goroutine_calls g = { 0 };
	int err = call_spool_map(&s->calls);

	if (s->goroutines.n)
		qsort(s->goroutines.rows, s->goroutines.n, sizeof(*s->goroutines.rows),
		      goroutine_calls_order);
	if (!err)
		err = goroutine_calls_find(&g, &s->calls, &s->goroutines);
	const size_t n = err ? 0
			 : s->all_calls
				 ? goroutine_calls_choose(&g, SIZE_MAX, 0, SIZE_MAX)
				 : goroutine_calls_choose(&g, MANY_GOROUTINES, MOST, MANY_CALLS);

	for (size_t i = 0; i < g.n && !err; i++)
		if (g.all[i].chosen)
			err = put_goroutine(s, g.order + g.all[i].at, g.all[i].n);
	if (!err && n < g.n && n)
		log_info(
			"speedscope opens about a million calls. The file has all paths, and single calls of the %zu of %zu "
			"goroutines that ran most. --calls takes all, --from, --to and --focus choose others, --format=perfetto has all",
			n, g.n);
	else if (!err && n < g.n)
		log_info(
			"speedscope opens about a million calls. The file has all paths and no single call. --calls takes all, "
			"--from, --to and --focus choose some, --format=perfetto has all");
	goroutine_calls_free(&g);
	return err;
}

/* ---- samples, a profile for each goroutine, and each thread outside of any */

static int put_sample_stacks(struct speedscope *s, const uint32_t *order, size_t n)
{
	struct loaded_samples *l = s->trace.samples;
	struct trace_info *info = (struct trace_info *)(uintptr_t)s->trace.info;
	uint32_t *funcs = NULL;
	size_t cap = 0, n_funcs;
	bool unresolved;
	int err = 0;

	json_key(&s->j, "samples");
	json_open(&s->j, '[');
	for (size_t i = 0; i < n && !err; i++) {
		uint32_t stack = l->groups[l->singles[order[i]].group].stack;

		err = sample_stack_funcs(l, info, stack, &funcs, &cap, &n_funcs, &unresolved);
		json_open(&s->j, '[');
		for (size_t k = 0; k < n_funcs && !err; k++)
			err = put_frame(s, funcs[k], false);
		json_close(&s->j, ']');
	}
	json_close(&s->j, ']');
	free(funcs);
	return err;
}

static int put_sampled(void *ctx, const uint32_t *order, size_t n)
{
	struct speedscope *s = ctx;
	const struct loaded_samples *l = s->trace.samples;
	const struct sample_group *g = &l->groups[l->singles[*order].group];
	const struct sample_process *p = &l->tables->processes[g->process];
	uint64_t sum = 0;
	char name[600];

	for (size_t i = 0; i < n; i++)
		sum += l->singles[order[i]].weight_ns;
	snprintf(name, sizeof(name), "%s %" PRIu64 " of %.400s %u",
		 g->goid ? "goroutine" : "thread", sample_profile_id(g), p->comm, p->pid);
	open_profile(s, "sampled", name, 0, sum);
	int err = put_sample_stacks(s, order, n);

	json_key(&s->j, "weights");
	json_open(&s->j, '[');
	for (size_t i = 0; i < n; i++)
		json_u64(&s->j, l->singles[order[i]].weight_ns);
	json_close(&s->j, ']');
	json_close(&s->j, '}');
	return err ? err : ferror(s->j.out) ? -EIO : 0;
}

/* ---- the whole */

static int put_all(struct speedscope *s)
{
	const char *command = trace_info_get(s->trace.info, KEY_COMMAND);
	int err;

	json_open(&s->j, '{');
	json_kv_str(&s->j, "$schema", SCHEMA);
	json_kv_str(&s->j, "exporter", "gotrace");
	json_kv_str(&s->j, "name", command ? command : "Go program");
	json_kv_u64(&s->j, "activeProfileIndex", 0);
	json_key(&s->j, "profiles");
	json_open(&s->j, '[');
	err = put_paths(s);
	if (!err && s->trace.samples)
		err = sample_profiles(s->trace.samples, put_sampled, s);
	else if (!err)
		err = put_goroutines(s);
	json_close(&s->j, ']');
	if (!err)
		err = put_frames(s);
	json_close(&s->j, '}');
	return err;
}

static void on_call(void *ctx, const struct call *call)
{
	struct speedscope *s = ctx;

	if (!s->watch.err)
		s->watch.err = call_spool_put(&s->calls, call);
}

static void on_goroutine(void *ctx, const struct goroutine_info *g)
{
	struct speedscope *s = ctx;

	if (!s->watch.err)
		s->watch.err = goroutines_add(&s->goroutines, g);
}

int export_speedscope(struct trace_reader *const *r, size_t n, const struct export_options *opt,
		      FILE *out)
{
	struct speedscope s = {
		.all_calls = opt->calls,
		.watch = { .calls = CALLS_WELCOME,
			   .on_entry = on_call,
			   .on_call = on_call,
			   .on_goroutine = on_goroutine,
			   .on_samples = sample_profiles_wanted,
			   .ctx = &s },
	};
	int err = call_spool_open(&s.calls);

	(void)n;
	json_init(&s.j, out, false);
	if (!err)
		err = tree_load(&s.trace, &s.tree, r[0], opt->view, &s.watch, opt->no_go_edges,
				opt->raw);
	if (!err)
		err = whole_paths_cut(&s.tree, &opt->cut);
	if (!err)
		err = whole_paths_bound(&s.tree, s.trace.info, 0, whole_paths_most(r[0]));
	if (!err)
		err = put_all(&s);
	err = outfile_end(out, err);
	call_spool_close(&s.calls);
	goroutines_free(&s.goroutines);
	hash_index_free(&s.by_func);
	free(s.frames);
	call_tree_free(&s.tree);
	trace_unload(&s.trace);
	return err;
}
