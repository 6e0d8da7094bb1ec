// SPDX-License-Identifier: BSD-2-Clause
/*
 * Every case of fixtures/cases and a few recorded traces in every format:
 * fixtures/exports holds what must come out, a file a case, binary formats as
 * text. GOTRACE_UPDATE=1 rewrites them, to be read through before they are
 * committed.
 */
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/test_fixture.h"
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
	{ "otlp", "otlp", { 0 }, fixture_print_otlp },
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

TEST(test_layouts)
{
	static const char *const cases[] = { "go", "names", "unfinished", "no-duration" };

	for (size_t k = 0; k < 4; k++) {
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

static void same_outputs(const char *trace, const char *stored)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	for (size_t i = 0; i < N_OUTPUTS; i++) {
		fprintf(out, "==== %s\n", outputs[i].title);
		print(trace, i, out);
	}
	assert_int_equal(fclose(out), 0);
	fixture_same(stored, text);
	free(text);
}

TEST(test_cases)
{
	glob_t g;

	assert_int_equal(glob("fixtures/cases/*.events", 0, NULL, &g), 0);
	assert_true(g.gl_pathc >= 40);
	for (size_t k = 0; k < g.gl_pathc; k++) {
		char trace[TRACE_PATH_BYTES], stored[256];
		const char *name = strrchr(g.gl_pathv[k], '/') + 1;
		struct evlist l;

		assert_int_equal(evlist_load(&l, g.gl_pathv[k]), 0);
		fixture_write(&l, trace);
		snprintf(stored, sizeof(stored), "fixtures/exports/%.*s.txt",
			 (int)(strlen(name) - strlen(".events")), name);
		same_outputs(trace, stored);
		unlink(trace);
		evlist_free(&l);
	}
	globfree(&g);
}

/* Of recordings the small ones; what functions all of them have is in recorded_test.c. */
TEST(test_recorded)
{
	static const char *const names[] = {
		"osexit.emulated",        /* ends inside of calls */
		"uncaught.go1.27.inline", /* dies of a panic */
		"exits.go1.27.inline",    /* has unfinished calls, and states */
		"never.go1.27.inline",    /* goroutines that wait for ever */
		"plain.lost.inline",      /* lost events */
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		char trace[128], stored[128];

		snprintf(trace, sizeof(trace), "fixtures/traces/%s.gotrace", names[i]);
		snprintf(stored, sizeof(stored), "fixtures/exports/recorded/%s.txt", names[i]);
		same_outputs(trace, stored);
	}
}

TESTS(test_cases, test_layouts, test_recorded)
