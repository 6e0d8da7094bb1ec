// SPDX-License-Identifier: BSD-2-Clause
/* What the goroutine picker offers, each with its own Sankey pictures. */
#include <errno.h>
#include <stdlib.h>

#include "analysis/trace_names.h"
#include "export/html/html.h"

#define MOST_GROUPS 500 /* groups of goroutines that are offered */
/* of those, the heaviest that always have a picture, whatever its size, */
#define GROUP_PICTURES 12
/* and others until all pictures of groups take so many bytes */
#define PICTURES_BYTES ((size_t)128 << 10)
#define FUNCTIONS      24 /* in a picture */
#define FEW_FUNCTIONS  12 /* of all goroutines there are two more, one with so many */
#define MANY_FUNCTIONS 60 /* and one with so many */
#define LINKS          300
#define LEAST_SHARE    1000 /* one part in so many */

/* ---- pictures: flat lists of numbers */

static void put_node(struct html_text *t, const struct sankey_node *n)
{
	html_put(t, n->kind);
	html_put(t, n->kind == SANKEY_FUNC ? n->func : 0);
	html_put(t, n->layer);
	html_put(t, (uint64_t)n->y);
	html_put(t, (uint64_t)n->h);
	html_put(t, n->in);
	html_put(t, n->out);
	html_put(t, n->source);
	html_put(t, n->subtree_ns);
}

/* The upper edge of the band at its start, in each column that it passes, at its end. */
static void put_link(struct html_text *t, const struct sankey *s, const struct sankey_link *l)
{
	html_put(t, l->from);
	html_put(t, l->to);
	html_put(t, (uint64_t)l->go | (uint64_t)l->back << 1);
	html_put(t, l->weight);
	html_put(t, (uint64_t)l->thick);
	html_put(t, l->n_routes);
	html_put(t, (uint64_t)l->y_from);
	for (uint32_t r = 0; r < l->n_routes; r++)
		html_put(t, (uint64_t)s->nodes[l->first_route + r].y);
	html_put(t, (uint64_t)l->y_to);
}

/* Adds what it takes to *bytes. */
static int write_picture(struct json *j, const struct sankey *s, size_t *bytes)
{
	struct html_text nodes = { 0 }, links = { 0 }, folded = { 0 };

	json_open(j, '{');
	json_kv_u64(j, "whole", s->whole);
	json_kv_u64(j, "height", (uint64_t)s->height);
	json_kv_u64(j, "layers", s->n_layers);
	json_kv_u64(j, "foldedMost", s->folded_most);
	json_kv_u64(j, "cut", s->n_cut);
	json_kv_u64(j, "cutMost", s->cut_most);
	for (size_t i = 0; i < s->n_nodes; i++)
		if (s->nodes[i].kind != SANKEY_ROUTE)
			put_node(&nodes, &s->nodes[i]);
	for (size_t i = 0; i < s->n_links; i++)
		put_link(&links, s, &s->links[i]);
	for (size_t i = 0; i < s->n_folded; i++)
		html_put(&folded, s->folded[i]);
	*bytes += nodes.n + links.n + folded.n;
	int err = html_column(j, "nodes", &nodes), err_links = html_column(j, "links", &links);
	int err_folded = html_column(j, "folded", &folded);

	json_close(j, '}');
	return err ? err : err_links ? err_links : err_folded;
}

static int write_pictures(struct json *j, const struct sankey_calls *c, const char *key,
			  uint32_t functions, size_t *bytes)
{
	int err = 0;

	json_key(j, key);
	json_open(j, '[');
	for (enum sankey_by by = 0; !err && by < SANKEY_KINDS; by++) {
		const struct sankey_options opt = { .by = by,
						    .max_nodes = functions,
						    .max_links = LINKS,
						    .min_share = LEAST_SHARE };
		struct sankey s;

		err = sankey_layout(&s, c, &opt);
		if (!err)
			err = write_picture(j, &s, bytes);
		sankey_free(&s);
	}
	json_close(j, ']');
	return err;
}

/* ---- calls of a group; of all with group UINT32_MAX */

