// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/diff/diff_names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/diff/diff_programs.h"
#include "analysis/samples/sample_names.h"
#include "analysis/samples/sample_processes.h"
#include "analysis/trace_names.h"
#include "base/compare.h"

struct name_ref {
	const char *name, *program;
	unsigned side;
	uint32_t func;
};

static int by_name(const void *x, const void *y)
{
	const struct name_ref *a = x, *b = y;
	int c = strcmp(a->name, b->name);

	if (!c)
		c = strcmp(a->program, b->program);
	if (c)
		return c;
	return a->side != b->side ? compare_u64(a->side, b->side) : compare_u64(a->func, b->func);
}

static void take(struct diff_names *n, const struct name_ref *ref, const struct trace_func *f)
{
	size_t at = n->info.n_funcs - 1;

	n->name_of[ref->side][ref->func] = (uint32_t)at;
	n->traced[ref->side][at] = true;
	if (n->program)
		n->program[at] = ref->program;
	if (f && f->file) { /* A's come first */
		n->info.funcs[at].file = f->file;
		n->info.funcs[at].line = f->line;
	}
}

/* The name of a side's only program, and that of the function that stands for it. */
static int name_program(struct diff_names *n, const struct loaded_trace *t, unsigned side)
{
	char buf[PROGRAM_BYTES];
	const char *name = sample_only_program(t->samples, buf);

	n->only[side] = strdup(name);
	if (asprintf(&n->root_name[side], *name == '[' ? "%s" : "[%s]", name) < 0)
		n->root_name[side] = NULL;
	n->root[side] = (uint32_t)t->n_funcs;
	return n->only[side] && n->root_name[side] ? 0 : -ENOMEM;
}

static const char *program_of(const struct diff_names *n, const struct loaded_trace *t,
			      unsigned side, uint32_t func)
{
	if (!n->program)
		return "";
	return n->only[side] ?: sample_program_of_func(t->samples, func) ?: "";
}

static int begin_programs(struct diff_names *n, const struct loaded_trace *const side[2],
			  size_t most)
{
	int err = 0;

	n->program = calloc(most, sizeof(*n->program));
	for (unsigned s = 0; s < 2 && !err && n->program; s++)
		if (!side[s]->samples->programs.n)
			err = name_program(n, side[s], s);
	return n->program ? err : -ENOMEM;
}

/* All functions of a side. Returns their number. */
static size_t refs_of(const struct diff_names *n, const struct loaded_trace *t, unsigned side,
		      struct name_ref *refs)
{
	size_t k = 0;

	for (uint32_t f = 0; f < t->n_funcs; f++)
		refs[k++] = (struct name_ref){ trace_name_func(t->info, f),
					       program_of(n, t, side, f), side, f };
	if (n->only[side])
		refs[k++] = (struct name_ref){ n->root_name[side], n->only[side], side,
					       n->root[side] };
	return k;
}

int diff_names_match(struct diff_names *n, const struct loaded_trace *a,
		     const struct loaded_trace *b)
{
	const struct loaded_trace *const side[2] = { a, b };
	size_t n_refs = 0, most = a->n_funcs + b->n_funcs + 3;
	struct name_ref *refs = calloc(most, sizeof(*refs));
	int err = 0;

	*n = (struct diff_names){ .info.funcs = calloc(most, sizeof(*n->info.funcs)),
				  .root = { TRACE_NONE, TRACE_NONE } };
	if (diff_programs_apart(a, b))
		err = begin_programs(n, side, most);
	for (unsigned s = 0; s < 2; s++) {
		n->name_of[s] = calloc(most, sizeof(*n->name_of[s]));
		n->traced[s] = calloc(most, sizeof(*n->traced[s]));
	}
	if (err || !refs || !n->info.funcs || !n->name_of[0] || !n->name_of[1] || !n->traced[0] ||
	    !n->traced[1]) {
		free(refs);
		return -ENOMEM;
	}
	for (unsigned s = 0; s < 2; s++)
		n_refs += refs_of(n, side[s], s, refs + n_refs);
	if (n_refs)
		qsort(refs, n_refs, sizeof(*refs), by_name);
	for (size_t i = 0; i < n_refs; i++) {
		const struct loaded_trace *t = side[refs[i].side];

		if (!i || strcmp(refs[i].name, refs[i - 1].name) ||
		    strcmp(refs[i].program, refs[i - 1].program))
			n->info.funcs[n->info.n_funcs++].name = (char *)(uintptr_t)refs[i].name;
		take(n, &refs[i], refs[i].func < t->n_funcs ? &t->info->funcs[refs[i].func] : NULL);
	}
	free(refs);
	return 0;
}

void diff_names_free(struct diff_names *n)
{
	free(n->program);
	free(n->info.funcs); /* the strings belong to the traces */
	for (unsigned s = 0; s < 2; s++) {
		free(n->name_of[s]);
		free(n->traced[s]);
		free(n->only[s]);
		free(n->root_name[s]);
	}
	*n = (struct diff_names){ 0 };
}
