// SPDX-License-Identifier: BSD-2-Clause
#include <inttypes.h>

#include "report/text.h"

void text_marks(FILE *out, const struct call_stats *st)
{
	const struct {
		uint64_t n;
		const char *what;
	} m[] = {
		{ st->unfinished, "unfinished" },
		{ st->unwound, "unwound" },
		{ st->suspect, "suspect" },
	};
	const char *joint = "  (";

	for (size_t i = 0; i < sizeof(m) / sizeof(m[0]); i++)
		if (m[i].n) {
			fprintf(out, "%s%" PRIu64 " %s", joint, m[i].n, m[i].what);
			joint = ", ";
		}
	if (*joint == ',')
		fputc(')', out);
}

void text_hidden(const struct report *rep, FILE *out, const char *what)
{
	if (rep->n_hidden)
		fprintf(out, "%zu more %s (-n 0 shows all)\n", rep->n_hidden, what);
}
