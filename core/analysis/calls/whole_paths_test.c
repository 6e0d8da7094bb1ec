// SPDX-License-Identifier: BSD-2-Clause
/* When rows of whole paths have no room: which stay, and that no time is lost or counted twice. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/test_fixture.h"
#include "analysis/trace_fixture.h"
#include "analysis/trace_names.h"
#include "analysis/calls/whole_paths.h"

/* main.a calls main.b and main.c, which call more; self times: a 100, b 300, d 400, c 50, e 20,
 * f 30.
 */
static const char events[] = "1 entry main.a 100 1000\n"
			     "1 entry main.b 200 1100\n"
			     "1 entry main.d 300 1200\n"
			     "1 exit main.d 300 1600\n"
			     "1 exit main.b 200 1800\n"
			     "1 entry main.c 200 1800\n"
			     "1 entry main.e 300 1800\n"
			     "1 entry main.f 400 1800\n"
			     "1 exit main.f 400 1830\n"
			     "1 exit main.e 300 1850\n"
			     "1 exit main.c 200 1900\n"
			     "1 exit main.a 100 1900\n";

struct got {
	char path[TRACE_PATH_BYTES];
	struct trace_reader *r;
	struct loaded_trace trace;
	struct call_tree t;
};

static void load(struct got *g)
{
	static const struct call_tree_options opt = { MERGE_NAMES, ORDER_NAMES, false };

	fixture_write_text(events, true, g->path);
	g->r = trace_reader_open(g->path);
	assert_non_null(g->r);
	assert_int_equal(trace_load(&g->trace, g->r, NULL, NULL), 0);
	assert_int_equal(call_tree_build(&g->t, &g->trace, &opt), 0);
}

static void unload(struct got *g)
{
	call_tree_free(&g->t);
	trace_unload(&g->trace);
	trace_reader_close(g->r);
	unlink(g->path);
}

/* "LEVEL NAME calls self total subtree" a line. */
static void same_tree(const struct got *g, const char *want)
{
	char text[4096] = "";
	size_t n = 0;

	for (size_t i = 1; i < g->t.n; i++) {
		const struct call_node *x = &g->t.nodes[i];

		n += (size_t)snprintf(text + n, sizeof(text) - n, "%u %s %lu %lu %lu %lu\n",
				      x->level, trace_name_func(g->trace.info, x->func),
				      (unsigned long)x->stats->calls,
				      (unsigned long)x->stats->self_ns,
				      (unsigned long)x->stats->total_ns,
				      (unsigned long)x->subtree_ns);
		assert_true(x->parent < i && g->t.nodes[x->parent].end > i);
		assert_int_equal(x->level, g->t.nodes[x->parent].level + 1);
		assert_true(x->end > i && x->end <= g->t.nodes[x->parent].end);
	}
	assert_string_equal(text, want);
}

#define WHOLE                      \
	"1 main.a 1 100 900 900\n" \
	"2 main.b 1 300 700 700\n" \
	"3 main.d 1 400 400 400\n" \
	"2 main.c 1 50 100 100\n"  \
	"3 main.e 1 20 50 50\n"    \
	"4 main.f 1 30 30 30\n"

/* Rows have 7, 14, 21, 14, 21 and 28 bytes. */
TEST(test_room)
{
	struct got g;

	load(&g);
	same_tree(&g, WHOLE);
	assert_int_equal(whole_paths_row(&g.t, g.trace.info, 1), 7);
	assert_int_equal(whole_paths_row(&g.t, g.trace.info, 3), 21);
	assert_int_equal(whole_paths_bound(&g.t, g.trace.info, 0, 105), 0);
	same_tree(&g, WHOLE);
	/* of at most two functions */
	assert_int_equal(whole_paths_bound(&g.t, g.trace.info, 2, 35), 0);
	same_tree(&g, WHOLE);
	unload(&g);
}

/* Each has room for its own row and that of [other] below it: a 22, b 36, d 50, c 36. */
TEST(test_bound)
{
	struct got g;

	load(&g);
	assert_int_equal(whole_paths_bound(&g.t, g.trace.info, 0, 104), 0);
	same_tree(&g, "1 main.a 1 100 900 900\n"
		      "2 main.b 1 300 700 700\n"
		      "3 [other] 1 400 400 400\n"
		      "2 main.c 1 50 100 100\n"
		      "3 [other] 2 50 50 50\n");
	/* every path of the model has a node */
	for (size_t i = 0; i < g.t.n_paths; i++)
		assert_true(g.t.node_of[i] < g.t.n);
	unload(&g);

	load(&g);
	assert_int_equal(whole_paths_bound(&g.t, g.trace.info, 0, 40), 0);
	same_tree(&g, "1 main.a 1 100 900 900\n"
		      "2 [other] 5 800 800 800\n");
	unload(&g);

	load(&g);
	assert_int_equal(whole_paths_bound(&g.t, g.trace.info, 0, 1), 0);
	same_tree(&g, "1 [other] 6 900 900 900\n");
	unload(&g);
}

/* A depth, and a share of all time: c has 11.1 %, b 77.8 %, d 44.4 %. */
TEST(test_cut)
{
	static const struct {
		struct path_cut cut;
		const char *tree;
	} cases[] = {
		{ { 0, 0 }, WHOLE },
		{ { 4, 0 }, WHOLE },
		{ { 2, 0 },
		  "1 main.a 1 100 900 900\n2 main.b 1 300 700 700\n3 [other] 1 400 400 400\n"
		  "2 main.c 1 50 100 100\n3 [other] 2 50 50 50\n" },
		{ { 0, 12 },
		  "1 main.a 1 100 900 900\n2 [other] 3 100 100 100\n2 main.b 1 300 700 700\n3 main.d 1 400 400 400\n" },
		{ { 1, 12 }, "1 main.a 1 100 900 900\n2 [other] 5 800 800 800\n" },
		{ { 0, 100 }, "1 main.a 1 100 900 900\n2 [other] 5 800 800 800\n" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct got g;

		load(&g);
		assert_int_equal(whole_paths_cut(&g.t, &cases[i].cut), 0);
		same_tree(&g, cases[i].tree);
		for (size_t k = 0; k < g.t.n_paths; k++)
			assert_true(g.t.node_of[k] < g.t.n);
		unload(&g);
	}
}

TESTS(test_room, test_bound, test_cut)
