// SPDX-License-Identifier: BSD-2-Clause
/* What a text report says below its table: each line appears with its cause and not without it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/test_fixture.h"
#include "base/log.h"
#include "report/report_fixture.h"

#define CALL "1 entry main.f 100 1000\n1 exit main.f 100 2000\n"

#define MISSED                                                                                \
	"the process executed itself again from a thread that was not its first. It was not " \
	"recorded from there on (2 images), so every count and time here is too small"
#define LAYOUT                                                                                  \
	"the first events contradict the layout of runtime.g that gotrace assumed for this Go " \
	"version; do not trust this trace"
#define INCOMPLETE                                                                       \
	"this trace is incomplete (no end record), so gotrace was killed, the disk was " \
	"full or the file was cut; calls open at its last event count as unfinished"

static char *footer(const char *events, bool whole, enum report_by by)
{
	char path[TRACE_PATH_BYTES];

	fixture_write_text(events, whole, path);
	char *text = fixture_report(path, "text", &(struct report_options){ .by = by });

	unlink(path);
	return text;
}

/* Is the line there, with or without the mark of a doubt? */
static bool has_line(const char *text, const char *line)
{
	size_t n = strlen(line);

	for (const char *at = strstr(text, line); at; at = strstr(at + 1, line)) {
		const bool doubt = at - text > 2 && at[-2] == '!' && at[-1] == ' ';
		const char *begin = doubt ? at - 2 : at;

		if ((begin == text || begin[-1] == '\n') && at[n] == '\n')
			return true;
	}
	return false;
}

static const struct line {
	const char *events, *line;
} lines[] = {
	{ "",
	  "no call was recorded, because no selected function ran ('gotrace plan --list' names them)" },
	{ "@set binary.path ./p\n@set go.version go1.26.0\n@set probe.strategy thesis\n",
	  "./p, go1.26.0, probes: thesis" },
	{ "@set binary.path ./a\x1b[31m\n", "./a\\x1b[31m" },
	{ "@set end.reason duration\n",
	  "recording was ended by --duration (-d) before the program ended" },
	{ "@set end.reason size\n", "recording was ended by --max-size before the program ended" },
	{ "@set end.reason interrupted\n",
	  "recording was ended by a signal to gotrace before the program ended" },
	{ "@set end.reason write-error\n",
	  "recording was cut short: the trace could not be written any further" },
	{ "@set end.reason not-started\n", "the command could not be executed" },
	{ "@set end.signal 11\n", "the program was ended by signal 11 (Segmentation fault)" },
	{ "@set end.status 3\n", "the program ended with status 3" },
	{ "@set end.children 1\n", "1 child process was not followed" },
	{ "@set end.children 2\n", "2 child processes were not followed" },
	{ "@set end.execs 2\n", "1 other program that the process executed was not traced" },
	{ "1 image - 0 3000\n", "the process executed itself again: 2 images, all counted" },
	{ "@set warn.image its calls were not recorded\n1 image - 0 3000\n",
	  "the process executed itself again: 2 images" },
	{ "@set end.dropped_signal_stack 3\n@set end.dropped_outside_stack 2\n@set end.dropped_fault 1\n",
	  "probe hits dropped in the kernel: 3 on a signal stack, 2 outside the stack of their goroutine, "
	  "1 where the goroutine could not be read" },
	{ "@set end.dropped_fault 4\n",
	  "probe hits dropped in the kernel: 4 where the goroutine could not be read" },
	{ "1 exit main.f 100 2500\n",
	  "1 exit without an entry (begun before the trace, or lost): left out" },
	{ "1 entry main.f 100 2500 site=9\n", "1 event could not be interpreted: left out" },
	{ "@set end.missed_images 2\n@set end.execs 4\n", MISSED },
	{ "@set end.missed_images 2\n@set end.execs 5\n",
	  "2 other programs that the process executed were not traced" },
	{ "@set end.missed_images 2\n", "no event was lost of the recorded part" },
	{ "@set end.text_gone 2\n", "no event was lost of the recorded part" },
	{ "@set end.layout_wrong 1\n", LAYOUT },
	{ "@set warn.0 not traced: 3 assembly ('gotrace plan' lists them)\n",
	  "not traced: 3 assembly ('gotrace plan' lists them)" },
	{ "@set cost.emulated_ns 474\n@set cost.step_ns 9074\n",
	  "measured cost per event: 474ns emulated, 9.07us single-stepped" },
	{ "@set cost.emulated_ns 474\n@set end.events_values 2\n@set end.values_ns 800\n",
	  "measured cost per event: 474ns emulated, ? single-stepped, 400ns more where values are read" },
	{ "@set cost.emulated_ns 474\n@set end.events_values 2\n@set end.values_ns 800\n",
	  "probes cost about 1.75us (estimate: events times their measured cost)" },
	{ "@set cost.emulated_ns 474\n",
	  "measured cost per event: 474ns emulated, ? single-stepped" },
	{ "@set cost.emulated_ns 400\n@set cost.jump_ns 500\n@set cost.nop_ns 200\n@set cost.ret_ns 600\n"
	  "@set cost.step_ns 9070\n",
	  "measured cost per event: 400ns emulated, 500ns in a stub, 200ns in a stub's nop, 600ns RET performed, "
	  "9.07us single-stepped" },
	{ "@set cost.emulated_ns 100\n@set cost.step_ns 300\n@set end.events_emulated 1\n@set end.events_step 1\n",
	  "probes cost about 400ns (estimate: events times their measured cost)" },
	{ "@set cost.ret_ns 1000\n@set end.events_ret 2\n@set end.target_wall_ns 16000\n",
	  "probes cost about 2.00us (estimate: events times their measured cost)" },
	/* two thirds of ten microseconds are the kernel's, half of that the program's own */
	{ "@set cost.ret_ns 1000\n@set end.events_ret 4\n@set end.target_cpu_ns 9000\n@set end.target_wall_ns 9500\n"
	  "@set end.target_system_ns 3875\n",
	  "about 2.0x the processor time of an untraced run, and as many times as long "
	  "(probes 4.42us of 9.00us of processor time)" },
	{ "2 loss - 0 2600 arg0=2700 arg1=4\n",
	  "to lose no events, use a larger buffer (record -m) or select fewer functions (-p, -x)" },
	{ "@set inline.overflow drop\n2 loss - 0 2600 arg0=2700 arg1=4\n",
	  "to lose no events, use larger rings (record --ring), --overflow=throttle or select fewer functions (-p, -x)" },
};