/* Adds e's weight to the edge that leads to x. */
static int add_node(struct sankey_calls *c, const struct html_page *p, const struct call_node *x,
		    struct sankey_edge e)
{
	const struct call_node *up = &p->tree.nodes[x->parent];

	e.from = x->parent ? html_func(p, up->func) : SANKEY_NONE;
	e.to = html_func(p, x->func);
	e.go = x->go;
	return sankey_add(c, &e);
}

static int group_calls(struct sankey_calls *c, const struct html_page *p, uint32_t group)
{
	int err = 0;

	for (size_t i = 1; !err && i < p->tree.n; i++) {
		const struct call_node *x = &p->tree.nodes[i];
		bool all = group == UINT32_MAX;

		if (all || p->groups.of_node[i] == group)
			err = add_node(c, p, x, (struct sankey_edge){
				.weight = {
					[SANKEY_TOTAL] = p->groups.outermost[i] ? x->stats->total_ns : 0, [SANKEY_SELF] = x->stats->self_ns,
					[SANKEY_CALLS] = x->stats->calls, [SANKEY_MORESTACK] = x->stats->morestack_ns,
				},
				.subtree_ns = all && p->groups.outermost[i] ? x->subtree_ns : 0 });
	}
	return err;
}

static int by_weight(const void *x, const void *y, void *ctx)
{
	const struct html_group *groups = ctx;
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;

	if (groups[a].weight_ns != groups[b].weight_ns)
		return (groups[a].weight_ns < groups[b].weight_ns) -
		       (groups[a].weight_ns > groups[b].weight_ns);
	return (a > b) - (a < b);
}

static void str_or_null(struct json *j, const char *key, const char *s)
{
	json_kv_str(j, key, *s ? s : NULL);
}

/* bytes: NULL without pictures */
static int write_group(const struct html_page *p, struct json *j, uint32_t at, size_t *bytes)
{
	const struct html_group *g = &p->groups.all[at];
	struct sankey_calls c = { 0 };
	char line[512];
	int err = 0;

	json_open(j, '{');
	json_kv_u64(j, "group", at);
	json_kv_u64(j, "goroutines", g->goroutines);
	json_kv_u64(j, "weight", g->weight_ns);
	if (at) {
		json_kv_u64(j, "func", html_func(p, g->func));
		str_or_null(j, "in", trace_name_at(p->trace.info, g->go_pc));
		str_or_null(j, "at",
			    trace_name_line(p->trace.info, g->go_pc, true, line, sizeof(line)));
	}
	if (bytes) {
		err = group_calls(&c, p, at);
		if (!err)
			err = write_pictures(j, &c, "sankey", FUNCTIONS, bytes);
	}
	sankey_calls_free(&c);
	json_close(j, '}');
	return err;
}

static int write_groups(const struct html_page *p, struct json *j)
{
	const struct html_groups *t = &p->groups;
	uint32_t *order = calloc(t->n, sizeof(*order));
	int err = order ? 0 : -ENOMEM;
	size_t bytes = 0;

	for (uint32_t i = 0; !err && i < t->n; i++)
		order[i] = i;
	if (!err)
		qsort_r(order, t->n, sizeof(*order), by_weight, t->all);
	json_kv_u64(j, "n_groups", t->n);
	json_key(j, "groups");
	json_open(j, '[');
	for (size_t i = 0; !err && i < t->n && i < MOST_GROUPS; i++) {
		bool pictures = t->n > 1 && (i < GROUP_PICTURES || bytes < PICTURES_BYTES);

		err = write_group(p, j, order[i], pictures ? &bytes : NULL);
	}
	json_close(j, ']');
	free(order);
	return err;
}

/* ---- single goroutines */

