// SPDX-License-Identifier: BSD-2-Clause
/* The answer as JSON: its lines are those of the text report, and its numbers are what they say. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/test_fixture.h"
#include "base/text_format.h"
#include "report/report_fixture.h"

static const struct trace_view as_text = { .leave_out_parked = true, .said = true },
			       as_json = { .said = true };

static char *report_of(const char *path, const char *format, struct trace_view view,
		       const char *request)
{
	view.request = request;
	return fixture_report(path, format,
			      &(struct report_options){ .by = BY_FUNCTION, .view = &view });
}

/* The object alone; to be freed. */
static char *answer_of(const char *path, const char *request)
{
	char *json = report_of(path, "json", as_json, request);
	char *from = strstr(json, "\n  \"answer\": "), *to = strstr(json, ",\n  \"rows\": [");

	assert_true(from && to && from < to);
	*to = '\0';
	memmove(json, from, strlen(from) + 1);
	return json;
}

/* A number below the keys, each looked for behind the one before. */
static uint64_t number(const char *answer, const char *within, const char *key)
{
	char quoted[64];
	const char *at = within ? strstr(answer, within) : answer;

	snprintf(quoted, sizeof(quoted), "\"%s\": ", key);
	at = at ? strstr(at, quoted) : NULL;
	if (!at)
		fail_msg("no %s in %s", key, answer);
	return strtoull(at + strlen(quoted), NULL, 10);
}

