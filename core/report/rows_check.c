// SPDX-License-Identifier: BSD-2-Clause
/* Options that a trace cannot answer. */
#include <errno.h>

#include "base/log.h"
#include "report/rows.h"
#include "trace/keys.h"

int report_check_samples(const struct trace_info *info, const struct report_options *opt)
{
	if (!trace_is_samples(info))
		return 0;
	if (opt->view && opt->view->request) {
		log_error("--request: samples have no single calls; use 'gotrace record'");
		return -ENOTSUP;
	}
	if (opt->columns) {
		log_error("--columns: samples have columns of their own");
		return -ENOTSUP;
	}
	if (!trace_info_get(info, KEY_SAMPLE_WALL) &&
	    (opt->by == BY_REASON || opt->sort >= SORT_RUN)) {
		log_error(
			"these samples have no reasons of waits; sample with --wall, or record with --states");
		return -ENOTSUP;
	}
	if (opt->sort <= SORT_CALLS || opt->sort >= SORT_RUN)
		return 0;
	log_error(
		"samples can be sorted by self, total or calls (samples) only, because they have no "
		"durations of calls");
	return -ENOTSUP;
}
