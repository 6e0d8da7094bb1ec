// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/trace_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *trace_name_func(const struct trace_info *info, uint32_t func)
{
	switch (func) {
	case PATH_OTHER:
		return "[other]";
	case PATH_TIMER:
		return "runtime timer";
	default:
		return func < info->n_funcs ? info->funcs[func].name : "?";
	}
}

char *trace_name_go(const struct trace_info *info, uint32_t func)
{
	char *name;

	return asprintf(&name, GO_FRAME "%s", trace_name_func(info, func)) < 0 ? NULL : name;
}

const char *trace_name_at(const struct trace_info *info, uint64_t pc)
{
	const struct trace_pc *p = pc ? trace_info_pc(info, pc) : NULL;

	return p && p->func ? p->func : "";
}

const char *trace_name_line(const struct trace_info *info, uint64_t pc, bool base, char *buf,
			    size_t size)
{
	const struct trace_pc *p = pc ? trace_info_pc(info, pc) : NULL;
	const char *slash = p && p->file && base ? strrchr(p->file, '/') : NULL;

	buf[0] = '\0';
	if (p && p->file)
		snprintf(buf, size, "%s:%u", slash ? slash + 1 : p->file, p->line);
	return buf;
}

const char *trace_name_start(const struct trace_info *info, const struct goroutine_info *g)
{
	if (g->system)
		return "";
	/* Goroutine 1 is made before anything runs (runtime/asm_amd64.s, rt0_go), always for
	 * runtime.main. */
	return g->goid == 1 && !g->start_pc ? "runtime.main" : trace_name_at(info, g->start_pc);
}
