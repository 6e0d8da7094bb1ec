// SPDX-License-Identifier: BSD-2-Clause
/*
 * Samples for Perfetto: a PerfSample each, as its own profiler for native code writes them, with
 * stacks of interned frames. Perfetto shows them below their threads and makes flame graphs of any
 * part; it has no place for goroutines and labels in them.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/samples/sample_load.h"
#include "analysis/trace_names.h"
#include "base/compare.h"
#include "base/log.h"
#include "base/outfile.h"
#include "base/utf8.h"
#include "base/vec.h"
#include "export/perfetto/perfetto.h"
#include "trace/keys.h"

#define MAPPING_IID 1u

struct writing {
	struct perfetto p;
	struct loaded_trace trace;
	struct loaded_samples *s;
	bool *named, *told; /* functions and stacks that were written */
	uint32_t *order;
	size_t n;
	uint32_t *funcs; /* of one stack */
	size_t cap_funcs, cap_fresh;
	/* What one packet tells for the first time; as many of each as the stack has functions */
	struct fresh {
		Perfetto__InternedString name;
		Perfetto__Frame frame;
	} * fresh;
	Perfetto__InternedString **names;
	Perfetto__Frame **frames;
	uint64_t *ids;
	size_t cap_names, cap_frames, cap_ids;
};

static int by_time(const void *x, const void *y, void *ctx)
{
	const struct loaded_samples *s = ctx;
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
	int c = compare_u64(s->singles[a].ts_ns, s->singles[b].ts_ns);

	return c ? c : compare_u64(a, b);
}

static int put_in_order(struct writing *w)
{
	w->s = w->trace.samples;
	w->named = calloc(w->trace.info->n_funcs + 1, sizeof(*w->named));
	w->told = calloc((w->s->tables ? w->s->tables->n_stacks : 0) + 1, sizeof(*w->told));
	w->order = calloc(w->s->n_singles + 1, sizeof(*w->order));
	if (!w->named || !w->told || !w->order)
		return -ENOMEM;
	for (uint32_t i = 0; i < w->s->n_singles; i++)
		if (!w->s->groups[w->s->singles[i].group].left_out)
			w->order[w->n++] = i;
	qsort_r(w->order, w->n, sizeof(*w->order), by_time, w->s);
	return 0;
}

/* The name and the frame of a function, into the next place; *n: how many there are. */
static int tell_func(struct writing *w, uint32_t func, size_t *n)
{
	struct fresh *f = &w->fresh[*n];
	char *name;

	if (w->named[func])
		return 0;
	name = utf8_copy(trace_name_func(w->trace.info, func));
	if (!name)
		return -ENOMEM;
	w->named[func] = true;
	perfetto__interned_string__init(&f->name);
	f->name.has_iid = f->name.has_str = true;
	f->name.iid = (uint64_t)func + 1;
	f->name.str.data = (uint8_t *)name;
	f->name.str.len = strlen(name);
	perfetto__frame__init(&f->frame);
	f->frame.has_iid = f->frame.has_function_name_id = f->frame.has_mapping_id =
		f->frame.has_rel_pc = true;
	f->frame.iid = f->frame.function_name_id = f->name.iid;
	f->frame.mapping_id = MAPPING_IID;
	f->frame.rel_pc = f->name.iid; /* tells frames apart; addresses are not needed */
	w->names[*n] = &f->name;
	w->frames[(*n)++] = &f->frame;
	return 0;
}

/* What the first packet tells: the one mapping that frames have to be in. */
static void tell_mapping(struct writing *w, Perfetto__InternedData *data, Perfetto__Mapping *m,
			 Perfetto__InternedString *path)
{
	static uint64_t path_id = MAPPING_IID;
	const struct sample_process *p = w->s->tables->processes;
	const char *text = p->exe ? p->exe : p->comm;

	perfetto__mapping__init(m);
	m->has_iid = true;
	m->iid = MAPPING_IID;
	m->n_path_string_ids = 1;
	m->path_string_ids = &path_id;
	perfetto__interned_string__init(path);
	path->has_iid = path->has_str = true;
	path->iid = path_id;
	path->str.data = (uint8_t *)(uintptr_t)text;
	path->str.len = strlen(text);
	data->n_mappings = data->n_mapping_paths = 1;
}

static int reserve(struct writing *w, size_t n)
{
	return vec_reserve(&w->fresh, &w->cap_fresh, n + 1) ||
			       vec_reserve(&w->names, &w->cap_names, n + 1) ||
			       vec_reserve(&w->frames, &w->cap_frames, n + 1) ||
			       vec_reserve(&w->ids, &w->cap_ids, n + 1)
		       ? -ENOMEM
		       : 0;
}

