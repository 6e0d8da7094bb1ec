// SPDX-License-Identifier: BSD-2-Clause
#include "plan/inlined.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash_index.h"
#include "base/log.h"
#include "base/vec.h"
#include "binary/goname.h"
#include "plan/select.h"

/* Names of functions that went into others. The linker stores a name once, so that its place tells
 * it; equal names at two places are added up in the end. */
struct seen {
	const char *name; /* linker spelling, in the binary's table */
	uint32_t into;
};

struct search {
	struct seen *all;
	size_t n, cap;
	struct hash_index by_place;
	int err;
};

static void on_inlined(void *ctx, const char *name)
{
	struct search *s = ctx;
	const uint32_t hash = hash_u64((uintptr_t)name);
	size_t at;

	for (uint32_t i = hash_index_first(&s->by_place, hash, &at); i != HASH_NONE;
	     i = hash_index_next(&s->by_place, hash, &at))
		if (s->all[i].name == name) {
			s->all[i].into++;
			return;
		}
	if (!s->err)
		s->err = vec_reserve(&s->all, &s->cap, s->n + 1);
	if (!s->err)
		s->err = hash_index_put(&s->by_place, hash, (uint32_t)s->n);
	if (!s->err)
		s->all[s->n++] = (struct seen){ name, 1 };
}

/* Every function of the binary is searched: one of the selection may have gone into any. */
static int collect(struct search *s, const struct gobin *b)
{
	const struct gofunc *funcs;
	size_t n = gobin_funcs(b, &funcs);
	bool warned = false;

	for (size_t i = 0; i < n && !s->err; i++) {
		int err = gobin_inlined(b, &funcs[i], on_inlined, s);

		if (err == -ENOMEM)
			s->err = err;
		else if (err && !warned) {
			log_warn(
				"the table of inlined functions cannot be read; the list of inlined functions is not complete");
			warned = true;
		}
	}
	return s->err;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct plan_inlined *)a)->name,
		      ((const struct plan_inlined *)b)->name);
}

static void sort_and_add_up(struct plan *p)
{
	size_t n = 0;

	qsort(p->inlined, p->n_inlined, sizeof(*p->inlined), by_name);
	for (size_t i = 0; i < p->n_inlined; i++) {
		struct plan_inlined *f = &p->inlined[i];

		if (n && strcmp(p->inlined[n - 1].name, f->name) == 0) {
			p->inlined[n - 1].into += f->into;
			free(f->name);
		} else {
			p->inlined[n++] = *f;
		}
	}
	p->n_inlined = n;
}

static int keep_selected(struct plan *p, struct search *s, const struct plan_options *opt)
{
	struct selector sel;
	int err = selector_init(&sel, opt, p->binary);

	if (err)
		return err;
	p->inlined = calloc(s->n + 1, sizeof(*p->inlined));
	if (!p->inlined)
		err = -ENOMEM;
	for (size_t i = 0; i < s->n && !err; i++) {
		int hit = selector_match(&sel, s->all[i].name);
		char *name;

		if (hit < 0)
			err = hit;
		if (hit != SELECTED || gobin_func_named(p->binary, s->all[i].name))
			continue;
		name = goname_display(s->all[i].name);
		if (name)
			p->inlined[p->n_inlined++] = (struct plan_inlined){ name, s->all[i].into };
		else
			err = -ENOMEM;
	}
	selector_free(&sel);
	if (!err)
		sort_and_add_up(p);
	return err;
}

int plan_find_inlined(struct plan *p, const struct plan_options *opt)
{
	struct search s = { 0 };
	int err = collect(&s, p->binary);

	if (!err)
		err = keep_selected(p, &s, opt);
	hash_index_free(&s.by_place);
	free(s.all);
	return err;
}
