// SPDX-License-Identifier: BSD-2-Clause
/* Comparisons of two traces; what they print of fixtures/cases/diff is stored beside the events. */
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/test_fixture.h"
#include "base/log.h"
#include "report/diff_formats.h"
#include "report/report_fixture.h"

#define FOLDER "fixtures/cases/diff/"
#define NO_STATES \
	"note: no states in A and B, so SELF is compared, with waiting and time without a processor\n"

/* What is logged while a comparison is written. */
struct logged {
	char text[4096];
};

static void keep(void *ctx, enum log_level level, const char *line)
{
	struct logged *l = ctx;
	size_t n = strlen(l->text);

	(void)level;
	snprintf(l->text + n, sizeof(l->text) - n, "%s\n", line);
}

/* The comparison of the traces at a and b; to be freed. */
static char *compare(const char *a, const char *b, const char *format, struct diff_options opt,
		     struct logged *logged)
{
	const struct diff_format *f = diff_formats;
	struct trace_reader *const r[2] = { trace_reader_open(a), trace_reader_open(b) };
	struct logged unused = { "" };
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	assert_true(out && r[0] && r[1]);
	while (f->name && strcmp(f->name, format))
		f++;
	assert_non_null(f->name);
	opt.file[0] = "a.gotrace";
	opt.file[1] = "b.gotrace";
	log_set_sink(keep, logged ? logged : &unused);
	assert_int_equal(f->write(r, &opt, out), 0);
	log_set_sink(NULL, NULL);
	trace_reader_close(r[0]);
	trace_reader_close(r[1]);
	assert_int_equal(fclose(out), 0);
	return text;
}

static char *compare_texts(const char *a, const char *b, const char *format,
			   struct diff_options opt)
{
	char path[2][TRACE_PATH_BYTES];

	fixture_write_text(a, true, path[0]);
	fixture_write_text(b, true, path[1]);
	char *text = compare(path[0], path[1], format, opt, NULL);

	unlink(path[0]);
	unlink(path[1]);
	return text;
}

static void write_file(const char *file, char path[TRACE_PATH_BYTES])
{
	struct evlist l;

	assert_int_equal(evlist_load(&l, file), 0);
	fixture_write(&l, path);
	evlist_free(&l);
}

TEST(test_stored)
{
	static const struct {
		const char *stored, *format;
		struct diff_options opt;
	} cases[] = {
		{ "functions.txt", "text", { .threshold_pct = 5, .min_ns = DIFF_MIN_AUTO } },
		{ "functions.csv", "csv", { .threshold_pct = 5, .min_ns = DIFF_MIN_AUTO } },
		{ "functions.json", "json", { .threshold_pct = 5, .min_ns = DIFF_MIN_AUTO } },
		{ "functions-all.txt", "text", { .sort = DIFF_NAME } },
		{ "functions-calls.txt",
		  "text",
		  { .sort = DIFF_CALLS, .threshold_pct = 5, .limit = 2 } },
		{ "paths.txt",
		  "text",
		  { .by = BY_PATH, .sort = DIFF_TOTAL, .threshold_pct = 5, .min_ns = 1000 } },
		{ "paths.csv", "csv", { .by = BY_PATH, .threshold_pct = 5, .min_ns = 1000 } },
		{ "paths.json",
		  "json",
		  { .by = BY_PATH, .threshold_pct = 5, .min_ns = 1000, .limit = 1 } },
	};
	char a[TRACE_PATH_BYTES], b[TRACE_PATH_BYTES], file[128];

	write_file(FOLDER "before.events", a);
	write_file(FOLDER "after.events", b);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *got = compare(a, b, cases[i].format, cases[i].opt, NULL);

		snprintf(file, sizeof(file), FOLDER "%s", cases[i].stored);
		fixture_same(file, got);
		free(got);
	}
	unlink(a);
	unlink(b);
}

/* What is below the headline. */
static const char *body(const char *text)
{
	const char *end = strstr(text, "\n\n");

	assert_true(!strncmp(text, "A ", 2) && end);
	return end + 2;
}

/* Besides the one that says that there are no states. */
static const char *other_notes(const char *text)
{
	const char *one = strstr(text, "note: no states in A and B, so SELF is compared");

	assert_non_null(one);
	return strstr(one + 1, "note:");
}

