// SPDX-License-Identifier: BSD-2-Clause
/* The answer before the table. */
#include <errno.h>

#include "analysis/answer.h"
#include "base/log.h"
#include "report/text.h"

int text_answer(const struct report *rep, FILE *out)
{
	if (rep->none_sure || !*rep->said) /* a number that could be wrong is no answer */
		return 0;
	if (!answer_print(rep->said, rep->opt->width, rep->opt->colour, out)) {
		log_no_memory("no memory for the answer");
		return -ENOMEM;
	}
	fputc('\n', out);
	return 0;
}
