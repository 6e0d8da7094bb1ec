/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A preloaded setrlimit that never fails for RLIMIT_MEMLOCK. The thesis's collector ends where it
 * may not raise that limit, which needs CAP_SYS_RESOURCE. Kernels charge BPF memory to the control
 * group instead since commit d5299b67dd59 (5.11), so nothing depends on it.
 */
#define _GNU_SOURCE
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

int setrlimit(__rlimit_resource_t resource, const struct rlimit *limit)
{
	int result = syscall(SYS_setrlimit, resource, limit);

	return resource == RLIMIT_MEMLOCK ? 0 : result;
}
