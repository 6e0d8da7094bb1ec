// SPDX-License-Identifier: BSD-2-Clause
/* The page's data: what was traced, the functions, the tree. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/answer.h"
#include "analysis/answer_doubt.h"
#include "analysis/calls/correction.h"
#include "analysis/calls/correction.h"
#include "analysis/calls/released.h"
#include "analysis/samples/sample_answer.h"
#include "analysis/samples/sample_names.h"
#include "analysis/samples/sample_notes.h"
#include "analysis/samples/sample_processes.h"
#include "analysis/stat_columns.h"
#include "analysis/trace_json.h"
#include "analysis/trace_names.h"
#include "analysis/trace_notes.h"
#include "base/text_format.h"
#include "export/html/html.h"

static void func_key(const struct html_page *p, struct json *j, const char *key, uint32_t func)
{
	if (func < p->trace.n_funcs && p->number[func] != SANKEY_NONE)
		json_kv_u64(j, key, p->number[func]);
}

/* Functions that it is about: whose calls, who held the lock and what that did meanwhile, who ends
 * the waits. */
static void write_about(const struct html_page *p, struct json *j, const struct answer *a)
{
	const struct hold *held = a->why.calls ? answer_held(&a->why) : NULL;

	json_key(j, "about");
	json_open(j, '{');
	if (a->why.calls) {
		json_kv_u64(j, "calls", a->why.calls);
		func_key(p, j, "func", a->why.func);
	}
	if (held) {
		func_key(p, j, "holder", held->by);
		func_key(p, j, "did", held->did);
	} else if (a->why.calls && a->next.calls) {
		func_key(p, j, "next", a->next.func);
	}
	json_close(j, '}');
}

static void write_lines(struct json *j, char *text)
{
	json_key(j, "answer");
	json_open(j, '[');
	for (char *line; (line = strsep(&text, "\n")) && *line;)
		json_str(j, line);
	json_close(j, ']');
}

/* A sentence, then "heading text" for each piece of evidence. */
static int write_answer(const struct html_page *p, struct json *j)
{
	struct answer a;
	int err = answer_find(&a, &p->trace);
	char *text = err ? NULL : answer_say(&a, p->trace.info),
	     *doubt = err ? NULL : answer_doubt_say(&p->trace);

	if (!err && (!text || !doubt))
		err = -ENOMEM;
	if (!err) {
		if (!correction_any_sure(&p->trace))
			json_kv_str(j, "cannot_tell", doubt);
		write_lines(j, text);
		write_about(p, j, &a);
	}
	free(doubt);
	free(text);
	return err;
}

/* The same of samples: also of which programs they are, and how many in which time. */
static int write_answer_of_samples(const struct html_page *p, struct json *j)
{
	struct notes head = { 0 };
	char *text = sample_answer_say(&p->trace), *programs = NULL;
	size_t size;
	FILE *out = open_memstream(&programs, &size);
	int err = out ? sample_programs_say(p->trace.samples->tables, out) : -ENOMEM;

	if (out && text_stream_close(out, &programs) && !err)
		err = -ENOMEM;
	if (!text && !err)
		err = -ENOMEM;
	if (!err) {
		json_kv_str(j, "programs", programs);
		sample_headline(&p->trace, &head);
		json_kv_str(j, "headline", head.n ? head.lines[0] : "");
		write_lines(j, text);
	}
	notes_free(&head);
	free(programs);
	free(text);
	return err;
}

int html_write_trace(const struct html_page *p, struct json *j)
{
	struct notes notes = { 0 };
	int err = p->trace.samples ? 0 : released_doubt(&p->trace, &notes);

	if (!err)
		err = trace_notes(&p->trace, &notes);

	json_key(j, "trace");
	json_open(j, '{');
	trace_json_totals(&p->trace, j);
	trace_json_info(&p->trace, j);
	json_key(j, "notes");
	json_open(j, '[');
	for (size_t i = 0; i < notes.n; i++)
		json_str(j, notes.lines[i]);
	json_close(j, ']');
	if (!err)
		err = (p->trace.samples ? write_answer_of_samples : write_answer)(p, j);
	json_close(j, '}');
	notes_free(&notes);
	return err;
}

/* The program of a function; NULL if there is one program. */
static const char *program_of(const struct html_page *p, uint32_t func)
{
	const struct loaded_samples *s = p->trace.samples;

	if (p->compared)
		return p->program ? p->program[func] : NULL;
	return s && s->programs.n ? sample_program_of_func(s, func) : NULL;
}

