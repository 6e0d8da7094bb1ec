// SPDX-License-Identifier: BSD-2-Clause
#include "attach/collect/pc_names.h"

#include <errno.h>
#include <stdlib.h>

#include "base/hash_table.h"
#include "binary/goname.h"

struct named {
	uint64_t pc;
	UT_hash_handle hh;
};

struct pc_names {
	const struct gobin *binary;
	struct trace_writer *writer;
	struct named *set;
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

/* `back`: bytes before pc to look up, as a return address belongs to the line of the call before
 * it. */
static int name_pc(struct pc_names *n, uint64_t pc, uint64_t back)
{
	struct trace_pc named = { .pc = pc };
	const struct gofunc *fn;
	const char *file = NULL;
	struct named *e;

	if (!pc)
		return 0;
	HASH_FIND(hh, n->set, &pc, sizeof(pc), e);
	if (e)
		return 0;
	e = calloc(1, sizeof(*e));
	if (!e)
		return -ENOMEM;
	e->pc = pc;
	HASH_ADD(hh, n->set, pc, sizeof(e->pc), e);
	if (!HASH_ADDED(e)) {
		free(e);
		return -ENOMEM;
	}
	fn = gobin_func_at(n->binary, pc - back);
	if (!fn)
		return 0;
	named.func = goname_display(fn->name);
	if (!named.func)
		return -ENOMEM;
	if (gobin_line(n->binary, pc - back, &file, &named.line))
		file = NULL;
	named.file = (char *)file; /* copied by the writer */
	int err = trace_writer_pc(n->writer, &named);
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
	struct named *e, *next;

	if (!n)
		return;
	HASH_ITER(hh, n->set, e, next) {
		HASH_DEL(n->set, e);
		free(e);
	}
	free(n);
}