TEST(test_lines)
{
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		char events[512];

		snprintf(events, sizeof(events), "%s%s", i ? CALL : "", lines[i].events);
		char *with = footer(events, true, BY_FUNCTION),
		     *without = footer(i ? CALL : CALL CALL, true, BY_FUNCTION);

		if (!has_line(with, lines[i].line))
			fail_msg("line %zu, \"%s\", is missing in:\n%s", i, lines[i].line, with);
		if (has_line(without, lines[i].line))
			fail_msg("line %zu, \"%s\", stands without a cause in:\n%s", i,
				 lines[i].line, without);
		free(with);
		free(without);
	}
}

TEST(test_incomplete)
{
	static const char line[] = INCOMPLETE;

	for (enum report_by by = BY_FUNCTION; by <= BY_CALL; by++) {
		char *cut = footer(CALL, false, by), *whole = footer(CALL, true, by);

		assert_true(has_line(cut, line));
		assert_false(has_line(whole, line));
		free(cut);
		free(whole);
	}
}

/* A trace that is being recorded is not called killed or cut. */
TEST(test_growing)
{
	struct evlist l;
	char path[TRACE_PATH_BYTES] = "/tmp/gotrace-notes-XXXXXX";
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(evlist_parse(&l, CALL, "test"), 0);
	struct trace_writer *w = trace_writer_new(fd, &l.info);

	assert_non_null(w);
	for (size_t i = 0; i < l.n; i++)
		assert_int_equal(trace_writer_event(w, &l.events[i]), 0);
	assert_int_equal(trace_writer_flush(w), 0);
	char *text = fixture_report(path, "text", &(struct report_options){ 0 });
	char *json = fixture_report(path, "json", &(struct report_options){ 0 });

	assert_non_null(strstr(text, "\n! this trace is still being recorded and was read"));
	assert_null(strstr(text, "killed"));
	assert_non_null(strstr(json, "\"complete\": false,\n    \"recording\": true"));
	trace_writer_abort(w);
	unlink(path);
	free(text);
	free(json);
	evlist_free(&l);
}

static const char *last_line(char *text)
{
	size_t n = strlen(text);

	assert_true(n && text[n - 1] == '\n');
	text[n - 1] = '\0';
	return strrchr(text, '\n') + 1;
}