static void write_programs(const struct html_page *p, struct json *j)
{
	bool any = false;

	for (size_t i = 0; i < p->n_funcs; i++)
		any |= program_of(p, p->funcs[i]) != NULL;
	if (!any)
		return;
	json_key(j, "programs");
	json_open(j, '[');
	for (size_t i = 0; i < p->n_funcs; i++)
		json_str(j, program_of(p, p->funcs[i]) ?: "");
	json_close(j, ']');
}

static int name_funcs(const struct html_page *p, struct json *j)
{
	const struct trace_info *info = p->trace.info;
	struct html_text lines = { 0 };

	json_key(j, "names");
	json_open(j, '[');
	for (size_t i = 0; i < p->n_funcs; i++)
		json_str(j, trace_name_func(p->trace.info, p->funcs[i]));
	json_close(j, ']');
	write_programs(p, j);
	/* A file is written once for a run of functions in it. */
	json_key(j, "files");
	json_open(j, '[');
	for (size_t i = 0; i < p->n_funcs; i++) {
		const char *file = info->funcs[p->funcs[i]].file,
			   *before = i ? info->funcs[p->funcs[i - 1]].file : NULL;

		json_str(j, i && file && before && !strcmp(file, before) ? "" : file);
	}
	json_close(j, ']');
	for (size_t i = 0; i < p->n_funcs; i++)
		html_put(&lines, info->funcs[p->funcs[i]].line);
	return html_column(j, "lines", &lines);
}

#define A_BAR 16 /* of model/hist.h's buckets: four a power of two */

/* Of each function: how many bars its histogram has, then for each how many further on, and its
 * calls. */
static int write_hists(const struct html_page *p, struct json *j)
{
	struct html_text text = { 0 };
	uint64_t bars[HIST_BUCKETS / A_BAR];

	for (size_t i = 0; i < p->n_funcs; i++) {
		const struct hist *h = &p->trace.funcs[p->funcs[i]].hist;
		unsigned n = 0, last = 0;

		memset(bars, 0, sizeof(bars));
		for (unsigned b = 0; h->count && b < HIST_BUCKETS; b++)
			bars[b / A_BAR] += hist_bucket(h, b);
		for (unsigned b = 0; b < HIST_BUCKETS / A_BAR; b++)
			n += bars[b] != 0;
		html_put(&text, n);
		for (unsigned b = 0; b < HIST_BUCKETS / A_BAR; b++) {
			if (!bars[b])
				continue;
			html_put(&text, b - last);
			html_put(&text, bars[b]);
			last = b;
		}
	}
	return html_column(j, "hists", &text);
}

/* Functions whose self time is not certain; no key where all are. */
static int write_doubtful(const struct html_page *p, struct json *j)
{
	struct html_text text = { 0 };
	bool any = false;

	for (size_t i = 0; i < p->n_funcs; i++)
		any |= correction_doubtful(&p->trace.funcs[p->funcs[i]]);
	for (size_t i = 0; any && i < p->n_funcs; i++)
		html_put(&text, correction_doubtful(&p->trace.funcs[p->funcs[i]]));
	return any ? html_column(j, "doubtful", &text) : 0;
}

int html_write_funcs(const struct html_page *p, struct json *j)
{
	struct html_text text = { 0 };

	json_key(j, "funcs");
	json_open(j, '{');
	json_kv_u64(j, "n", p->n_funcs);
	int err = name_funcs(p, j);

	for (const struct stat_column *c = stat_columns; !err && c->name; c++) {
		/* the page shows these as total_ns and self_ns */
		if (c->of_correction || (c->of_states && !p->trace.totals->states))
			continue;
		for (size_t i = 0; i < p->n_funcs; i++) {
			const struct call_stats *st = &p->trace.funcs[p->funcs[i]];

			/* 0 is none, where no finished call has a duration */
			html_put(&text, c->shown          ? c->shown(st)
					: !c->of_finished ? c->get(st)
					: stat_has(c, st) ? c->get(st) + 1
							  : 0);
		}
		err = html_column(j, c->name, &text);
	}
	if (!err)
		err = write_doubtful(p, j);
	if (!err)
		err = write_hists(p, j);
	json_close(j, '}');
	return err;
}

/* ---- the tree: dense columns have a number for each node, sparse ones have pairs: how many nodes
 * further on, and the number there */

static uint64_t calls_of(const struct call_stats *v)
{
	return v->calls;
}

static uint64_t self_of(const struct call_stats *v)
{
	return v->self_ns;
}

static uint64_t morestack_of(const struct call_stats *v)
{
	return v->morestack_ns;
}

static uint64_t preempt_of(const struct call_stats *v)
{
	return v->preempt_ns;
}