static void has(const char *answer, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void has(const char *answer, const char *fmt, ...)
{
	char part[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(part, sizeof(part), fmt, ap);
	va_end(ap);
	if (!strstr(answer, part))
		fail_msg("not there: %s\nin: %s", part, answer);
}

/* "text" is what the text report begins with. None of the lines has what JSON escapes. */
static void same_lines(const char *path, const char *request, const char *answer)
{
	char *text = report_of(path, "text", as_text, request), *end = strstr(text, "\n\n"),
	     *rest = text, *want = NULL;
	size_t n = 0;
	FILE *out = open_memstream(&want, &n);

	assert_true(end && out);
	*end = '\0';
	fputs("\"text\": [", out);
	for (char *line; (line = strsep(&rest, "\n"));)
		fprintf(out, "%s\n      \"%s\"", line == text ? "" : ",", line);
	fputs("\n    ],", out);
	assert_int_equal(fclose(out), 0);
	has(answer, "%s", want);
	free(want);
	free(text);
}

static const struct expected {
	const char *file, *function, *class, *reason, *where, *ended_by, *held_by, *callee, *there;
	uint64_t calls;
} all[] = {
	{ "channel", "main.servePut", "channel", "chan send", "main.servePut", "main.writer", NULL,
	  NULL, "main.writer", 160 },
	{ "evict", "main.serveEvict", "lock", "sync.Mutex.Lock", "main.(*cache).find",
	  "main.(*cache).find", "main.(*cache).find", "main.(*cache).evict", "main.(*cache).evict",
	  240 },
	{ "garbage", "main.serveGarbage", "run", NULL, "main.serveGarbage", NULL, NULL, NULL, NULL,
	  24 },
	{ "lock", "main.serveLock", "lock", "sync.Mutex.Lock", "main.(*cache).get",
	  "main.(*cache).get", "main.(*cache).get", "main.spin", "main.spin", 240 },
	{ "machine", "main.serveEncode", "processor", NULL, "main.spin", NULL, NULL, NULL, NULL,
	  240 },
	{ "narrow", "main.serveEncode", "processor", NULL, "main.spin", NULL, NULL, NULL, NULL,
	  160 },
	{ "page", "main.servePage", "network", "IO wait", "main.(*database).query", NULL, NULL,
	  NULL, NULL, 80 },
	{ "parts", "main.serveParts", "group", "sync.WaitGroup.Wait", "main.serveParts",
	  "main.part", NULL, NULL, "main.part", 80 },
	{ "reader", "main.serveInsert", "lock", "sync.RWMutex.Lock", "main.(*table).insert",
	  "main.(*table).scan", "main.(*table).scan", NULL, "main.(*table).scan", 60 },
	{ "sync", "main.serveSync", "syscall", NULL, "main.serveSync", NULL, NULL, NULL, NULL, 80 },
	{ "tool", "main.main", "run", NULL, "main.spin", NULL, NULL, NULL, NULL, 1 },
};

/* Numbers that a sentence rounds are those that it rounds. */
static void numbers(const char *answer, const struct expected *e)
{
	const uint64_t total_ns = number(answer, NULL, "total_ns"),
		       class_ns = number(answer, NULL, "class_ns");

	assert_int_equal(number(answer, NULL, "calls"), e->calls);
	has(answer, "(%" PRIu64 " call%s, mean %s, together %s in %s)\"", e->calls,
	    plural(e->calls), HUMAN(total_ns / e->calls), HUMAN(total_ns),
	    HUMAN(number(answer, NULL, "span_ns")));
	has(answer, " %.0f%% ", share_pct(class_ns, total_ns));
	has(answer, " (%.0f%%)\"", share_pct(number(answer, "\"where\": {", "ns"), total_ns));
	has(answer,
	    "\"parts\": [\n      {\n        \"class\": \"%s\",\n        \"ns\": %" PRIu64 "\n",
	    e->class, class_ns);
	if (e->ended_by)
		has(answer, "  ended by  %s %.0f%%", e->ended_by,
		    share_pct(number(answer, "\"ended_by\": [", "ns"),
			      number(answer, NULL, "ended_ns")));
	if (!e->held_by)
		return;
	const uint64_t n = number(answer, "\"held_by\": {", "times"),
		       ns = number(answer, "\"held_by\": {", "ns");

	has(answer, "  held by   %s, %" PRIu64 " times, mean %s or less, longest %s", e->held_by, n,
	    HUMAN(ns / n), HUMAN(number(answer, "\"held_by\": {", "longest_ns")));
	if (e->callee)
		has(answer, ", %.0f%% of it in %s\"",
		    share_pct(number(answer, "\"held_by\": {", "callee_ns"), ns), e->callee);
}

static void test_recorded(void **state)
{
	const struct expected *e = *state;
	char path[128];

	snprintf(path, sizeof(path), "fixtures/answers/%s.gotrace", e->file);
	char *answer = answer_of(path, NULL);

	same_lines(path, NULL, answer);
	has(answer, "\n    \"function\": \"%s\",\n    \"calls\": ", e->function);
	has(answer, "\n    \"class\": \"%s\",\n    \"class_ns\": ", e->class);
	if (e->reason)
		has(answer, "\n    \"reason\": \"%s\",\n    \"where\": {", e->reason);
	else
		has(answer, "\n    \"reason\": null,\n    \"where\": {");
	has(answer, "\"where\": {\n      \"function\": \"%s\",", e->where);
	if (e->ended_by)
		has(answer, "\"ended_by\": [\n      {\n        \"function\": \"%s\",", e->ended_by);
	else
		has(answer, "\"ended_by\": [],\n    \"ended_ns\": 0,");
	if (e->held_by)
		has(answer, "\"held_by\": {\n      \"function\": \"%s\",", e->held_by);
	else
		has(answer, "\"held_by\": null,");
	if (e->there)
		has(answer, "\"there\": {\n      \"function\": \"%s\",", e->there);
	else
		has(answer, "\"there\": null,");
	numbers(answer, e);
	free(answer);
}

TEST(test_rest)
{
	char *page = answer_of("fixtures/answers/page.gotrace", NULL),
	     *parts = answer_of("fixtures/answers/parts.gotrace", NULL),
	     *garbage = answer_of("fixtures/answers/garbage.gotrace", NULL),
	     *narrow = answer_of("fixtures/answers/narrow.gotrace", NULL);

	has(page, "\"repeats\": {\n      \"function\": \"main.(*database).query\",\n"
		  "      \"calls\": 960\n    },");
	has(parts, "\"repeats\": null,");
	has(parts, "\"ended_after\": \"sleep\",");
	has(page, "\"ended_after\": null,");
	has(parts, "\"started\": false,");
	has(garbage, "its goroutines take %.0f%% of all processor time\"",
	    share_pct(number(garbage, NULL, "collector_ns"), number(garbage, NULL, "run_ns")));
	has(garbage, "\"meanwhile\": {\n      \"running\": 1.1");
	has(garbage, "\"ran_most\": \"main.serveGarbage\"");
	has(garbage, "\"go_processors\": null,");
	has(narrow, "\"go_processors\": 1,");
	free(narrow);
	free(page);
	free(parts);
	free(garbage);
}

TEST(test_request)
{
	static const char path[] = "fixtures/answers/evict.gotrace", request[] = "main.*.find";
	char *answer = answer_of(path, request);

	has(answer, "\n    \"function\": \"main.(*cache).find\",\n    \"calls\": 240,");
	same_lines(path, request, answer);
	free(answer);
}

/* A goroutine that waits all the time: rows have it, the answer has not. */
static const char parked[] =
	"@set states 1\n@set states.reason.7 chan receive\n@set states.reason.19 sleep\n"
	"@func main.idle\n@func main.main\n"
	"2 entry main.idle 100 1000\n2 state - 0x703 1010\n"
	"1 entry main.main 100 1000\n1 state - 0x1303 2000\n1 state - 1 8000\n"
	"1 exit main.main 100 9000\n";

TEST(test_parked)
{
	char path[TRACE_PATH_BYTES];

	fixture_write_text(parked, true, path);
	for (int asked = 0; asked < 2; asked++) {
		struct trace_view text = as_text, view = as_json;

		view.parked = asked;
		text.leave_out_parked = !asked;
		text.parked = asked;
		char *json = report_of(path, "json", view, NULL),
		     *in_text = report_of(path, "text", text, NULL);

		*strchr(in_text, '\n') = '\0';
		has(json, "\"text\": [\n      \"%s\",", in_text);
		assert_int_equal(number(json, "\"function\": \"main.idle\"", "wait_ns"), 7990);
		free(in_text);
		free(json);
	}
	unlink(path);
}

TEST(test_nothing)
{
	static const char *const paths[] = { "fixtures/traces/panics.emulated.gotrace",
					     "fixtures/samples/shares.gotrace" };

	for (size_t i = 0; i < 2; i++) {
		char *answer = answer_of(paths[i], NULL);

		assert_string_equal(answer, "\n  \"answer\": null,\n  \"cannot_tell\": null");
		free(answer);
	}
}

/* A summary has all but who held locks, and single calls. */
TEST(test_of_summary)
{
	struct evlist l;
	char path[TRACE_PATH_BYTES];

	assert_int_equal(evlist_parse(&l, parked, "test"), 0);
	fixture_write_summary(&l, path);
	char *answer = answer_of(path, NULL);

	assert_non_null(
		strstr(answer, "\"main.main sleeps 75% of its time (1 call, 8.00us of 8.00us)"));
	assert_non_null(strstr(answer, "\"  where     main.main, sleep (75%)\""));
	free(answer);
	unlink(path);
	evlist_free(&l);
}

/* Nothing is written where the functions that are asked for are not there, nor elsewhere a key. */
TEST(test_elsewhere)
{
	static const char path[] = "fixtures/answers/evict.gotrace";
	const struct trace_view nobody = { .said = true, .request = "main.nobody" };
	struct trace_reader *r = trace_reader_open(path);
	char *text = NULL;
	size_t n = 0;
	FILE *out = open_memstream(&text, &n);

	assert_true(r && out);
	assert_true(report_formats[2].write(
			    r, &(struct report_options){ .by = BY_FUNCTION, .view = &nobody },
			    out) < 0);
	assert_int_equal(fclose(out), 0);
	assert_null(strstr(text, "rows"));
	free(text);
	trace_reader_close(r);
	for (enum report_by by = BY_PATH; by <= BY_REASON; by++) {
		char *json = fixture_report(path, "json",
					    &(struct report_options){ .by = by, .view = &as_json });

		assert_null(strstr(json, "\"answer\""));
		free(json);
	}
	char *json = fixture_report(path, "json",
				    &(struct report_options){ .hist = "main.*", .view = &as_json });

	assert_null(strstr(json, "\"answer\""));
	free(json);
}

#define OF(i) cmocka_unit_test_prestate(test_recorded, (void *)(uintptr_t)&all[i])

int main(void)
{
	const struct CMUnitTest tests[] = {
		OF(0),
		OF(1),
		OF(2),
		OF(3),
		OF(4),
		OF(5),
		OF(6),
		OF(7),
		OF(8),
		OF(9),
		cmocka_unit_test(test_rest),
		cmocka_unit_test(test_request),
		cmocka_unit_test(test_parked),
		cmocka_unit_test(test_nothing),
		cmocka_unit_test(test_of_summary),
		cmocka_unit_test(test_elsewhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
