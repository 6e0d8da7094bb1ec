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

static void one(const struct report *rep, FILE *out, size_t row)
{
	const struct call_stats *st = &rep->trace.funcs[row];
	struct hist_bar bars[HIST_BARS];
	const size_t n = bars_of(st, bars);
	uint64_t most = 1, below = 0;

	text_name(out, report_name(rep, (uint32_t)row), text_room(rep->opt->width, 0));
	fprintf(out, "\n%" PRIu64 " finished call%s", st->finished, plural(st->finished));
	if (n)
		fprintf(out, ", %s to %s", HUMAN(st->min_ns), HUMAN(st->max_ns));
	fputs(st->finished && !n ? " without a duration\n" : "\n", out);
	for (size_t i = 0; i < n; i++)
		most = bars[i].calls > most ? bars[i].calls : most;
	if (n)
		text_heading(rep->opt->colour, out, "%7s %7s %8s %6s %6s", "FROM", "TO", "CALLS",
			     "%", "UP TO");
	for (size_t i = 0; i < n; i++) {
		const int columns = (int)((double)bars[i].calls / (double)most * BAR_COLUMNS + 0.5);

		below += bars[i].calls;
		fprintf(out, "%7s %7s %8" PRIu64 " %5.1f%% %5.1f%% ", HUMAN(bars[i].from_ns),
			HUMAN(bars[i].to_ns), bars[i].calls,
			share_pct(bars[i].calls, st->hist.count), share_pct(below, st->hist.count));
		for (int k = 0; k < columns || (!k && bars[i].calls); k++)
			fputc('#', out);
		fputc('\n', out);
	}
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
