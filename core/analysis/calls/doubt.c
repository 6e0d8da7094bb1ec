// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/calls/doubt.h"

#include "analysis/stat_columns.h"

static bool run_doubtful(const struct call_stats *st)
{
	const uint64_t run_ns = stat_run_ns(st), busy_ns = run_ns + st->off_self.off_cpu_ns;

	return busy_ns > st->self_ns / 2 &&
	       (run_ns < st->uncertainty_ns || stat_run_probe_ns(st) > run_ns);
}

bool correction_doubtful(const struct call_stats *st)
{
	return correction_unsure(st) || st->probe_ns > st->self_ns || run_doubtful(st);
}
