// SPDX-License-Identifier: BSD-2-Clause
#include "attach/collect/pc_names.h"

#include <errno.h>
#include <stdlib.h>

#include "base/hash_index.h"
#include "base/vec.h"
#include "binary/goname.h"

struct pc_names {
	const struct gobin *binary;
	struct trace_writer *writer;
	uint64_t *pcs; /* named already */
	size_t n, cap;
	struct hash_index index; /* finds one in pcs */
};

struct pc_names *pc_names_new(const struct gobin *b, struct trace_writer *w)
{
	struct pc_names *n = calloc(1, sizeof(*n));

	if (n) {
		n->binary = b;
		n->writer = w;
	}
	return n;
}

/* Notes that pc gets its name. 1, 0: it had it, -ENOMEM */
static int add_pc(struct pc_names *n, uint64_t pc)
{
	const uint32_t hash = hash_u64(pc);
	size_t at;

	for (uint32_t i = hash_index_first(&n->index, hash, &at); i != HASH_NONE;
	     i = hash_index_next(&n->index, hash, &at))
		if (n->pcs[i] == pc)
			return 0;
	if (vec_reserve(&n->pcs, &n->cap, n->n + 1) ||
	    hash_index_put(&n->index, hash, (uint32_t)n->n))
		return -ENOMEM;
	n->pcs[n->n++] = pc;
	return 1;
}

/* `back`: bytes before pc to look up, as a return address belongs to the line of the call before
 * it. */
static int name_pc(struct pc_names *n, uint64_t pc, uint64_t back)
{
	struct trace_pc named = { .pc = pc };
	const struct gofunc *fn;
	const char *file = NULL;
	int err = pc ? add_pc(n, pc) : 0;

	if (err <= 0)
		return err;
	fn = gobin_func_at(n->binary, pc - back);
	if (!fn)
		return 0;
	named.func = goname_display(fn->name);
	if (!named.func)
		return -ENOMEM;
	if (gobin_line(n->binary, pc - back, &file, &named.line))
		file = NULL;
	named.file = (char *)file; /* copied by the writer */
	err = trace_writer_pc(n->writer, &named);
	free(named.func);
	return err;
}

int pc_names_event(struct pc_names *n, const struct event_ext *ev)
{
	int err = name_pc(n, ev->arg[1], 1);

	return err ? err : name_pc(n, ev->arg[2], 0);
}

void pc_names_free(struct pc_names *n)
{
	if (!n)
		return;
	hash_index_free(&n->index);
	free(n->pcs);
	free(n);
}
