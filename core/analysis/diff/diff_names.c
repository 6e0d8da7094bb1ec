// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/diff/diff_names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/trace_names.h"
#include "base/compare.h"

struct name_ref {
	const char *name;
	unsigned side;
	uint32_t func;
};

static int by_name(const void *x, const void *y)
{
	const struct name_ref *a = x, *b = y;
	int c = strcmp(a->name, b->name);

	if (c)
		return c;
	return a->side != b->side ? compare_u64(a->side, b->side) : compare_u64(a->func, b->func);
}

static void take(struct diff_names *n, const struct name_ref *ref, const struct trace_func *f)
{
	size_t at = n->info.n_funcs - 1;

	n->name_of[ref->side][ref->func] = (uint32_t)at;
	n->traced[ref->side][at] = true;
	if (f->file) { /* A's come first */
		n->info.funcs[at].file = f->file;
		n->info.funcs[at].line = f->line;
	}
}

int diff_names_match(struct diff_names *n, const struct loaded_trace *a,
		     const struct loaded_trace *b)
{
	const struct loaded_trace *const side[2] = { a, b };
	size_t n_refs = 0, most = a->n_funcs + b->n_funcs + 1;
	struct name_ref *refs = calloc(most, sizeof(*refs));

	*n = (struct diff_names){ .info.funcs = calloc(most, sizeof(*n->info.funcs)) };
	for (unsigned s = 0; s < 2; s++) {
		n->name_of[s] = calloc(most, sizeof(*n->name_of[s]));
		n->traced[s] = calloc(most, sizeof(*n->traced[s]));
	}
	if (!refs || !n->info.funcs || !n->name_of[0] || !n->name_of[1] || !n->traced[0] ||
	    !n->traced[1]) {
		free(refs);
		return -ENOMEM;
	}
	for (unsigned s = 0; s < 2; s++)
		for (uint32_t f = 0; f < side[s]->n_funcs; f++)
			refs[n_refs++] = (struct name_ref){ trace_name_func(side[s]->info, f), s,
							    f };
	if (n_refs)
		qsort(refs, n_refs, sizeof(*refs), by_name);
	for (size_t i = 0; i < n_refs; i++) {
		if (!i || strcmp(refs[i].name, refs[i - 1].name))
			n->info.funcs[n->info.n_funcs++].name = (char *)(uintptr_t)refs[i].name;
		take(n, &refs[i], &side[refs[i].side]->info->funcs[refs[i].func]);
	}
	free(refs);
	return 0;
}

void diff_names_free(struct diff_names *n)
{
	free(n->info.funcs); /* the strings belong to the traces */
	for (unsigned s = 0; s < 2; s++) {
		free(n->name_of[s]);
		free(n->traced[s]);
	}
	*n = (struct diff_names){ 0 };
}
