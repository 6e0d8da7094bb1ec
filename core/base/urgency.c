// SPDX-License-Identifier: BSD-2-Clause
#include "base/urgency.h"

#include <errno.h>
#include <string.h>
#include <sys/resource.h>

#include "base/log.h"

int urgency_raise(int steps)
{
	const int was = getpriority(PRIO_PROCESS, 0); /* of this thread, in Linux */

	if (setpriority(PRIO_PROCESS, 0, was - steps))
		log_debug("the priority stays: %s", strerror(errno));
	return was;
}

void urgency_put_back(int was)
{
	setpriority(PRIO_PROCESS, 0, was);
}
