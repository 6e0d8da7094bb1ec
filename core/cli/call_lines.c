// SPDX-License-Identifier: BSD-2-Clause
#include "cli/call_lines.h"

#include <stdlib.h>

#include "base/hash_index.h"
#include "base/vec.h"
#include "binary/arch.h"
#include "binary/goframes.h"
#include "cli/trace_binary.h"

#define SEVERAL UINT32_MAX
#define FRAMES  64 /* more inlined functions than one address has */

/* A function whose code calls another one directly. */
struct edge {
	uint32_t caller, callee;
	uint32_t line; /* SEVERAL: the calls are on several lines */
};

struct call_lines {
	const struct trace_info *info;
	struct gobin *binary;
	struct hash_index by_address; /* finds functions of info */
	bool *looked;                 /* at the code of a function */
	struct edge *edges;
	size_t n, cap;
	struct hash_index index; /* finds edges */
};

static uint32_t hash_address(uint64_t vaddr)
{
	return hash_u64_pair(vaddr, 0);
}

struct call_lines *call_lines_open(const struct trace_info *info)
{
	struct call_lines *l = calloc(1, sizeof(*l));

	if (!l)
		return NULL;
	l->info = info;
	l->looked = calloc(info->n_funcs + 1, sizeof(*l->looked));
	l->binary = l->looked ? trace_binary_open(info) : NULL;
	int err = l->binary ? 0 : -1;

	for (uint32_t i = 0; !err && i < info->n_funcs; i++)
		if (info->funcs[i].vaddr)
			err = hash_index_put(&l->by_address, hash_address(info->funcs[i].vaddr), i);
	if (!err)
		return l;
	call_lines_free(l);
	return NULL;
}

void call_lines_free(struct call_lines *l)
{
	if (!l)
		return;
	gobin_close(l->binary);
	hash_index_free(&l->by_address);
	hash_index_free(&l->index);
	free(l->looked);
	free(l->edges);
	free(l);
}

static struct edge *edge_of(const struct call_lines *l, uint32_t caller, uint32_t callee)
{
	size_t at;
	const uint32_t hash = hash_u64_pair(caller, callee);

	for (uint32_t i = hash_index_first(&l->index, hash, &at); i != HASH_NONE;
	     i = hash_index_next(&l->index, hash, &at))
		if (l->edges[i].caller == caller && l->edges[i].callee == callee)
			return &l->edges[i];
	return NULL;
}

static int add(struct call_lines *l, uint32_t caller, uint32_t callee, uint32_t line)
{
	struct edge *e = edge_of(l, caller, callee);

	if (e) {
		e->line = e->line == line ? line : SEVERAL;
		return 0;
	}
	if (vec_reserve(&l->edges, &l->cap, l->n + 1) ||
	    hash_index_put(&l->index, hash_u64_pair(caller, callee), (uint32_t)l->n))
		return -1;
	l->edges[l->n++] = (struct edge){ caller, callee, line };
	return 0;
}

/* The line of the compiled function itself, also where an inlined one makes the call. */
static uint32_t line_at(const struct call_lines *l, uint64_t vaddr)
{
	struct goframe frames[FRAMES];
	const size_t n = gobin_frames(l->binary, vaddr, frames, FRAMES);

	return n && n < FRAMES ? frames[n - 1].line : 0;
}

/* Each direct call whose target is where a recorded function begins, so nobody has to know where
 * instructions do. 0, or -1 without memory. */
static int look(struct call_lines *l, uint32_t caller)
{
	const struct trace_func *f = &l->info->funcs[caller];
	const uint8_t *code = gobin_bytes(l->binary, f->vaddr, f->size);
	const struct arch *arch = gobin_arch(l->binary);
	int err = 0;

	for (uint32_t i = 0; code && !err && i < f->size; i += arch->pc_quantum) {
		const uint64_t to = arch->called(code + i, f->size - i, f->vaddr + i);
		size_t at;

		if (!to)
			continue;
		for (uint32_t k = hash_index_first(&l->by_address, hash_address(to), &at);
		     !err && k != HASH_NONE;
		     k = hash_index_next(&l->by_address, hash_address(to), &at))
			if (l->info->funcs[k].vaddr == to)
				err = add(l, caller, k, line_at(l, f->vaddr + i));
	}
	return err;
}

uint32_t call_lines_find(void *lines, uint32_t caller, uint32_t callee)
{
	struct call_lines *l = lines;

	if (caller >= l->info->n_funcs || callee >= l->info->n_funcs)
		return 0;
	if (!l->looked[caller] && look(l, caller))
		return 0;
	l->looked[caller] = true;
	const struct edge *e = edge_of(l, caller, callee);

	return e && e->line != SEVERAL ? e->line : 0;
}
