// SPDX-License-Identifier: BSD-2-Clause
/* Tables for people: numbers aligned, names last and cut on a terminal only. */
#include <inttypes.h>
#include <string.h>

#include "analysis/correction.h"
#include "analysis/kept.h"
#include "analysis/stat_columns.h"
#include "analysis/trace_notes.h"
#include "base/log.h"
#include "base/outfile.h"
#include "base/text_format.h"
#include "base/text_name.h"
#include "report/formats.h"
#include "report/hist_rows.h"
#include "report/sample_formats.h"
#include "report/text.h"

#define WIDE 140 /* columns of a terminal, for all that there is with states */

/* Which columns there are, and how wide those are that grow. */
struct columns {
	int self, calls;
	bool growth, preempt;
	bool all;    /* what --one-in left out is estimated */
	bool narrow; /* no room for means and the like beside states */
};

static struct columns choose_columns(const struct report *rep)
{
	struct columns c = { .self = 6, .calls = 5 };

	for (size_t i = 0; i < rep->n_rows; i++) {
		const struct call_stats *st = &rep->trace.funcs[rep->rows[i]];

		c.self = correction_doubtful(st) ? 7 : c.self;
		c.calls = text_width(st->calls, c.calls);
		c.growth |= st->morestack_ns > 0;
		c.preempt |= st->preempt_ns > 0;
	}
	c.all = kept_scale(rep->trace.info) > 1;
	c.narrow = rep->trace.totals->states && rep->opt->width && rep->opt->width < WIDE;
	c.growth &= !c.narrow;
	c.preempt &= !c.narrow;
	return c;
}

/* Calls below themselves: in the mean each counts, in the total the outermost does. */
static const char *recursive(const struct call_stats *st)
{
	return st->finished && st->sum_ns > st->total_ns + st->inside_ns + st->left_out_ns
		       ? "  (recursive)"
		       : "";
}

static void function(const struct report *rep, FILE *out, const struct columns *c, size_t row)
{
	const struct call_stats *st = &rep->trace.funcs[row];
	const struct released_below below = released_below_func(&rep->released, (uint32_t)row);
	char self[SELF_BYTES], total[SELF_BYTES], marks[MARKS_BYTES], calls[CALLS_BYTES],
		released[RELEASED_BYTES], waits[WAITS_BYTES];
	const bool timed = call_stats_timed(st);
	int n;

	n = fprintf(out, "%*s ", text_self_width(st, c->self), text_self(st, self));
	n -= text_self_width(st, 0);
	if (correction_unsure(st))
		n += fprintf(out, "%6s", "?");
	else
		n += fprintf(out, "%5.1f%%", share_pct(st->self_ns, rep->trace.totals->root_ns));
	n += text_states(rep, out, stat_run_ns(st), &st->off_self);
	n += fprintf(out, " %7s", text_total(st, total));
	if (!c->narrow && st->total_ns < st->uncertainty_ns)
		n += fprintf(out, " %6s", "?");
	else if (!c->narrow)
		n += fprintf(out, " %5.1f%%", share_pct(st->total_ns, rep->trace.totals->root_ns));
	n += fprintf(out, " %*s", c->calls, text_calls_of(st, calls));
	if (c->all)
		n += fprintf(out, " %9" PRIu64 " %8s", kept_all(rep->trace.info, st->calls),
			     HUMAN(kept_all(rep->trace.info, st->total_ns)));
	if (!c->narrow)
		n += fprintf(out, " %6s %6s %6s %6s",
			     timed ? HUMAN(st->sum_ns / st->finished) : "-",
			     timed ? HUMAN(stat_quantile(st, 0.50)) : "-",
			     timed ? HUMAN(stat_quantile(st, 0.99)) : "-",
			     timed ? HUMAN(st->max_ns) : "-");
	if (rep->trace.corrected && !c->narrow)
		n += fprintf(out, " %6s", HUMAN(st->cost_ns));
	if (c->growth)
		n += fprintf(out, " %6s", st->morestack_ns ? HUMAN(st->morestack_ns) : "-");
	if (c->preempt)
		n += fprintf(out, " %7s", st->preempt_ns ? HUMAN(st->preempt_ns) : "-");
	n += fprintf(out, "  ");
	text_marks(st, marks);
	text_released(rep, (uint32_t)row, st, below, released);
	text_waits(rep, (uint32_t)row, st->self_ns, waits);
	text_name(out, report_name(rep, (uint32_t)row),
		  text_room(rep->opt->width, (size_t)n + strlen(waits) + strlen(marks) +
						     strlen(recursive(st)) + strlen(released)));
	fprintf(out, "%s%s%s%s\n", waits, marks, recursive(st), released);
}

