// SPDX-License-Identifier: BSD-2-Clause
/* Which nodes are one, which are two, and in which order. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/test_fixture.h"
#include "analysis/calls/call_tree.h"
#include "analysis/trace_fixture.h"
#include "analysis/trace_names.h"

/* Two instances of a generic have one name; main.w is called, and started, and started elsewhere.
 */
static const char *const names[] = { "main.w", "main.F[...]", "main.a", "main.F[...]" };
enum { W, F1, A, F2 };

static void event(struct trace_writer *w, uint64_t ts_ns, uint64_t goid, unsigned kind,
		  uint32_t func, uint32_t depth)
{
	const struct event_ext e = { .h = { ts_ns, goid, 2 * func + (kind == EV_EXIT), depth, 1,
					    (uint16_t)kind, 0 } };

	assert_int_equal(trace_writer_event(w, &e), 0);
}

static void create(struct trace_writer *w, uint64_t ts_ns, uint64_t child, uint64_t pc)
{
	const struct event_ext e = { .h = { ts_ns, 1, 0, 0, 1, EV_CREATE, 0 },
				     .arg = { child, pc } };

	assert_int_equal(trace_writer_event(w, &e), 0);
}

static void write_trace(char path[TRACE_PATH_BYTES])
{
	struct trace_info info = { 0 };

	for (uint32_t f = 0; f < 4; f++) {
		assert_int_equal(trace_info_add_func(&info,
						     &(struct trace_func){
							     .name = (char *)(uintptr_t)names[f] }),
				 0);
		for (uint16_t kind = EV_ENTRY; kind <= EV_EXIT; kind++)
			assert_int_equal(
				trace_info_add_site(&info,
						    &(struct trace_site){ f, TRACE_NONE, 0, kind }),
				0);
	}
	strcpy(path, "/tmp/gotrace-tree-XXXXXX");
	struct trace_writer *w = trace_writer_new(mkstemp(path), &info);

	assert_non_null(w);
	event(w, 100, 1, EV_ENTRY, A, 100);
	for (uint32_t f = 0; f < 4; f++) {
		event(w, 200 + 20 * f, 1, EV_ENTRY, f, 200);
		event(w, 210 + 20 * f, 1, EV_EXIT, f, 200);
	}
	create(w, 300, 2, 0x1000);
	create(w, 310, 3, 0x2000);
	event(w, 400, 1, EV_EXIT, A, 100);
	for (uint64_t g = 2; g < 4; g++) {
		event(w, 500 * g, g, EV_ENTRY, W, 100);
		event(w, 500 * g + 50, g, EV_ENTRY, F2, 200);
		event(w, 500 * g + 60, g, EV_EXIT, F2, 200);
		event(w, 500 * g + 100, g, EV_EXIT, W, 100);
	}
	assert_int_equal(trace_writer_finish(w, NULL, 0), 0);
	trace_info_free(&info);
}

static void same_tree(const char *path, const struct call_tree_options *opt, const char *want)
{
	struct trace_reader *r = trace_reader_open(path);
	struct call_tree t;
	struct loaded_trace trace;
	char *text = NULL;
	size_t size, n;
	FILE *out = open_memstream(&text, &size);

	assert_true(r && out);
	assert_int_equal(trace_load(&trace, r, NULL, NULL), 0);
	assert_int_equal(call_tree_build(&t, &trace, opt), 0);
	for (size_t i = 1; i < t.n; i++) {
		const struct call_node *x = &t.nodes[i];

		fprintf(out, "%u-%u %u %s%s %d\n", x->level, x->end, x->parent, x->go ? "go " : "",
			trace_name_func(trace.info, x->func), (int)x->stats->calls);
	}
	assert_int_equal(fclose(out), 0);
	assert_string_equal(text, want);
	/* Each path of the model is found in the tree under its own name. */
	const struct path_node *paths = model_paths(trace.model, &n);

	for (size_t i = 1; i < n; i++)
		assert_string_equal(trace_name_func(trace.info, paths[i].func),
				    trace_name_func(trace.info, t.nodes[t.node_of[i]].func));
	free(text);
	call_tree_free(&t);
	trace_unload(&trace);
	trace_reader_close(r);
}

TEST(test_tree)
{
	char path[TRACE_PATH_BYTES];

	write_trace(path);
	/* main.a calls itself too: direct recursion is one node. */
	same_tree(path, &(struct call_tree_options){ MERGE_NAMES, ORDER_NAMES_SPECIAL_LAST, false },
		  "1-6 0 main.a 2\n"
		  "2-3 1 main.F[...] 2\n"
		  "2-4 1 main.w 1\n"
		  "2-6 1 go main.w 2\n"
		  "3-6 4 main.F[...] 2\n");
	same_tree(path, &(struct call_tree_options){ MERGE_NAMES, ORDER_NAMES_SPECIAL_LAST, true },
		  "1-4 0 main.a 2\n"
		  "2-3 1 main.F[...] 2\n"
		  "2-4 1 main.w 1\n"
		  "1-6 0 main.w 2\n"
		  "2-6 4 main.F[...] 2\n");
	unlink(path);
}

