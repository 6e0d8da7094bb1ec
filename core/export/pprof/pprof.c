// SPDX-License-Identifier: BSD-2-Clause
/*
 * pprof's profile: protobuf in gzip (pprof.proto). Values are a stack's own;
 * pprof adds them up along the stacks by itself. So its "cum" goes across go
 * statements, as ours do not: a frame named [go] marks each of them, with the statement's line, or
 * --no-go-edges cuts there.
 *
 * A function is one location, its start: which of a caller's lines made a call
 * is not in a trace.
 */
#include <errno.h>
#include <inttypes.h>
#include <uthash.h>

#include "analysis/goroutine_paths.h"
#include "analysis/trace_names.h"
#include "base/hash_index.h"
#include "base/log.h"
#include "base/outfile.h"
#include "base/utf8.h"
#include "base/vec.h"
#include "export/formats.h"
#include "export/gzout.h"
#include "export/protoout.h"
#include "export/tree_load.h"
#include "trace/keys.h"
#include "pprof.pb-c.h"

#define PAGE         4096u
#define PPROF_VALUES 4

/* A string of the table. */
struct known {
	char *s; /* owned */
	int64_t index;
	UT_hash_handle hh;
};

struct pprof {
	const struct loaded_trace *trace;
	const struct call_tree *tree;
	struct gzout gz;
	struct protoout packed;
	struct known *strings; /* by content */
	/* borrowed from strings, in order */
	char **table;
	size_t n_table, cap_table;
	/* location of each function, then of the timer and of [other]; 0: none yet */
	uint64_t *location;
	/* location of the [go] frame above each node of the tree; 0: none yet */
	uint64_t *go_location;
	/* those of [go] frames: locations after all others */
	uint64_t *go_pcs;
	size_t n_go_pcs, cap_go_pcs;
	struct hash_index by_pc; /* of go_pcs */
	uint64_t *stack;
	size_t cap_stack;
	bool mapped;
	int err; /* the first, -ENOMEM */
};

static void put(struct pprof *p, const Pprof__Profile *part)
{
	if (!p->err)
		p->err = protoout_pack(&p->packed, &part->base);
	if (!p->err)
		gzout_write(&p->gz, p->packed.data, p->packed.n);
}

/* The string's index; 0, that of "", for NULL. */
static int64_t string(struct pprof *p, const char *s)
{
	struct known *k;

	if (!s || p->err)
		return 0;
	HASH_FIND_STR(p->strings, s, k);
	if (k)
		return k->index;
	k = calloc(1, sizeof(*k));
	if (!k || !(k->s = strdup(s)) || vec_reserve(&p->table, &p->cap_table, p->n_table + 1)) {
		if (k)
			free(k->s);
		free(k);
		p->err = -ENOMEM;
		return 0;
	}
	k->index = (int64_t)p->n_table;
	p->table[p->n_table++] = k->s;
	HASH_ADD_KEYPTR(hh, p->strings, k->s, strlen(k->s), k);
	return k->index;
}

static void put_strings(struct pprof *p)
{
	for (size_t i = 0; !p->err && i < p->n_table; i++) {
		Pprof__Profile part = PPROF__PROFILE__INIT;
		char *clean = utf8_copy(p->table[i]);

		if (!clean)
			p->err = -ENOMEM;
		part.n_string_table = 1;
		part.string_table = &clean;
		put(p, &part);
		free(clean);
	}
}

static void put_types(struct pprof *p)
{
	static const char *const types[PPROF_VALUES][2] = {
		{ "calls", "count" },
		{ "wall", "nanoseconds" },
		{ "morestack", "nanoseconds" },
		{ "preempt", "nanoseconds" },
	};

	for (int i = 0; i < PPROF_VALUES; i++) {
		Pprof__Profile part = PPROF__PROFILE__INIT;
		Pprof__ValueType type = PPROF__VALUE_TYPE__INIT, *types_of[] = { &type };

		type.type = string(p, types[i][0]);
		type.unit = string(p, types[i][1]);
		part.n_sample_type = 1;
		part.sample_type = types_of;
		put(p, &part);
	}
}

