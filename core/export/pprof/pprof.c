// SPDX-License-Identifier: BSD-2-Clause
/*
 * pprof's profile: protobuf in gzip (pprof.proto). Values are a stack's own;
 * pprof adds them up along the stacks by itself. So its "cum" goes across go
 * statements, as ours do not: a frame [go] marks each of them, with the name of what it starts and
 * the statement's line, or --no-go-edges cuts there.
 *
 * A function is one location, its start. A trace does not say which of a
 * caller's lines made a call. Where the program is there, its code says so
 * (export_options.call_line), and each such line is a location.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/calls/goroutine_paths.h"
#include "analysis/parked.h"
#include "analysis/trace_names.h"
#include "analysis/calls/whole_paths.h"
#include "base/hash_index.h"
#include "base/log.h"
#include "base/outfile.h"
#include "base/utf8.h"
#include "base/vec.h"
#include "export/export_formats.h"
#include "export/pprof/pprof.h"
#include "export/pprof/profile_out.h"
#include "export/tree_load.h"

/* A location, and its function once more. Both have the same number, in the order in which they are
 * written: some readers take no other. */
static uint64_t put_location(struct pprof *p, const char *name, const char *file, uint32_t start,
			     uint32_t line, uint64_t vaddr)
{
	Pprof__Profile part = PPROF__PROFILE__INIT;
	Pprof__Function f = PPROF__FUNCTION__INIT, *functions[] = { &f };
	Pprof__Location l = PPROF__LOCATION__INIT, *locations[] = { &l };
	Pprof__Line in = PPROF__LINE__INIT, *lines[] = { &in };

	f.id = l.id = in.function_id = ++p->n_locations;
	f.name = f.system_name = profile_string(&p->out, name);
	f.filename = profile_string(&p->out, file);
	f.start_line = start;
	in.line = line;
	l.address = vaddr;
	l.mapping_id = vaddr && p->mapped;
	l.n_line = 1;
	l.line = lines;
	part.n_function = part.n_location = 1;
	part.function = functions;
	part.location = locations;
	profile_put(&p->out, &part);
	return l.id;
}

static uint64_t location_of(struct pprof *p, uint32_t func)
{
	const struct trace_info *info = p->trace->info;
	bool known = func < info->n_funcs;
	uint64_t slot = known ? func : func == PATH_TIMER ? info->n_funcs : info->n_funcs + 1;
	const struct trace_func *f = known ? &info->funcs[func] : &(struct trace_func){ 0 };

	if (!p->location[slot])
		p->location[slot] = put_location(p, trace_name_func(p->trace->info, func), f->file,
						 f->line, f->line, f->vaddr);
	return p->location[slot];
}

/* What stands for the prologue stops of a node, beside it. Slots behind those of location_of. */
static uint64_t stop_location(struct pprof *p, const char *name)
{
	uint64_t slot = p->trace->info->n_funcs + (strcmp(name, GROWTH_FRAME) ? 3 : 2);

	if (!p->location[slot])
		p->location[slot] = put_location(p, name, NULL, 0, 0, 0);
	return p->location[slot];
}

/* Which of gos it is, which takes it up when it is new. NULL: no memory. */
static struct pprof_go *find_go(struct pprof *p, uint64_t pc, uint32_t func)
{
	uint32_t hash = hash_u64_pair(pc, func);
	size_t at, n = p->n_gos;

	for (uint32_t i = hash_index_first(&p->by_go, hash, &at); i != HASH_NONE;
	     i = hash_index_next(&p->by_go, hash, &at))
		if (p->gos[i].pc == pc && p->gos[i].func == func)
			return &p->gos[i];
	if (vec_reserve(&p->gos, &p->cap_gos, n + 1) ||
	    hash_index_put(&p->by_go, hash, (uint32_t)n)) {
		p->out.err = -ENOMEM;
		return NULL;
	}
	p->gos[n] = (struct pprof_go){ .pc = pc, .func = func };
	return &p->gos[p->n_gos++];
}

