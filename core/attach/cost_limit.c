// SPDX-License-Identifier: BSD-2-Clause
#include "attach/cost_limit.h"

#include <stdlib.h>

/* The program itself takes a part of its time, whatever the estimate of its probes says. */
#define OWN_MIN 0.04

/* Where little is left besides the probes, how little is not known well: the next span tells it
 * better, when most of them are gone. */
#define STEP 0.1

static double own_ns(uint64_t cpu_ns, uint64_t all_ns)
{
	double least = OWN_MIN * (double)cpu_ns;
	double own = (double)cpu_ns - (double)all_ns;

	return own > least ? own : least;
}

bool cost_limit_exceeded(uint64_t cpu_ns, uint64_t all_ns, double max_share)
{
	return (double)all_ns > own_ns(cpu_ns, all_ns) * max_share / (1 - max_share);
}

static int costliest_first(const void *x, const void *y, void *ctx)
{
	const struct cost_span *s = ctx;
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;

	if (s->func_ns[a] != s->func_ns[b])
		return s->func_ns[a] < s->func_ns[b] ? 1 : -1;
	return (a > b) - (a < b);
}

size_t cost_limit_choose(const struct cost_span *s, double max_share, uint32_t *out,
			 uint64_t *left_ns)
{
	double limit = own_ns(s->cpu_ns, s->all_ns) * max_share / (1 - max_share);
	double careful = STEP * (double)s->all_ns;
	size_t n = 0, chosen = 0;

	for (uint32_t i = 0; i < s->n_funcs; i++)
		if (s->func_ns[i])
			out[n++] = i;
	if (n)
		qsort_r(out, n, sizeof(*out), costliest_first, (void *)s);
	if (limit < careful)
		limit = careful;
	*left_ns = s->all_ns;
	while (chosen < n && (double)*left_ns > limit)
		*left_ns -= s->func_ns[out[chosen++]];
	return chosen;
}

double cost_seen_share(const struct cost_seen *s)
{
	if (s->n_probes < COST_SEEN_ENOUGH || s->sampled_ns <= 0 || s->cpu_ns <= 0)
		return -1;
	return s->sampled_probe_ns / s->sampled_ns;
}

double cost_seen_scale(const struct cost_seen *s, double before)
{
	double share = cost_seen_share(s);

	if (s->estimated_ns <= 0)
		return before;
	if (share < 0)
		return before * s->estimated_ns > s->cpu_ns ? s->cpu_ns / s->estimated_ns : before;
	double scale = (share * s->cpu_ns + s->own_ns) / s->estimated_ns;

	return scale < COST_SEEN_DEAREST ? scale : COST_SEEN_DEAREST;
}
