/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GOTRACE_INFO_PEOPLE_H
#define GOTRACE_INFO_PEOPLE_H

#include <stdint.h>
#include <stdio.h>

#include "trace/samples.h"

/* Counts of the contents of the file. */
struct info_counts {
	uint64_t samples, events, lost, length_ns;
	const struct sample_tables *tables; /* the reader's; NULL: none */
};

/* Prints at most twelve lines for people: the program, the time, the amount, the cost, and possible
 * errors. Their titles begin with a capital, unlike keys. The trace has been read to its end.
 * width: columns of the terminal; 0: any number. */
void info_for_people(const struct trace_reader *r, const struct info_counts *c, unsigned width,
		     FILE *out);

#endif
