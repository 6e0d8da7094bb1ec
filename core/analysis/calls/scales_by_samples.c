// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/calls/scales.h"

#include <math.h>
#include <stdlib.h>

/* Fewer samples in probes do not tell by how much they cost more. */
#define ENOUGH 10
#define ROUNDS 200

struct path_sampled *samples_by_path(const struct model *m, size_t n)
{
	struct path_sampled *by_path = calloc(n + 1, sizeof(*by_path));
	size_t n_sampled;
	const struct path_sampled *sampled = model_path_sampled(m, &n_sampled);

	for (size_t i = 0; by_path && i < n_sampled; i++)
		if (sampled[i].path < n)
			by_path[sampled[i].path] = sampled[i];
	return by_path;
}

static double explained(const double ns[COST_FAMILIES], const double by[COST_FAMILIES])
{
	double sum = 0;

	for (int f = 0; f < COST_FAMILIES; f++)
		sum += ns[f] * by[f];
	return sum;
}

/*
 * One round of expectation and maximisation: what was seen of a path is shared among the families
 * as they explain it (Shepp and Vardi, Maximum likelihood reconstruction for emission tomography,
 * IEEE Transactions on Medical Imaging 1, 1982). Samples on paths without events are left out.
 */
static void improve(const struct charges *c, const struct path_sampled *sampled,
		    double by[COST_FAMILIES])
{
	double seen[COST_FAMILIES] = { 0 }, charged[COST_FAMILIES] = { 0 };

	for (size_t i = 1; i < c->n; i++) {
		const double *ns = c->paths[i].ns;
		double all = explained(ns, by);

		for (int f = 0; f < COST_FAMILIES; f++) {
			charged[f] += ns[f];
			if (all > 0)
				seen[f] += (double)sampled[i].probe_ns * ns[f] * by[f] / all;
		}
	}
	for (int f = 0; f < COST_FAMILIES; f++)
		by[f] = charged[f] > 0 ? seen[f] / charged[f] : by[f];
}

bool scales_by_samples(const struct charges *c, const struct path_sampled *sampled,
		       struct cost_scale scale[COST_FAMILIES])
{
	double by[COST_FAMILIES];
	uint64_t n = 0;

	for (int f = 0; f < COST_FAMILIES; f++)
		by[f] = 1;
	for (size_t i = 1; i < c->n; i++)
		n += sampled[i].probe_n;
	if (n < ENOUGH)
		return false;
	for (int round = 0; round < ROUNDS; round++)
		improve(c, sampled, by);
	for (int f = 0; f < COST_FAMILIES; f++)
		scale[f] = (struct cost_scale){ by[f], 1 / sqrt((double)n) };
	return true;
}