/* A sample whose stack was not told yet. */
static int put_fresh(struct writing *w, Perfetto__PerfSample *sample, uint64_t ts_ns,
		     uint32_t stack, bool first)
{
	struct trace_info *info = (struct trace_info *)(uintptr_t)w->trace.info;
	Perfetto__InternedData data = PERFETTO__INTERNED_DATA__INIT;
	Perfetto__Callstack told = PERFETTO__CALLSTACK__INIT, *stacks[] = { &told };
	Perfetto__Mapping mapping, *mappings[] = { &mapping };
	Perfetto__InternedString path, *paths[] = { &path };
	size_t n, n_fresh = 0;
	bool unresolved;
	int err = sample_stack_funcs(w->s, info, stack, &w->funcs, &w->cap_funcs, &n, &unresolved);

	if (!err)
		err = reserve(w, n);
	for (size_t i = 0; i < n && !err; i++) {
		err = tell_func(w, w->funcs[i], &n_fresh);
		w->ids[i] = (uint64_t)w->funcs[i] + 1;
	}
	if (!err) {
		w->told[stack] = true;
		told.has_iid = true;
		told.iid = sample->callstack_iid;
		told.n_frame_ids = n;
		told.frame_ids = w->ids;
		data.n_callstacks = 1;
		data.callstacks = stacks;
		data.n_frames = data.n_function_names = n_fresh;
		data.frames = w->frames;
		data.function_names = w->names;
		data.mappings = mappings;
		data.mapping_paths = paths;
		if (first)
			tell_mapping(w, &data, &mapping, &path);
		perfetto_sample(&w->p, sample, ts_ns, &data);
	}
	for (size_t i = 0; i < n_fresh; i++)
		free(w->names[i]->str.data);
	return err ? err : w->p.watch.err;
}

static int put_all(struct writing *w)
{
	int err = 0;

	perfetto_begin(&w->p, w->n ? w->s->singles[w->order[0]].ts_ns : w->trace.totals->first_ns);
	for (size_t i = 0; i < w->n && !err; i++) {
		const struct sample_single *x = &w->s->singles[w->order[i]];
		const struct sample_group *g = &w->s->groups[x->group];
		Perfetto__PerfSample sample = PERFETTO__PERF_SAMPLE__INIT;

		sample.has_pid = sample.has_tid = sample.has_callstack_iid =
			sample.has_timebase_count = true;
		sample.pid = w->s->tables->processes[g->process].pid;
		sample.tid = g->tid;
		sample.callstack_iid = (uint64_t)g->stack + 1;
		sample.timebase_count = x->weight_ns;
		if (!w->told[g->stack]) {
			err = put_fresh(w, &sample, x->ts_ns, g->stack, !i);
		} else {
			perfetto_sample(&w->p, &sample, x->ts_ns, NULL);
			err = w->p.watch.err;
		}
	}
	if (!err) {
		w->p.lost = trace_info_u64(w->trace.info, KEY_END_SAMPLES_LOST, 0);
		perfetto_lost(&w->p, w->p.last_ns);
	}
	return err ? err : w->p.watch.err;
}

/* Asks for samples one by one. */
static void one_by_one(void *ctx, const struct loaded_trace *t)
{
	(void)ctx;
	(void)t;
}

int perfetto_samples(struct trace_reader *r, const struct export_options *opt, FILE *out)
{
	const struct trace_info *info = trace_reader_info(r);
	const char *event = trace_info_get(info, KEY_SAMPLE_EVENT);
	Perfetto__PerfSampleDefaults defaults = PERFETTO__PERF_SAMPLE_DEFAULTS__INIT;
	Perfetto__PerfEvents__Timebase timebase = PERFETTO__PERF_EVENTS__TIMEBASE__INIT;
	struct trace_watch watch = { .calls = CALLS_SOME, .on_samples = one_by_one };
	struct writing w = { .p = { .out = out, .samples = &defaults } };
	char *name = utf8_copy(event ? event : "samples");
	int err = name ? trace_load(&w.trace, r, opt->view, &watch) : -ENOMEM;

	w.p.trace = &w.trace;
	defaults.timebase = &timebase;
	timebase.name = name;
	timebase.has_frequency = trace_info_get(info, KEY_SAMPLE_FREQUENCY) != NULL;
	timebase.frequency = trace_info_u64(info, KEY_SAMPLE_FREQUENCY, 0);
	if (!err)
		err = put_in_order(&w);
	if (!err)
		err = put_all(&w);
	if (err == -ENOMEM)
		log_no_memory("no memory for the samples' stacks");
	err = outfile_end(out, err);
	protoout_free(&w.p.packed);
	free(w.named);
	free(w.told);
	free(w.order);
	free(w.funcs);
	free(w.fresh);
	free(w.names);
	free(w.frames);
	free(w.ids);
	free(name);
	trace_unload(&w.trace);
	return err;
}
