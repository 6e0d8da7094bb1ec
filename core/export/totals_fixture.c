// SPDX-License-Identifier: BSD-2-Clause
#include "export/totals_fixture.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "analysis/trace_load.h"
#include "export/export_fixture.h"
#include "pprof.pb-c.h"

struct totals totals_truth(const char *path)
{
	struct trace_reader *r = trace_reader_open(path);
	struct totals t = { 0 };
	struct loaded_trace trace;
	size_t n;

	assert_non_null(r);
	assert_int_equal(trace_load(&trace, r, NULL, NULL), 0);
	const struct path_node *nodes = model_paths(trace.model, &n);

	for (size_t i = 1; i < n; i++) {
		t.self_ns += nodes[i].stats.self_ns;
		t.calls += nodes[i].stats.calls;
		t.stops_ns += nodes[i].stats.morestack_ns + nodes[i].stats.preempt_ns;
	}
	trace_unload(&trace);
	trace_reader_close(r);
	return t;
}

uint64_t totals_after(const char *text, const char *key)
{
	uint64_t sum = 0;

	for (const char *at = text; (at = strstr(at, key)); at += strlen(key))
		sum += strtoull(at + strlen(key), NULL, 10);
	return sum;
}

uint64_t totals_column(const char *csv, unsigned column, size_t *rows)
{
	uint64_t sum = 0, v = 0;
	unsigned at = 0;
	size_t row = 0; /* a quoted field may hold line ends */
	bool quoted = false;

	for (const char *c = csv; *c; c++) {
		if (*c == '"')
			quoted = !quoted;
		if (!quoted && (*c == ',' || *c == '\n')) {
			sum += row && at == column ? v : 0;
			v = 0;
			at = *c == ',' ? at + 1 : 0;
			row += *c == '\n';
		} else if (at == column && *c >= '0' && *c <= '9') {
			v = 10 * v + (uint64_t)(*c - '0');
		}
	}
	assert_false(quoted);
	*rows = row - 1;
	return sum;
}

uint64_t totals_lines(const char *folded)
{
	uint64_t sum = 0;

	for (const char *at = folded, *end; *at; at = end + 1) {
		end = strchr(at, '\n');
		assert_non_null(end);
		const char *blank = memrchr(at, ' ', (size_t)(end - at));

		assert_non_null(blank);
		sum += strtoull(blank + 1, NULL, 10);
	}
	return sum;
}

struct totals totals_folded(const char *path, const struct export_options *opt)
{
	struct export_options o = *opt;
	struct totals t;
	size_t n;
	char *text = fixture_export(path, "folded", &o, &n);

	t.self_ns = totals_lines(text);
	free(text);
	o.weight = WEIGHT_CALLS;
	text = fixture_export(path, "folded", &o, &n);
	t.calls = totals_lines(text);
	free(text);
	return t;
}

struct totals totals_pprof(const char *path, const struct export_options *opt)
{
	struct totals t = { 0 };
	size_t n, size;
	char *data = fixture_export(path, "pprof", opt, &n),
	     *plain = fixture_gunzip(data, n, &size);
	Pprof__Profile *p = pprof__profile__unpack(NULL, size, (uint8_t *)plain);

	assert_non_null(p);
	for (size_t i = 0; i < p->n_sample; i++) {
		t.calls += (uint64_t)p->sample[i]->value[0];
		t.self_ns += (uint64_t)p->sample[i]->value[1];
	}
	pprof__profile__free_unpacked(p, NULL);
	free(plain);
	free(data);
	return t;
}

struct totals totals_csv(const char *path, const struct export_options *opt)
{
	size_t n, rows;
	char *text = fixture_export(path, "csv", opt, &n);
	struct totals t = { .self_ns = totals_column(text, 7, &rows) };

	t.calls = opt->calls ? rows : totals_column(text, 2, &rows);
	free(text);
	return t;
}

struct totals totals_sqlite(const char *path, const char *sql)
{
	size_t n;
	char *data = fixture_export(path, "sqlite", &(struct export_options){ 0 }, &n);
	sqlite3 *db = fixture_open_sqlite(data, n);
	sqlite3_stmt *s;

	assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &s, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_step(s), SQLITE_ROW);
	struct totals t = { .self_ns = (uint64_t)sqlite3_column_int64(s, 0),
			    .calls = (uint64_t)sqlite3_column_int64(s, 1) };

	sqlite3_finalize(s);
	sqlite3_close(db);
	free(data);
	return t;
}

void totals_same(const char *trace, const char *format, struct totals got, struct totals want)
{
	if (got.self_ns != want.self_ns || got.calls != want.calls)
		fail_msg("%s, %s: self %" PRIu64 " ns in %" PRIu64 " calls, not %" PRIu64
			 " in %" PRIu64,
			 trace, format, got.self_ns, got.calls, want.self_ns, want.calls);
}
