// SPDX-License-Identifier: BSD-2-Clause
/* Pictures of hand-written and of random call graphs: nothing lost, nothing overlaps, always the
 * same. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/test_fixture.h"
#include "export/html/sankey.h"

static const struct sankey_options whole = { .by = SANKEY_TOTAL, .max_nodes = 1000 };

static void add(struct sankey_calls *c, uint32_t from, uint32_t to, bool go, uint64_t total)
{
	const struct sankey_edge e = { from, to, go, { total, total / 2, 1, total / 10 }, 0 };

	assert_int_equal(sankey_add(c, &e), 0);
}

static const struct sankey_node *node_of(const struct sankey *s, uint32_t func)
{
	for (size_t i = 0; i < s->n_nodes; i++)
		if (s->nodes[i].kind == SANKEY_FUNC && s->nodes[i].func == func)
			return &s->nodes[i];
	return NULL;
}

static const struct sankey_link *link_of(const struct sankey *s, uint32_t from, uint32_t to)
{
	for (size_t i = 0; i < s->n_links; i++)
		if (&s->nodes[s->links[i].from] == node_of(s, from) &&
		    &s->nodes[s->links[i].to] == node_of(s, to))
			return &s->links[i];
	return NULL;
}

/* ---- what holds for every picture */

/* The links of one node on one side fill its bar without gap or overlap, `used` from above. */
static void check_side(const struct sankey *s, uint32_t node, bool out)
{
	const struct sankey_node *n = &s->nodes[node];
	uint64_t sum = out ? n->cut_out : n->source + n->recursive + n->cut_in;

	for (size_t i = 0; i < s->n_links; i++) {
		const struct sankey_link *l = &s->links[i];

		if ((out ? l->from : l->to) != node)
			continue;
		sum += l->weight;
		int64_t y = out ? l->y_from : l->y_to;

		assert_true(y >= n->y && y + l->thick <= n->y + n->h + SANKEY_UNIT);
	}
	if (n->kind != SANKEY_ROUTE)
		assert_true(sum == (out ? n->out : n->in));
}

static void check_columns(const struct sankey *s)
{
	uint32_t *nodes, *start;

	assert_int_equal(sankey_by_column(s, &nodes, &start), 0);
	for (uint32_t l = 0; l < s->n_layers; l++) {
		assert_true(start[l] < start[l + 1]);
		for (uint32_t k = start[l]; k < start[l + 1]; k++) {
			const struct sankey_node *n = &s->nodes[nodes[k]];

			assert_int_equal(n->layer, l);
			assert_true(n->h > 0 && n->y >= 0 && n->y + n->h <= s->height);
			if (k > start[l])
				assert_true(n->y >
					    s->nodes[nodes[k - 1]].y + s->nodes[nodes[k - 1]].h);
		}
	}
	free(nodes);
	free(start);
}

static void check(const struct sankey *s)
{
	check_columns(s);
	for (uint32_t i = 0; i < s->n_nodes; i++) {
		check_side(s, i, false);
		check_side(s, i, true);
	}
	for (size_t i = 0; i < s->n_links; i++) {
		const struct sankey_link *l = &s->links[i];
		uint32_t from = s->nodes[l->from].layer, to = s->nodes[l->to].layer;

		assert_true(l->thick >= 1);
		assert_true(l->back ? to < from : from < to);
		assert_int_equal(l->n_routes, l->back ? 0 : to - from - 1);
		for (uint32_t r = 0; r < l->n_routes; r++) {
			assert_int_equal(s->nodes[l->first_route + r].kind, SANKEY_ROUTE);
			assert_int_equal(s->nodes[l->first_route + r].layer, from + 1 + r);
		}
	}
}

/* ---- hand-written */

