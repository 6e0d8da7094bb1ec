// SPDX-License-Identifier: BSD-2-Clause
/*
 * Parts of a trace: what each has is known for hand-written lists; of recorded traces, the parts
 * that together are all add up to all.
 */
#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/test_fixture.h"
#include "analysis/calls/call_tree.h"
#include "analysis/trace_fixture.h"
#include "analysis/trace_load.h"
#include "base/log.h"

/*
 * main.main 0 to 1000 on goroutine 1; in it main.handle 100 to 500, in that main.read 200 to 300;
 * then main.read 600 to 700. main.handle starts goroutine 2 with main.work 400 to 900, in it
 * main.read 450 to 550.
 */
static const char events[] = "1 entry main.main 100 1000\n"
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
			     "1 exit main.main 100 2000\n";

struct got {
	struct trace_reader *r;
	struct loaded_trace t;
	uint64_t on_entry, on_call, on_call_self_ns, goroutines, worst_level;
	struct trace_watch watch;
};

static void on_entry(void *ctx, const struct call *c)
{
	struct got *g = ctx;

	assert_true(c->order <= g->on_entry);
	g->on_entry += c->order == g->on_entry; /* a stopped prologue's call begins once more */
}

static void on_call(void *ctx, const struct call *c)
{
	struct got *g = ctx;

	g->on_call++;
	g->on_call_self_ns += c->self_ns;
	if (c->level > g->worst_level)
		g->worst_level = c->level;
}

static void on_goroutine(void *ctx, const struct goroutine_info *info)
{
	struct got *g = ctx;

	(void)info;
	g->goroutines++;
}

static int load(struct got *g, const char *path, const struct trace_view *v)
{
	*g = (struct got){ .watch = { .on_entry = on_entry,
				      .on_call = on_call,
				      .on_goroutine = on_goroutine,
				      .ctx = g } };
	g->r = trace_reader_open(path);
	assert_non_null(g->r);
	return trace_load(&g->t, g->r, v, &g->watch);
}

static void unload(struct got *g)
{
	trace_unload(&g->t);
	trace_reader_close(g->r);
}

/* "main.f 1/20/10 ...": calls, total and self of each function that has any, in the file's order.
 */
static void say(const struct got *g, char out[512])
{
	size_t n = 0;

	out[0] = '\0';
	for (size_t i = 0; i < g->t.n_funcs; i++) {
		const struct call_stats *st = &g->t.funcs[i];

		if (st->calls || st->total_ns)
			n += (size_t)snprintf(out + n, 512 - n, "%s%s %llu/%llu/%llu",
					      n ? ", " : "",
					      strchr(g->t.info->funcs[i].name, '.') + 1,
					      (unsigned long long)st->calls,
					      (unsigned long long)st->total_ns,
					      (unsigned long long)st->self_ns);
	}
}

static const uint64_t goids[] = { 1, 2 };
static const char *const handle[] = { "main.handle" }, *const read_[] = { "main.read" },
			 *const work[] = { "*.work" };