static int functions(const struct report *rep, FILE *out)
{
	struct columns c = choose_columns(rep);
	int err = rep->opt->answer ? text_answer(rep, out) : 0;

	if (err)
		return err;
	text_none_sure(rep, out);
	text_heading(rep->opt->colour, out, "%*s %6s%s %7s%s %*s%s%s%s%s%s  FUNCTION", c.self,
		     "SELF", "%", text_states_heading(rep), "TOTAL", c.narrow ? "" : "      %",
		     c.calls, "CALLS", c.all ? "  ALLCALLS ALLTOTAL" : "",
		     c.narrow ? "" : "   MEAN    P50    P99    MAX",
		     rep->trace.corrected && !c.narrow ? "   COST" : "", c.growth ? " GROWTH" : "",
		     c.preempt ? " PREEMPT" : "");
	for (size_t i = 0; i < rep->n_rows; i++)
		function(rep, out, &c, rep->rows[i]);
	text_hidden(rep, out, "functions");
	if (rep->opt->open_up)
		rep->opt->open_up(&rep->trace, out);
	return 0;
}

/* Numbers that are not of the whole run: that comes before them. */
static int head(const struct report *rep, FILE *out)
{
	struct notes notes = { 0 };
	int err = released_doubt(&rep->trace, &notes);

	if (err)
		log_no_memory("no memory for the warnings of a trace");
	for (size_t i = 0; i < notes.n; i++) {
		text_safe(out, notes.lines[i]);
		fputs("\n\n", out);
	}
	notes_free(&notes);
	return err;
}

static int footer(const struct report *rep, FILE *out)
{
	struct notes notes = { 0 };
	int err;

	if (!rep->trace.samples && (rep->opt->by == BY_CALL || rep->opt->by == BY_GOROUTINE))
		notes_add(&notes, "times of %s are as measured: what the probes cost is in them",
			  rep->opt->by == BY_CALL ? "single calls" : "goroutines");
	text_states_note(rep, &notes);
	err = trace_notes(&rep->trace, &notes);
	if (err)
		log_no_memory("no memory for the notes below the report");
	fputc('\n', out);
	for (size_t i = 0; i < notes.n; i++) {
		text_safe(out, notes.lines[i]);
		fputc('\n', out);
	}
	notes_free(&notes);
	return err;
}

int report_text(struct trace_reader *r, const struct report_options *opt, FILE *out)
{
	static int (*const write[])(const struct report *rep, FILE *out) = {
		[BY_FUNCTION] = functions,        [BY_PATH] = text_paths,
		[BY_GOROUTINE] = text_goroutines, [BY_CALL] = text_calls,
		[BY_REASON] = text_reasons,
	};
	struct report_options with = *opt;
	struct report rep;

	with.answer = opt->by == BY_FUNCTION && !opt->hist && !opt->n_callers;
	int err = report_load(&rep, r, &with);

	if (!err && rep.trace.samples)
		sample_text_head(&rep, out);
	else if (!err)
		err = head(&rep, out);
	if (!err && opt->hist)
		err = hist_text(&rep, out);
	else if (!err)
		err = (rep.trace.samples && opt->by != BY_PATH && opt->by != BY_REASON
			       ? sample_text
			       : write[opt->by])(&rep, out);
	if (!err)
		err = footer(&rep, out);
	if (!err)
		err = outfile_check(out);
	report_free(&rep);
	return err;
}
