// SPDX-License-Identifier: BSD-2-Clause
#include <inttypes.h>

#include "analysis/correction.h"
#include "base/text_format.h"
#include "base/text_name.h"
#include "report/text.h"

/* A time that may be off by so much. */
static const char *time_of(uint64_t ns, uint64_t off_ns, char buf[SELF_BYTES])
{
	bool unsure = ns < off_ns;

	snprintf(buf, SELF_BYTES, "%s%s", unsure ? "<" : "", HUMAN(ns + (unsure ? off_ns : 0)));
	return buf;
}

const char *text_self(const struct call_stats *st, char buf[SELF_BYTES])
{
	return time_of(st->self_ns, st->uncertainty_ns, buf);
}

const char *text_total(const struct call_stats *st, char buf[SELF_BYTES])
{
	return time_of(st->total_ns, st->uncertainty_ns, buf);
}

const char *text_calls_of(const struct call_stats *st, char buf[CALLS_BYTES])
{
	if (!st->calls && st->total_ns)
		snprintf(buf, CALLS_BYTES, "-");
	else
		snprintf(buf, CALLS_BYTES, "%" PRIu64, st->calls);
	return buf;
}

const char *text_marks(const struct call_stats *st, char buf[MARKS_BYTES])
{
	const struct {
		uint64_t n;
		const char *what;
	} m[] = {
		{ st->unfinished, "unfinished" },
		{ st->unwound, "unwound" },
		{ st->suspect, "suspect" },
	};
	size_t len = 0;

	buf[0] = '\0';
	for (size_t i = 0; i < sizeof(m) / sizeof(m[0]); i++)
		if (m[i].n)
			len += (size_t)snprintf(buf + len, MARKS_BYTES - len, "%s%" PRIu64 " %s",
						len ? ", " : "  (", m[i].n, m[i].what);
	if (len)
		snprintf(buf + len, MARKS_BYTES - len, ")");
	return buf;
}

#define NAME_COLUMNS 100 /* of a name among marks; */
#define NAME_SHORT   40  /* where lines are to fit */

const char *text_released(const struct report *rep, uint32_t func, uint64_t calls,
			  struct released_below below, char buf[RELEASED_BYTES])
{
	FILE *out = rep->released.n ? fmemopen(buf, RELEASED_BYTES, "w") : NULL;

	buf[0] = '\0';
	if (!out)
		return buf;
	if (released_ns(&rep->released, func))
		fprintf(out, "  (released after %" PRIu64 " call%s)", calls, plural(calls));
	if (below.n == 1) {
		fputs("  (self includes ", out);
		text_name(out, report_name(rep, below.one),
			  rep->opt->width ? NAME_SHORT : NAME_COLUMNS);
		fputs(", released)", out);
	} else if (below.n) {
		fprintf(out, "  (self includes %u released functions)", below.n);
	}
	fclose(out);
	return buf;
}

void text_hidden(const struct report *rep, FILE *out, const char *what)
{
	if (rep->n_hidden)
		fprintf(out, "%zu more %s (-n 0 shows all)\n", rep->n_hidden, what);
}
