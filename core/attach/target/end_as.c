// SPDX-License-Identifier: BSD-2-Clause
#include "attach/target/end_as.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

int end_as(int wait_status)
{
	struct rlimit no_core = { 0, 0 };
	sigset_t set;

	if (!WIFSIGNALED(wait_status))
		return WEXITSTATUS(wait_status);
	setrlimit(RLIMIT_CORE, &no_core);
	signal(WTERMSIG(wait_status), SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, WTERMSIG(wait_status));
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	raise(WTERMSIG(wait_status));
	return 128 + WTERMSIG(wait_status);
}