/* What is kept apart, and what is not, with the other ways of merging. */
TEST(test_merging)
{
	char path[TRACE_PATH_BYTES];

	write_trace(path);
	/* Called and started is one node; instances of a generic are not. */
	same_tree(path, &(struct call_tree_options){ MERGE_FUNCTIONS, ORDER_NAMES, false },
		  "1-6 0 main.a 2\n"
		  "2-3 1 main.F[...] 1\n"
		  "2-4 1 main.F[...] 1\n"
		  "2-6 1 go main.w 3\n"
		  "3-6 4 main.F[...] 2\n");
	/* Each go statement apart; the heaviest first, of equal ones the first function. */
	same_tree(path, &(struct call_tree_options){ MERGE_NOTHING, ORDER_WEIGHT, false },
		  "1-9 0 main.a 2\n"
		  "2-4 1 go main.w 1\n"
		  "3-4 2 main.F[...] 1\n"
		  "2-6 1 go main.w 1\n"
		  "3-6 4 main.F[...] 1\n"
		  "2-7 1 main.w 1\n"
		  "2-8 1 main.F[...] 1\n"
		  "2-9 1 main.F[...] 1\n");
	unlink(path);
}

/* Time of a node and of all below it, started goroutines included. */
TEST(test_subtree)
{
	const struct call_tree_options opt = { MERGE_NAMES, ORDER_NAMES, false };
	char path[TRACE_PATH_BYTES];
	struct loaded_trace trace;
	struct call_tree t;
	uint32_t *nodes = NULL;
	size_t cap = 0;

	write_trace(path);
	struct trace_reader *r = trace_reader_open(path);

	assert_non_null(r);
	assert_int_equal(trace_load(&trace, r, NULL, NULL), 0);
	assert_int_equal(call_tree_build(&t, &trace, &opt), 0);
	assert_int_equal(t.nodes[1].subtree_ns, 300 + 2 * 100);
	assert_int_equal(t.nodes[0].subtree_ns, t.nodes[1].subtree_ns);
	assert_int_equal(t.nodes[4].subtree_ns, 200);
	assert_int_equal(t.nodes[5].subtree_ns, 20);
	assert_int_equal(t.nodes[4].go_pc, 0); /* two statements */
	assert_int_equal(call_tree_path(&t, 5, &nodes, &cap), 0);
	assert_int_equal(nodes[0], 1);
	assert_int_equal(nodes[1], 4);
	assert_int_equal(nodes[2], 5);
	free(nodes);
	call_tree_free(&t);
	trace_unload(&trace);
	trace_reader_close(r);
	unlink(path);
}

/* A trace joined with itself under other numbers of functions: the same tree, numbers once. */
TEST(test_join)
{
	const struct call_tree_options opt = { MERGE_NAMES, ORDER_NAMES, false };
	struct trace_func funcs[] = { { .name = (char *)(uintptr_t) "main.F[...]" },
				      { .name = (char *)(uintptr_t) "main.a" },
				      { .name = (char *)(uintptr_t) "main.w" } };
	const struct trace_info all = { .funcs = funcs, .n_funcs = 3 };
	const uint32_t name_of[] = { [W] = 2, [F1] = 0, [A] = 1, [F2] = 0 };
	char path[TRACE_PATH_BYTES];
	struct loaded_trace trace;
	struct call_tree t, joined;
	const struct call_tree_side side[2] = { { &t, name_of }, { &t, name_of } };
	uint32_t *node_of[2];

	write_trace(path);
	struct trace_reader *r = trace_reader_open(path);

	assert_non_null(r);
	assert_int_equal(trace_load(&trace, r, NULL, NULL), 0);
	assert_int_equal(call_tree_build(&t, &trace, &opt), 0);
	assert_int_equal(call_tree_join(&joined, side, &all, &opt, node_of), 0);
	assert_int_equal(joined.n, t.n);
	for (uint32_t i = 1; i < t.n; i++) {
		const struct call_node *x = &t.nodes[i], *y = &joined.nodes[i];

		assert_int_equal(node_of[0][i], i);
		assert_int_equal(node_of[1][i], i);
		assert_true(x->parent == y->parent && x->end == y->end && x->go == y->go);
		assert_true(x->stats->calls == y->stats->calls && x->subtree_ns == y->subtree_ns);
		assert_string_equal(funcs[y->func].name, trace_name_func(trace.info, x->func));
	}
	free(node_of[0]);
	free(node_of[1]);
	call_tree_free(&joined);
	call_tree_free(&t);
	trace_unload(&trace);
	trace_reader_close(r);
	unlink(path);
}

TESTS(test_tree, test_merging, test_subtree, test_join)