static uint64_t suspect_of(const struct call_stats *v)
{
	return v->suspect;
}

static uint64_t unfinished_of(const struct call_stats *v)
{
	return v->unfinished;
}

static uint64_t unwound_of(const struct call_stats *v)
{
	return v->unwound;
}

static const struct column {
	const char *key;
	uint64_t (*get)(const struct call_stats *v);
	bool dense;
} columns[] = {
	{ "calls", calls_of, true },          { "self", self_of, true },
	{ "morestack", morestack_of, false }, { "preempt", preempt_of, false },
	{ "suspect", suspect_of, false },     { "unfinished", unfinished_of, false },
	{ "unwound", unwound_of, false },
};

struct sparse {
	struct html_text text;
	size_t last;
};

static void sparse_put(struct sparse *s, size_t at, uint64_t v)
{
	if (!v)
		return;
	html_put(&s->text, at - s->last);
	html_put(&s->text, v);
	s->last = at;
}

static const struct call_stats *numbers_of(const struct call_tree *t, const struct call_stats *v,
					   size_t node)
{
	return v ? &v[node] : t->nodes[node].stats;
}

/* Column "total": each node's total time minus the sum that a reader gets from the self times. */
static int totals(const struct call_tree *t, const struct call_stats *v, struct json *j)
{
	uint64_t *sum = calloc(t->n, sizeof(*sum));
	struct sparse s = { 0 };

	if (!sum)
		return -ENOMEM;
	for (size_t i = t->n; i-- > 1;) {
		const struct call_stats *x = numbers_of(t, v, i);

		sum[i] += x->self_ns;
		if (!t->nodes[i].go)
			sum[t->nodes[i].parent] += x->total_ns + x->morestack_ns + x->preempt_ns;
	}
	for (size_t i = 1; i < t->n; i++) {
		const struct call_stats *x = numbers_of(t, v, i);
		int64_t off = (int64_t)(x->total_ns - sum[i]);

		sparse_put(&s, i, (uint64_t)off << 1 ^ (uint64_t)(off >> 63));
	}
	free(sum);
	return html_column(j, "total", &s.text);
}

/* Parts of self time: of functions and of nodes under the same keys. */
int html_write_node_states(const struct call_tree *t, struct json *j, const struct call_stats *v)
{
	int err = 0;

	for (const struct stat_column *c = stat_columns; !err && c->name; c++) {
		struct sparse s = { 0 };

		if (!c->of_states || c->of_correction ||
		    !strncmp(c->name, "total_", strlen("total_")))
			continue;
		for (size_t i = 1; i < t->n; i++)
			sparse_put(&s, i, (c->shown ? c->shown : c->get)(numbers_of(t, v, i)));
		err = html_column(j, c->name, &s.text);
	}
	return err;
}

int html_write_numbers(const struct call_tree *t, struct json *j, const struct call_stats *v)
{
	int err = totals(t, v, j);

	for (size_t c = 0; !err && c < sizeof(columns) / sizeof(columns[0]); c++) {
		struct sparse s = { 0 };

		for (size_t i = 1; i < t->n; i++) {
			uint64_t value = columns[c].get(numbers_of(t, v, i));

			if (columns[c].dense)
				html_put(&s.text, value);
			else
				sparse_put(&s, i, value);
		}
		err = html_column(j, columns[c].key, &s.text);
	}
	return err;
}

int html_write_tree(const struct html_page *p, struct json *j)
{
	const struct call_tree *t = &p->tree;
	struct html_text up = { 0 }, func = { 0 };
	struct sparse go = { 0 }, recursion = { 0 };

	json_key(j, "tree");
	json_open(j, '{');
	json_kv_u64(j, "n", t->n);
	for (size_t i = 1; i < t->n; i++) {
		const struct call_node *x = &t->nodes[i];

		html_put(&up, t->nodes[i - 1].level + 1 - x->level);
		html_put(&func, html_func(p, x->func));
		sparse_put(&go, i, x->go ? p->groups.of_node[i] : 0);
		sparse_put(&recursion, i, x->recursion > 1 ? x->recursion : 0);
	}
	int err = html_column(j, "up", &up);
	int err_func = html_column(j, "func", &func), err_go = html_column(j, "go", &go.text);
	int err_recursion = html_column(j, "recursion", &recursion.text);

	err = err ? err : err_func ? err_func : err_go ? err_go : err_recursion;
	if (!err)
		err = html_write_numbers(t, j, NULL);
	if (!err && p->trace.totals->states)
		err = html_write_node_states(t, j, NULL);
	json_close(j, '}');
	return err;
}
