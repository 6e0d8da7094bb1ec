// SPDX-License-Identifier: BSD-2-Clause
/*
 * The profile of a trace of samples, as Go's own has it: a location for each address, with a line
 * for each function that is inlined there; functions by the linker's names and with the line where
 * they start. So `go build -pgo` takes it (cmd/internal/pgo: samples/count or cpu/nanoseconds, and
 * Function.start_line in at least one function).
 */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/samples/sample_names.h"
#include "analysis/samples/sample_notes.h"
#include "analysis/samples/sample_processes.h"
#include "analysis/calls/wait_rows.h"
#include "base/compare.h"
#include "base/hash_index.h"
#include "base/log.h"
#include "base/outfile.h"
#include "base/vec.h"
#include "export/export_formats.h"
#include "export/pprof/profile_out.h"
#include "trace/keys.h"

struct place {
	uint64_t pc;
	uint32_t process; /* PLACE_NAME: pc is a function */
};
#define PLACE_NAME 0xfffffffeu

struct writing {
	struct profile_out out;
	const struct loaded_trace *trace;
	struct loaded_samples *s;
	bool goroutines, identities;
	uint64_t *functions; /* the number in the profile of each; 0: none yet */
	uint64_t n_functions;
	struct place *places; /* locations, in order: their ids less 1 */
	size_t n_places, cap_places;
	struct hash_index by_place;
	uint64_t *stack;
	size_t cap_stack;
	size_t program; /* the image that is the first mapping */
};

/* ---- functions and locations */

/* Go's linker names are what -pgo looks for; of others the name that people read. */
static uint64_t function_of(struct writing *w, uint32_t func)
{
	const struct trace_func *f = &w->trace->info->funcs[func];
	const struct sample_symbol *s = sample_func_symbol(w->s, func);
	const char *linker = s && s->linker ? s->linker : f->name;
	const bool go = s && (s->kind == SYMBOL_GO || s->kind == SYMBOL_GO_WRAPPER);
	Pprof__Profile part = PPROF__PROFILE__INIT;
	Pprof__Function x = PPROF__FUNCTION__INIT, *functions[] = { &x };

	if (w->functions[func])
		return w->functions[func];
	/* In the order in which they are written: some readers take no other. */
	x.id = w->functions[func] = ++w->n_functions;
	x.name = profile_string(&w->out, go ? linker : f->name);
	x.system_name = profile_string(&w->out, linker);
	x.filename = profile_string(&w->out, f->file);
	x.start_line = f->line;
	part.n_function = 1;
	part.function = functions;
	profile_put(&w->out, &part);
	return x.id;
}

/* The model has made all functions already. */
static struct trace_info *info_of(const struct writing *w)
{
	return (struct trace_info *)(uintptr_t)w->trace->info;
}

static void put_location(struct writing *w, uint64_t id, const struct place *p, uint64_t mapping,
			 const struct sample_location *l, uint32_t func)
{
	Pprof__Line lines[LOCATION_MAX_FRAMES], *of[LOCATION_MAX_FRAMES];
	Pprof__Profile part = PPROF__PROFILE__INIT;
	Pprof__Location x = PPROF__LOCATION__INIT, *locations[] = { &x };

	x.id = id;
	x.address = p->process == PLACE_NAME ? 0 : p->pc;
	x.mapping_id = mapping;
	x.line = of;
	for (uint32_t i = 0; i < (l ? l->n : 1); i++) {
		Pprof__Line *line = &lines[x.n_line];

		if (l && sample_elided(w->s->tables, l, 0, i))
			continue;
		if (l &&
		    sample_symbol_func(w->s, info_of(w), p->process, l->frames[i].symbol, &func)) {
			w->out.err = -ENOMEM;
			return;
		}
		*line = (Pprof__Line)PPROF__LINE__INIT;
		line->function_id = function_of(w, func);
		line->line = l ? l->frames[i].line : 0;
		of[x.n_line++] = line;
	}
	part.n_location = 1;
	part.location = locations;
	profile_put(&w->out, &part);
}

/* Readers take the first mapping for the program: that of the process with the most samples. */
static size_t find_program(const struct loaded_samples *s)
{
	const struct sample_tables *t = s->tables;
	uint64_t *samples = t ? calloc(t->n_processes + 1, sizeof(*samples)) : NULL;
	uint32_t most = 0;
	size_t found = 0;

	for (size_t i = 0; samples && i < s->n_groups; i++) {
		const uint32_t process = s->groups[i].process;

		samples[process] += s->groups[i].left_out ? 0 : s->groups[i].samples;
		most = samples[process] > samples[most] ? process : most;
	}
	const char *exe = samples && t->n_processes ? t->processes[most].exe : NULL;

	for (size_t i = 0; exe && i < t->n_images; i++)
		if (t->images[i].process == most && !strcmp(t->images[i].path, exe)) {
			found = i;
			break;
		}
	free(samples);
	return found;
}

