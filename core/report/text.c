// SPDX-License-Identifier: BSD-2-Clause
/* A report for people: what comes before its numbers, its table, notes below. */
#include <inttypes.h>
#include <string.h>

#include "analysis/trace_notes.h"
#include "base/log.h"
#include "base/outfile.h"
#include "base/text_format.h"
#include "base/text_wrap.h"
#include "report/report_formats.h"
#include "report/hist_rows.h"
#include "report/sample_formats.h"
#include "report/text.h"

/* Numbers that are not of the whole run: that comes before them. */
static int head(const struct report *rep, FILE *out)
{
	struct notes notes = { 0 };
	int err = released_doubt(&rep->trace, &notes);

	if (err)
		log_no_memory("no memory for the warnings of a trace");
	for (size_t i = 0; i < notes.n; i++) {
		text_wrap(out, notes.lines[i], text_limit(rep), 2);
		fputc('\n', out);
	}
	notes_free(&notes);
	return err;
}

int report_text(struct trace_reader *r, const struct report_options *opt, FILE *out)
{
	static int (*const write[])(const struct report *rep, FILE *out) = {
		[BY_FUNCTION] = text_functions,   [BY_PATH] = text_paths,
		[BY_GOROUTINE] = text_goroutines, [BY_CALL] = text_calls,
		[BY_REASON] = text_reasons,
	};
	struct report_options with = *opt;
	struct report rep;

	with.text = true;
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
		err = text_notes(&rep, out);
	if (!err)
		err = outfile_check(out);
	report_free(&rep);
	return err;
}