static uint64_t go_location_of(struct pprof *p, uint32_t node)
{
	const struct trace_info *info = p->trace->info;
	uint64_t pc = p->tree->nodes[node].go_pc;
	const struct trace_pc *at = pc ? trace_info_pc(info, pc) : NULL;
	uint32_t func = p->tree->nodes[node].func;
	struct pprof_go *of = find_go(p, pc, func);

	if (of && !of->location) {
		char *name = trace_name_go(info, func);

		if (!name)
			p->out.err = -ENOMEM;
		of->location = put_location(p, name, at ? at->file : NULL, at ? at->line : 0,
					    at ? at->line : 0, 0);
		free(name);
	}
	return of ? of->location : 0;
}

/* Returns the entry of a call, and adds one for a new call. Returns NULL without memory. */
static struct pprof_call *find_call(struct pprof *p, uint32_t func, uint32_t line)
{
	const uint32_t hash = hash_u64_pair(func, line);
	size_t at, n = p->n_calls;

	for (uint32_t i = hash_index_first(&p->by_call, hash, &at); i != HASH_NONE;
	     i = hash_index_next(&p->by_call, hash, &at))
		if (p->calls[i].func == func && p->calls[i].line == line)
			return &p->calls[i];
	if (vec_reserve(&p->calls, &p->cap_calls, n + 1) ||
	    hash_index_put(&p->by_call, hash, (uint32_t)n)) {
		p->out.err = -ENOMEM;
		return NULL;
	}
	p->calls[n] = (struct pprof_call){ .func = func, .line = line };
	return &p->calls[p->n_calls++];
}

/* The location of a node that called node `below`. 0: nothing, or no memory. */
static uint64_t caller_location(struct pprof *p, uint32_t node, uint32_t below)
{
	const struct call_node *x = &p->tree->nodes[node], *callee = &p->tree->nodes[below];
	const struct trace_info *info = p->trace->info;
	const uint32_t line = p->opt->call_line && !callee->go && x->func < info->n_funcs &&
					      callee->func < info->n_funcs
				      ? p->opt->call_line(p->opt->call_ctx, x->func, callee->func)
				      : 0;
	struct pprof_call *of = line ? find_call(p, x->func, line) : NULL;

	if (!of)
		return line ? 0 : location_of(p, x->func);
	/* No address: a reader would look for the function's begin there. */
	if (!of->location)
		of->location = put_location(p, trace_name_func(info, x->func),
					    info->funcs[x->func].file, info->funcs[x->func].line,
					    line, 0);
	return of->location;
}

/* The node's stack, innermost first, or with `leaf` in the node's place: its length, 0 when there
 * is no memory. */
static size_t fill_stack(struct pprof *p, uint32_t node, const char *leaf)
{
	size_t n = 0;
	uint32_t below = 0;

	if (!p->out.err &&
	    vec_reserve(&p->stack, &p->cap_stack, 2 * p->tree->nodes[node].level + 1))
		p->out.err = -ENOMEM;
	for (; !p->out.err && node; below = node, node = p->tree->nodes[node].parent) {
		p->stack[n++] = leaf    ? stop_location(p, leaf)
				: below ? caller_location(p, node, below)
					: location_of(p, p->tree->nodes[node].func);
		leaf = NULL;
		if (p->tree->nodes[node].go)
			p->stack[n++] = go_location_of(p, node);
	}
	return n;
}

/* What tells samples of one stack apart; nothing is set: without labels. */
struct labels {
	const struct goroutine_path *g;
	const char *reason, *leaf; /* leaf: in the node's place */
	bool parked;
};

/* A goid is unique within its image only, so that goroutines of a process that executed itself
 * again have the image's number as well. */
