// SPDX-License-Identifier: BSD-2-Clause
/* The examples that the database and SQLITE.md offer: what they answer is checked, not only that
 * they run. */
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sqlite3.h>

#include "base/test_fixture.h"
#include "export/export_fixture.h"
#include "export/sqlite/sqlite.h"
#include "trace/samples_fixture.h"

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

	/* two calls of 1 and 90 ms: a percentile is told to 1/128 */
	"main.dep|2|52.0|52.0|2000.0|2007.04|50000.0|50000.0|50000.0\n"
	"main.slow|2|41.0|91.0|1000.0|1003.52|89653.248|89653.248|90000.0\n"
	"main.main|1|9.0|100.0|100000.0|100000.0|100000.0|100000.0|100000.0\n"
	"main.worker|1|5.0|7.0|7000.0|7000.0|7000.0|7000.0|7000.0\n",

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

	("main.worker|1|1|5.0\n" /* in parentheses, because clang suspects a missing comma */
	 "main.dep|1|1|2.0\n"),

	"main.worker|/src/main.go:7|1|2.0|2.0\n",

	"", "", "", /* there are no states */
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

TEST(test_examples)
{
	sqlite3 *db = database();
	size_t n = 0;

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
TEST(test_images)
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

	assert_string_equal(wait, "main.worker|/src/main.go:7|1|2.0|2.0\n");
	assert_string_equal(slowest, "main.main|1|1|50.5|5.0|finished\n"
				     "main.worker|1|2|53.5|1.5|finished\n"
				     "main.main|0|1|0.5|1.0|unfinished\n");
	free(wait);
	free(slowest);
}

/* In the order of sqlite_sample_examples. */
static const char *const sample_answers[] = {
	"prog|1|10|100.0|100.0\n",

	"main.leaf|7|70.0|70.0\n"
	"[nowhere+0x999000]|1|10.0|10.0\n"
	"do_syscall_64|1|10.0|10.0\n"
	"work(int)|1|10.0|10.0\n",

	"runtime.goexit;main.main;main.one;main.leaf|4|40.0|0.0|80.0\n"
	"runtime.goexit;main.main;main.two;main.leaf|3|30.0|30.0|50.0\n"
	"[cut off];runtime.goexit;[nowhere+0x999000]|1|10.0|90.0|90.0\n"
	"[unreadable];work(int)|1|10.0|70.0|70.0\n"
	"runtime.goexit;main.main;main.one;do_syscall_64|1|10.0|60.0|60.0\n",

	"4711|101|main.leaf|3|30.0\n"
	"4711|101|[nowhere+0x999000]|1|10.0\n"
	"4711|101|do_syscall_64|1|10.0\n"
	"4711|102|main.leaf|4|40.0\n"
	"4711|103|work(int)|1|10.0\n",

	("(no labels)|7|70.0\n"
	 "handler=/index|3|30.0\n"),

	"running||10|100.0\n",
};

/* A recording of samples has examples of its own, which all give rows. */
TEST(test_samples)
{
	char path[] = "/tmp/samples-XXXXXX";
	int fd = mkstemp(path);
	size_t n, i = 0;

	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(samples_fixture_file(path, true), 0);
	char *data = fixture_export(path, "sqlite", &(struct export_options){ 0 }, &n);
	sqlite3 *db = fixture_open_sqlite(data, n);

	for (; sqlite_sample_examples[i][0]; i++) {
		char *got = answer(db, sqlite_sample_examples[i][1]);

		assert_true(i < sizeof(sample_answers) / sizeof(sample_answers[0]));
		assert_string_equal(got, sample_answers[i]);
		free(got);
	}
	assert_int_equal(i, sizeof(sample_answers) / sizeof(sample_answers[0]));
	char *got = answer(db, "SELECT question FROM examples ORDER BY rowid");
	assert_int_equal(strncmp(got, sqlite_sample_examples[0][0], 20), 0);
	assert_null(strstr(got, "The slowest calls"));
	free(got);
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
	free(data);
	unlink(path);
}

/* A request sleeps 400 of its 800 us, half of it in what it calls, and waits for 200 for a lock. */
TEST(test_call_waits)
{
	static const char text[] = "@set states 1\n"
				   "@set states.reason.19 sleep\n"
				   "@set states.reason.20 sync.Mutex.Lock\n"
				   "1 entry main.request 100 1000000\n"
				   "1 state - 0x1303 1100000\n"
				   "1 state - 1 1300000\n"
				   "1 entry main.query 200 1300000\n"
				   "1 state - 0x1303 1300000\n"
				   "1 state - 1 1500000\n"
				   "1 state - 0x1403 1500000\n"
				   "1 state - 1 1700000\n"
				   "1 exit main.query 200 1750000\n"
				   "1 exit main.request 100 1800000\n";
	char *got = answer_of(text, "Where the time of the slowest calls went (record --states)");

	assert_string_equal(got, "main.request|1|0.0|0.8|0.2|0.0|0.0|sleep|0.4\n"
				 "main.request|1|0.0|0.8|0.2|0.0|0.0|sync.Mutex.Lock|0.2\n"
				 "main.query|1|0.3|0.45|0.05|0.0|0.0|sleep|0.2\n"
				 "main.query|1|0.3|0.45|0.05|0.0|0.0|sync.Mutex.Lock|0.2\n");
	free(got);
}