TEST(test_equal)
{
	static const struct diff_options all = { .threshold_pct = 0 },
					 defaults = { .threshold_pct = 5, .min_ns = DIFF_MIN_AUTO };
	char path[TRACE_PATH_BYTES];

	write_file(FOLDER "after.events", path);
	for (int i = 0; i < 4; i++) {
		struct diff_options opt = i & 1 ? all : defaults;

		opt.by = i & 2 ? BY_PATH : BY_FUNCTION;
		char *text = compare(path, path, "text", opt, NULL),
		     *csv = compare(path, path, "csv", opt, NULL);

		assert_int_equal(strncmp(body(text), "no change\n", strlen("no change\n")), 0);
		assert_null(strstr(text, "folded"));
		assert_null(other_notes(text));
		assert_int_equal(fixture_lines(csv), 1);
		free(text);
		free(csv);
	}
	unlink(path);
}

/* What flamegraph.pl makes a differential flame graph of. */
TEST(test_differential)
{
	static const struct diff_options opt = { .threshold_pct = 5, .min_ns = DIFF_MIN_AUTO };

	char *text = compare_texts("1 entry main.f 100 1000\n1 entry main.g 200 1100\n"
				   "1 exit main.g 200 1300\n1 exit main.f 100 2000\n",
				   "1 entry main.f 100 1000\n1 entry main.h;x 200 1100\n"
				   "1 exit main.h;x 200 1400\n1 exit main.f 100 2500\n",
				   "folded", opt);

	assert_string_equal(text, "main.f 800 1200\nmain.f;main.g 200 0\nmain.f;main.h,x 0 300\n");
	free(text);
}

TEST(test_empty)
{
	static const struct diff_options opt = { .threshold_pct = 5, .min_ns = DIFF_MIN_AUTO };
	const char *one = "1 entry main.f 100 1000\n1 exit main.f 100 2000\n";

	char *none = compare_texts("", "", "text", opt),
	     *some = compare_texts("", one, "text", opt);
	char *gone = compare_texts(one, "", "text", opt);

	assert_int_equal(strncmp(body(none), "no change\n", 10), 0);
	assert_non_null(strstr(
		some,
		"\n     - 1.00us    new       - 1.00us    new      0     1  main.f  (not traced in A)\n"));
	assert_non_null(strstr(
		gone,
		"\n1.00us      -   gone  1.00us      -   gone      1     0  main.f  (not traced in B)\n"));
	free(none);
	free(some);
	free(gone);
}

