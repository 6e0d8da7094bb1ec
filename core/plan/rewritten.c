// SPDX-License-Identifier: BSD-2-Clause
#include "plan/rewritten.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "binary/goname.h"
#include "binary/gorewrite.h"

struct marks {
	const struct gofunc *all;
	size_t n_all;
	bool *taken; /* by index into all */
};

static void take(void *ctx, const struct gofunc *f)
{
	struct marks *m = ctx;

	m->taken[f - m->all] = true;
}

static void note_writer(void *ctx, const struct gofunc *f)
{
	struct plan *p = ctx;

	if (!p->text_writer)
		p->text_writer = f->name;
}

static bool is_named(const struct plan_options *opt, const char *name)
{
	for (size_t i = 0; i < opt->n_globs; i++)
		if (strcmp(opt->globs[i], name) == 0)
			return true;
	return false;
}

/* The func value of an instance of a generic function is that of a closure that calls it:
 * libraries look for that call. The runtime alone has that of main.main, which has been called
 * before anybody can replace it. */
static int may_be_rewritten(const struct plan_func *f, const struct marks *m)
{
	struct goname name;

	if (m->taken[f->fn - m->all])
		return strcmp(f->name, "main.main") != 0;
	if (goname_split(f->fn->name, &name))
		return -ENOMEM;
	const bool generic = name.generic;

	goname_free(&name);
	return generic;
}

int rewritten_leave_out(struct plan *p, const struct plan_options *opt)
{
	struct marks m = { .all = NULL };
	int rewritten = 0;

	gobin_text_writers(p->binary, note_writer, p);
	if (!p->text_writer)
		return 0;
	m.n_all = gobin_funcs(p->binary, &m.all);
	m.taken = calloc(m.n_all + 1, sizeof(*m.taken));
	if (!m.taken)
		return -ENOMEM;
	gobin_taken_funcs(p->binary, take, &m);
	for (size_t i = 0; i < p->n_funcs && rewritten >= 0; i++) {
		struct plan_func *f = &p->funcs[i];

		if (f->fate != PLAN_PROBED)
			continue;
		rewritten = may_be_rewritten(f, &m);
		f->rewritable = rewritten > 0;
		if (f->rewritable && !is_named(opt, f->name))
			f->fate = PLAN_REWRITTEN;
	}
	free(m.taken);
	return rewritten < 0 ? rewritten : 0;
}