TEST(test_chain)
{
	struct sankey_calls c = { 0 };
	struct sankey s;

	add(&c, SANKEY_NONE, 7, false, 100);
	add(&c, 7, 8, false, 60);
	add(&c, 7, 9, false, 30);
	add(&c, 8, 9, false, 20);
	assert_int_equal(sankey_layout(&s, &c, &whole), 0);
	check(&s);
	assert_true(s.whole == 100);
	assert_int_equal(s.n_layers, 3);
	assert_int_equal(node_of(&s, 7)->layer, 0);
	assert_int_equal(node_of(&s, 9)->layer, 2);
	assert_true(node_of(&s, 7)->source == 100 && node_of(&s, 7)->out == 90);
	assert_true(node_of(&s, 9)->in == 50 && node_of(&s, 9)->out == 0);
	assert_int_equal(link_of(&s, 7, 9)->n_routes, 1);
	/* Bars are as high as they are heavy. */
	assert_in_range(node_of(&s, 7)->h * 60 / 100, node_of(&s, 8)->h - 1, node_of(&s, 8)->h + 1);
	sankey_free(&s);
	sankey_calls_free(&c);
}

TEST(test_parallel_merged)
{
	struct sankey_calls c = { 0 };
	struct sankey s;

	add(&c, SANKEY_NONE, 0, false, 100);
	for (unsigned i = 0; i < 1000; i++)
		add(&c, 0, 1 + i % 2, false, i % 2);
	assert_int_equal(c.n, 3);
	assert_int_equal(
		sankey_layout(&s, &c,
			      &(struct sankey_options){ .by = SANKEY_CALLS, .max_nodes = 9 }),
		0);
	check(&s);
	assert_int_equal(s.n_links, 2);
	assert_true(link_of(&s, 0, 1)->weight == 500 && link_of(&s, 0, 2)->weight == 500 &&
		    s.whole == 1001);
	sankey_free(&s);
	sankey_calls_free(&c);
}

TEST(test_cycle)
{
	struct sankey_calls c = { 0 };
	struct sankey s;

	add(&c, SANKEY_NONE, 0, false, 100);
	add(&c, 0, 1, false, 90);
	add(&c, 1, 2, false, 80);
	add(&c, 2, 1, false, 10);
	add(&c, 2, 2, false, 5);
	assert_int_equal(sankey_layout(&s, &c, &whole), 0);
	check(&s);
	assert_true(link_of(&s, 2, 1)->back);
	assert_false(link_of(&s, 1, 2)->back);
	assert_null(link_of(&s, 2, 2));
	assert_true(node_of(&s, 2)->recursive == 5 && node_of(&s, 2)->in == 85 &&
		    node_of(&s, 2)->out == 10);
	sankey_free(&s);
	sankey_calls_free(&c);
}

/* Inclusive time counts once: calls that recurse weigh nothing and are there. */
TEST(test_recursion_weighs_nothing)
{
	struct sankey_calls c = { 0 };
	struct sankey s;

	add(&c, SANKEY_NONE, 0, false, 100);
	add(&c, 0, 1, false, 90);
	assert_int_equal(sankey_add(&c, &(struct sankey_edge){ 1, 0, false, { 0, 10, 1, 0 }, 0 }),
			 0);
	assert_int_equal(sankey_layout(&s, &c, &whole), 0);
	check(&s);
	assert_true(link_of(&s, 1, 0)->back && !link_of(&s, 1, 0)->weight &&
		    node_of(&s, 0)->in == 100);
	sankey_free(&s);
	assert_int_equal(
		sankey_layout(&s, &c,
			      &(struct sankey_options){ .by = SANKEY_MORESTACK, .max_nodes = 9 }),
		0);
	assert_null(link_of(&s, 1, 0));
	sankey_free(&s);
	sankey_calls_free(&c);
}

TEST(test_go_carries_nothing)
{
	struct sankey_calls c = { 0 };
	struct sankey s;

	add(&c, SANKEY_NONE, 0, false, 10);
	add(&c, 0, 1, true, 500);
	add(&c, 0, 1, false, 3);
	assert_int_equal(sankey_layout(&s, &c, &whole), 0);
	check(&s);
	assert_true(s.whole == 510);
	assert_int_equal(s.n_links, 2);
	assert_true(node_of(&s, 0)->out == 3 && node_of(&s, 1)->source == 500 &&
		    node_of(&s, 1)->in == 503);
	for (size_t i = 0; i < s.n_links; i++)
		assert_true(s.links[i].weight == (s.links[i].go ? 0 : 3));
	assert_int_equal(node_of(&s, 1)->layer, 1);
	sankey_free(&s);
	sankey_calls_free(&c);
}

