// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/calls/costly_probes.h"

#include <errno.h>
#include <stdlib.h>

#include "analysis/trace_names.h"
#include "base/shell_word.h"
#include "base/text_format.h"

#define FEW  10  /* functions at most */
#define MOST 0.8 /* of the cost at least */

/* The function with the largest cost that is not among the n in `top`; released ones are left out
 * already. */
static uint32_t costliest(const struct loaded_trace *t, const uint64_t *cost_ns,
			  const uint32_t *top, unsigned n)
{
	uint32_t best = TRACE_NONE;

	for (uint32_t i = 0; i < t->n_funcs; i++) {
		unsigned k = 0;

		while (k < n && top[k] != i)
			k++;
		if (k == n && cost_ns[i] && !model_released_ns(t->model, i) &&
		    (best == TRACE_NONE || cost_ns[i] > cost_ns[best]))
			best = i;
	}
	return best;
}

void costly_probes_notes(const struct loaded_trace *t, struct notes *to)
{
	uint32_t top[FEW], next;
	uint64_t all_ns = 0, top_ns = 0;
	unsigned n = 0;

	if (!t->corrected || t->whole)
		return;
	/* -x knows no values: rows of --key count for their function. */
	uint64_t *cost_ns = calloc(t->n_funcs + 1, sizeof(*cost_ns));

	for (uint32_t i = 0; cost_ns && i < t->n_funcs; i++) {
		all_ns += t->funcs[i].cost_ns;
		cost_ns[model_plain_func(t->model, i)] += t->funcs[i].cost_ns;
	}
	while (cost_ns && n < FEW && (double)top_ns < MOST * (double)all_ns &&
	       (next = costliest(t, cost_ns, top, n)) != TRACE_NONE) {
		top_ns += cost_ns[next];
		top[n++] = next;
	}
	to->err = cost_ns ? to->err : -ENOMEM;
	free(cost_ns);
	if (!n || (double)top_ns < MOST * (double)all_ns)
		return;
	char *options = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&options, &size);

	for (unsigned i = 0; out && i < n; i++) {
		fputs(" -x ", out);
		shell_word(out, trace_name_func(t->info, top[i]));
	}
	if (!out || text_stream_close(out, &options))
		to->err = -ENOMEM;
	else
		notes_add(to, "%u function%s made %.0f%% of that cost; to leave %s out:%s", n,
			  plural(n), share_pct(top_ns, all_ns), n > 1 ? "them" : "it", options);
	free(options);
}
