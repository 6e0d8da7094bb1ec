// SPDX-License-Identifier: BSD-2-Clause
#include "attach/end_reason.h"

#include "trace/keys.h"

const char *end_reason_name(enum end_reason r)
{
	switch (r) {
	case END_EXITED:
		return REASON_EXITED;
	case END_DURATION:
		return REASON_DURATION;
	case END_SIZE:
		return REASON_SIZE;
	case END_INTERRUPTED:
		return REASON_INTERRUPTED;
	case END_WRITE_ERROR:
		return REASON_WRITE_ERROR;
	case END_NOT_STARTED:
		return REASON_NOT_STARTED;
	case END_WHEN:
		return REASON_WHEN;
	case END_INTERVAL:
		return REASON_INTERVAL;
	case END_FAILED:
		return REASON_FAILED;
	case END_COST:
		return REASON_COST;
	}
	return "";
}