TEST(test_parts)
{
	static const struct {
		struct trace_view view;
		const char *funcs;
		uint64_t root_ns;
	} cases[] = {
		{ { 0 },
		  "main 1/1000/500, handle 1/400/300, read 3/300/300, work 1/500/400",
		  1500 },
		{ { .focus = handle, .n_focus = 1 },
		  "main 0/400/0, handle 1/400/300, read 2/200/200, work 1/500/400",
		  900 },
		{ { .ignore = handle, .n_ignore = 1 }, "main 1/600/500, read 1/100/100", 600 },
		{ { .focus = read_, .n_focus = 1 },
		  "main 0/200/0, handle 0/100/0, read 3/300/300, work 0/100/0",
		  300 },
		{ { .focus = handle, .n_focus = 1, .ignore = read_, .n_ignore = 1 },
		  "main 0/300/0, handle 1/300/300, work 1/400/400",
		  700 },
		{ { .focus = work, .n_focus = 1 }, "read 1/100/100, work 1/500/400", 500 },
		{ { .goids = &goids[0], .n_goids = 1 },
		  "main 1/1000/500, handle 1/400/300, read 2/200/200",
		  1000 },
		{ { .goids = &goids[1], .n_goids = 1 }, "read 1/100/100, work 1/500/400", 500 },
		{ { .from_ns = 250 },
		  "main 1/750/400, handle 1/250/200, read 3/250/250, work 1/500/400",
		  1250 },
		{ { .from_ns = 250, .to_ns = 460 },
		  "main 1/210/0, handle 1/210/160, read 2/60/60, work 1/60/50",
		  270 },
		{ { .to_ns = 250 }, "main 1/250/100, handle 1/150/100, read 1/50/50", 250 },
		{ { .from_ns = 900 }, "main 1/100/100, work 1/0/0", 100 },
		{ { .from_ns = 250, .to_ns = 460, .focus = read_, .n_focus = 1 },
		  "main 0/50/0, handle 0/50/0, read 2/60/60, work 0/10/0",
		  60 },
	};
	char path[TRACE_PATH_BYTES], said[512];

	fixture_write_text(events, true, path);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct got g;

		assert_int_equal(load(&g, path, &cases[i].view), 0);
		say(&g, said);
		if (strcmp(said, cases[i].funcs) || g.t.totals->root_ns != cases[i].root_ns)
			fail_msg("case %zu: %s, root %llu", i, said,
				 (unsigned long long)g.t.totals->root_ns);
		assert_int_equal(g.on_call, g.t.totals->calls);
		assert_int_equal(g.on_entry, g.t.totals->calls);
		assert_int_equal(g.on_call_self_ns, cases[i].root_ns);
		assert_int_equal(g.t.all->calls, 6);
		assert_int_equal(g.t.all->root_ns, 1500);
		unload(&g);
	}
	unlink(path);
}

/* A call that is not seen whole is in no distribution. */
TEST(test_cut)
{
	static const struct trace_view v = { .from_ns = 250, .to_ns = 1000 };
	char path[TRACE_PATH_BYTES];
	struct got g;

	fixture_write_text(events, true, path);
	assert_int_equal(load(&g, path, &v), 0);
	for (size_t i = 0; i < g.t.n_funcs; i++) {
		const struct call_stats *st = &g.t.funcs[i];

		if (!strcmp(g.t.info->funcs[i].name, "main.read")) {
			assert_int_equal(st->finished, 2);
			assert_int_equal(st->unfinished, 1);
			assert_int_equal(st->min_ns, 100);
		}
		assert_int_equal(st->calls, st->finished + st->unfinished);
	}
	unload(&g);
	unlink(path);
}

static const char *last_line;
static void keep(void *ctx, enum log_level level, const char *line)
{
	(void)level;
	snprintf(ctx, 512, "%s", line);
	last_line = ctx;
}

TEST(test_nothing_matches)
{
	static const char *const wrong[] = { "main.handl" }, *const odd[] = { "net.x" };
	char path[TRACE_PATH_BYTES], line[512];
	struct got g;

	fixture_write_text(events, true, path);
	log_set_sink(keep, line);
	assert_int_equal(load(&g, path, &(struct trace_view){ .focus = wrong, .n_focus = 1 }),
			 -ENOENT);
	assert_string_equal(
		line,
		"--focus: no function of this trace matches 'main.handl'; there are: main.handle");
	unload(&g);
	assert_int_equal(load(&g, path, &(struct trace_view){ .ignore = odd, .n_ignore = 1 }),
			 -ENOENT);
	assert_string_equal(
		line,
		"--ignore: no function of this trace matches 'net.x'; 'gotrace report -n 0' lists those that ran");
	unload(&g);
	assert_int_equal(load(&g, path, &(struct trace_view){ .focus = handle, .n_focus = 1 }), 0);
	assert_string_equal(
		line,
		"shown: 4 of 6 calls, 900ns of 1.50us (60.0%) as measured: --focus main.handle; the rest is left out");
	unload(&g);
	log_set_sink(NULL, NULL);
	unlink(path);
}

