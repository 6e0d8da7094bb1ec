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
#include "export/otlp/otlp_fixture.h"
#include "export/tree_load.h"
#include "pprof.pb-c.h"

struct totals totals_truth(const char *path)
{
	struct trace_reader *r = trace_reader_open(path);
	struct totals t = { .path = path };
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

struct totals totals_otlp(const char *path, const struct export_options *opt)
{
	static const char *const calls[] = { "calls", "samples" }, *const self[] = { "wall",
										     "cpu" };
	size_t n;
	char *data = fixture_export(path, "otlp", opt, &n);
	Otlp__ProfilesData *d = fixture_read_otlp(data, n);
	struct totals t = { 0 };

	for (int i = 0; i < 2; i++) {
		t.calls += fixture_otlp_sum(d, calls[i]);
		if (!t.self_ns) /* --wall has both, the one in the other */
			t.self_ns = fixture_otlp_sum(d, self[i]);
	}
	otlp__profiles_data__free_unpacked(d, NULL);
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

/* Self and total times of all paths, as measured or corrected. */
static void times_of(const char *path, bool raw, uint64_t *self_ns, uint64_t *total_ns)
{
	struct trace_reader *r = trace_reader_open(path);
	struct loaded_trace trace;
	struct call_tree tree;

	*self_ns = *total_ns = 0;
	assert_non_null(r);
	assert_int_equal(tree_load(&trace, &tree, r, NULL, NULL, false, raw), 0);
	for (size_t i = 1; i < tree.n; i++) {
		*self_ns += tree.nodes[i].stats->self_ns;
		*total_ns += tree.nodes[i].stats->total_ns;
	}
	call_tree_free(&tree);
	trace_unload(&trace);
	trace_reader_close(r);
}

/* What else of the trace has the sum that was found. */
static const char *cause_of(struct totals got, struct totals want)
{
	uint64_t raw_ns, raw_total_ns, ns, total_ns;

	if (got.self_ns == want.self_ns)
		return got.calls ? "its calls are not all there, or counted twice"
				 : "no calls were found in it: check() may look for another word";
	if (!got.self_ns)
		return "no self time was found in it: check() may look for another word";
	if (got.self_ns == want.calls)
		return "its calls are added up, not its self time";
	if (!want.path)
		return "no known one";
	times_of(want.path, true, &raw_ns, &raw_total_ns);
	times_of(want.path, false, &ns, &total_ns);
	if (got.self_ns == raw_ns + want.stops_ns)
		return "it has leaf frames [stack growth] and [preempted]: check() must compare "
		       "it with `whole`, not `want`";
	if (got.self_ns == raw_ns)
		return "it has no leaf frames [stack growth] and [preempted]: check() must "
		       "compare it with `want`, not `whole`";
	if (got.self_ns == ns || got.self_ns == ns + want.stops_ns)
		return "its times are corrected ones: check() must export it with .raw = true";
	if (got.self_ns == raw_total_ns || got.self_ns == total_ns)
		return "its total time is added up, not its self time";
	return "none of corrected times, total times, calls, leaf frames; a line in `formats` "
	       "of core/export/recorded_test.c shows it by function";
}

void totals_same(const char *trace, const char *format, struct totals got, struct totals want)
{
	if (got.self_ns != want.self_ns || got.calls != want.calls)
		fail_msg("%s, format %s: self time adds up to %" PRIu64 " ns, expected %" PRIu64
			 " ns; calls to %" PRIu64 ", expected %" PRIu64 ". Likely cause: %s.",
			 trace, format, got.self_ns, want.self_ns, got.calls, want.calls,
			 cause_of(got, want));
}
