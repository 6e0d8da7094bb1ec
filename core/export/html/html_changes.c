// SPDX-License-Identifier: BSD-2-Clause
/*
 * Two traces as one page: the second one's, and for each function and path what
 * it was in the first. Functions are matched by name, paths by the names on
 * them and by where a go statement stands.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "analysis/diff.h"
#include "export/html/html.h"

struct changes {
	struct html_page side[2];    /* A, B */
	struct html_page all;        /* both: names, the tree, and B's numbers */
	struct trace_info names;     /* each name once, in order; strings borrowed */
	struct call_stats *stats[2]; /* of names */
	uint32_t *name_of[2];        /* of a side's functions, index into names */
	unsigned char *traced;       /* of names: bit s says that side s had probes on it */
	struct html_numbers *was;    /* of the tree's nodes: A's numbers */
};

/* ---- functions */

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
	return a->side != b->side ? (a->side > b->side) - (a->side < b->side)
				  : (a->func > b->func) - (a->func < b->func);
}

static int take_func(struct changes *c, const struct name_ref *ref)
{
	const struct html_page *p = &c->side[ref->side];
	struct trace_func *name = &c->names.funcs[c->names.n_funcs - 1];
	struct call_stats *into = &c->stats[ref->side][c->names.n_funcs - 1];
	const struct call_stats *from = &p->rep.funcs[ref->func];

	c->name_of[ref->side][ref->func] = (uint32_t)c->names.n_funcs - 1;
	if (p->rep.info->funcs[ref->func].file) { /* B's, when both say */
		name->file = p->rep.info->funcs[ref->func].file;
		name->line = p->rep.info->funcs[ref->func].line;
	}
	c->traced[c->names.n_funcs - 1] |= 1u << ref->side;
	call_stats_add(into, from);
	return hist_merge(&into->hist, &from->hist);
}

static int match_funcs(struct changes *c)
{
	size_t n = 0, most = c->side[0].rep.n_funcs + c->side[1].rep.n_funcs + 1;
	struct name_ref *refs = calloc(most, sizeof(*refs));
	int err = 0;

	c->names.funcs = calloc(most, sizeof(*c->names.funcs));
	c->traced = calloc(most, sizeof(*c->traced));
	for (unsigned s = 0; s < 2; s++) {
		c->stats[s] = calloc(most, sizeof(*c->stats[s]));
		c->name_of[s] = calloc(most, sizeof(*c->name_of[s]));
	}
	if (!refs || !c->names.funcs || !c->traced || !c->stats[0] || !c->stats[1] ||
	    !c->name_of[0] || !c->name_of[1])
		err = -ENOMEM;
	for (unsigned s = 0; !err && s < 2; s++)
		for (uint32_t f = 0; f < c->side[s].rep.n_funcs; f++)
			refs[n++] = (struct name_ref){ report_name(&c->side[s].rep, f), s, f };
	if (n)
		qsort(refs, n, sizeof(*refs), by_name);
	for (size_t i = 0; !err && i < n; i++) {
		if (!i || strcmp(refs[i].name, refs[i - 1].name))
			c->names.funcs[c->names.n_funcs++].name = (char *)refs[i].name;
		err = take_func(c, &refs[i]);
	}
	free(refs);
	return err;
}

/* ---- paths: in a tree whose functions say, by being even or odd, how they are reached */

static void add(struct html_numbers *into, const struct html_numbers *from)
{
	into->calls += from->calls;
	into->total_ns += from->total_ns;
	into->self_ns += from->self_ns;
	into->morestack_ns += from->morestack_ns;
	into->preempt_ns += from->preempt_ns;
	into->suspect += from->suspect;
	into->unfinished += from->unfinished;
	into->unwound += from->unwound;
}

/* twin[i] is the place in `both` of the side's node i. */
static int take_tree(const struct changes *c, unsigned s, struct paths *both, uint32_t *twin)
{
	const struct html_tree *t = &c->side[s].tree;
	uint32_t n = (uint32_t)c->names.n_funcs;
	int err = 0;

	for (size_t i = 1; !err && i < t->n; i++) {
		const struct html_node *x = &t->nodes[i];
		uint32_t func = x->func < c->side[s].rep.n_funcs ? c->name_of[s][x->func]
								 : n + (x->func == PATH_TIMER);

		err = paths_call(both, twin[x->parent], 2 * func + x->go, &twin[i]);
	}
	return err;
}

static uint32_t func_of(const struct changes *c, uint32_t reached)
{
	uint32_t func = reached / 2, n = (uint32_t)c->names.n_funcs;

	return func < n ? func : func == n ? PATH_OTHER : PATH_TIMER;
}

/* The tree of both with B's numbers, and A's beside it. */
static int build_tree(struct changes *c, const struct paths *both, uint32_t *const twin[2])
{
	struct html_node *nodes = calloc(both->n, sizeof(*nodes));
	struct html_numbers *was = calloc(both->n, sizeof(*was));
	int err = nodes && was ? 0 : -ENOMEM;

	for (size_t i = 1; !err && i < both->n; i++)
		nodes[i] = (struct html_node){
			.parent = both->nodes[i].parent,
			.func = func_of(c, both->nodes[i].func),
			.recursion = 1,
			.go = both->nodes[i].func & 1,
		};
	for (unsigned s = 0; !err && s < 2; s++)
		for (size_t i = 1; i < c->side[s].tree.n; i++) {
			const struct html_node *x = &c->side[s].tree.nodes[i];
			struct html_node *into = &nodes[twin[s][i]];

			add(s ? &into->v : &was[twin[s][i]], &x->v);
			if (x->recursion > into->recursion)
				into->recursion = x->recursion;
		}
	if (!err)
		err = html_tree_build(&c->all.tree, nodes, both->n, c->names.n_funcs);
	else
		free(nodes);
	c->was = err ? NULL : calloc(both->n, sizeof(*c->was));
	if (!err && !c->was)
		err = -ENOMEM;
	for (size_t i = 0; !err && i < both->n; i++)
		c->was[c->all.tree.place[i]] = was[i];
	free(was);
	return err;
}

