// SPDX-License-Identifier: BSD-2-Clause
#include <inttypes.h>

#include "analysis/correction.h"
#include "base/text_format.h"
#include "report/text.h"

const char *text_self(const struct call_stats *st, char buf[SELF_BYTES])
{
	bool unsure = correction_unsure(st);

	snprintf(buf, SELF_BYTES, "%s%s", unsure ? "<" : "",
		 HUMAN(st->self_ns + (unsure ? st->uncertainty_ns : 0)));
	return buf;
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

void text_hidden(const struct report *rep, FILE *out, const char *what)
{
	if (rep->n_hidden)
		fprintf(out, "%zu more %s (-n 0 shows all)\n", rep->n_hidden, what);
}