static void put_comment(struct pprof *p, const char *text)
{
	Pprof__Profile part = PPROF__PROFILE__INIT;
	int64_t index = string(p, text);

	part.n_comment = 1;
	part.comment = &index;
	put(p, &part);
}

/* What a reader should know of how it came about; every view of 'go tool pprof' begins with it. */
static void put_comments(struct pprof *p)
{
	const struct model_totals *t = p->trace->totals;
	const char *command = trace_info_get(p->trace->info, KEY_COMMAND);
	char line[512];

	if (command) {
		snprintf(line, sizeof(line), "gotrace: %s", command);
		put_comment(p, line);
	}
	snprintf(line, sizeof(line),
		 "%" PRIu64 " events, %" PRIu64 " lost, %" PRIu64 " suspect calls%s", t->events,
		 t->lost_events, t->suspect_calls,
		 p->trace->complete  ? ""
		 : p->trace->growing ? ", the trace was still being recorded"
				     : ", the trace was cut short");
	put_comment(p, line);
}

static void put_times(struct pprof *p)
{
	Pprof__Profile part = PPROF__PROFILE__INIT;
	uint64_t then_ns = trace_info_u64(p->trace->info, KEY_CLOCK_MONOTONIC_NS, 0);
	uint64_t real_ns = trace_info_u64(p->trace->info, KEY_CLOCK_REALTIME_NS, 0);

	if (real_ns)
		part.time_nanos = (int64_t)(real_ns + (p->trace->totals->first_ns - then_ns));
	part.duration_nanos = (int64_t)loaded_trace_span_ns(p->trace);
	part.default_sample_type = string(p, "wall");
	put(p, &part);
}

/*
 * By how much addresses lie above offsets in the file: a multiple of the page
 * size (ELF's p_vaddr and p_offset are congruent) that puts each function's
 * sites inside it. False when not exactly one does.
 */
static bool find_bias(const struct trace_info *info, uint64_t *bias)
{
	uint64_t least = 0, most = UINT64_MAX;

	for (size_t i = 0; i < info->n_sites; i++) {
		const struct trace_site *s = &info->sites[i];
		const struct trace_func *f = s->func < info->n_funcs ? &info->funcs[s->func] : NULL;

		if (!f || !f->size || f->vaddr < s->file_off)
			continue;
		uint64_t low = f->vaddr - s->file_off, high = low + f->size - 1;

		least = low > least ? low : least;
		most = high < most ? high : most;
	}
	*bias = (least + PAGE - 1) / PAGE * PAGE;
	return most != UINT64_MAX && *bias <= most && *bias + PAGE > most;
}

static void put_mapping(struct pprof *p)
{
	const struct trace_info *info = p->trace->info;
	Pprof__Profile part = PPROF__PROFILE__INIT;
	Pprof__Mapping m = PPROF__MAPPING__INIT, *mappings[] = { &m };
	uint64_t low = UINT64_MAX, high = 0, bias = 0;

	for (size_t i = 0; i < info->n_funcs; i++) {
		const struct trace_func *f = &info->funcs[i];

		if (f->vaddr && f->vaddr < low)
			low = f->vaddr;
		if (f->vaddr && f->vaddr + f->size > high)
			high = f->vaddr + f->size;
	}
	if (low >= high)
		return;
	p->mapped = true;
	m.id = 1;
	m.memory_start = low / PAGE * PAGE;
	m.memory_limit = (high + PAGE - 1) / PAGE * PAGE;
	/* Go's linker puts the text segment at the file's start, and go tool pprof -disasm takes a
	 * mapping's start for the segment's (cmd/pprof, objTool.Open). */
	bool known = find_bias(info, &bias);

	m.memory_start = known && bias ? bias : m.memory_start;
	m.file_offset = known && !bias ? m.memory_start : 0;
	m.filename = string(p, trace_info_get(info, KEY_BINARY_PATH));
	m.build_id = string(p, trace_info_get(info, KEY_BINARY_BUILD_ID));
	m.has_functions = m.has_filenames = m.has_line_numbers = true;
	part.n_mapping = 1;
	part.mapping = mappings;
	put(p, &part);
}