/* The number of an image in the profile; the others keep their order. */
static uint64_t mapping_id(const struct writing *w, size_t image)
{
	return image == w->program ? 1 : image < w->program ? image + 2 : image + 1;
}

/* The number of the image at an address: the later one counts; 0: none. */
static uint64_t mapping_of(const struct writing *w, const struct place *p)
{
	const uint32_t image = p->process == PLACE_NAME
				       ? TRACE_NONE
				       : sample_tables_image_at(w->s->tables, p->process, p->pc);

	return image == TRACE_NONE ? 0 : mapping_id(w, image);
}

/* The location of an address, or of a function that stands for something without one. */
static uint64_t location_of(struct writing *w, struct place p)
{
	const uint32_t hash = hash_u64_pair(p.pc, p.process);
	const struct sample_location *l = NULL;
	uint32_t func = (uint32_t)p.pc;
	size_t at;

	for (uint32_t i = hash_index_first(&w->by_place, hash, &at); i != HASH_NONE;
	     i = hash_index_next(&w->by_place, hash, &at))
		if (w->places[i].pc == p.pc && w->places[i].process == p.process)
			return i + 1;
	if (vec_reserve(&w->places, &w->cap_places, w->n_places + 1) ||
	    hash_index_put(&w->by_place, hash, (uint32_t)w->n_places)) {
		w->out.err = -ENOMEM;
		return 0;
	}
	w->places[w->n_places++] = p;
	if (p.process != PLACE_NAME) {
		l = sample_tables_find(w->s->tables, p.process, p.pc);
		if (!l && sample_stranger(w->s, info_of(w), p.process, p.pc, &func))
			w->out.err = -ENOMEM;
	}
	put_location(w, w->n_places, &p, mapping_of(w, &p), l, func);
	return w->n_places;
}

/* ---- the rest */

static void put_mappings(struct writing *w)
{
	const struct sample_tables *t = w->s->tables;
	const size_t n = t ? t->n_images : 0;

	w->program = find_program(w->s);
	for (size_t k = 0; k < n; k++) { /* in the order of their numbers */
		const size_t i = !k ? w->program : k <= w->program ? k - 1 : k;
		const struct sample_image *x = &t->images[i];
		Pprof__Profile part = PPROF__PROFILE__INIT;
		Pprof__Mapping m = PPROF__MAPPING__INIT, *mappings[] = { &m };
		char id[FILE_ID_TEXT_BYTES], path[PATH_MAX];

		/* pprof ignores a local file whose GNU build ID is another, or that has none. */
		file_id_text(x->build_id,
			     file_id_is_go(x->build_id, x->build_id_len) ? 0 : x->build_id_len, id);
		m.id = mapping_id(w, i);
		m.memory_start = x->start;
		m.memory_limit = x->end;
		m.file_offset = x->file_off;
		snprintf(path, sizeof(path), "%.*s", (int)sample_image_path_len(x), x->path);
		m.filename = profile_string(&w->out, path);
		m.build_id = profile_string(&w->out, *id ? id : NULL);
		m.has_functions = m.has_filenames = m.has_line_numbers = true;
		part.n_mapping = 1;
		part.mapping = mappings;
		profile_put(&w->out, &part);
	}
}

/* Values of a sample of --wall: all, and by what the goroutine did. What a compiler takes, cpu, is
 * of what executed alone. */
static const struct {
	const char *type;
	uint8_t state; /* of struct sample */
} states[] = {
	{ "wall", UINT8_MAX },          { "cpu", 0 },
	{ "runnable", STATE_RUNNABLE }, { "waiting", STATE_WAITING },
	{ "syscall", STATE_SYSCALL },   { "unknown", SAMPLE_STATE_UNKNOWN },
};
#define N_STATES (sizeof(states) / sizeof(states[0]))

/* How many values there are. */
static size_t put_values(const struct writing *w, const struct sample_group *g,
			 int64_t values[N_STATES])
{
	if (!w->s->wall) {
		values[0] = (int64_t)g->samples;
		values[1] = (int64_t)g->weight_ns;
		return 2;
	}
	for (size_t i = 0; i < N_STATES; i++)
		values[i] = !i || states[i].state == g->state ? (int64_t)g->weight_ns : 0;
	return N_STATES;
}

