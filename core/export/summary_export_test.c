// SPDX-License-Identifier: BSD-2-Clause
/* Exports of paths are the same from a summary as from the events that it was made of. */
#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sqlite3.h>

#include "base/test_fixture.h"
#include "base/log.h"
#include "export/export_fixture.h"
#include "trace/keys.h"

static const struct {
	const char *format;
	struct export_options opt;
	void (*print)(const char *data, size_t n, FILE *out); /* NULL: it is text */
} same[] = {
	{ "folded", { 0 }, NULL },
	{ "folded", { .weight = WEIGHT_TOTAL, .raw = true }, NULL },
	{ "pprof", { 0 }, fixture_print_pprof },
	{ "csv", { 0 }, NULL },
	{ "perun", { .layout = PERUN_STACKS, .origin = "1", .host = "vm" }, NULL },
	{ "perun", { .origin = "1", .host = "vm" }, NULL },
};

static char *exported(const char *path, size_t i)
{
	char *text = NULL;
	size_t size, n;
	char *data = fixture_export(path, same[i].format, &same[i].opt, &n);

	if (!same[i].print)
		return data;
	FILE *out = open_memstream(&text, &size);

	same[i].print(data, n, out);
	fclose(out);
	free(data);
	return text;
}

/* Of functions and paths. */
static char *tables(const char *path)
{
	char *text = NULL;
	size_t size, n;
	char *data = fixture_export(path, "sqlite", &(struct export_options){ 0 }, &n);
	struct sqlite3 *db = fixture_open_sqlite(data, n);
	FILE *out = open_memstream(&text, &size);

	fixture_query(db, "SELECT * FROM functions ORDER BY 1", out);
	fixture_query(db, "SELECT * FROM paths ORDER BY 1", out);
	fclose(out);
	sqlite3_close(db);
	free(data);
	return text;
}

static void same_text(char *want, char *got)
{
	assert_string_equal(got, want);
	free(want);
	free(got);
}

/* From "tree" on; the page's notes differ. */
static char *page_tree(const char *path)
{
	size_t n;
	char *page = fixture_export(path, "html", &(struct export_options){ 0 }, &n),
	     *data = fixture_page_data(page);
	const char *from = strstr(data, "\"funcs\""), *to = strstr(data, "\"groups\"");

	assert_true(from && to && from < to);
	char *tree = strndup(from, (size_t)(to - from));

	free(page);
	free(data);
	return tree;
}

TEST(test_same)
{
	glob_t g;

	assert_int_equal(glob("fixtures/cases/*.events", 0, NULL, &g), 0);
	assert_true(g.gl_pathc >= 40);
	for (size_t k = 0; k < g.gl_pathc; k++) {
		struct evlist l;
		char events[TRACE_PATH_BYTES], summary[TRACE_PATH_BYTES];

		assert_int_equal(evlist_load(&l, g.gl_pathv[k]), 0);
		fixture_write(&l, events);
		fixture_write_summary(&l, summary);
		for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++)
			same_text(exported(events, i), exported(summary, i));
		same_text(tables(events), tables(summary));
		same_text(page_tree(events), page_tree(summary));
		unlink(events);
		unlink(summary);
		evlist_free(&l);
	}
	globfree(&g);
}

static void quiet(void *ctx, enum log_level level, const char *line)
{
	(void)level;
	(void)line;
	++*(int *)ctx;
}

/* A summary has no single calls: what is left is the first profile, that of paths. */
TEST(test_speedscope)
{
	char whole[TRACE_PATH_BYTES], summary[TRACE_PATH_BYTES];
	const struct export_options opt = { 0 };
	struct evlist l;
	size_t n, m;

	assert_int_equal(evlist_load(&l, "fixtures/cases/go.events"), 0);
	fixture_write(&l, whole);
	fixture_write_summary(&l, summary);
	char *a = fixture_export(whole, "speedscope", &opt, &n),
	     *b = fixture_export(summary, "speedscope", &opt, &m);
	size_t first = strcspn(strchr(a, '\n') + 1, "\n") + (size_t)(strchr(a, '\n') + 1 - a);

	assert_non_null(strstr(a, "\"type\":\"evented\""));
	assert_null(strstr(b, "\"type\":\"evented\""));
	assert_memory_equal(a, b, first);
	free(a);
	free(b);
	unlink(whole);
	unlink(summary);
	evlist_free(&l);
}

TEST(test_refused)
{
	static const struct {
		const char *format;
		struct export_options opt;
	} of_calls[] = {
		{ "perfetto", { 0 } },
		{ "chrome", { 0 } },
		{ "csv", { .calls = true } },
		{ "pprof", { .goroutines = true } },
	};
	struct evlist l;
	char path[TRACE_PATH_BYTES];

	assert_int_equal(evlist_load(&l, "fixtures/cases/go.events"), 0);
	fixture_write_summary(&l, path);
	for (size_t i = 0; i < sizeof(of_calls) / sizeof(of_calls[0]); i++) {
		struct trace_reader *r = trace_reader_open(path);
		FILE *out = fopen("/dev/null", "w");
		int logged = 0;

		assert_true(r && out);
		log_set_sink(quiet, &logged);
		assert_int_equal(
			fixture_format(of_calls[i].format)->write(&r, 1, &of_calls[i].opt, out),
			-ENOTSUP);
		log_set_sink(NULL, NULL);
		assert_int_equal(logged, 1);
		fclose(out);
		trace_reader_close(r);
	}
	unlink(path);
	evlist_free(&l);
}

TESTS(test_same, test_refused, test_speedscope)
