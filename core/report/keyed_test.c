// SPDX-License-Identifier: BSD-2-Clause
/* Reports of functions whose calls --key tells apart: rows F{VALUE}. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/test_fixture.h"
#include "analysis/calls/correction.h"
#include "analysis/calls/costly_probes.h"
#include "base/log.h"
#include "report/report_fixture.h"
#include "trace/keys.h"

#define KEY "main.f(n)"

/* Writes the events; the first function has an argument n, which is the thread of each entry. */
static void write_keyed(const char *text, char path[TRACE_PATH_BYTES])
{
	const struct trace_value_def def = { .type = TRACE_VALUE_INT,
					     .name = (char *)(uintptr_t) "n" };
	struct evlist l;

	assert_int_equal(evlist_parse(&l, text, "test"), 0);
	assert_int_equal(trace_info_add_value(&l.info, &def), 0);
	assert_int_equal(trace_info_set(&l.info, KEY_SELECT_KEY ".0", KEY), 0);
	strcpy(path, "/tmp/gotrace-keyed-XXXXXX");
	int fd = mkstemp(path);
	struct trace_writer *w = trace_writer_new(fd, &l.info);

	assert_non_null(w);
	for (size_t i = 0; i < l.n; i++) {
		const struct event *e = &l.events[i].h;
		const struct trace_value one = { .type = TRACE_VALUE_INT, .v.i = e->tid };
		uint8_t data[16];
		const struct trace_values v = { .n = 1,
						.data = data,
						.bytes = (uint32_t)(trace_value_put(data, &one) -
								    data) };

		if (e->kind == EV_ENTRY && !l.info.sites[e->site].func)
			assert_int_equal(trace_writer_values(w, &v), 0);
		assert_int_equal(trace_writer_event(w, &l.events[i]), 0);
	}
	assert_int_equal(trace_writer_finish(w, NULL, 0), 0);
	evlist_free(&l);
}

/* main.g calls main.f with 1, which calls main.h, and twice with 2. */
#define CALLS                                                      \
	"@func main.f\n1 entry main.g 50 1000\n"                   \
	"1 entry main.f 100 2000 tid=1\n1 entry main.h 200 2100\n" \
	"1 exit main.h 200 2700\n1 exit main.f 100 3000\n"         \
	"1 entry main.f 100 4000 tid=2\n1 exit main.f 100 6000\n"  \
	"1 entry main.f 100 7000 tid=2\n1 exit main.f 100 8000\n"

static char *report_of(const char *events, const char *format, const struct report_options *opt)
{
	char path[TRACE_PATH_BYTES];

	write_keyed(events, path);
	char *text = fixture_report(path, format, opt);

	unlink(path);
	return text;
}

static void has(const char *text, const char *want)
{
	if (!strstr(text, want))
		fail_msg("no \"%s\" in:\n%s", want, text);
}

/* ---- released */

#define RELEASED "- released main.f 0 8500 arg0=40 arg1=100\n1 exit main.g 50 9000\n"

/* One function, all of its calls, and those that a row is of. */
TEST(test_released_once)
{
	char *text = report_of(CALLS RELEASED, "text", &(struct report_options){ 0 });

	has(text, "released while recording, because its probes cost too much (record "
		  "--max-cost=off keeps it): main.f after 3 calls\n\n");
	has(text, "main.f{1}  (released after 1 call)");
	has(text, "main.f{2}  (released after 2 calls)");
	has(text, "main.g  (self includes main.f, released)");
	free(text);
	text = report_of(CALLS RELEASED, "text", &(struct report_options){ .by = BY_PATH });
	has(text, "main.g  (self includes main.f, released)");
	free(text);
	text = report_of(CALLS RELEASED, "csv",
			 &(struct report_options){ .columns = "calls,released_callees" });
	has(text, "main.g,1,1\n");
	free(text);
}

/* Of a part of the trace: all of its calls, too. */
TEST(test_released_part)
{
	const uint64_t goid = 2;
	const struct trace_view view = { .goids = &goid, .n_goids = 1, .said = true };

	char *text = report_of(
		"@func main.f\n2 entry main.h 100 1000\n2 exit main.h 100 1500\n" CALLS RELEASED,
		"text", &(struct report_options){ .view = &view });

	has(text, "main.f after 3 calls\n\n");
	free(text);
}

/* ---- what to leave out */