/* A function and its one location, both numbered id. */
static void put_location(struct pprof *p, uint64_t id, const char *name, const char *file,
			 uint32_t line, uint64_t vaddr)
{
	Pprof__Profile part = PPROF__PROFILE__INIT;
	Pprof__Function f = PPROF__FUNCTION__INIT, *functions[] = { &f };
	Pprof__Location l = PPROF__LOCATION__INIT, *locations[] = { &l };
	Pprof__Line in = PPROF__LINE__INIT, *lines[] = { &in };

	f.id = l.id = in.function_id = id;
	f.name = f.system_name = string(p, name);
	f.filename = string(p, file);
	f.start_line = in.line = line;
	l.address = vaddr;
	l.mapping_id = vaddr && p->mapped;
	l.n_line = 1;
	l.line = lines;
	part.n_function = part.n_location = 1;
	part.function = functions;
	part.location = locations;
	put(p, &part);
}

static uint64_t location_of(struct pprof *p, uint32_t func)
{
	const struct trace_info *info = p->trace->info;
	bool known = func < info->n_funcs;
	uint64_t slot = known ? func : func == PATH_TIMER ? info->n_funcs : info->n_funcs + 1;
	const struct trace_func *f = known ? &info->funcs[func] : &(struct trace_func){ 0 };

	if (!p->location[slot])
		put_location(p, slot + 1, trace_name_func(p->trace->info, func), f->file, f->line,
			     f->vaddr);
	return p->location[slot] = slot + 1;
}

/* The index of pc in go_pcs, which takes it up when it is new; *fresh: it was. */
static size_t go_pc_index(struct pprof *p, uint64_t pc, bool *fresh)
{
	uint32_t hash = hash_u64(pc);
	size_t at, n = p->n_go_pcs;

	*fresh = false;
	for (uint32_t i = hash_index_first(&p->by_pc, hash, &at); i != HASH_NONE;
	     i = hash_index_next(&p->by_pc, hash, &at))
		if (p->go_pcs[i] == pc)
			return i;
	if (vec_reserve(&p->go_pcs, &p->cap_go_pcs, n + 1) ||
	    hash_index_put(&p->by_pc, hash, (uint32_t)n)) {
		p->err = -ENOMEM;
		return 0;
	}
	*fresh = true;
	p->go_pcs[p->n_go_pcs++] = pc;
	return n;
}

static uint64_t go_location_of(struct pprof *p, uint32_t node)
{
	uint64_t pc = p->tree->nodes[node].go_pc, first = p->trace->info->n_funcs + 3;
	const struct trace_pc *at = pc ? trace_info_pc(p->trace->info, pc) : NULL;
	bool fresh;

	if (p->go_location[node])
		return p->go_location[node];
	size_t i = go_pc_index(p, pc, &fresh);

	if (fresh)
		put_location(p, first + i, GO_FRAME, at ? at->file : NULL, at ? at->line : 0, 0);
	return p->go_location[node] = first + i;
}

/* The node's stack, innermost first: its length, 0 when there is no memory. */
static size_t fill_stack(struct pprof *p, uint32_t node)
{
	size_t n = 0;

	if (!p->err && vec_reserve(&p->stack, &p->cap_stack, 2 * p->tree->nodes[node].level + 1))
		p->err = -ENOMEM;
	for (; !p->err && node; node = p->tree->nodes[node].parent) {
		p->stack[n++] = location_of(p, p->tree->nodes[node].func);
		if (p->tree->nodes[node].go)
			p->stack[n++] = go_location_of(p, node);
	}
	return n;
}

/* g NULL: without labels. A goid is unique within its image only, so that goroutines of a process
 * that executed itself again have the image's number as well. */
