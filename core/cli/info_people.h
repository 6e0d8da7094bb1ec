/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GOTRACE_INFO_PEOPLE_H
#define GOTRACE_INFO_PEOPLE_H

#include <stdint.h>
#include <stdio.h>

#include "trace/samples.h"

/* Counts of what is in the file. */
struct info_counts {
	uint64_t samples, events, lost, length_ns;
	const struct sample_tables *tables; /* the reader's; NULL: none */
};

/* At most twelve lines for people: which program, when, how much of it, what it cost, what may be
 * wrong. Their titles begin with a capital, keys never do. A trace that was read to its end. width:
 * of the terminal, 0: any. */
void info_for_people(const struct trace_reader *r, const struct info_counts *c, unsigned width,
		     FILE *out);

#endif