/* -x takes functions; a value is no part of their name. */
TEST(test_dear)
{
	char path[TRACE_PATH_BYTES];
	struct loaded_trace t;
	struct notes notes = { 0 };

	write_keyed("@set cost.emulated_ns 100\n"
		    "@func main.f\n1 entry main.f 100 2000 tid=1 how=emulated\n"
		    "1 exit main.f 100 3000 how=emulated\n"
		    "1 entry main.f 100 4000 tid=2 how=emulated\n"
		    "1 exit main.f 100 6000 how=emulated\n",
		    path);
	struct trace_reader *r = trace_reader_open(path);

	assert_non_null(r);
	assert_int_equal(trace_load(&t, r, NULL, NULL), 0);
	assert_int_equal(correction_apply(&t), 0);
	costly_probes_notes(&t, &notes);
	assert_int_equal(notes.n, 1);
	assert_string_equal(notes.lines[0],
			    "1 function made 100% of that cost; to leave it out: -x main.f");
	notes_free(&notes);
	trace_unload(&t);
	trace_reader_close(r);
	unlink(path);
}

/* ---- rows by their names */

static struct trace_view view_of(const char **focus, const char **ignore)
{
	return (struct trace_view){ .focus = focus,
				    .n_focus = *focus != NULL,
				    .ignore = ignore,
				    .n_ignore = *ignore != NULL,
				    .said = true };
}

/* Callers of what is shown keep a part of their total; that is no call that is shown. */
static void shows(const char *focus, const char *ignore, const char *want)
{
	const struct trace_view view = view_of(&focus, &ignore);
	char *csv = report_of(CALLS "1 exit main.g 50 9000\n", "csv",
			      &(struct report_options){ .view = &view, .columns = "calls" });

	assert_string_equal(csv, want);
	free(csv);
}

TEST(test_focus)
{
	shows("main.f{2}", NULL, "function,calls\nmain.f{2},2\nmain.g,0\n");
	shows("main.f{1}", NULL, "function,calls\nmain.h,1\nmain.f{1},1\nmain.g,0\n");
	shows("main.f{*}", NULL, "function,calls\nmain.f{2},2\nmain.h,1\nmain.f{1},1\nmain.g,0\n");
	shows("main.f", NULL, "function,calls\nmain.f{2},2\nmain.h,1\nmain.f{1},1\nmain.g,0\n");
	shows(NULL, "main.f{1}", "function,calls\nmain.g,1\nmain.f{2},2\n");
	shows("main.g", "main.f{2}", "function,calls\nmain.g,1\nmain.h,1\nmain.f{1},1\n");
	shows(NULL, "main.f", "function,calls\nmain.g,1\n");
}

static void said(void *ctx, enum log_level level, const char *text)
{
	(void)level;
	snprintf(ctx, 512, "%s", text);
}

/* No such value: as for a function that is not there. */
TEST(test_no_such_row)
{
	const char *focus = "main.f{9}", *none = NULL;
	const struct trace_view view = view_of(&focus, &none);
	char path[TRACE_PATH_BYTES], line[512] = "";
	struct loaded_trace t;

	write_keyed(CALLS "1 exit main.g 50 9000\n", path);
	struct trace_reader *r = trace_reader_open(path);

	assert_non_null(r);
	log_set_sink(said, line);
	assert_int_equal(trace_load(&t, r, &view, NULL), -ENOENT);
	log_set_sink(NULL, NULL);
	trace_unload(&t);
	trace_reader_close(r);
	unlink(path);
	assert_string_equal(line,
			    "--focus: no function of this trace matches 'main.f{9}'; there are: "
			    "main.f, main.f{1}, main.f{2}");
}

/* A function stands for all of its rows, where others than views take names, too. */
TEST(test_plain_name)
{
	const char *callers = "main.f";

	char *text = report_of(
		CALLS "1 exit main.g 50 9000\n", "text",
		&(struct report_options){ .by = BY_PATH, .callers = &callers, .n_callers = 1 });

	has(text, "main.f{1}");
	has(text, "main.f{2}");
	free(text);
	text = report_of(CALLS "1 exit main.g 50 9000\n", "text",
			 &(struct report_options){ .hist = "main.f" });
	has(text, "main.f{1}");
	has(text, "main.f{2}");
	free(text);
}

TESTS(test_released_once, test_released_part, test_dear, test_focus, test_no_such_row,
      test_plain_name)
