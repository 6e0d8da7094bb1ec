// SPDX-License-Identifier: BSD-2-Clause
#include "attach/end_reason.h"

#include "trace/keys.h"

const char *end_reason_name(enum end_reason r)
{
	static const char *const names[] = {
		[END_EXITED] = REASON_EXITED,
		[END_DURATION] = REASON_DURATION,
		[END_SIZE] = REASON_SIZE,
		[END_INTERRUPTED] = REASON_INTERRUPTED,
		[END_WRITE_ERROR] = REASON_WRITE_ERROR,
		[END_NOT_STARTED] = REASON_NOT_STARTED,
		[END_WHEN] = REASON_WHEN,
		[END_INTERVAL] = REASON_INTERVAL,
		[END_FAILED] = REASON_FAILED,
		[END_COST] = REASON_COST,
	};

	return names[r];
}