/* sum: of nodes, all zero, and left so */
static int goroutine_calls(struct sankey_calls *c, const struct html_page *p,
			   const struct html_goroutine *g, uint64_t *sum)
{
	int err = 0;

	for (size_t i = g->n_visits; i-- > 0;) {
		const struct html_visit *v = &g->visits[i];
		const struct call_node *x = &p->tree.nodes[v->path];

		sum[v->path] += v->self_ns;
		if (!x->go && x->parent)
			sum[x->parent] += sum[v->path] + v->morestack_ns + v->preempt_ns;
	}
	for (size_t i = 0; !err && i < g->n_visits; i++) {
		const struct html_visit *v = &g->visits[i];
		const struct call_node *x = &p->tree.nodes[v->path];

		err = add_node(c, p, x,
			       (struct sankey_edge){
				       .weight = { [SANKEY_TOTAL] = p->groups.outermost[v->path]
									    ? sum[v->path]
									    : 0,
						   [SANKEY_SELF] = v->self_ns,
						   [SANKEY_CALLS] = v->calls,
						   [SANKEY_MORESTACK] = v->morestack_ns } });
	}
	for (size_t i = 0; i < g->n_visits; i++) {
		const struct call_node *x = &p->tree.nodes[g->visits[i].path];

		sum[g->visits[i].path] = sum[x->parent] = 0;
	}
	return err;
}

static int write_visits(struct json *j, const struct html_goroutine *g)
{
	struct html_text nodes = { 0 }, calls = { 0 }, self = { 0 }, morestack = { 0 },
			 preempt = { 0 };
	uint32_t last = 0;

	for (size_t i = 0; i < g->n_visits; i++) {
		html_put(&nodes, g->visits[i].path - last);
		html_put(&calls, g->visits[i].calls);
		html_put(&self, g->visits[i].self_ns);
		html_put(&morestack, g->visits[i].morestack_ns);
		html_put(&preempt, g->visits[i].preempt_ns);
		last = g->visits[i].path;
	}
	int err = html_column(j, "nodes", &nodes), err_calls = html_column(j, "calls", &calls);
	int err_self = html_column(j, "self", &self),
	    err_stack = html_column(j, "grow", &morestack);
	int err_preempt = html_column(j, "preempt", &preempt);

	return err         ? err
	       : err_calls ? err_calls
	       : err_self  ? err_self
	       : err_stack ? err_stack
			   : err_preempt;
}

static int write_goroutine(const struct html_page *p, struct json *j,
			   const struct html_goroutine *g, uint64_t *sum)
{
	const struct goroutine_info *info = &g->info;
	struct sankey_calls c = { 0 };
	size_t bytes = 0;
	char line[512];

	json_open(j, '{');
	json_kv_u64(j, "goid", info->goid);
	json_kv_bool(j, "system", info->system);
	json_kv_u64(j, "image", info->image);
	str_or_null(j, "start", trace_name_start(p->trace.info, info));
	str_or_null(j, "at",
		    trace_name_line(p->trace.info, info->create_pc, true, line, sizeof(line)));
	json_kv_u64(j, "weight", info->total_ns);
	int err = write_visits(j, g);

	if (!err)
		err = goroutine_calls(&c, p, g, sum);
	if (!err)
		err = write_pictures(j, &c, "sankey", FUNCTIONS, &bytes);
	sankey_calls_free(&c);
	json_close(j, '}');
	return err;
}

int html_write_picks(const struct html_page *p, struct json *j)
{
	uint64_t *sum = calloc(p->tree.n, sizeof(*sum));
	struct sankey_calls c = { 0 };
	size_t bytes = 0;
	int err = sum ? group_calls(&c, p, UINT32_MAX) : -ENOMEM;

	if (!err)
		err = write_pictures(j, &c, "sankey", FUNCTIONS, &bytes);
	if (!err)
		err = write_pictures(j, &c, "sankey_few", FEW_FUNCTIONS, &bytes);
	if (!err)
		err = write_pictures(j, &c, "sankey_many", MANY_FUNCTIONS, &bytes);
	sankey_calls_free(&c);
	if (!err)
		err = write_groups(p, j);
	json_kv_u64(j, "untracked", p->goroutines.untracked);
	json_key(j, "goroutines");
	json_open(j, '[');
	for (size_t i = 0; !err && i < p->goroutines.n; i++)
		err = write_goroutine(p, j, &p->goroutines.kept[i], sum);
	json_close(j, ']');
	free(sum);
	return err;
}
