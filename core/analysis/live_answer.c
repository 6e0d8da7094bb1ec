// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/live_answer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/answer.h"
#include "analysis/answer_doubt.h"
#include "analysis/calls/correction.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/text_format.h"

#define LOOK_PART   2 /* of the interval: a look that takes no longer may find it each time; */
#define ANSWER_PART 4 /* of all time: that finding it takes else */

uint64_t live_answer_due(uint64_t now_ns, uint64_t look_ns, uint64_t answer_ns,
			 uint64_t interval_ns)
{
	uint64_t pause_ns = ANSWER_PART * answer_ns;

	if (look_ns <= interval_ns / LOOK_PART)
		return now_ns;
	if (pause_ns < interval_ns + interval_ns / 2) /* leave one out at least */
		pause_ns = interval_ns + interval_ns / 2;
	return now_ns + pause_ns;
}

/* What could be wrong is no answer. Returns that and its next step, a line. */
static char *say_doubt(const struct loaded_trace *t)
{
	char *said = answer_doubt_say(t), *line = NULL;

	if (said && asprintf(&line, "%s\n", said) < 0)
		line = NULL;
	free(said);
	return line;
}

static char *say(struct loaded_trace *t)
{
	struct answer a;
	int err = loaded_trace_leave_out_parked(t);

	if (!err)
		err = answer_find(&a, t);
	if (err)
		return NULL;
	return correction_any_sure(t) ? answer_say(&a, t->info) : say_doubt(t);
}

int live_answer_find(struct live_answer *a, struct loaded_trace *t, uint64_t up_to_ns,
		     uint64_t looking_ns, uint64_t interval_ns)
{
	const uint64_t from_ns = clock_monotonic_ns();

	if (!t->totals->states || from_ns < a->due_ns)
		return 0;
	char *text = say(t);

	if (!text) {
		log_no_memory("no memory for the answer");
		return -ENOMEM;
	}
	free(a->text);
	a->text = text;
	a->at_ns = up_to_ns;
	const uint64_t now_ns = clock_monotonic_ns();

	a->took_ns = now_ns - from_ns;
	a->due_ns = live_answer_due(now_ns, now_ns - looking_ns, a->took_ns, interval_ns);
	log_debug("the answer took %s of a look of %s", HUMAN(a->took_ns),
		  HUMAN(now_ns - looking_ns));
	return 0;
}

size_t live_answer_print(const struct live_answer *a, uint64_t up_to_ns, bool colour,
			 unsigned width, FILE *out)
{
	const size_t lines = a->text ? answer_print(a->text, width, colour, out) : 0;

	if (!lines || up_to_ns <= a->at_ns)
		return lines;
	fprintf(out, "  the answer is %s older than this table\n", HUMAN(up_to_ns - a->at_ns));
	return lines + 1;
}

void live_answer_free(struct live_answer *a)
{
	free(a->text);
	*a = (struct live_answer){ 0 };
}