static void put_reason(struct writing *w, const struct sample_group *g, Pprof__Sample *s)
{
	char number[WAIT_REASON_BYTES];

	if (!g->reason)
		return;
	s->label[s->n_label]->key = profile_string(
		&w->out, g->state == STATE_SYSCALL ? "system call" : "waiting for");
	s->label[s->n_label++]->str = profile_string(&w->out, wait_reason(w->trace->info, g->reason,
									  number));
}

/* Each sample stands for 1/F of a second on average, or for so many events. */
static void put_period(struct writing *w, const char *counted)
{
	const struct trace_info *i = w->trace->info;
	const struct sample_counts *c = &w->s->all;
	const uint64_t hz = trace_info_u64(i, KEY_SAMPLE_FREQUENCY, 0);
	const uint64_t mean = c->samples ? c->weight_ns / c->samples : 0;

	profile_put_period(&w->out, counted ? counted : "cpu", counted ? "count" : "nanoseconds",
			   counted ? trace_info_u64(i, KEY_SAMPLE_COUNT, mean)
			   : hz    ? 1000000000 / hz
				   : mean);
}

/* Processor time, or what else was counted. */
static void put_types(struct writing *w)
{
	const char *counted = sample_counted(w->trace->info);

	put_period(w, counted);
	if (w->s->wall) {
		for (size_t i = 0; i < N_STATES; i++)
			profile_put_type(&w->out, states[i].type, "nanoseconds");
		profile_put_times(&w->out, w->trace, states[0].type);
		return;
	}
	profile_put_type(&w->out, "samples", "count");
	profile_put_type(&w->out, counted ? counted : "cpu", counted ? "count" : "nanoseconds");
	profile_put_times(&w->out, w->trace, counted ? counted : "cpu");
}

static void put_comments(struct writing *w)
{
	const char *command = trace_info_get(w->trace->info, KEY_COMMAND);
	const struct sample_counts *c = &w->s->shown;
	char line[512];

	if (command) {
		snprintf(line, sizeof(line), "gotrace sample: %s", command);
		profile_put_comment(&w->out, line);
	}
	snprintf(line, sizeof(line),
		 "%" PRIu64 " samples, %s lost, %" PRIu64 " cut off, %" PRIu64
		 " unreadable, %" PRIu64 " with an unknown address",
		 c->samples, trace_info_get(w->trace->info, KEY_END_SAMPLES_LOST) ?: "?", c->cut,
		 c->unreadable, c->unresolved);
	profile_put_comment(&w->out, line);
	profile_put_warnings(&w->out, w->trace);
}

/* The stack's locations, innermost first, and what stands above it when it is not whole. */
static size_t fill_stack(struct writing *w, const struct sample_group *g)
{
	const struct sample_stack *x = &w->s->tables->stacks[g->stack];
	uint32_t top;
	size_t n = 0;

	if (vec_reserve(&w->stack, &w->cap_stack, x->n + 1) ||
	    sample_stack_top(w->s, info_of(w), g->stack, &top)) {
		w->out.err = -ENOMEM;
		return 0;
	}
	if (sample_frames_take(w->s, x->n + 1))
		w->out.err = -E2BIG;
	for (uint32_t i = 0; i < x->n && !w->out.err; i++) {
		const struct sample_location *l = sample_tables_find(w->s->tables, x->process,
								     x->pcs[i]);

		if (!l || !sample_elided(w->s->tables, l, i, 0))
			w->stack[n++] = location_of(w, (struct place){ x->pcs[i], x->process });
	}
	if (top != TRACE_NONE)
		w->stack[n++] = location_of(w, (struct place){ top, PLACE_NAME });
	return n;
}

#define LABELS_OF_OURS 6

static void put_number(struct writing *w, Pprof__Sample *s, const char *key, uint64_t number)
{
	if (!number) /* readers take it for none */
		return;
	s->label[s->n_label]->key = profile_string(&w->out, key);
	s->label[s->n_label++]->num = (int64_t)number;
}

/* Which goroutine, program, process and thread it is of, as far as that is asked for. */
static void put_identities(struct writing *w, const struct sample_group *g, Pprof__Sample *s)
{
	const struct sample_process *p = &w->s->tables->processes[g->process];
	const char *of_several = sample_program_of(w->s, g->process);
	char program[PROGRAM_BYTES];

	if (w->goroutines)
		put_number(w, s, "goroutine", g->goid);
	if (w->identities || w->s->tables->n_processes > 1)
		put_number(w, s, "pid", p->pid);
	if (w->identities)
		put_number(w, s, "tid", g->tid);
	if (!w->identities && !of_several)
		return;
	s->label[s->n_label]->key = profile_string(&w->out, "program");
	s->label[s->n_label++]->str = profile_string(
		&w->out, of_several ? of_several : sample_program(p, program));
}

