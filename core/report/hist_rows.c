// SPDX-License-Identifier: BSD-2-Clause
#include "report/hist_rows.h"

#include <inttypes.h>
#include <string.h>

#include "analysis/stat_columns.h"
#include "base/csv.h"
#include "base/text_format.h"
#include "base/text_name.h"
#include "report/text.h"

#define BAR_COLUMNS 40

/* Of model/hist.h's buckets: the shortest duration in it. */
static uint64_t bucket_from(unsigned bucket)
{
	const unsigned octave = bucket / HIST_SUB, sub = bucket % HIST_SUB;

	if (bucket >= HIST_BUCKETS)
		return UINT64_MAX;
	return octave ? (uint64_t)(HIST_SUB + sub) << (octave - 1) : sub;
}

size_t hist_bars(const struct hist *h, struct hist_bar bars[HIST_BARS])
{
	unsigned first = HIST_BUCKETS, last = 0, width = 1;
	size_t n = 0;

	for (unsigned i = 0; i < HIST_BUCKETS; i++)
		if (hist_bucket(h, i)) {
			first = first == HIST_BUCKETS ? i : first;
			last = i;
		}
	if (first == HIST_BUCKETS)
		return 0;
	while (last / width - first / width + 1 > HIST_BARS)
		width *= 2;
	for (unsigned at = first / width * width; at <= last; at += width) {
		struct hist_bar *b = &bars[n++];

		*b = (struct hist_bar){ bucket_from(at), bucket_from(at + width), 0 };
		for (unsigned i = at; i < at + width && i < HIST_BUCKETS; i++)
			b->calls += hist_bucket(h, i);
	}
	return n;
}

/* Where no finished call has a duration there is no bar. */
static size_t bars_of(const struct call_stats *st, struct hist_bar bars[HIST_BARS])
{
	return call_stats_timed(st) ? hist_bars(&st->hist, bars) : 0;
}

/* Of one function; ctx of the cells. */
struct bars {
	struct hist_bar all[HIST_BARS];
	size_t n;
	uint64_t most, count;
};

#define CELL(name, fmt, ...)                                                                \
	static void name(const void *ctx, size_t row, unsigned words, char buf[CELL_BYTES]) \
	{                                                                                   \
		const struct bars *b = ctx;                                                 \
                                                                                            \
		(void)words;                                                                \
		snprintf(buf, CELL_BYTES, fmt, __VA_ARGS__);                                \
	}
CELL(from, "%s", HUMAN(b->all[row].from_ns))
CELL(to, "%s", HUMAN(b->all[row].to_ns))
CELL(calls, "%" PRIu64, b->all[row].calls)
CELL(share, "%.1f%%", share_pct(b->all[row].calls, b->count))

static void up_to(const void *ctx, size_t row, unsigned words, char buf[CELL_BYTES])
{
	const struct bars *b = ctx;
	uint64_t calls = 0;

	(void)words;
	for (size_t i = 0; i <= row; i++)
		calls += b->all[i].calls;
	snprintf(buf, CELL_BYTES, "%.1f%%", share_pct(calls, b->count));
}

static const struct table_column columns[] = {
	{ "from_ns", "FROM", 7, { 0, 0 }, .cell = from },
	{ "to_ns", "TO", 7, { 0, 0 }, .cell = to },
	{ "calls", "CALLS", 8, { 0, 0 }, .cell = calls },
	{ "calls_pct", "%", 6, { 0, 0 }, .cell = share },
	{ "up_to_pct", "UP TO", 6, { 0, 0 }, .cell = up_to },
	{ 0 },
};

static void table(const struct report *rep, const struct bars *b, FILE *out)
{
	const struct table_options opt = { .colour = rep->opt->colour };
	struct table t;

	table_begin(&t, &opt, columns, b, NULL, b->n);
	table_heading(&t, out, NULL);
	for (size_t i = 0; i < b->n; i++) {
		const double part = (double)b->all[i].calls / (double)b->most;
		const int marks = (int)(part * BAR_COLUMNS + 0.5);

		table_row(&t, out, i);
		for (int k = 0; k < marks || (!k && b->all[i].calls); k++)
			fputc('#', out);
		fputc('\n', out);
	}
}

static void one(const struct report *rep, FILE *out, size_t row)
{
	const struct call_stats *st = &rep->trace.funcs[row];
	struct bars b = { .most = 1, .count = st->hist.count };

	b.n = bars_of(st, b.all);
	for (size_t i = 0; i < b.n; i++)
		b.most = b.all[i].calls > b.most ? b.all[i].calls : b.most;
	text_name(out, report_name(rep, (uint32_t)row), text_room(rep->opt->width, 0));
	fprintf(out, "\n%" PRIu64 " finished call%s", st->finished, plural(st->finished));
	if (b.n)
		fprintf(out, ", %s to %s", HUMAN(st->min_ns), HUMAN(st->max_ns));
	fputs(st->finished && !b.n ? " without a duration\n" : "\n", out);
	if (b.n)
		table(rep, &b, out);
	fputc('\n', out);
}

int hist_text(const struct report *rep, FILE *out)
{
	for (size_t i = 0; i < rep->n_rows; i++)
		one(rep, out, rep->rows[i]);
	text_hidden(rep, out, "functions");
	return 0;
}

int hist_csv(const struct report *rep, FILE *out)
{
	struct hist_bar bars[HIST_BARS];

	fputs("function,from_ns,to_ns,calls\n", out);
	for (size_t i = 0; i < rep->n_rows; i++) {
		const uint32_t func = (uint32_t)rep->rows[i];
		const size_t n = bars_of(&rep->trace.funcs[func], bars);

		for (size_t k = 0; k < n; k++) {
			csv_field(out, report_name(rep, func));
			fprintf(out, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n", bars[k].from_ns,
				bars[k].to_ns, bars[k].calls);
		}
	}
	return 0;
}

int hist_json(const struct report *rep, struct json *j)
{
	struct hist_bar bars[HIST_BARS];

	for (size_t i = 0; i < rep->n_rows; i++) {
		const uint32_t func = (uint32_t)rep->rows[i];
		const size_t n = bars_of(&rep->trace.funcs[func], bars);

		json_open(j, '{');
		json_kv_str(j, "function", report_name(rep, func));
		json_key(j, "bars");
		json_open(j, '[');
		for (size_t k = 0; k < n; k++) {
			json_open(j, '{');
			json_kv_u64(j, "from_ns", bars[k].from_ns);
			json_kv_u64(j, "to_ns", bars[k].to_ns);
			json_kv_u64(j, "calls", bars[k].calls);
			json_close(j, '}');
		}
		json_close(j, ']');
		json_close(j, '}');
	}
	return 0;
}
