// SPDX-License-Identifier: BSD-2-Clause
#include "base/clock.h"

#include <pthread.h>
#include <stdio.h>
#include <time.h>

/* Of this process's time namespace; a process keeps its namespace. */
static int64_t offset_ns;

static void read_offset(void)
{
	char line[128];
	long long s = 0, ns = 0;
	FILE *f = fopen("/proc/self/timens_offsets", "re"); /* since Linux 5.6 */

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "monotonic %lld %lld", &s, &ns) == 2 ||
		    sscanf(line, "1 %lld %lld", &s, &ns) == 2) /* before Linux 5.7 */
			break;
	if (f)
		fclose(f);
	offset_ns = s * 1000000000ll + ns;
}

uint64_t clock_monotonic_ns(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	struct timespec ts;

	pthread_once(&once, read_offset);
	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)((int64_t)ts.tv_sec * 1000000000ll + ts.tv_nsec - offset_ns);
}

uint64_t clock_own_cpu_ns(void)
{
	struct timespec ts;

	if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts))
		return 0;
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

static uint64_t ask(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000ull + (uint64_t)t.tv_nsec;
}

uint64_t clock_realtime_ns(void)
{
	return ask(CLOCK_REALTIME);
}

uint64_t clock_boottime_ns(void)
{
	return ask(CLOCK_BOOTTIME);
}