/* The last line of every report says what was lost and how much of the time that touches. */
TEST(test_last_line)
{
	static const struct {
		const char *events, *last;
	} cases[] = {
		{ CALL, "no event was lost" },
		{ "1 entry main.f 100 1000\n1 loss - 0 1200 arg0=1300 arg1=1\n1 exit main.f 100 2000\n",
		  "! 1 event was lost in 1 gap; 1 call is suspect, 100.00% of the time" },
		{ "1 entry main.f 100 1000\n1 loss - 0 1200 arg0=1300 arg1=5\n1 loss - 0 1400 arg0=1500 arg1=2\n"
		  "1 exit main.f 100 2000\n1 entry main.f 100 3000\n1 exit main.f 100 6000\n",
		  "! 7 events were lost in 2 gaps; 1 call is suspect, 25.00% of the time" },
		/* main.g's exit was not seen */
		{ "1 entry main.f 100 1000\n1 entry main.g 200 1500\n1 exit main.f 100 2000\n",
		  "! no event was lost; 1 call is suspect, 50.00% of the time" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		for (enum report_by by = BY_FUNCTION; by <= BY_CALL; by++) {
			char *text = footer(cases[i].events, true, by);

			assert_string_equal(last_line(text), cases[i].last);
			free(text);
		}
}

/* What only a whole recording knows is said of no other: where the end is missing, losses may be
 * too, and what ran after it. */
TEST(test_no_claims)
{
	static const struct {
		const char *events;
		bool whole;
		const char *last;
	} cases[] = {
		{ CALL, false,
		  "the number of lost events is not known; the readable part has no loss" },
		{ "1 entry main.f 100 1000\n1 loss - 0 1200 arg0=1300 arg1=3\n1 exit main.f 100 2000\n",
		  false,
		  "! 3 events were lost in 1 gap, and more may have been lost in the unreadable part; "
		  "1 call is suspect, 100.00% of the time" },
		{ "@set end.reason write-error\n" CALL, true,
		  "the number of lost events is not known; the readable part has no loss" },
		{ "@set end.dropped_fault 2\n" CALL, true, "no other event was lost" },
		{ "@set end.rings_disabled 1\n" CALL, true, "no other event is known to be lost" },
	};
	static const char nothing[] = "no call was recorded, because no selected function ran";

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *text = footer(cases[i].events, cases[i].whole, BY_FUNCTION);

		assert_string_equal(last_line(text), cases[i].last);
		free(text);
	}
	char *cut = footer("", false, BY_FUNCTION), *whole = footer("", true, BY_FUNCTION),
	     *gap = footer("1 loss - 0 1200 arg0=1300 arg1=3\n", true, BY_FUNCTION);

	assert_null(strstr(cut, nothing));
	assert_true(has_line(cut, "no call was recorded"));
	assert_non_null(strstr(whole, nothing));
	assert_null(strstr(gap, nothing));
	free(cut);
	free(whole);
	free(gap);
}

/* Of a part of the trace, too: how many calls were recorded before the release is of all of it. */
TEST(test_released_part)
{
	char path[TRACE_PATH_BYTES];
	const uint64_t goid = 1;
	const struct trace_view view = { .goids = &goid, .n_goids = 1, .said = true };

	fixture_write_text("2 entry main.f 100 900\n2 exit main.f 100 950\n" CALL
			   "- released main.f 0 3000 arg0=40 arg1=100\n",
			   true, path);
	char *text = fixture_report(path, "text", &(struct report_options){ .view = &view });

	assert_true(strstr(text,
			   "released while recording, because its probes cost too much (record "
			   "--max-cost=off keeps it): main.f after 2 calls\n\n") == text);
	free(text);
	unlink(path);
}

/* A state without a column of its own on a narrow terminal stands behind the call. */
TEST(test_narrow_call)
{
	static const struct {
		unsigned width;
		bool named;
	} cases[] = { { 80, true }, { 100, true }, { 160, false }, { 0, false } };
	char path[TRACE_PATH_BYTES];

	fixture_write_text("@set states 1\n1 entry main.f 100 1000\n1 state - 2 1100\n"
			   "1 state - 1 1900\n1 exit main.f 100 2000\n",
			   true, path);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *text = fixture_report(path, "text",
					    &(struct report_options){ .by = BY_CALL,
								      .width = cases[i].width });

		if (!strstr(text, "(total: runnable 800ns)") == cases[i].named)
			fail_msg("at %u columns:\n%s", cases[i].width, text);
		free(text);
	}
	unlink(path);
}

/* Before any number, and among what other formats warn of: nobody has asked for a release. */
TEST(test_released_first)
{
	static const char said[] =
		"released while recording, because their traps slowed the program "
		"down (record --max-cost=off keeps them): main.f after 1 call, "
		"main.g after 0 calls";
	char path[TRACE_PATH_BYTES];

	fixture_write_text("@set max_cost.traps 0.05\n" CALL
			   "- released main.f 0 3000 arg0=40 arg1=100\n"
			   "- released main.g 0 3000 arg0=40 arg1=100\n"
			   "1 entry main.f 100 3100\n",
			   true, path);
	for (enum report_by by = BY_FUNCTION; by <= BY_CALL; by++) {
		char *text = fixture_report(path, "text", &(struct report_options){ .by = by });

		assert_true(strstr(text, said) == text);
		assert_null(strstr(text + 1, said));
		assert_non_null(strstr(text, "\nlater calls of a released function are not "
					     "counted"));
		free(text);
	}
	char *json = fixture_report(path, "json", &(struct report_options){ 0 });

	assert_non_null(strstr(json, said));
	free(json);
	unlink(path);
}

