// SPDX-License-Identifier: BSD-2-Clause
/* A trace of record --waits has the numbers of one without, once it is folded. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/test_fixture.h"
#include "analysis/calls/call_tree.h"
#include "analysis/calls/fold_waits.h"
#include "analysis/trace_fixture.h"

#define HEAD                                                                \
	"@set states 1\n@set states.reason.22 sync.Mutex.Lock\n"            \
	"@set states.reason.7 chan receive\n@set select.presets db,waits\n" \
	"@func main.main\n@func main.get\n@func sync.(*Mutex).lockSlow\n"   \
	"@func sync.runtime_SemacquireMutex\n@func runtime.chanrecv1\n"

/* main.get waits 500 ns for a lock two calls further down, and once for a channel. */
#define CALLS                                                                          \
	"1 entry main.main 100 1000\n1 entry main.get 200 1100\n"                      \
	"1 entry sync.(*Mutex).lockSlow 300 1200\n"                                    \
	"1 entry sync.runtime_SemacquireMutex 400 1210\n1 state - 0x1603 1220\n"       \
	"1 state - 1 1720\n1 exit sync.runtime_SemacquireMutex 400 1730\n"             \
	"1 exit sync.(*Mutex).lockSlow 300 1750\n1 entry runtime.chanrecv1 300 1800\n" \
	"1 state - 0x703 1810\n1 state - 1 1900\n1 exit runtime.chanrecv1 300 1910\n"  \
	"1 exit main.get 200 2000\n1 exit main.main 100 2100\n"                        \
	"2 entry runtime.chanrecv1 100 2200\n2 exit runtime.chanrecv1 100 2300\n"

static void load(const char *events, struct loaded_trace *t, struct trace_reader **r)
{
	char path[TRACE_PATH_BYTES];

	fixture_write_text(events, true, path);
	*r = trace_reader_open(path);
	assert_non_null(*r);
	assert_int_equal(trace_load(t, *r, NULL, NULL), 0);
	unlink(path);
}

static const struct call_stats *of(const struct loaded_trace *t, const char *name)
{
	for (size_t i = 0; i < t->n_funcs; i++)
		if (!strcmp(t->info->funcs[i].name, name))
			return &t->funcs[i];
	fail_msg("there is no %s", name);
	return NULL;
}

static uint64_t self_sum(const struct loaded_trace *t)
{
	uint64_t ns = 0;

	for (size_t i = 0; i < t->n_funcs; i++)
		ns += t->funcs[i].self_ns;
	return ns;
}

TEST(folded)
{
	struct loaded_trace t;
	struct trace_reader *r;
	size_t n;

	load(HEAD CALLS, &t, &r);
	const uint64_t before_ns = self_sum(&t);

	assert_int_equal(of(&t, "main.get")->self_ns, 240);
	assert_int_equal(fold_waits(&t), 0);
	assert_int_equal(of(&t, "main.get")->self_ns, 900);
	assert_int_equal(of(&t, "main.get")->off_self.wait_ns, 590);
	assert_int_equal(of(&t, "main.get")->total_ns, 900);
	assert_int_equal(of(&t, "main.get")->calls, 1);
	assert_int_equal(of(&t, "sync.(*Mutex).lockSlow")->calls, 0);
	assert_int_equal(of(&t, "sync.runtime_SemacquireMutex")->total_ns, 0);
	/* no call that is recorded has made this one */
	assert_int_equal(of(&t, "runtime.chanrecv1")->calls, 1);
	assert_int_equal(of(&t, "runtime.chanrecv1")->self_ns, 100);
	assert_int_equal(of(&t, "runtime.chanrecv1")->total_ns, 100);
	assert_int_equal(self_sum(&t), before_ns);

	const struct path_waits *w = model_waits(t.model, &n);
	uint64_t ns = 0;

	for (size_t i = 0; i < n; i++) {
		assert_true(!w[i].ns || !strcmp(t.info->funcs[w[i].func].name, "main.get"));
		ns += w[i].ns;
	}
	assert_int_equal(ns, 590);
	trace_unload(&t);
	trace_reader_close(r);
}

/* The tree has no node of what is folded. */
TEST(tree)
{
	static const struct call_tree_options opt = { MERGE_FUNCTIONS, ORDER_NAMES, false };
	struct loaded_trace t;
	struct trace_reader *r;
	struct call_tree paths;

	load(HEAD CALLS, &t, &r);
	assert_int_equal(fold_waits(&t), 0);
	assert_int_equal(call_tree_build(&paths, &t, &opt), 0);
	assert_int_equal(paths.n, 4); /* the root, main, get, and chanrecv1 of goroutine 2 */
	call_tree_free(&paths);
	trace_unload(&t);
	trace_reader_close(r);
}

/* Who calls functions of the program stays, and so does all of a trace that asked for them by name.
 */
TEST(stays)
{
	static const char *const kept[] = {
		"@set states 1\n@func main.main\n@func sync.(*Mutex).lockSlow\n"
		"1 entry main.main 100 1000\n1 entry sync.(*Mutex).lockSlow 200 1100\n"
		"1 exit sync.(*Mutex).lockSlow 200 1200\n1 exit main.main 100 2000\n",
		"@set states 1\n@set select.presets waits\n@func main.main\n"
		"@func sync.(*Mutex).lockSlow\n@func main.f\n"
		"1 entry main.main 100 1000\n1 entry sync.(*Mutex).lockSlow 200 1100\n"
		"1 entry main.f 300 1110\n1 exit main.f 300 1120\n"
		"1 exit sync.(*Mutex).lockSlow 200 1200\n1 exit main.main 100 2000\n",
	};

	for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++) {
		struct loaded_trace t;
		struct trace_reader *r;

		load(kept[i], &t, &r);
		assert_int_equal(fold_waits(&t), 0);
		assert_int_equal(of(&t, "sync.(*Mutex).lockSlow")->calls, 1);
		assert_int_equal(of(&t, "main.main")->self_ns, 900);
		trace_unload(&t);
		trace_reader_close(r);
	}
}

TESTS(folded, tree, stays)
