// SPDX-License-Identifier: BSD-2-Clause
/* The examples that the database and SQLITE.md offer: what they answer is checked, not only that
 * they run. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "export/export_fixture.h"
#include "export/sqlite/sqlite.h"

/* main.slow gets slower and waits in main.dep, which a worker calls as well while it does. Times in
 * ms. */
static const struct {
	const char *event;
	unsigned at_ms;
} events[] = {
	{ "1 entry main.main 100", 0 },   { "1 entry main.slow 200", 1 },
	{ "1 exit main.slow 200", 2 },    { "1 create - 0 arg0=2 arg1=0x401000 arg2=0x402000", 3 },
	{ "2 entry main.worker 100", 5 }, { "1 entry main.slow 200", 6 },
	{ "1 entry main.dep 300", 7 },    { "2 entry main.dep 200", 8 },
	{ "2 exit main.dep 200", 10 },    { "2 exit main.worker 100", 12 },
	{ "1 exit main.dep 300", 57 },    { "1 exit main.slow 200", 96 },
	{ "1 exit main.main 100", 100 },
};

/* In the order of sqlite_examples. */
static const char *const answers[] = {
	"main.main|0|1|0.0|100.0|finished\n"
	"main.slow|0|1|6.0|90.0|finished\n"
	"main.dep|0|1|7.0|50.0|finished\n"
	"main.worker|0|2|5.0|7.0|finished\n"
	"main.dep|0|2|8.0|2.0|finished\n"
	"main.slow|0|1|1.0|1.0|finished\n",

	"main.dep|main.slow|1|50.0|50.0\n"
	"main.dep|main.worker|1|2.0|2.0\n"
	"main.main|(outermost)|1|100.0|100.0\n"
	"main.slow|main.main|2|45.5|90.0\n"
	"main.worker|(outermost)|1|7.0|7.0\n",

	"main.dep|8|1|50.0\n"
	"main.dep|9|1|2.0\n"
	"main.main|0|1|100.0\n"
	"main.slow|1|1|1.0\n"
	"main.slow|7|1|90.0\n"
	"main.worker|6|1|7.0\n",

	"main.worker|1|1|5.0\n"
	"main.dep|1|1|2.0\n",

	"main.worker|/src/main.go:7|1|2.0|2.0\n",

	"", /* there are no states */
};

static sqlite3 *database(void)
{
	char text[2048] =
		"@pc 0x401000 main.main file=/src/main.go line=7\n@pc 0x402000 main.worker\n";
	char trace[TRACE_PATH_BYTES];
	size_t n;

	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
		char kind[64], rest[64] = "";
		size_t at = strlen(text);

		/* The time follows goid, kind, function and depth. */
		assert_true(sscanf(events[i].event, "%63[^\n]", kind) == 1);
		char *args = strstr(kind, " arg0");

		if (args) {
			snprintf(rest, sizeof(rest), "%s", args);
			*args = '\0';
		}
		snprintf(text + at, sizeof(text) - at, "%s %u%s\n", kind,
			 1000000000 + events[i].at_ms * 1000000, rest);
	}
	fixture_write_text(text, true, trace);
	char *data = fixture_export(trace, "sqlite", &(struct export_options){ 0 }, &n);
	sqlite3 *db = fixture_open_sqlite(data, n);

	free(data);
	unlink(trace);
	return db;
}

static char *answer(sqlite3 *db, const char *sql)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	fixture_query(db, sql, out);
	assert_int_equal(fclose(out), 0);
	return text;
}

static void test_examples(void **state)
{
	sqlite3 *db = database();
	size_t n = 0;

	(void)state;
	for (; sqlite_examples[n][0]; n++) {
		char *got = answer(db, sqlite_examples[n][1]);

		assert_true(n < sizeof(answers) / sizeof(answers[0]));
		assert_string_equal(got, answers[n]);
		free(got);
	}
	assert_int_equal(n, sizeof(answers) / sizeof(answers[0]));
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

/* What the example with this question answers of a trace given as text. To be freed. */
static char *answer_of(const char *text, const char *question)
{
	char trace[TRACE_PATH_BYTES];
	size_t n, i = 0;

	fixture_write_text(text, true, trace);
	char *data = fixture_export(trace, "sqlite", &(struct export_options){ 0 }, &n);
	sqlite3 *db = fixture_open_sqlite(data, n);

	while (strcmp(sqlite_examples[i][0], question))
		i++;
	char *got = answer(db, sqlite_examples[i][1]);

	assert_int_equal(sqlite3_close(db), SQLITE_OK);
	free(data);
	unlink(trace);
	return got;
}

/* A process that executes itself again counts its goroutines anew: goroutine 2 of the first image
 * made no call, and that of the second waited 2 ms. */
static void test_images(void **state)
{
	static const char twice[] = "@pc 0x401000 main.main file=/src/main.go line=7\n"
				    "@pc 0x402000 main.worker\n"
				    "1 image - 0 500000\n"
				    "1 entry main.main 100 1000000\n"
				    "1 create - 0 2000000 arg0=2 arg1=0x401000 arg2=0x402000\n"
				    "1 image - 0 50000000\n"
				    "1 entry main.main 100 51000000\n"
				    "1 create - 0 52000000 arg0=2 arg1=0x401000 arg2=0x402000\n"
				    "2 entry main.worker 100 54000000\n"
				    "2 exit main.worker 100 55500000\n"
				    "1 exit main.main 100 56000000\n";
	char *wait = answer_of(
		twice, "How long goroutines wait from their go statement to their first call");
	char *slowest = answer_of(twice, "The slowest calls");

	(void)state;
	assert_string_equal(wait, "main.worker|/src/main.go:7|1|2.0|2.0\n");
	assert_string_equal(slowest, "main.main|1|1|50.5|5.0|finished\n"
				     "main.worker|1|2|53.5|1.5|finished\n"
				     "main.main|0|1|0.5|1.0|unfinished\n");
	free(wait);
	free(slowest);
}

/* The table and the page hold the same questions and queries. */
static void test_documented(void **state)
{
	sqlite3 *db = database();
	char page[16384] = "", block[2048];
	FILE *in = fopen("core/export/sqlite/SQLITE.md", "r");

	(void)state;
	assert_non_null(in);
	assert_true(fread(page, 1, sizeof(page) - 1, in) < sizeof(page) - 1);
	fclose(in);
	for (size_t i = 0; sqlite_examples[i][0]; i++) {
		snprintf(block, sizeof(block), "## %s\n\n```sql\n%s\n```\n", sqlite_examples[i][0],
			 sqlite_examples[i][1]);
		assert_non_null(strstr(page, block));
	}
	char *got = answer(db, "SELECT question, query FROM examples ORDER BY rowid LIMIT 1");

	assert_int_equal(strncmp(got, "The slowest calls|SELECT", 24), 0);
	free(got);
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_examples),
					    cmocka_unit_test(test_images),
					    cmocka_unit_test(test_documented) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
