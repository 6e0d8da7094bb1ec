// SPDX-License-Identifier: BSD-2-Clause
/*
 * Callers: what they are is known for hand-written lists; of recorded traces, what stands at the
 * top has the numbers of its function, and callers share them.
 */
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/test_fixture.h"
#include "analysis/calls/correction.h"
#include "analysis/calls/inverted_tree.h"
#include "analysis/trace_fixture.h"
#include "analysis/trace_names.h"

struct got {
	struct trace_reader *r;
	struct loaded_trace trace;
	struct call_tree paths, callers;
};

/* Of the functions that have this name; NULL: of all. */
static void load(struct got *g, const char *path, const char *name)
{
	static const struct call_tree_options opt = { MERGE_NOTHING, ORDER_NAMES, false };

	g->r = trace_reader_open(path);
	assert_non_null(g->r);
	assert_int_equal(trace_load(&g->trace, g->r, NULL, NULL), 0);
	assert_int_equal(correction_apply(&g->trace), 0);
	assert_int_equal(call_tree_build(&g->paths, &g->trace, &opt), 0);
	const struct trace_info *info = g->trace.info;
	uint8_t *funcs = calloc(info->n_funcs + 1, 1);

	assert_non_null(funcs);
	for (size_t i = 0; i < info->n_funcs; i++)
		funcs[i] = !name || !strcmp(info->funcs[i].name, name);
	assert_int_equal(inverted_tree_build(&g->callers, &g->paths, info, funcs, 0), 0);
	free(funcs);
}

static void unload(struct got *g)
{
	call_tree_free(&g->paths);
	call_tree_free(&g->callers);
	trace_unload(&g->trace);
	trace_reader_close(g->r);
}

static void callers_are(const char *events, const char *name, const char *want)
{
	char path[TRACE_PATH_BYTES], *text = NULL;
	struct got g;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	fixture_write_text(events, true, path);
	load(&g, path, name);
	for (size_t i = 1; i < g.callers.n; i++) {
		const struct call_node *x = &g.callers.nodes[i];

		assert_true(x->level == g.callers.nodes[x->parent].level + 1);
		fprintf(out, "%*s%s%s calls %d total %d self %d\n", (int)x->level - 1, "",
			x->go ? "go in " : "", trace_name_func(g.trace.info, x->func),
			(int)x->stats->calls, (int)x->stats->total_ns, (int)x->stats->self_ns);
	}
	assert_int_equal(fclose(out), 0);
	assert_string_equal(text, want);
	free(text);
	unload(&g);
	unlink(path);
}

TEST(test_ways)
{
	callers_are("1 entry main.main 100 1000\n"
		    "1 entry main.handle 200 1100\n"
		    "1 entry main.read 300 1200\n"
		    "1 exit main.read 300 1300\n"
		    "1 create - 0 1390 arg0=2 arg1=0x10\n"
		    "2 entry main.work 100 1400\n"
		    "2 entry main.read 200 1450\n"
		    "1 exit main.handle 200 1500\n"
		    "2 exit main.read 200 1550\n"
		    "1 entry main.read 200 1600\n"
		    "1 exit main.read 200 1700\n"
		    "2 exit main.work 100 1900\n"
		    "1 exit main.main 100 2000\n",
		    "main.read",
		    "main.read calls 3 total 300 self 300\n"
		    " main.handle calls 1 total 100 self 100\n"
		    "  main.main calls 1 total 100 self 100\n"
		    " main.main calls 1 total 100 self 100\n"
		    " main.work calls 1 total 100 self 100\n"
		    "  go in main.handle calls 1 total 100 self 100\n"
		    "   main.main calls 1 total 100 self 100\n");
}

/* Through another function a function's time counts once, its calls each. */
TEST(test_recursion)
{
	callers_are("1 entry main.even 100 1000\n"
		    "1 entry main.odd 200 1100\n"
		    "1 entry main.even 300 1200\n"
		    "1 exit main.even 300 1300\n"
		    "1 exit main.odd 200 1400\n"
		    "1 exit main.even 100 1500\n",
		    "main.even",
		    "main.even calls 2 total 500 self 300\n"
		    " main.odd calls 1 total 0 self 100\n"
		    "  main.even calls 1 total 0 self 100\n");
}

static void adds_up(const struct got *g)
{
	const struct call_tree *t = &g->callers;
	size_t top = 0;

	for (uint32_t i = 1; i < t->n; i++) {
		const struct call_node *x = &t->nodes[i];
		uint64_t calls = 0, total_ns = 0, self_ns = 0;

		for (uint32_t c = i + 1; c < x->end; c = t->nodes[c].end) {
			calls += t->nodes[c].stats->calls;
			total_ns += t->nodes[c].stats->total_ns;
			self_ns += t->nodes[c].stats->self_ns;
		}
		assert_true(calls <= x->stats->calls && total_ns <= x->stats->total_ns &&
			    self_ns <= x->stats->self_ns);
		if (x->parent)
			continue;
		const struct call_stats *f = &g->trace.funcs[x->func];

		top++;
		assert_int_equal(x->stats->calls, f->calls);
		assert_int_equal(x->stats->finished, f->finished);
		assert_int_equal(x->stats->total_ns, f->total_ns);
		assert_int_equal(x->stats->inside_ns, f->inside_ns);
		assert_int_equal(x->stats->self_ns, f->self_ns);
		assert_int_equal(x->stats->suspect, f->suspect);
		assert_int_equal(x->stats->morestack_ns, f->morestack_ns);
		if (f->finished)
			assert_int_equal(x->stats->max_ns, f->max_ns);
	}
	for (size_t i = 0; i < g->trace.n_funcs; i++)
		top -= g->trace.funcs[i].calls > 0;
	assert_true((long)top >= 0); /* one for each that ran, and for stopped prologues */
}

TEST(test_recorded)
{
	struct got g;
	glob_t files;

	assert_int_equal(glob("fixtures/traces/*.gotrace", 0, NULL, &files), 0);
	for (size_t i = 0; i < files.gl_pathc; i++) {
		load(&g, files.gl_pathv[i], NULL);
		if (!g.trace.totals->folded_nodes)
			adds_up(&g);
		unload(&g);
	}
	globfree(&files);
}

TESTS(test_ways, test_recursion, test_recorded)
