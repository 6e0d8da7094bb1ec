/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading of summaries. Private to model/summary*.c. */
#ifndef GOTRACE_SUMMARY_GET_H
#define GOTRACE_SUMMARY_GET_H

#include "base/varint.h"
#include "model/summary_format.h"

#define SUMMARY_NO_MEMORY ""
#define SUMMARY_WRONG     "a number in it cannot be"

struct getting {
	struct model *m;
	const uint8_t *at, *end;
	const char *fault;
	uint32_t *place; /* the node in m of each path of the summary */
	uint64_t version, n_paths, buckets;
};

/* Reads the next number, which may be at most `most`. Returns 0 after a fault. */
static inline uint64_t num(struct getting *g, uint64_t most)
{
	uint64_t v = 0;

	if (g->fault)
		return 0;
	g->at = varint_get(g->at, g->end, &v);
	if (!g->at || v > most) {
		g->fault = g->at ? SUMMARY_WRONG : "it is cut off";
		return 0;
	}
	return v;
}

/* summary_states.c. Both report errors in g->fault. */
/* Reads times whose sum may be at most `all_ns`. */
void summary_get_off(struct getting *g, struct off_times *t, uint64_t all_ns);
void summary_get_states(struct getting *g);

#endif
