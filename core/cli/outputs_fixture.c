// SPDX-License-Identifier: BSD-2-Clause
#include "cli/outputs_fixture.h"

#include <stdio.h>

#include "export/export.h"
#include "report/diff_formats.h"
#include "report/report.h"

static const struct report_options reports[] = {
	{ .by = BY_FUNCTION },
	{ .by = BY_PATH },
	{ .by = BY_PATH, .depth = 2, .min_share_pct = 3 },
	{ .by = BY_GOROUTINE },
	{ .by = BY_GOROUTINE, .fold = true, .sort = SORT_CALLS },
	{ .by = BY_CALL },
	{ .by = BY_CALL, .limit = 3, .from_ns = 50 },
	{ .by = BY_LABEL },
	{ .by = BY_THREAD },
	{ .by = BY_PROCESS },
	{ .by = BY_PROGRAM },
	{ .by = BY_LIBRARY },
	{ .by = BY_REASON },
	{ .by = BY_FUNCTION, .hist = "*" },
};
#define REPORTS (sizeof(reports) / sizeof(reports[0]))

static void print_report(const char *path, unsigned which, FILE *out)
{
	const struct report_options *opt = &reports[which % REPORTS];

	for (const struct report_format *f = report_formats; f->name; f++) {
		struct trace_reader *r = trace_reader_open(path);

		if (r)
			f->write(r, opt, out);
		trace_reader_close(r);
	}
}

static void print_export(const char *path, unsigned which, FILE *out)
{
	const struct export_options all = { .weight = WEIGHT_CALLS,
					    .no_go_edges = which & 1,
					    .goroutines = true,
					    .calls = true,
					    .args = true,
					    .layout = PERUN_LEGACY };
	static const struct export_options none = { 0 };
	size_t n = 0;

	while (export_formats[n].name)
		n++;
	const struct export_format *f = &export_formats[which / 4 % n];
	struct trace_reader *r = trace_reader_open(path);
	if (r)
		f->write(&r, 1, which & 2 ? &all : &none, out);
	trace_reader_close(r);
}

static void print_diff(const char *path, const char *with, FILE *out)
{
	for (const struct diff_format *f = diff_formats; f->name; f++) {
		const struct diff_options opt = { .by = BY_PATH, .file = { "a", "b" } };
		struct trace_reader *const r[2] = { trace_reader_open(path),
						    trace_reader_open(with) };

		if (r[0] && r[1])
			f->write(r, &opt, out);
		trace_reader_close(r[0]);
		trace_reader_close(r[1]);
	}
}

void outputs_print(const char *path, const char *with, unsigned which)
{
	FILE *out = fopen("/dev/null", "we");

	if (!out)
		return;
	if (which < 32)
		print_report(path, which, out);
	else if (which < 120)
		print_export(path, which - 32, out);
	else
		print_diff(path, with, out);
	fclose(out);
}
