// SPDX-License-Identifier: BSD-2-Clause
/*
 * Two traces as one page: the second one's, and for each function and path what
 * it was in the first. Functions are matched by name, paths by the names on
 * them and by the location of the go statement.
 */
#include <errno.h>
#include <stdlib.h>

#include "analysis/diff/diff_notes.h"
#include "analysis/diff/diff_programs.h"
#include "analysis/diff/diff_shares.h"
#include "analysis/diff/diff_verdict.h"
#include "base/log.h"
#include "export/html/html.h"

struct changes {
	struct html_page side[2]; /* A, B */
	struct html_page all;     /* both: names, the tree, and B's numbers */
	struct diff diff;         /* its sides are those above */
	struct diff_judge judge;
	struct call_stats *stats[2]; /* of names */
	struct call_stats *was;      /* of the tree's nodes: A's numbers */
};

static int match_funcs(struct changes *c)
{
	int err = 0;

	for (unsigned s = 0; !err && s < 2; s++) {
		const struct loaded_trace *t = &c->side[s].trace;

		c->stats[s] = calloc(c->diff.names.info.n_funcs + 1, sizeof(*c->stats[s]));
		err = c->stats[s] ? 0 : -ENOMEM;
		for (size_t f = 0; !err && f < t->n_funcs; f++) {
			struct call_stats *into = &c->stats[s][c->diff.names.name_of[s][f]];

			call_stats_add(into, &t->funcs[f]);
			err = hist_merge(&into->hist, &t->funcs[f].hist);
		}
	}
	return err;
}

static int match_trees(struct changes *c)
{
	static const struct call_tree_options opt = { MERGE_NAMES, ORDER_WEIGHT, false };
	const struct call_tree_side side[2] = { { &c->side[0].tree, c->diff.names.name_of[0] },
						{ &c->side[1].tree, c->diff.names.name_of[1] } };
	const struct call_tree *a = &c->side[0].tree;
	uint32_t *node_of[2] = { NULL, NULL };
	int err = 0;

	for (unsigned s = 0; !err && s < 2; s++)
		if (c->diff.names.root[s] != TRACE_NONE)
			err = diff_programs_root(&c->side[s].tree, c->diff.names.root[s]);
	if (!err)
		err = call_tree_join(&c->all.tree, side, &c->diff.names.info, &opt, node_of);

	if (!err)
		c->was = calloc(c->all.tree.n, sizeof(*c->was));
	if (!err && !c->was)
		err = -ENOMEM;
	for (size_t i = 1; !err && i < a->n; i++)
		call_stats_add(&c->was[node_of[0][i]], a->nodes[i].stats);
	free(node_of[0]);
	free(node_of[1]);
	return err;
}

/* ---- writing */

static int write_notes(const struct changes *c, struct json *j)
{
	struct notes notes = { 0 };
	if (c->diff.shares)
		diff_shares_notes(&c->diff, &notes);
	int err = diff_notes(&c->side[0].trace, &c->side[1].trace, true, &notes);

	json_key(j, "notes");
	json_open(j, '[');
	for (size_t i = 0; i < notes.n; i++)
		json_str(j, notes.lines[i]);
	json_close(j, ']');
	notes_free(&notes);
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
		html_put(&traced, (uint64_t)c->diff.names.traced[0][c->all.funcs[i]] |
					  (uint64_t)c->diff.names.traced[1][c->all.funcs[i]] << 1);
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
	if (!err)
		err = html_write_compared(&c->all, &c->judge, j);
	if (!err) {
		json_key(j, "tree");
		json_open(j, '{');
		err = html_write_numbers(&c->all.tree, j, c->was);
		if (!err && c->diff.states)
			err = html_write_node_states(&c->all.tree, j, c->was);
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
		for (size_t f = 0; c->stats[s] && f < c->diff.names.info.n_funcs; f++)
			hist_free(&c->stats[s][f].hist);
		free(c->stats[s]);
		html_page_free(&c->side[s]);
	}
	c->all.trace = (struct loaded_trace){ 0 }; /* all that it points to was B's */
	html_page_free(&c->all);
	diff_judge_free(&c->judge);
	diff_unmatch(&c->diff);
	free(c->was);
}

/* Matches what both sides have, and makes the page of both. 0 or -errno */
static int match(struct changes *c)
{
	static const struct diff_bar bar = { DIFF_THRESHOLD_PCT, DIFF_MIN_AUTO, false };

	for (unsigned s = 0; s < 2; s++)
		c->diff.side[s] = c->side[s].trace;
	int err = diff_match(&c->diff);

	if (!err)
		err = diff_judge_begin(&c->judge, &c->diff, &bar);
	if (!err)
		err = match_funcs(c);
	if (err)
		return err;
	c->all.compared = true;
	c->all.program = c->diff.names.program;
	c->all.trace = c->side[1].trace;
	c->all.trace.info = &c->diff.names.info;
	c->all.trace.funcs = c->stats[1];
	c->all.trace.n_funcs = c->diff.names.info.n_funcs;
	err = match_trees(c);
	if (!err)
		err = html_groups_find(&c->all.groups, &c->all.tree, c->all.trace.n_funcs);
	return err ? err : html_page_number(&c->all);
}

int html_write_changes(struct json *j, struct trace_reader *const r[2],
		       const struct export_options *opt)
{
	struct changes c = { 0 };
	int err = 0;

	for (unsigned s = 0; s < 2; s++)
		calls_of_all_begin(&c.diff.calls[s]);
	for (unsigned s = 0; !err && s < 2; s++) {
		err = html_page_load(&c.side[s], r[s], opt->view, opt->raw, &c.diff.calls[s]);
		if (!err && (err = c.diff.calls[s].watch.err))
			log_no_memory("no memory to compare the traces");
	}
	if (!err) {
		err = match(&c);
		if (!err)
			err = write_all(&c, j, opt->files);
		if (err == -ENOMEM)
			log_no_memory("no memory to compare the traces");
	}
	changes_free(&c);
	return err;
}
