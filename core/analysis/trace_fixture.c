// SPDX-License-Identifier: BSD-2-Clause
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "analysis/trace_fixture.h"
#include "model/summary.h"
#include "trace/keys.h"

static struct trace_writer *begin(const struct evlist *l, char path[TRACE_PATH_BYTES])
{
	strcpy(path, "/tmp/gotrace-report-XXXXXX");
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	struct trace_writer *w = trace_writer_new(fd, &l->info);

	assert_non_null(w);
	for (size_t i = 0; i < l->n; i++)
		assert_int_equal(trace_writer_event(w, &l->events[i]), 0);
	return w;
}

void fixture_write(const struct evlist *l, char path[TRACE_PATH_BYTES])
{
	assert_int_equal(trace_writer_finish(begin(l, path), NULL, 0), 0);
}

void fixture_write_text(const char *events, bool whole, char path[TRACE_PATH_BYTES])
{
	struct evlist l;

	assert_int_equal(evlist_parse(&l, events, "test"), 0);
	struct trace_writer *w = begin(&l, path);

	if (whole) {
		assert_int_equal(trace_writer_finish(w, NULL, 0), 0);
	} else {
		assert_int_equal(trace_writer_flush(w), 0);
		trace_writer_abort(w);
	}
	evlist_free(&l);
}

void fixture_write_summary(struct evlist *l, char path[TRACE_PATH_BYTES])
{
	struct model *m = model_new(&l->info,
				    &(struct model_options){ .path_selfs = true, .wakes = true });
	struct summary_bytes b = { 0 };
	struct trace_summary s;

	assert_non_null(m);
	for (size_t i = 0; i < l->n; i++)
		assert_int_equal(model_feed(m, &l->events[i]), 0);
	assert_int_equal(model_finish(m), 0);
	assert_int_equal(summary_put(&b, m), 0);
	assert_int_equal(trace_summary_pack(&s, b.data, b.n), 0);
	assert_int_equal(trace_info_set(&l->info, KEY_SUMMARY, SUMMARY_ALONE), 0);
	const struct evlist none = { .info = l->info };
	struct trace_writer *w = begin(&none, path);

	assert_int_equal(trace_writer_summary(w, &s, true), 0);
	assert_int_equal(trace_writer_finish(w, NULL, 0), 0);
	trace_summary_free(&s);
	free(b.data);
	model_free(m);
}

char *fixture_text(const char *path)
{
	const size_t most = 1 << 18;
	FILE *in = fopen(path, "r");
	char *text = calloc(1, most);

	assert_non_null(text);
	if (!in)
		return text;
	assert_true(fread(text, 1, most - 1, in) < most - 1);
	fclose(in);
	return text;
}

void fixture_same(const char *file, const char *got)
{
	if (getenv("GOTRACE_UPDATE")) {
		FILE *out = fopen(file, "w");

		assert_non_null(out);
		assert_true(fputs(got, out) >= 0 && fclose(out) == 0);
		return;
	}
	char *want = fixture_text(file);

	if (strcmp(want, got))
		fail_msg("%s\nexpected:\n%s\ngot:\n%s", file, want, got);
	free(want);
}

size_t fixture_lines(const char *s)
{
	size_t n = 0;

	for (; *s; s++)
		n += *s == '\n';
	return n;
}
