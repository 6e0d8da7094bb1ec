// SPDX-License-Identifier: BSD-2-Clause
#include "report/runs_drift.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "stats/interval.h"

static double mean_of(const double *v, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += v[i];
	return sum / (double)n;
}

/* The variance within sides of a function's logarithms, without what runs have in common. */
static double variance_of(const struct runs_drift *d, const double *logs)
{
	double squares = 0, freedom = -2;

	for (unsigned s = 0; s < 2; s++) {
		const double mean = mean_of(logs, d->n_runs[s]) -
				    mean_of(d->of_run[s], d->n_runs[s]);

		for (size_t i = 0; i < d->n_runs[s]; i++)
			squares += pow(logs[i] - d->of_run[s][i] - mean, 2);
		freedom += (double)d->n_runs[s];
		logs += d->n_runs[s];
	}
	return squares / freedom;
}

int runs_drift_learn(struct runs_drift *d, const double *logs, size_t n, const size_t n_runs[2])
{
	const size_t runs = n_runs[0] + n_runs[1];
	double *room = malloc((n + 1) * sizeof(*room)), *all = calloc(runs + 1, sizeof(*all));

	*d = (struct runs_drift){ .of_run = { all, all ? all + n_runs[0] : NULL },
				  .n_runs = { n_runs[0], n_runs[1] },
				  .n = runs > 2 ? n : 0 };
	if (!room || !all) {
		free(room);
		return -ENOMEM;
	}
	for (size_t i = 0; n && i < runs; i++) {
		for (size_t f = 0; f < n; f++)
			room[f] = logs[f * runs + i] - mean_of(logs + f * runs, runs);
		all[i] = interval_median(room, n);
	}
	if (d->n >= VARIANCES_LEAST) {
		for (size_t f = 0; f < n; f++)
			room[f] = variance_of(d, logs + f * runs);
		d->prior = variances_learn(room, n, (double)runs - 2);
	}
	free(room);
	return 0;
}

void runs_drift_free(struct runs_drift *d)
{
	free(d->of_run[0]);
	*d = (struct runs_drift){ 0 };
}