static void put_sample(struct writing *w, const struct sample_group *g)
{
	const struct sample_labels *l = g->labels ? &w->s->tables->labels[g->labels - 1] : NULL;
	Pprof__Label labels[LABELS_MAX_PAIRS + LABELS_OF_OURS],
		*of[LABELS_MAX_PAIRS + LABELS_OF_OURS];
	Pprof__Profile part = PPROF__PROFILE__INIT;
	Pprof__Sample s = PPROF__SAMPLE__INIT, *samples[] = { &s };
	int64_t values[N_STATES];

	s.n_location_id = fill_stack(w, g);
	s.location_id = w->stack;
	s.n_value = put_values(w, g, values);
	s.value = values;
	s.label = of;
	for (size_t i = 0; i < sizeof(of) / sizeof(of[0]); i++) {
		labels[i] = (Pprof__Label)PPROF__LABEL__INIT;
		of[i] = &labels[i];
	}
	for (size_t i = 0; l && i < l->n; i++) {
		labels[s.n_label].key = profile_string(&w->out, l->keys[i]);
		labels[s.n_label++].str = profile_string(&w->out, l->values[i]);
	}
	put_reason(w, g, &s);
	if (g->parked) {
		labels[s.n_label].key = profile_string(&w->out, PARKED_LABEL);
		labels[s.n_label++].str = profile_string(&w->out, PARKED_LABEL_YES);
	}
	put_identities(w, g, &s);
	part.n_sample = 1;
	part.sample = samples;
	profile_put(&w->out, &part);
}

/* Those that differ in nothing that is written are next to each other. */
static int by_what_is_written(const struct writing *w, const struct sample_group *a,
			      const struct sample_group *b)
{
	int c = compare_u64(a->stack, b->stack);

	if (!c)
		c = compare_u64(a->state << 8 | a->reason, b->state << 8 | b->reason);
	if (!c)
		c = compare_u64(a->labels, b->labels);
	if (!c && w->identities)
		c = compare_u64(a->tid, b->tid);
	if (!c)
		c = a->parked - b->parked;
	return c || !w->goroutines ? c : compare_u64(a->goid, b->goid);
}

static int compare_groups(const void *x, const void *y, void *ctx)
{
	const struct writing *w = ctx;

	return by_what_is_written(w, &w->s->groups[*(const uint32_t *)x],
				  &w->s->groups[*(const uint32_t *)y]);
}

static void put_samples(struct writing *w)
{
	uint32_t *order = calloc(w->s->n_groups + 1, sizeof(*order));
	size_t n = 0;

	if (!order) {
		w->out.err = -ENOMEM;
		return;
	}
	for (size_t i = 0; i < w->s->n_groups; i++)
		if (!w->s->groups[i].left_out)
			order[n++] = (uint32_t)i;
	if (n)
		qsort_r(order, n, sizeof(*order), compare_groups, w);
	for (size_t i = 0; i < n && !w->out.err;) {
		struct sample_group sum = w->s->groups[order[i++]];

		for (; i < n && !by_what_is_written(w, &sum, &w->s->groups[order[i]]); i++) {
			sum.samples += w->s->groups[order[i]].samples;
			sum.weight_ns += w->s->groups[order[i]].weight_ns;
		}
		put_sample(w, &sum);
	}
	free(order);
}

static void write_all(struct writing *w)
{
	w->functions = calloc(w->trace->info->n_funcs + 1, sizeof(*w->functions));
	if (!w->functions) {
		w->out.err = -ENOMEM;
		return;
	}
	profile_string(&w->out, "");
	put_types(w);
	put_mappings(w);
	put_comments(w);
	put_samples(w);
	profile_put_strings(&w->out);
}

int profile_samples(struct trace_reader *r, const struct export_options *opt, FILE *out)
{
	struct loaded_trace trace;
	struct writing w = { .trace = &trace,
			     .goroutines = opt->goroutines,
			     .identities = opt->identities };
	struct trace_watch watch = { .mark_parked = !(opt->view && opt->view->parked) };
	int err = trace_load(&trace, r, opt->view, &watch);

	w.s = trace.samples;
	if (!err)
		err = gzout_init(&w.out.gz, out);
	if (!err) {
		write_all(&w);
		gzout_finish(&w.out.gz);
		err = w.out.err;
		if (err)
			log_no_memory("no memory for the profile");
	}
	if (!err)
		err = outfile_check(out);
	profile_out_free(&w.out);
	free(w.functions);
	free(w.places);
	hash_index_free(&w.by_place);
	free(w.stack);
	trace_unload(&trace);
	return err;
}
