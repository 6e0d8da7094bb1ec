// SPDX-License-Identifier: BSD-2-Clause
#include "stats/share.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "stats/beta.h"

#define BEYOND 0.025 /* the chance on each side of an interval */

int share_exact(uint64_t k, uint64_t n, struct interval *out)
{
	double kd = (double)k, nd = (double)n;

	if (!n || k > n)
		return -EINVAL;
	out->low = k ? beta_quantile(BEYOND, kd, nd - kd + 1) : 0;
	out->high = k < n ? beta_quantile(1 - BEYOND, kd + 1, nd - kd) : 1;
	return 0;
}

static int compare(const void *x, const void *y)
{
	double a = *(const double *)x, b = *(const double *)y;

	return (a > b) - (a < b);
}

/* Of runs that were drawn again; drawn once more where nothing is in any of them. */
static double resample(const double *part, const double *whole, size_t n, struct random_stream *d)
{
	double parts, wholes;

	do {
		parts = wholes = 0;
		for (size_t i = 0; i < n; i++) {
			size_t run = random_below(d, n);

			parts += part[run];
			wholes += whole[run];
		}
	} while (!(wholes > 0));
	return parts / wholes;
}

int share_of_runs(const double *part, const double *whole, size_t n, uint32_t resamples,
		  struct random_stream *d, struct interval *out)
{
	const size_t beyond = resamples / 40;
	bool any = false;

	for (size_t i = 0; i < n; i++) {
		if (!(part[i] >= 0 && whole[i] >= 0 && isfinite(part[i]) && isfinite(whole[i])))
			return -EINVAL;
		any |= whole[i] > 0;
	}
	if (n < INTERVAL_LEAST || !any)
		return -ENODATA;
	double *shares = calloc(resamples, sizeof(*shares));

	if (!shares)
		return -ENOMEM;
	for (uint32_t i = 0; i < resamples; i++)
		shares[i] = resample(part, whole, n, d);
	qsort(shares, resamples, sizeof(*shares), compare);
	*out = (struct interval){ shares[beyond], shares[resamples - 1 - beyond] };
	free(shares);
	return 0;
}
