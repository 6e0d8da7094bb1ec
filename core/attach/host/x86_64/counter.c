// SPDX-License-Identifier: BSD-2-Clause
#include "attach/host/counter.h"

#include <cpuid.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>

uint64_t host_counter_read(void)
{
	uint32_t lo, hi;

	/* Executes after all earlier loads. */
	__asm__ volatile("lfence; rdtsc" : "=a"(lo), "=d"(hi) : : "memory");
	return (uint64_t)hi << 32 | lo;
}

bool host_counter_is_source(const char *source, bool *compared, char *why, size_t size)
{
	*compared = !strcmp(source, "tsc");
	if (*compared || !strcmp(source, "kvm-clock"))
		return true;
	snprintf(why, size, "the kernel's clock source is %s, not the time stamp counter", source);
	return false;
}

/* Is the word among the flags of the first CPU? */
static bool cpu_flag(const char *flag)
{
	FILE *f = fopen("/proc/cpuinfo", "re");
	char line[8192];
	bool found = false;

	while (f && !found && fgets(line, sizeof(line), f)) {
		size_t n = strlen(flag);

		if (strncmp(line, "flags", 5))
			continue;
		for (const char *p = line; !found && (p = strstr(p, flag)); p += n)
			found = p[-1] == ' ' && (p[n] == ' ' || p[n] == '\n');
		break;
	}
	if (f)
		fclose(f);
	return found;
}

bool host_counter_steady(char *why, size_t size)
{
	unsigned eax, ebx, ecx, edx;

	if (__get_cpuid(0x80000007, &eax, &ebx, &ecx, &edx) && edx & 1u << 8)
		return true;
	if (cpu_flag("constant_tsc") && cpu_flag("nonstop_tsc"))
		return true;
	snprintf(why, size,
		 "the processor's time stamp counter changes its rate or stops (no constant_tsc "
		 "and nonstop_tsc)");
	return false;
}

bool host_counter_allowed(char *why, size_t size)
{
	int mode = PR_TSC_ENABLE;

	if (prctl(PR_GET_TSC, &mode) || mode == PR_TSC_ENABLE)
		return true;
	snprintf(why, size,
		 "reading the time stamp counter is forbidden to this process (PR_SET_TSC)");
	return false;
}