/* Ten outermost calls, three of them recorded: what is in the trace is a third or so. */
TEST(test_what_one_in_left_out_is_estimated)
{
	static const char events[] = "@set keep.trigger.0 main.f\n@set keep.one_in 3\n"
				     "@set end.trigger_seen 10\n@set end.trigger_kept 3\n" CALL;
	char path[TRACE_PATH_BYTES];

	fixture_write_text(events, true, path);
	char *csv = fixture_report(path, "csv", &(struct report_options){ 0 }),
	     *text = fixture_report(path, "text", &(struct report_options){ 0 }),
	     *json = fixture_report(path, "json", &(struct report_options){ 0 });

	unlink(path);
	assert_non_null(strstr(csv, ",all_calls,all_total_ns,all_self_ns\n"));
	assert_non_null(strstr(csv, ",3,3333,3333\n"));
	assert_non_null(strstr(text, " ALLCALLS ALLTOTAL "));
	assert_non_null(strstr(json, "\"all_calls\": 3"));
	/* Columns are named where there are some only. */
	assert_null(strstr(strstr(text, "(--one-in 3), whole"), "ALL"));
	assert_true(has_line(
		text,
		"counts and times are those of the recorded ones; for all of them an estimate is 3.333 times as much"));
	assert_true(
		has_line(text, "3 of 10 outermost calls of it were recorded (--one-in 3), whole"));
	free(csv);
	free(text);
	free(json);
	text = footer(CALL, true, BY_FUNCTION);
	assert_null(strstr(text, "ALLCALLS"));
	free(text);
}

static void keep(void *ctx, enum log_level level, const char *line)
{
	FILE *out = ctx;

	if (level == LOG_LEVEL_WARN)
		fprintf(out, "%s\n", line);
}

/* The report, and what was logged meanwhile; both to be freed. */
static char *logged(const char *path, const char *format, bool log_warnings, char **report)
{
	const struct trace_view view = { .log_warnings = log_warnings };
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	log_set_sink(keep, out);
	*report = fixture_report(path, format, &(struct report_options){ .view = &view });
	log_set_sink(NULL, NULL);
	assert_int_equal(fclose(out), 0);
	return text;
}

/* Who does not read the text is told, too: in JSON, and by a warning each. */
TEST(test_warnings)
{
	static const struct {
		const char *events;
		bool whole;
		const char *doubt; /* NULL: none */
	} cases[] = {
		{ CALL, true, NULL },
		{ "@set warn.load a probe is costly\n@set end.status 3\n" CALL, true, NULL },
		{ CALL, false, INCOMPLETE },
		{ "@set end.reason write-error\n" CALL, true,
		  "recording was cut short: the trace could not be written any further" },
		{ "@set end.missed_images 2\n@set end.execs 4\n" CALL, true, MISSED },
		{ "@set end.layout_wrong 1\n" CALL, true, LAYOUT },
		{ "@set end.dropped_fault 4\n" CALL, true,
		  "probe hits dropped in the kernel: 4 where the goroutine could not be read" },
		{ "@set end.text_gone 2\n@set warn.text probes were gone\n" CALL, true,
		  "probes were gone" },
		{ CALL "1 entry main.f 100 2500 site=9\n", true,
		  "1 event could not be interpreted: left out" },
		{ "1 entry main.f 100 1000\n1 loss - 0 1200 arg0=1300 arg1=1\n1 exit main.f 100 2000\n",
		  true, "1 event was lost in 1 gap; 1 call is suspect, 100.00% of the time" },
	};
	char path[TRACE_PATH_BYTES], said[512], *json, *csv, *told;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		fixture_write_text(cases[i].events, cases[i].whole, path);
		told = logged(path, "json", true, &json);
		snprintf(said, sizeof(said), "%s%s", cases[i].doubt ? cases[i].doubt : "",
			 cases[i].doubt ? "\n" : "");
		assert_string_equal(told, said);
		snprintf(said, sizeof(said), "\"warnings\": [\n      \"%s\"\n    ]",
			 cases[i].doubt ? cases[i].doubt : "");
		assert_non_null(strstr(json, cases[i].doubt ? said : "\"warnings\": []"));
		free(told);
		free(json);
		told = logged(path, "csv", true, &csv);
		assert_true(!cases[i].doubt == !*told);
		free(told);
		free(csv);
		told = logged(path, "text", false, &csv);
		assert_string_equal(told, "");
		free(told);
		free(csv);
		unlink(path);
	}
}

TESTS(test_what_one_in_left_out_is_estimated, test_warnings, test_lines, test_incomplete,
      test_growing, test_last_line, test_no_claims, test_released_part, test_released_first,
      test_narrow_call)