TEST(test_folded)
{
	struct sankey_calls c = { 0 };
	struct sankey s;
	uint64_t callees = 0, callers = 0;

	add(&c, SANKEY_NONE, 0, false, 1000);
	add(&c, 0, 1, false, 900);
	for (uint32_t f = 10; f < 20; f++) {
		add(&c, 0, f, false, f - 9);
		add(&c, f, 1, false, 1);
	}
	assert_int_equal(sankey_layout(&s, &c,
				       &(struct sankey_options){ .max_nodes = 9, .min_share = 20 }),
			 0);
	check(&s);
	assert_int_equal(s.n_folded, 10);
	assert_true(s.folded[0] == 19 && s.folded[9] == 10 && s.folded_most == 10);
	for (size_t i = 0; i < s.n_nodes; i++) {
		callees += s.nodes[i].kind == SANKEY_CALLEES ? s.nodes[i].in : 0;
		callers += s.nodes[i].kind == SANKEY_CALLERS ? s.nodes[i].out : 0;
	}
	assert_true(callees == 55 && callers == 10);
	assert_true(node_of(&s, 0)->out == 955 && node_of(&s, 1)->in == 910);
	assert_null(node_of(&s, 19));
	sankey_free(&s);
	sankey_calls_free(&c);
}

/* A light function that starts heavy goroutines is shown, with what it started. */
TEST(test_subtree)
{
	struct sankey_calls c = { 0 };
	struct sankey s;

	add(&c, SANKEY_NONE, 0, false, 1);
	add(&c, 0, 1, true, 1000);
	add(&c, SANKEY_NONE, 2, false, 1);
	assert_int_equal(sankey_add(&c, &(struct sankey_edge){ .from = SANKEY_NONE,
							       .to = 0,
							       .subtree_ns = 1001 }),
			 0);
	assert_int_equal(
		sankey_layout(&s, &c, &(struct sankey_options){ .max_nodes = 9, .min_share = 100 }),
		0);
	check(&s);
	assert_int_equal(s.n_folded, 1);
	assert_true(node_of(&s, 0)->subtree_ns == 1001 && link_of(&s, 0, 1)->go);
	sankey_free(&s);
	sankey_calls_free(&c);
}

TEST(test_cut)
{
	struct sankey_calls c = { 0 };
	struct sankey s;

	add(&c, SANKEY_NONE, 0, false, 100);
	add(&c, 0, 1, false, 50);
	add(&c, 0, 2, false, 30);
	add(&c, 0, 3, false, 10);
	add(&c, 0, 4, true, 0);
	assert_int_equal(sankey_layout(&s, &c,
				       &(struct sankey_options){ .max_nodes = 9, .max_links = 1 }),
			 0);
	check(&s);
	assert_true(s.n_links == 1 && s.n_cut == 2 && s.cut_most == 30);
	assert_true(node_of(&s, 0)->cut_out == 40 && node_of(&s, 3)->cut_in == 10 &&
		    node_of(&s, 3)->in == 10);
	assert_non_null(link_of(&s, 0, 1));
	sankey_free(&s);
	sankey_calls_free(&c);
}

TEST(test_nothing)
{
	struct sankey_calls c = { 0 };
	struct sankey s;

	assert_int_equal(sankey_layout(&s, &c, &whole), 0);
	assert_true(!s.n_nodes && !s.n_links && !s.whole);
	sankey_free(&s);
	add(&c, SANKEY_NONE, 0, false, 5);
	assert_int_equal(
		sankey_layout(&s, &c,
			      &(struct sankey_options){ .by = SANKEY_MORESTACK, .max_nodes = 5 }),
		0);
	assert_true(!s.n_nodes && !s.whole);
	sankey_free(&s);
	sankey_calls_free(&c);
}

/* ---- random */

static uint64_t next(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed >> 11;
}

