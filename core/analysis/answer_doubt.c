// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/answer_doubt.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/text_format.h"
#include "trace/keys.h"

/* Fewer samples than that tell nothing of any function. */
#define FEW_SAMPLES 50

char *answer_doubt_say(const struct loaded_trace *t)
{
	const char *command = trace_info_get(t->info, KEY_COMMAND);
	const char *pid = trace_info_get(t->info, KEY_PID);
	const uint64_t n = t->totals->sampled.n;
	char *line = NULL;
	size_t size;
	FILE *out = open_memstream(&line, &size);

	if (!out)
		return NULL;
	if (n && n < FEW_SAMPLES)
		fprintf(out,
			"this recording is too short to show which function took the most time (%" PRIu64
			" samples)",
			n);
	else
		fputs("it is not known which function took the most time, because probes took too much of it",
		      out);
	fputs("; to find out: gotrace sample ", out);
	if (command && *command)
		fprintf(out, "-- %s", command);
	else
		fprintf(out, "--pid %s", pid ? pid : "PID");
	fputs(", or select fewer functions (-p, -x)", out);
	return text_stream_close(out, &line) ? NULL : line;
}