static void put_sample(struct pprof *p, uint32_t node, int64_t values[PPROF_VALUES],
		       const struct labels *l)
{
	Pprof__Profile part = PPROF__PROFILE__INIT;
	Pprof__Sample s = PPROF__SAMPLE__INIT, *samples[] = { &s };
	Pprof__Label goroutine = PPROF__LABEL__INIT, image = PPROF__LABEL__INIT,
		     reason = PPROF__LABEL__INIT, parked = PPROF__LABEL__INIT, *labels[4];

	s.n_location_id = fill_stack(p, node, l->leaf);
	s.location_id = p->stack;
	s.n_value = pprof_n_values(p);
	s.value = values;
	s.label = labels;
	if (l->g) {
		goroutine.key = profile_string(&p->out, "goroutine");
		goroutine.num = (int64_t)l->g->goid;
		labels[s.n_label++] = &goroutine;
	}
	if (l->g && p->trace->totals->images > 1) {
		image.key = profile_string(&p->out, "image");
		image.num = (int64_t)l->g->image + 1; /* pprof drops a number that is 0 */
		labels[s.n_label++] = &image;
	}
	if (l->reason) {
		reason.key = profile_string(&p->out, "reason");
		reason.str = profile_string(&p->out, l->reason);
		labels[s.n_label++] = &reason;
	}
	if (l->parked) {
		parked.key = profile_string(&p->out, PARKED_LABEL);
		parked.str = profile_string(&p->out, PARKED_LABEL_YES);
		labels[s.n_label++] = &parked;
	}
	part.n_sample = 1;
	part.sample = samples;
	profile_put(&p->out, &part);
}

static void set_times(int64_t values[PPROF_VALUES], uint64_t self_ns, const struct off_times *off)
{
	values[1] = (int64_t)self_ns;
	values[4] = (int64_t)(self_ns - off_times_sum(off));
	values[5] = (int64_t)off->runnable_ns;
	values[6] = (int64_t)off->wait_ns;
	values[7] = (int64_t)off->syscall_ns;
	values[8] = (int64_t)off->unknown_ns;
	values[9] = (int64_t)off->off_cpu_ns;
}

/* A sample of a part; *left loses it. Sums of hostile traces wrap around, as in all outputs. */
static void put_part(struct pprof *p, uint32_t node, const int64_t part[PPROF_VALUES],
		     int64_t left[PPROF_VALUES], const struct labels *l)
{
	int64_t values[PPROF_VALUES];

	for (int i = 0; i < PPROF_VALUES; i++) {
		values[i] = part[i];
		left[i] = (int64_t)((uint64_t)left[i] - (uint64_t)part[i]);
	}
	put_sample(p, node, values, l);
}

/* What held up prologues is in the caller's time. Growing a stack executes; who was preempted may
 * have waited for anything. */
static void put_stops(struct pprof *p, uint32_t node)
{
	const struct call_stats *st = p->tree->nodes[node].stats;
	int64_t values[PPROF_VALUES] = { 0 };

	if (st->morestack_ns) {
		values[1] = values[4] = (int64_t)st->morestack_ns;
		put_sample(p, node, values, &(struct labels){ .leaf = GROWTH_FRAME });
	}
	values[4] = 0;
	if (st->preempt_ns && !p->out.err) {
		values[1] = values[8] = (int64_t)st->preempt_ns;
		put_sample(p, node, values, &(struct labels){ .leaf = PREEMPTED_FRAME });
	}
}

/* Waits of parked goroutines, which are in no other sample. */
static void put_parked(struct pprof *p)
{
	size_t n = 0;
	const struct parked_place *places = parked_places(p->trace->parked, &n);
	char number[WAIT_REASON_BYTES];

	for (size_t i = 0; i < n && !p->out.err; i++) {
		int64_t values[PPROF_VALUES] = { 0 };

		values[1] = values[6] = (int64_t)places[i].ns;
		put_sample(p, p->tree->node_of[places[i].path], values,
			   &(struct labels){
				   .reason = wait_reason(p->trace->info, places[i].reason, number),
				   .parked = true });
	}
}

/* What goroutines had of each node, then what is not known by goroutine, all without --goroutines:
 * waits by reason, and the rest. */