/* A goroutine waits for 700 and is woken in main.send, then for 200 for a timer. */
TEST(test_wakes)
{
	static const char text[] = "@set states 1\n"
				   "@set states.reason.7 chan receive\n"
				   "@set states.reason.19 sleep\n"
				   "1 entry main.get 100 1000000\n"
				   "1 state - 0x703 1100000\n"
				   "2 entry main.work 100 1200000\n"
				   "2 entry main.send 200 1300000\n"
				   "2 wake - 1 1800000\n"
				   "1 state - 1 1850000\n"
				   "1 state - 0x1303 1900000\n"
				   "- wake - 1 2100000\n"
				   "1 state - 1 2150000\n"
				   "1 exit main.get 100 2200000\n"
				   "2 exit main.send 200 2300000\n";
	char *got = answer_of(text, "Who ended the waits of which function (record --states)");
	char trace[TRACE_PATH_BYTES];
	size_t n;

	assert_string_equal(got, "main.get|chan receive|main.send|1|0.7\n"
				 "main.get|sleep|[runtime]|1|0.2\n");
	free(got);
	fixture_write_text(text, true, trace);
	char *data = fixture_export(trace, "sqlite", &(struct export_options){ 0 }, &n);
	sqlite3 *db = fixture_open_sqlite(data, n);

	got = answer(db, "SELECT s.start_ns, s.woken_by, f.name FROM states s"
			 " LEFT JOIN functions f ON f.id = s.woken_by_function"
			 " WHERE s.state = 'runnable' ORDER BY s.start_ns");
	assert_string_equal(got, "800000|2|main.send\n1100000||\n");
	free(got);
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
	free(data);
	unlink(trace);
}

/* In all cases: each call's parts add up to its duration, and its reasons to its wait. */
TEST(test_call_sums)
{
	glob_t g;
	unsigned with_waits = 0;

	assert_int_equal(glob("fixtures/cases/states*.events", 0, NULL, &g), 0);
	for (size_t i = 0; i < g.gl_pathc; i++) {
		char trace[TRACE_PATH_BYTES];
		struct evlist l;
		size_t n;

		assert_int_equal(evlist_load(&l, g.gl_pathv[i]), 0);
		fixture_write(&l, trace);
		char *data = fixture_export(trace, "sqlite", &(struct export_options){ 0 }, &n);
		sqlite3 *db = fixture_open_sqlite(data, n);
		char *got = answer(
			db,
			"WITH c AS (SELECT *, (SELECT total(total_wait_ns) FROM call_waits w WHERE w.call = c.id) AS waits"
			" FROM calls c WHERE run_ns IS NOT NULL) "
			"SELECT count(*) FILTER (WHERE duration_ns <> run_ns + runnable_ns + wait_ns + syscall_ns"
			" + unknown_ns + off_cpu_ns OR run_ns < 0),"
			" count(*) FILTER (WHERE wait_ns <> waits),"
			" (SELECT total(wait_ns) FROM call_waits) <> (SELECT total(wait_ns) FROM functions),"
			" max(waits) > 0 FROM c");

		if (strcmp(got, "0|0|0|0\n"))
			assert_string_equal(got, "0|0|0|1\n");
		with_waits += got[6] == '1';
		free(got);
		assert_int_equal(sqlite3_close(db), SQLITE_OK);
		free(data);
		unlink(trace);
		evlist_free(&l);
	}
	globfree(&g);
	assert_true(with_waits > 1);
}

/* The table and the page hold the same questions and queries. */
TEST(test_documented)
{
	sqlite3 *db = database();
	char page[16384] = "", block[2048];
	FILE *in = fopen("core/export/sqlite/SQLITE.md", "r");

	assert_non_null(in);
	assert_true(fread(page, 1, sizeof(page) - 1, in) < sizeof(page) - 1);
	fclose(in);
	for (size_t i = 0; sqlite_examples[i][0]; i++) {
		snprintf(block, sizeof(block), "## %s\n\n```sql\n%s\n```\n", sqlite_examples[i][0],
			 sqlite_examples[i][1]);
		assert_non_null(strstr(page, block));
	}
	for (size_t i = 0; sqlite_sample_examples[i][0]; i++) {
		snprintf(block, sizeof(block), "### %s\n\n```sql\n%s\n```\n",
			 sqlite_sample_examples[i][0], sqlite_sample_examples[i][1]);
		assert_non_null(strstr(page, block));
	}
	char *got = answer(db, "SELECT question, query FROM examples ORDER BY rowid LIMIT 1");

	assert_int_equal(strncmp(got, "The slowest calls|SELECT", 24), 0);
	free(got);
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

TESTS(test_examples, test_images, test_samples, test_call_waits, test_call_sums, test_wakes,
      test_documented)
