// SPDX-License-Identifier: BSD-2-Clause
#include "trace/stops.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>

#include "base/text_format.h"
#include "trace/keys.h"

bool stops_say(const struct trace_info *t, char buf[STOPS_BYTES])
{
	const uint64_t in_ns = trace_info_u64(t, KEY_END_PAUSE_NS, 0),
		       out_ns = trace_info_u64(t, KEY_END_PUT_BACK_PAUSE_NS, 0),
		       longest_ns = in_ns > out_ns ? in_ns : out_ns,
		       n = trace_info_u64(t, KEY_END_PAUSES, 0) +
			   trace_info_u64(t, KEY_END_PUT_BACK_PAUSES, 0),
		       sum_ns = trace_info_u64(t, KEY_END_PAUSE_SUM_NS, 0) +
				trace_info_u64(t, KEY_END_PUT_BACK_PAUSE_SUM_NS, 0);

	if (!longest_ns)
		return false;
	if (n > 1 && sum_ns > longest_ns)
		snprintf(buf, STOPS_BYTES, "%s at most, %s in %" PRIu64 " stops", HUMAN(longest_ns),
			 HUMAN(sum_ns), n);
	else
		snprintf(buf, STOPS_BYTES, "%s", HUMAN(longest_ns));
	return true;
}