static int match_trees(struct changes *c)
{
	uint32_t *twin[2] = { NULL, NULL };
	struct paths both;
	int err = paths_init(&both, UINT32_MAX - 8);

	for (unsigned s = 0; !err && s < 2; s++) {
		twin[s] = calloc(c->side[s].tree.n, sizeof(*twin[s]));
		err = twin[s] ? take_tree(c, s, &both, twin[s]) : -ENOMEM;
	}
	if (!err)
		err = build_tree(c, &both, twin);
	paths_free(&both);
	free(twin[0]);
	free(twin[1]);
	return err;
}

/* ---- writing */

static int write_notes(const struct changes *c, struct json *j)
{
	const struct diff_options opt = { .by = BY_PATH };
	struct diff d = { .opt = &opt, .side = { c->side[0].rep, c->side[1].rep } };
	int err = diff_find_notes(&d);

	json_key(j, "notes");
	json_open(j, '[');
	for (size_t i = 0; i < d.n_notes; i++) {
		json_str(j, d.notes[i]);
		free(d.notes[i]);
	}
	json_close(j, ']');
	free(d.notes);
	return err;
}

static uint64_t get_calls(const struct call_stats *st)
{
	return st->calls;
}

static uint64_t get_total(const struct call_stats *st)
{
	return st->total_ns;
}

static uint64_t get_self(const struct call_stats *st)
{
	return st->self_ns;
}

static uint64_t get_morestack(const struct call_stats *st)
{
	return st->morestack_ns;
}

static int write_was_funcs(const struct changes *c, struct json *j)
{
	static const struct {
		const char *key;
		uint64_t (*get)(const struct call_stats *st);
	} columns[] = {
		{ "calls", get_calls },
		{ "total_ns", get_total },
		{ "self_ns", get_self },
		{ "morestack_ns", get_morestack },
	};
	int err = 0;

	json_key(j, "funcs");
	json_open(j, '{');
	for (size_t k = 0; !err && k < sizeof(columns) / sizeof(columns[0]); k++) {
		struct html_text text = { 0 };

		for (size_t i = 0; i < c->all.n_funcs; i++)
			html_put(&text, columns[k].get(&c->stats[0][c->all.funcs[i]]));
		err = html_column(j, columns[k].key, &text);
	}
	struct html_text traced = { 0 };

	for (size_t i = 0; !err && i < c->all.n_funcs; i++)
		html_put(&traced, c->traced[c->all.funcs[i]]);
	if (!err)
		err = html_column(j, "traced", &traced);
	json_close(j, '}');
	return err;
}

static int write_was(const struct changes *c, struct json *j, const char *file)
{
	json_key(j, "was");
	json_open(j, '{');
	json_kv_str(j, "file", file ? file : "A");
	int err = html_write_trace(&c->side[0], j);

	if (!err)
		err = write_was_funcs(c, j);
	if (!err) {
		json_key(j, "tree");
		json_open(j, '{');
		err = html_write_numbers(&c->all.tree, j, c->was, sizeof(c->was[0]));
		json_close(j, '}');
	}
	json_close(j, '}');
	return err;
}

static int write_all(const struct changes *c, struct json *j, const char *const files[2])
{
	json_kv_str(j, "file", files[1] ? files[1] : "B");
	int err = html_write_trace(&c->side[1], j);

	if (!err)
		err = html_write_funcs(&c->all, j);
	if (!err)
		err = html_write_tree(&c->all, j);
	if (!err)
		err = html_write_picks(&c->all, j);
	if (!err)
		err = write_was(c, j, files[0]);
	return err ? err : write_notes(c, j);
}

static void changes_free(struct changes *c)
{
	for (unsigned s = 0; s < 2; s++) {
		for (size_t f = 0; c->stats[s] && f < c->names.n_funcs; f++)
			hist_free(&c->stats[s][f].hist);
		free(c->stats[s]);
		free(c->name_of[s]);
		html_page_free(&c->side[s]);
	}
	c->all.rep.model = NULL; /* B's */
	html_page_free(&c->all);
	free(c->names.funcs); /* the strings belong to the sides */
	free(c->traced);
	free(c->was);
}

int html_write_changes(struct json *j, struct trace_reader *const r[2], const char *const files[2])
{
	struct changes c = { .side = { { .rep.file.fd = -1 }, { .rep.file.fd = -1 } },
			     .all.rep.file.fd = -1 };
	int err = 0;

	for (unsigned s = 0; !err && s < 2; s++)
		err = html_page_load(&c.side[s], r[s]);
	if (!err) {
		err = match_funcs(&c);
		if (!err)
			err = match_trees(&c);
		c.all.rep = c.side[1].rep;
		c.all.rep.info = &c.names;
		c.all.rep.funcs = c.stats[1];
		c.all.rep.n_funcs = c.names.n_funcs;
		if (!err)
			err = html_page_number(&c.all);
		if (!err)
			err = write_all(&c, j, files);
		if (err)
			log_error("no memory to compare the traces");
	}
	changes_free(&c);
	return err;
}
