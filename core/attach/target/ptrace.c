// SPDX-License-Identifier: BSD-2-Clause
#include "attach/target/ptrace.h"

#include <errno.h>
#include <sys/ptrace.h>

#define TRIES 5

int ptrace_do(int request, pid_t tid, uintptr_t addr, uintptr_t data)
{
	return ptrace(request, tid, (void *)addr, (void *)data) ? -errno : 0;
}

int ptrace_must(int request, pid_t tid, uintptr_t addr, uintptr_t data)
{
	int err = 0;

	for (int i = 0; i < TRIES; i++) {
		err = ptrace_do(request, tid, addr, data);
		if (!err || err == -ESRCH)
			break;
	}
	return err;
}
