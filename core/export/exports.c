// SPDX-License-Identifier: BSD-2-Clause
#include "export/exports.h"

uint64_t export_weight_of(const struct call_stats *st, enum export_weight weight)
{
	switch (weight) {
	case WEIGHT_TOTAL:
		return st->total_ns;
	case WEIGHT_CALLS:
		return st->calls;
	default:
		return st->self_ns;
	}
}