/* main.f takes 10,000 ns in A. Both the share and the time must be reached. */
TEST(test_threshold)
{
	static const struct {
		unsigned b_ns;
		double pct;
		uint64_t min_ns;
		bool shown;
	} cases[] = {
		{ 10500, 5, 0, true },
		{ 10499, 5, 0, false },
		{ 9500, 5, 0, true },
		{ 9501, 5, 0, false },
		{ 10500, 5, 500, true },
		{ 10500, 5, 501, false },
		{ 10500, 6, 500, false },
		{ 10001, 0, 0, true },
		{ 10001, 0, 1, true },
		{ 10001, 0, 2, false },
		{ 20000, 100, 0, true },
		{ 19999, 100, 0, false },
		{ 10000, 0, 0, false },
		/* DIFF_MIN_AUTO: 1 % of the longer trace */
		{ 10102, 0, DIFF_MIN_AUTO, true },
		{ 10100, 0, DIFF_MIN_AUTO, false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char b[128];

		snprintf(b, sizeof(b), "1 entry main.f 100 0\n1 exit main.f 100 %u\n",
			 cases[i].b_ns);
		char *csv = compare_texts("1 entry main.f 100 0\n1 exit main.f 100 10000\n", b,
					  "csv",
					  (struct diff_options){ .threshold_pct = cases[i].pct,
								 .min_ns = cases[i].min_ns });

		if (fixture_lines(csv) != 1u + cases[i].shown)
			fail_msg("case %zu:\n%s", i, csv);
		free(csv);
	}
}

/* Calls have no time: the share alone decides. */
TEST(test_threshold_of_calls)
{
	char events[2][4096] = { "", "" };

	for (unsigned s = 0; s < 2; s++)
		for (unsigned i = 0, n = 0; i < 20 + s; i++)
			n += (unsigned)snprintf(events[s] + n, sizeof(events[s]) - n,
						"1 entry main.f 100 %u\n"
						"1 exit main.f 100 %u\n",
						10 * i, 10 * i);
	for (unsigned pct = 5; pct <= 6; pct++) {
		char *csv = compare_texts(events[0], events[1], "csv",
					  (struct diff_options){ .threshold_pct = pct,
								 .min_ns = 1000000 });

		assert_int_equal(fixture_lines(csv), pct == 5 ? 2 : 1);
		free(csv);
	}
}

/* What is folded is said, wherever there is room. */
TEST(test_folded)
{
	static const struct diff_options opt = { .threshold_pct = 5, .min_ns = 100 };
	char a[TRACE_PATH_BYTES], b[TRACE_PATH_BYTES];
	struct logged logged = { "" };

	fixture_write_text("1 entry main.f 100 1000\n1 exit main.f 100 2000\n", true, a);
	fixture_write_text("1 entry main.f 100 1000\n1 exit main.f 100 2001\n", true, b);
	char *text = compare(a, b, "text", opt, NULL), *json = compare(a, b, "json", opt, NULL);
	char *csv = compare(a, b, "csv", opt, &logged);

	assert_int_equal(
		strncmp(body(text),
			"no change that counts\n1 function folded: changed by less than 5% or 100ns "
			"(--threshold, --min)\n",
			95),
		0);
	assert_non_null(strstr(json, "\"folded_rows\": 1,"));
	assert_int_equal(fixture_lines(csv), 1);
	assert_string_equal(
		logged.text,
		"1 function folded: changed by less than 5% or 100ns (--threshold, --min)\n" NO_STATES);
	free(text);
	free(json);
	free(csv);
	unlink(a);
	unlink(b);
}

#define CALL "1 entry main.f 100 1000\n1 exit main.f 100 2000\n"

static const struct {
	const char *a, *b, *note;
} notes[] = {
	{ "@set binary.path /a\n", "@set binary.path /b\n",
	  "binaries at different paths: A /a, B /b" },
	{ "@set go.version go1.22.0\n", "@set go.version go1.26.0\n",
	  "different Go versions: A go1.22.0, B go1.26.0" },
	{ "@set probe.strategy thesis\n", "@set probe.strategy emulated\n",
	  "different probe strategies: A thesis, B emulated" },
	{ "@set host.kernel Linux 6.1\n", "@set host.kernel Linux 6.18\n",
	  "different kernels: A Linux 6.1, B Linux 6.18" },
	{ "@set host.arch amd64\n", "@set host.arch arm64\n",
	  "processors of different kinds: A amd64, B arm64" },
	{ "@set host.cpu x\n", "@set host.cpu y\n", "different processors: A x, B y" },
	{ "@set host.cpus 2\n", "@set host.cpus 4\n", "different numbers of CPUs: A 2, B 4" },
	{ "@set select.package.0 a/b\n@set select.package.1 c\n@set select.exclude.0 c.x*\n",
	  "@set select.wrappers 1\n", "different selections: A -p a/b -p c -x c.x*, B --wrappers" },
	{ "", "@set select.function.0 main.*\n",
	  "different selections: A the default, B -f main.*" },
	{ "", "2 loss - 0 2500 arg0=2600 arg1=7\n",
	  "B lost 7 events, so it has fewer calls than there were" },
	{ "1 entry main.f 100 3000\n1 loss - 0 3500 arg0=3600 arg1=1\n1 exit main.f 100 4000\n", "",
	  "A has 1 suspect call, 50.00% of its time" },
	{ "@set end.reason duration\n", "",
	  "recording of A was ended by --duration before the program ended" },
	{ "", "@set end.reason size\n",
	  "recording of B was ended by --max-size before the program ended" },
	{ "", "@set end.reason interrupted\n",
	  "recording of B was ended by a signal to gotrace before the program ended" },
	{ "@set end.reason write-error\n", "",
	  "recording of A was ended by a write error before the program ended" },
	{ "@set cost.emulated_ns 400\n", "@set cost.emulated_ns 601\n",
	  "an emulated probe cost A 400ns, B 601ns an event" },
	{ "@set cost.step_ns 9000\n", "@set cost.step_ns 900\n",
	  "a single-stepped probe cost A 9.00us, B 900ns an event" },
	{ "", "@set warn.maps some mappings are not known\n", "B: some mappings are not known" },
	{ "@set end.dropped_fault 3\n", "",
	  "A: probe hits dropped in the kernel: 3 where the goroutine could not be read" },
};

TEST(test_notes)
{
	char *same = compare_texts(CALL "@set cost.step_ns 600\n", CALL "@set cost.step_ns 400\n",
				   "text", (struct diff_options){ .threshold_pct = 5 });

	assert_null(other_notes(same));
	free(same);
	for (size_t i = 0; i < sizeof(notes) / sizeof(notes[0]); i++) {
		char a[256], b[256], line[256];

		snprintf(a, sizeof(a), CALL "%s", notes[i].a);
		snprintf(b, sizeof(b), CALL "%s", notes[i].b);
		snprintf(line, sizeof(line), "\nnote: %s\n", notes[i].note);
		char *text = compare_texts(a, b, "text",
					   (struct diff_options){ .threshold_pct = 5 });
		char *json = compare_texts(a, b, "json",
					   (struct diff_options){ .threshold_pct = 5 });

		if (!strstr(text, line))
			fail_msg("missing: %s\n%s", notes[i].note, text);
		snprintf(line, sizeof(line), "    \"%s\"", notes[i].note);
		assert_non_null(strstr(json, line));
		free(text);
		free(json);
	}
}

TEST(test_incomplete)
{
	char a[TRACE_PATH_BYTES], b[TRACE_PATH_BYTES];
	struct logged logged = { "" };

	fixture_write_text(CALL, true, a);
	fixture_write_text(CALL, false, b);
	char *csv = compare(a, b, "csv", (struct diff_options){ .threshold_pct = 5 }, &logged);

	assert_string_equal(logged.text,
			    NO_STATES "note: B is incomplete, because it has no end record\n");
	free(csv);
	unlink(a);
	unlink(b);
}

/* Sum of all numbers that follow the key. */
static long sum_of(const char *json, const char *key)
{
	long sum = 0;

	for (const char *at = strstr(json, key); at; at = strstr(at + 1, key))
		sum += strtol(at + strlen(key), NULL, 10);
	return sum;
}

/* Any two cases, in both directions, by function and by path: the changes add up to the difference.
 */
TEST(test_changes_add_up)
{
	size_t changes = 0;
	glob_t g;

	assert_int_equal(glob("fixtures/cases/*.events", 0, NULL, &g), 0);
	for (size_t i = 0; i + 1 < g.gl_pathc; i++) {
		char path[2][TRACE_PATH_BYTES];

		write_file(g.gl_pathv[i], path[0]);
		write_file(g.gl_pathv[i + 1], path[1]);
		for (unsigned k = 0; k < 4; k++) {
			char *json = compare(
				path[k & 1], path[!(k & 1)], "json",
				(struct diff_options){ .by = k & 2 ? BY_PATH : BY_FUNCTION }, NULL);
			const char *b = strstr(json, "\"b\":"), *rows = strstr(json, "\"rows\":");

			assert_true(b && rows);
			long in_rows = sum_of(rows, "\"calls_change\": ");
			long all = strtol(strstr(b, "\"calls\": ") + 9, NULL, 10) -
				   strtol(strstr(json, "\"calls\": ") + 9, NULL, 10);

			if (in_rows != all)
				fail_msg("%s and %s: %ld, not %ld:\n%s", g.gl_pathv[i],
					 g.gl_pathv[i + 1], in_rows, all, json);
			changes += in_rows != 0;
			free(json);
		}
		unlink(path[0]);
		unlink(path[1]);
	}
	assert_true(changes > 40);
	globfree(&g);
}

TESTS(test_stored, test_equal, test_differential, test_empty, test_threshold,
      test_threshold_of_calls, test_folded, test_notes, test_incomplete, test_changes_add_up)
