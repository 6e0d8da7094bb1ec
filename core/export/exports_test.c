// SPDX-License-Identifier: BSD-2-Clause
/*
 * Every case of fixtures/cases and every recorded trace in every format:
 * fixtures/exports holds what must come out, a file a case, binary formats as
 * text; of recorded traces its size and checksum. GOTRACE_UPDATE=1 rewrites
 * them, to be read through before they are committed.
 */
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include <cmocka.h>

#include "export/export_fixture.h"

static const struct {
	const char *title, *format;
	struct export_options opt;
	void (*print)(const char *data, size_t n, FILE *out); /* NULL: it is text */
} outputs[] = {
	{ "folded", "folded", { 0 }, NULL },
	{ "folded --weight=total", "folded", { .weight = WEIGHT_TOTAL }, NULL },
	{ "folded --weight=calls --no-go-edges",
	  "folded",
	  { .weight = WEIGHT_CALLS, .no_go_edges = true },
	  NULL },
	{ "pprof", "pprof", { 0 }, fixture_print_pprof },
	{ "pprof --goroutines --no-go-edges",
	  "pprof",
	  { .goroutines = true, .no_go_edges = true },
	  fixture_print_pprof },
	{ "perfetto", "perfetto", { 0 }, fixture_print_perfetto },
	{ "speedscope", "speedscope", { 0 }, NULL },
	{ "chrome", "chrome", { 0 }, NULL },
	{ "chrome --args", "chrome", { .args = true }, NULL },
	{ "perun --origin=1234", "perun", { .origin = "1234" }, NULL },
	{ "csv", "csv", { 0 }, NULL },
	{ "csv --calls", "csv", { .calls = true }, NULL },
	{ "sqlite", "sqlite", { 0 }, fixture_print_sqlite },
};
#define N_OUTPUTS (sizeof(outputs) / sizeof(outputs[0]))

/* Of two telling cases: the other layouts say the same in more words. */
static const struct {
	const char *title;
	struct export_options opt;
} layouts[] = {
	{ "perun --perun-layout=stacks --host=vm", { .layout = PERUN_STACKS, .host = "vm" } },
	{ "perun --perun-layout=legacy", { .layout = PERUN_LEGACY } },
};

static void test_layouts(void **state)
{
	static const char *const cases[] = { "go", "names", "unfinished" };

	(void)state;
	for (size_t k = 0; k < 3; k++) {
		char trace[TRACE_PATH_BYTES], file[128], *text = NULL;
		size_t size, n;
		FILE *out = open_memstream(&text, &size);
		struct evlist l;

		assert_non_null(out);
		snprintf(file, sizeof(file), "fixtures/cases/%s.events", cases[k]);
		assert_int_equal(evlist_load(&l, file), 0);
		fixture_write(&l, trace);
		for (size_t i = 0; i < sizeof(layouts) / sizeof(layouts[0]); i++) {
			char *data = fixture_export(trace, "perun", &layouts[i].opt, &n);

			fprintf(out, "==== %s\n%s", layouts[i].title, data);
			free(data);
		}
		assert_int_equal(fclose(out), 0);
		snprintf(file, sizeof(file), "fixtures/exports/%s.perun.txt", cases[k]);
		fixture_same(file, text);
		free(text);
		unlink(trace);
		evlist_free(&l);
	}
}

static void print(const char *trace, size_t i, FILE *out)
{
	size_t n;
	char *data = fixture_export(trace, outputs[i].format, &outputs[i].opt, &n);

	if (outputs[i].print)
		outputs[i].print(data, n, out);
	else
		assert_int_equal(fwrite(data, 1, n, out), n);
	free(data);
}

static void test_cases(void **state)
{
	glob_t g;

	(void)state;
	assert_int_equal(glob("fixtures/cases/*.events", 0, NULL, &g), 0);
	assert_true(g.gl_pathc >= 40);
	for (size_t k = 0; k < g.gl_pathc; k++) {
		char trace[TRACE_PATH_BYTES], stored[256], *text = NULL;
		const char *name = strrchr(g.gl_pathv[k], '/') + 1;
		size_t size;
		FILE *out = open_memstream(&text, &size);
		struct evlist l;

		assert_non_null(out);
		assert_int_equal(evlist_load(&l, g.gl_pathv[k]), 0);
		fixture_write(&l, trace);
		for (size_t i = 0; i < N_OUTPUTS; i++) {
			fprintf(out, "==== %s\n", outputs[i].title);
			print(trace, i, out);
		}
		assert_int_equal(fclose(out), 0);
		snprintf(stored, sizeof(stored), "fixtures/exports/%.*s.txt",
			 (int)(strlen(name) - strlen(".events")), name);
		fixture_same(stored, text);
		free(text);
		unlink(trace);
		evlist_free(&l);
	}
	globfree(&g);
}

/* ---- recorded traces: too long to be stored, so their lines, bytes and CRC-32 are */

static void put_sum(const char *trace, const char *title, const char *text, size_t n, FILE *out)
{
	fprintf(out, "%s  %s: %zu lines, %zu bytes, %08lx\n", trace, title, fixture_lines(text), n,
		crc32(0, (const Bytef *)text, (uInt)n));
}

static void put_sums(const char *path, FILE *out)
{
	const char *file = strrchr(path, '/') + 1;
	char trace[128], *text, *page;
	size_t n;

	snprintf(trace, sizeof(trace), "%.*s", (int)(strlen(file) - strlen(".gotrace")), file);
	for (size_t i = 0; i < N_OUTPUTS; i++) {
		FILE *one = open_memstream(&text, &n);

		assert_non_null(one);
		print(path, i, one);
		assert_int_equal(fclose(one), 0);
		put_sum(trace, outputs[i].title, text, n, out);
		free(text);
	}
	page = fixture_export(path, "html", &(struct export_options){ 0 }, &n);
	text = fixture_page_data(page);
	put_sum(trace, "html's data", text, strlen(text), out);
	free(page);
	free(text);
}

/* Lines of two texts that differ, the first few. */
static void show_difference(char *want, char *got)
{
	size_t shown = 0;

	for (char *w = strsep(&want, "\n"), *g = strsep(&got, "\n"); (w || g) && shown < 10;
	     w = strsep(&want, "\n"), g = strsep(&got, "\n"))
		if (!w || !g || strcmp(w, g)) {
			fprintf(stderr, "stored:  %s\nwritten: %s\n", w ? w : "(nothing)",
				g ? g : "(nothing)");
			shown++;
		}
}

static void test_recorded(void **state)
{
	static const char stored[] = "fixtures/exports/recorded.sums";
	char *got = NULL;
	size_t n;
	FILE *out = open_memstream(&got, &n);
	glob_t g;

	(void)state;
	assert_non_null(out);
	assert_int_equal(glob("fixtures/traces/*.gotrace", 0, NULL, &g), 0);
	assert_true(g.gl_pathc >= 90);
	for (size_t k = 0; k < g.gl_pathc; k++)
		put_sums(g.gl_pathv[k], out);
	assert_int_equal(fclose(out), 0);
	globfree(&g);
	if (getenv("GOTRACE_UPDATE")) {
		fixture_same(stored, got);
	} else {
		char *want = fixture_text(stored);

		if (strcmp(want, got)) {
			show_difference(want, got);
			fail_msg(
				"export these with the gotrace of the last commit and with this one, and compare; "
				"GOTRACE_UPDATE=1 stores what is written now");
		}
		free(want);
	}
	free(got);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_cases),
					    cmocka_unit_test(test_layouts),
					    cmocka_unit_test(test_recorded) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
