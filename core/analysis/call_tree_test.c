// SPDX-License-Identifier: BSD-2-Clause
/* Which nodes are one, which are two, and in which order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "analysis/call_tree.h"
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
	assert_int_equal(trace_load(&trace, r, NULL), 0);
	assert_int_equal(call_tree_build(&t, &trace, opt), 0);
	for (size_t i = 1; i < t.n; i++) {
		const struct call_node *x = &t.nodes[i];

		fprintf(out, "%u-%u %u %s%s %d\n", x->level, x->end, x->parent, x->go ? "go " : "",
			trace_name_func(trace.info, x->func), (int)x->stats.calls);
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

static void test_tree(void **state)
{
	char path[TRACE_PATH_BYTES];

	(void)state;
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

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_tree) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