static void put_samples(struct pprof *p, const struct goroutine_paths *g)
{
	char number[WAIT_REASON_BYTES];
	size_t k = 0, n_waits;

	for (uint32_t i = 1; !p->out.err && i < p->tree->n; i++) {
		const struct call_stats *st = p->tree->nodes[i].stats;
		const struct wait_row *w = wait_rows_of(&p->waits, i, &n_waits);
		int64_t left[PPROF_VALUES] = { (int64_t)st->calls, 0, (int64_t)st->morestack_ns,
					       (int64_t)st->preempt_ns };
		bool any = false;

		set_times(left, st->self_ns, &st->off_self);
		for (; k < g->n && g->all[k].node == i; k++) {
			int64_t part[PPROF_VALUES] = { (int64_t)g->all[k].calls };

			set_times(part, g->all[k].self_ns, &g->all[k].off);
			if (g->all[k].goid) /* else a system stack that worked for none */
				put_part(p, i, part, left, &(struct labels){ .g = &g->all[k] });
		}
		for (size_t r = 0; !g->n && r < n_waits; r++) {
			int64_t part[PPROF_VALUES] = { 0 };

			part[1] = part[6] = (int64_t)w[r].self_ns;
			if (part[1])
				put_part(p, i, part, left,
					 &(struct labels){ .reason = wait_reason(p->trace->info,
										 w[r].reason,
										 number) });
		}
		for (int v = 0; v < PPROF_VALUES; v++)
			any |= left[v] != 0;
		if (any)
			put_sample(p, i, left, &(struct labels){ 0 });
		if (!p->out.err)
			put_stops(p, i);
	}
}

static void write_profile(struct pprof *p, const struct goroutine_paths *g)
{
	p->location = calloc(p->trace->info->n_funcs + 4, sizeof(*p->location));
	if (!p->location)
		p->out.err = -ENOMEM;
	profile_string(&p->out, "");
	pprof_head(p);
	put_samples(p, g);
	put_parked(p);
	profile_put_strings(&p->out);
	if (p->out.err)
		log_no_memory("no memory for the profile");
}

static void free_profile(struct pprof *p)
{
	profile_out_free(&p->out);
	free(p->location);
	free(p->gos);
	hash_index_free(&p->by_go);
	free(p->calls);
	hash_index_free(&p->by_call);
	free(p->stack);
}

struct by_goroutine {
	struct goroutine_paths paths;
	struct trace_watch watch;
};

static void on_call(void *ctx, const struct call *c)
{
	struct by_goroutine *b = ctx;

	if (!b->watch.err)
		b->watch.err = goroutine_paths_add(&b->paths, c);
}

int export_pprof(struct trace_reader *const *r, size_t n, const struct export_options *opt,
		 FILE *out)
{
	if (trace_is_samples(trace_reader_info(r[0])) &&
	    (opt->cut.depth || opt->cut.min_share_pct > 0)) {
		log_error(
			"--min-share and --depth are not for a profile of samples, which has addresses; folded and speedscope have them");
		return -ENOTSUP;
	}
	if (trace_is_samples(trace_reader_info(r[0])))
		return profile_samples(r[0], opt, out);
	struct by_goroutine by = { .watch = { .calls = CALLS_ALL,
					      .on_call = opt->goroutines ? on_call : NULL,
					      .parked = !opt->goroutines,
					      .mark_parked = !opt->goroutines,
					      .ctx = &by } };
	struct call_tree tree;
	struct loaded_trace trace;
	struct pprof p = { .opt = opt, .trace = &trace, .tree = &tree };
	int err = tree_load(&trace, &tree, r[0], opt->view, &by.watch, opt->no_go_edges, opt->raw);

	(void)n;
	if (!err)
		err = whole_paths_cut(&tree, &opt->cut);
	if (!err)
		err = whole_paths_bound(&tree, trace.info, 0,
					whole_paths_most(r[0]) / (opt->in_memory ? 4 : 1));
	if (!err)
		err = wait_rows_load(&p.waits, &trace, &tree);
	if (!err)
		err = gzout_init(&p.out.gz, out);
	if (!err) {
		goroutine_paths_sort(&by.paths, &tree);
		write_profile(&p, &by.paths);
		gzout_finish(&p.out.gz);
		err = p.out.err;
	}
	if (!err)
		err = outfile_check(out);
	free_profile(&p);
	wait_rows_free(&p.waits);
	goroutine_paths_free(&by.paths);
	call_tree_free(&tree);
	trace_unload(&trace);
	return err;
}