static void put_sample(struct pprof *p, uint32_t node, int64_t values[PPROF_VALUES],
		       const struct goroutine_path *g)
{
	Pprof__Profile part = PPROF__PROFILE__INIT;
	Pprof__Sample s = PPROF__SAMPLE__INIT, *samples[] = { &s };
	Pprof__Label goroutine = PPROF__LABEL__INIT, image = PPROF__LABEL__INIT,
		     *labels[] = { &goroutine, &image };

	s.n_location_id = fill_stack(p, node);
	s.location_id = p->stack;
	s.n_value = PPROF_VALUES;
	s.value = values;
	s.label = labels;
	if (g) {
		goroutine.key = string(p, "goroutine");
		goroutine.num = (int64_t)g->goid;
		s.n_label = 1;
	}
	if (g && p->trace->totals->images > 1) {
		image.key = string(p, "image");
		image.num = (int64_t)g->image + 1; /* pprof drops a number that is 0 */
		s.n_label = 2;
	}
	part.n_sample = 1;
	part.sample = samples;
	put(p, &part);
}

/* What goroutines had of each node, then what is not known by goroutine, all without --goroutines.
 */
static void put_samples(struct pprof *p, const struct goroutine_paths *g)
{
	size_t k = 0;

	for (uint32_t i = 1; !p->err && i < p->tree->n; i++) {
		const struct call_stats *st = &p->tree->nodes[i].stats;
		int64_t left[PPROF_VALUES] = { (int64_t)st->calls, (int64_t)st->self_ns,
					       (int64_t)st->morestack_ns, (int64_t)st->preempt_ns };

		for (; k < g->n && g->all[k].node == i; k++) {
			int64_t values[PPROF_VALUES] = { (int64_t)g->all[k].calls,
							 (int64_t)g->all[k].self_ns };

			if (!g->all[k].goid) /* a system stack that worked for none */
				continue;
			left[0] -= values[0];
			left[1] -= values[1];
			put_sample(p, i, values, &g->all[k]);
		}
		if (left[0] || left[1] || left[2] || left[3])
			put_sample(p, i, left, NULL);
	}
}

static void write_profile(struct pprof *p, const struct goroutine_paths *g)
{
	p->location = calloc(p->trace->info->n_funcs + 2, sizeof(*p->location));
	p->go_location = calloc(p->tree->n, sizeof(*p->go_location));
	if (!p->location || !p->go_location)
		p->err = -ENOMEM;
	string(p, "");
	put_types(p);
	put_times(p);
	put_mapping(p);
	put_comments(p);
	put_samples(p, g);
	put_strings(p);
	if (p->err)
		log_error("no memory for the profile");
}

static void free_profile(struct pprof *p)
{
	struct known *k, *next;

	HASH_ITER(hh, p->strings, k, next) {
		HASH_DEL(p->strings, k);
		free(k->s);
		free(k);
	}
	protoout_free(&p->packed);
	free(p->table);
	free(p->location);
	free(p->go_location);
	free(p->go_pcs);
	hash_index_free(&p->by_pc);
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
	struct by_goroutine by = { .watch = { .on_call = opt->goroutines ? on_call : NULL,
					      .ctx = &by } };
	struct call_tree tree;
	struct loaded_trace trace;
	struct pprof p = { .trace = &trace, .tree = &tree };
	int err = tree_load(&trace, &tree, r[0], opt->view, &by.watch, opt->no_go_edges, opt->raw);

	(void)n;
	if (!err)
		err = gzout_init(&p.gz, out);
	if (!err) {
		goroutine_paths_sort(&by.paths, &tree);
		write_profile(&p, &by.paths);
		gzout_finish(&p.gz);
		err = p.err;
	}
	if (!err)
		err = outfile_check(out);
	free_profile(&p);
	goroutine_paths_free(&by.paths);
	call_tree_free(&tree);
	trace_unload(&trace);
	return err;
}
