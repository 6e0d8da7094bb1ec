// SPDX-License-Identifier: BSD-2-Clause
/* Traces of fixtures/formats whose meaning is in more than their events: a summary, windows. What
 * core/trace/corpus_test.c reads is their text, here it is what they say of calls. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/test_fixture.h"
#include "analysis/trace_fixture.h"
#include "analysis/trace_load.h"

#define SUMMARY "fixtures/formats/1.2.summary.gotrace"
#define WINDOWS "fixtures/formats/1.2.windows.gotrace"

static const char calls[] = "1 entry main.main 16 1000 how=emulated\n"
			    "1 entry main.f 32 2000 how=emulated\n"
			    "1 exit main.f 32 5000 how=ret\n"
			    "1 create - 0 6000 arg0=5 arg1=100 arg2=200\n"
			    "5 entry main.g 16 7000 how=inline\n"
			    "1 entry main.f 32 8000 how=emulated\n"
			    "1 exit main.f 32 10000 how=ret\n"
			    "5 exit main.g 16 11000 how=inline\n"
			    "5 end - 0 11500\n"
			    "1 exit main.main 16 12000 how=ret\n";

static const char windows[] = "@set keep.toggle off\n"
			      "0 window - 0 1000 site=0 tid=0 flags=all arg0=1 arg1=2\n"
			      "1 entry main.main 16 1000 flags=before\n"
			      "1 entry main.f 32 2000\n"
			      "1 exit main.f 32 5000\n"
			      "1 window - 16 5500 site=0 how=inline arg0=4 arg1=2\n"
			      "0 window - 0 6000 site=0 tid=0 flags=all arg0=2\n"
			      "0 window - 0 9000 site=0 tid=0 flags=all arg0=1 arg1=2\n"
			      "1 entry main.f 32 9500\n"
			      "1 window - 32 10500 site=0 arg0=3\n"
			      "1 window main.f 32 10600 arg0=5 arg1=1000\n"
			      "0 window - 0 12000 site=0 tid=0 flags=all arg0=6\n";

/* Adds what is not there, for a new version; never again. */
static void store(const char *to, const char *text, bool summary)
{
	char path[TRACE_PATH_BYTES];
	struct evlist l;

	if (!getenv("GOTRACE_STORE") || !access(to, F_OK))
		return;
	assert_int_equal(evlist_parse(&l, text, "stored"), 0);
	if (summary)
		fixture_write_summary(&l, path);
	else
		fixture_write(&l, path);
	evlist_free(&l);
	FILE *in = fopen(path, "r"), *out = fopen(to, "wx");
	int c;

	assert_non_null(in);
	assert_non_null(out);
	while ((c = getc(in)) != EOF)
		putc(c, out);
	fclose(in);
	assert_int_equal(fclose(out), 0);
	unlink(path);
}

static struct trace_reader *reader;
static struct loaded_trace trace;

static void load(const char *path)
{
	reader = trace_reader_open(path);
	assert_non_null(reader);
	assert_int_equal(trace_load(&trace, reader, NULL, NULL), 0);
}

static void unload(void)
{
	trace_unload(&trace);
	trace_reader_close(reader);
}

static void expect(const char *name, uint64_t n, uint64_t unfinished, uint64_t total_ns)
{
	for (size_t i = 0; i < trace.n_funcs; i++) {
		const struct call_stats *st = &trace.funcs[i];

		if (strcmp(trace.info->funcs[i].name, name))
			continue;
		assert_int_equal(st->calls, n);
		assert_int_equal(st->unfinished, unfinished);
		assert_int_equal(st->total_ns, total_ns);
		return;
	}
	fail_msg("no function %s", name);
}

TEST(test_summary)
{
	store(SUMMARY, calls, true);
	load(SUMMARY);
	expect("main.main", 1, 0, 11000);
	expect("main.f", 2, 0, 5000);
	expect("main.g", 1, 0, 4000);
	assert_true(trace.complete);
	unload();
}

TEST(test_windows)
{
	store(WINDOWS, windows, false);
	load(WINDOWS);
	expect("main.main", 1, 1, 5000);
	expect("main.f", 2, 0, 4000);
	assert_int_equal(trace.all->windows, 2);
	assert_int_equal(trace.all->off_ns, 3000);
	assert_int_equal(trace.all->hits, 1);
	unload();
}

TESTS(test_summary, test_windows)
