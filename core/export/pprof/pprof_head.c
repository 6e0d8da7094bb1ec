// SPDX-License-Identifier: BSD-2-Clause
/* What a profile says of itself, and the mapping. */
#include <inttypes.h>

#include "export/pprof/pprof.h"
#include "trace/keys.h"

#define PAGE 4096u

static void put_types(struct pprof *p)
{
	static const char *const types[PPROF_VALUES][2] = {
		{ "calls", "count" },           { "wall", "nanoseconds" },
		{ "morestack", "nanoseconds" }, { "preempt", "nanoseconds" },
		{ "running", "nanoseconds" },   { "runnable", "nanoseconds" },
		{ "waiting", "nanoseconds" },   { "syscall", "nanoseconds" },
		{ "unknown", "nanoseconds" },   { "off_cpu", "nanoseconds" },
	};

	for (size_t i = 0; i < pprof_n_values(p); i++)
		profile_put_type(&p->out, types[i][0], types[i][1]);
}

/* What a reader should know of how it came about; every view of 'go tool pprof' begins with it. */
static void put_comments(struct pprof *p)
{
	const struct model_totals *t = p->trace->totals;
	const char *command = trace_info_get(p->trace->info, KEY_COMMAND);
	char line[512];

	if (command) {
		snprintf(line, sizeof(line), "gotrace: %s", command);
		profile_put_comment(&p->out, line);
	}
	snprintf(line, sizeof(line),
		 "%" PRIu64 " events, %" PRIu64 " lost, %" PRIu64 " suspect calls%s", t->events,
		 t->lost_events, t->suspect_calls,
		 p->trace->complete  ? ""
		 : p->trace->growing ? ", the trace was still being recorded"
				     : ", the trace was cut short");
	profile_put_comment(&p->out, line);
	profile_put_warnings(&p->out, p->trace);
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
	m.filename = profile_string(&p->out, trace_info_get(info, KEY_BINARY_PATH));
	m.build_id = profile_string(&p->out, trace_info_get(info, KEY_BINARY_BUILD_ID));
	m.has_functions = m.has_filenames = m.has_line_numbers = true;
	part.n_mapping = 1;
	part.mapping = mappings;
	profile_put(&p->out, &part);
}

void pprof_head(struct pprof *p)
{
	put_types(p);
	profile_put_times(&p->out, p->trace, "wall");
	put_mapping(p);
	put_comments(p);
}