/* ---- recorded traces */

static void add(struct call_stats *sum, const struct got *g, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		sum[i].self_ns += g->t.funcs[i].self_ns;
		sum[i].morestack_ns += g->t.funcs[i].morestack_ns;
		sum[i].preempt_ns += g->t.funcs[i].preempt_ns;
		sum[i].calls += g->t.funcs[i].calls;
		sum[i].total_ns += g->t.funcs[i].total_ns;
	}
}

/* Self time adds up, and so do prologue stops that no part cuts; what a part cuts in two are two
 * calls. */
static void add_up(const char *path, const struct trace_view *parts, size_t n_parts, bool cut,
		   const char *what)
{
	struct got whole;

	assert_int_equal(load(&whole, path, NULL), 0);
	size_t n = whole.t.n_funcs;
	struct call_stats *sum = calloc(n + 1, sizeof(*sum));
	uint64_t root_ns = 0;

	assert_non_null(sum);
	for (size_t p = 0; p < n_parts; p++) {
		struct got g;

		assert_int_equal(load(&g, path, &parts[p]), 0);
		add(sum, &g, n);
		root_ns += g.t.totals->root_ns;
		assert_int_equal(g.on_call, g.t.totals->calls);
		assert_true(g.on_entry >= g.t.totals->calls);
		assert_int_equal(g.t.all->calls, whole.t.totals->calls);
		unload(&g);
	}
	for (size_t i = 0; i < n; i++) {
		const struct call_stats *st = &whole.t.funcs[i];
		uint64_t of_all = st->self_ns + st->morestack_ns + st->preempt_ns,
			 of_parts = sum[i].self_ns + sum[i].morestack_ns + sum[i].preempt_ns;
		bool same = cut ? sum[i].calls >= st->calls && of_parts <= of_all
				: sum[i].calls == st->calls && sum[i].self_ns == st->self_ns &&
					    of_parts == of_all;

		if (!same)
			fail_msg("%s, %s, %s: %llu calls %llu ns, not %llu calls %llu ns", path,
				 what, whole.t.info->funcs[i].name,
				 (unsigned long long)sum[i].calls, (unsigned long long)of_parts,
				 (unsigned long long)st->calls, (unsigned long long)of_all);
	}
	if (!cut)
		assert_int_equal(root_ns, whole.t.totals->root_ns);
	else
		assert_true(root_ns <= whole.t.totals->root_ns);
	free(sum);
	unload(&whole);
}

TEST(test_add_up)
{
	glob_t files;

	assert_int_equal(glob("fixtures/traces/*.gotrace", 0, NULL, &files), 0);
	assert_true(files.gl_pathc > 5);
	for (size_t i = 0; i < files.gl_pathc; i++) {
		const char *path = files.gl_pathv[i];
		struct got whole;

		assert_int_equal(load(&whole, path, NULL), 0);
		uint64_t span_ns = loaded_trace_span_ns(&whole.t);
		const char *names[3] = { 0 };
		size_t found = 0;

		for (size_t f = 0; f < whole.t.n_funcs && found < 3; f++)
			if (whole.t.funcs[f].calls)
				names[found++] = strdup(whole.t.info->funcs[f].name);
		unload(&whole);
		for (size_t f = 0; f < found; f++) {
			const char *const one[] = { names[f] };
			const struct trace_view parts[] = {
				{ .focus = one, .n_focus = 1, .said = true },
				{ .ignore = one, .n_ignore = 1, .said = true },
			};

			add_up(path, parts, 2, false, names[f]);
			free((void *)(uintptr_t)names[f]);
		}
		const struct trace_view times[] = {
			{ .to_ns = span_ns / 3 + 1, .said = true },
			{ .from_ns = span_ns / 3 + 1, .to_ns = span_ns / 2 + 2, .said = true },
			{ .from_ns = span_ns / 2 + 2, .said = true },
		};

		add_up(path, times, 3, true, "times");
	}
	globfree(&files);
}

TESTS(test_parts, test_cut, test_nothing_matches, test_add_up)
