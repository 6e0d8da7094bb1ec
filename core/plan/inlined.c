// SPDX-License-Identifier: BSD-2-Clause
#include "plan/inlined.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash_table.h"
#include "base/log.h"
#include "binary/goname.h"
#include "plan/select.h"

struct seen {
	char *name; /* linker spelling, the key */
	bool has_body;
	uint32_t into;
	UT_hash_handle hh;
};

struct search {
	struct seen *set;
	int err;
};

static struct seen *find_or_add(struct search *s, const char *name)
{
	struct seen *e;

	HASH_FIND_STR(s->set, name, e);
	if (e)
		return e;
	e = calloc(1, sizeof(*e));
	if (!e || !(e->name = strdup(name))) {
		free(e);
		s->err = -ENOMEM;
		return NULL;
	}
	HASH_ADD_KEYPTR(hh, s->set, e->name, strlen(e->name), e);
	if (!HASH_ADDED(e)) {
		free(e->name);
		free(e);
		s->err = -ENOMEM;
		return NULL;
	}
	return e;
}

static void on_inlined(void *ctx, const char *name)
{
	struct search *s = ctx;
	struct seen *e = find_or_add(s, name);

	if (e)
		e->into++;
}

/* Every function of the binary is searched: one of the selection may have gone into any. */
static int collect(struct search *s, const struct gobin *b)
{
	const struct gofunc *funcs;
	size_t n = gobin_funcs(b, &funcs);
	bool warned = false;

	for (size_t i = 0; i < n && !s->err; i++) {
		struct seen *e = find_or_add(s, funcs[i].name);

		if (e)
			e->has_body = true;
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

static int keep_selected(struct plan *p, struct search *s, const struct plan_options *opt)
{
	struct selector sel;
	struct seen *e, *next;
	int err = selector_init(&sel, opt, p->binary);

	if (err)
		return err;
	p->inlined = calloc(HASH_COUNT(s->set) + 1, sizeof(*p->inlined));
	if (!p->inlined)
		err = -ENOMEM;
	HASH_ITER(hh, s->set, e, next) {
		if (err || e->has_body || !e->into)
			continue;
		int hit = selector_match(&sel, e->name);
		if (hit < 0) {
			err = hit;
		} else if (hit == SELECTED) {
			char *name = goname_display(e->name);

			if (!name)
				err = -ENOMEM;
			else
				p->inlined[p->n_inlined++] = (struct plan_inlined){ name, e->into };
		}
	}
	selector_free(&sel);
	if (!err)
		qsort(p->inlined, p->n_inlined, sizeof(*p->inlined), by_name);
	return err;
}

int plan_find_inlined(struct plan *p, const struct plan_options *opt)
{
	struct search s = { 0 };
	struct seen *e, *next;
	int err = collect(&s, p->binary);

	if (!err)
		err = keep_selected(p, &s, opt);
	HASH_ITER(hh, s.set, e, next) {
		HASH_DEL(s.set, e);
		free(e->name);
		free(e);
	}
	return err;
}