#define MOST_EDGES 200

static size_t random_edges(uint64_t *seed, struct sankey_edge edges[MOST_EDGES])
{
	uint32_t n = (uint32_t)(1 + next(seed) % MOST_EDGES),
		 n_funcs = (uint32_t)(1 + next(seed) % 40);

	for (uint32_t i = 0; i < n; i++) {
		uint64_t weight = next(seed) >> next(seed) % 53;

		edges[i] = (struct sankey_edge){
			.from = next(seed) % 8 ? (uint32_t)(next(seed) % n_funcs) : SANKEY_NONE,
			.to = (uint32_t)(next(seed) % n_funcs),
			.go = next(seed) % 8 == 0,
			.weight = { weight, weight / 2, 1, weight / 100 },
			.subtree_ns = next(seed) >> next(seed) % 53,
		};
	}
	return n;
}

static void lay_out(struct sankey *s, const struct sankey_edge *edges, size_t n,
		    const struct sankey_options *opt)
{
	struct sankey_calls c = { 0 };

	for (size_t i = 0; i < n; i++)
		assert_int_equal(sankey_add(&c, &edges[i]), 0);
	assert_int_equal(sankey_layout(s, &c, opt), 0);
	sankey_calls_free(&c);
}

/* Weight is neither made nor lost: what enters shown functions is what enters all of them. */
static void check_weight(const struct sankey *s, const struct sankey_edge *edges, size_t n,
			 enum sankey_by by)
{
	for (size_t i = 0; i < s->n_nodes; i++) {
		const struct sankey_node *node = &s->nodes[i];
		uint64_t in = 0, out = 0;

		if (node->kind != SANKEY_FUNC)
			continue;
		for (size_t e = 0; e < n; e++) {
			bool outer = edges[e].go || edges[e].from == SANKEY_NONE;

			in += edges[e].to == node->func ? edges[e].weight[by] : 0;
			out += edges[e].from == node->func && !outer && edges[e].to != node->func
				       ? edges[e].weight[by]
				       : 0;
		}
		assert_true(node->in == in && node->out == out);
	}
}

TEST(test_random)
{
	static struct sankey_edge edges[MOST_EDGES], shuffled[MOST_EDGES];
	uint64_t seed = 88172645463325252u;

	for (unsigned round = 0; round < 3000; round++) {
		size_t n = random_edges(&seed, edges);
		struct sankey_options opt = {
			.by = (enum sankey_by)(next(&seed) % SANKEY_KINDS),
			.max_nodes = (uint32_t)(1 + next(&seed) % 45),
			.min_share = next(&seed) % 2 ? 0 : 100,
			.max_links = (uint32_t)(next(&seed) % 100),
		};
		struct sankey s, again;

		lay_out(&s, edges, n, &opt);
		check(&s);
		check_weight(&s, edges, n, opt.by);
		memcpy(shuffled, edges, sizeof(edges));
		for (size_t i = n; i > 1; i--) {
			size_t k = next(&seed) % i;
			struct sankey_edge e = shuffled[i - 1];

			shuffled[i - 1] = shuffled[k];
			shuffled[k] = e;
		}
		lay_out(&again, shuffled, n, &opt);
		assert_int_equal(s.n_nodes, again.n_nodes);
		assert_int_equal(s.n_links, again.n_links);
		for (size_t i = 0; i < s.n_nodes; i++)
			assert_true(s.nodes[i].func == again.nodes[i].func &&
				    s.nodes[i].y == again.nodes[i].y &&
				    s.nodes[i].h == again.nodes[i].h &&
				    s.nodes[i].layer == again.nodes[i].layer);
		for (size_t i = 0; i < s.n_links; i++)
			assert_true(s.links[i].y_from == again.links[i].y_from &&
				    s.links[i].y_to == again.links[i].y_to);
		sankey_free(&s);
		sankey_free(&again);
	}
}

TESTS(test_chain, test_parallel_merged, test_cycle, test_recursion_weighs_nothing,
      test_go_carries_nothing, test_folded, test_nothing, test_subtree, test_cut, test_random)
