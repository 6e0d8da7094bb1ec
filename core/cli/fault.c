// SPDX-License-Identifier: BSD-2-Clause
#include "cli/fault.h"

#include <dlfcn.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "attach/host/regs.h"
#include "base/thread_signals.h"
#include "binary/gobin.h"
#include "cli/output.h"

static int end_status;
/* A stack that has run over has no room for the handler. */
static char stack[64 << 10] __attribute__((aligned(16)));

static void end(void)
{
	output_abandon();
	_exit(end_status);
}

/* Not log_error: its lock may be held, and it allocates. dladdr and snprintf of these formats do
 * not. A second fault, in here, ends the process by its signal (SA_RESETHAND). */
static void tell(int sig, siginfo_t *info, void *context)
{
	uint64_t pc = host_signal_pc(context);
	char line[512];
	Dl_info in;

	if (info->si_code <= 0 && info->si_pid != getpid()) { /* sent */
		raise(sig);                                   /* pending until this returns */
		return;
	}
	bool known = dladdr((void *)pc, &in) && in.dli_fname; /* NOLINT */
	const char *name = known ? strrchr(in.dli_fname, '/') : NULL;
	int n = snprintf(line, sizeof(line),
			 "gotrace: SIG%s in %s+0x%llx%s%s: a defect, or memory that was not had; "
			 "GOTRACE_DEBUG=1 leaves a core, for a report\n",
			 sigabbrev_np(sig),
			 name    ? name + 1
			 : known ? in.dli_fname
				 : "unknown code",
			 (unsigned long long)(known ? pc - (uint64_t)in.dli_fbase : pc),
			 known && in.dli_sname ? ", " : "",
			 known && in.dli_sname ? in.dli_sname : "");

	if (n > 0)
		(void)!write(STDERR_FILENO, line,
			     (size_t)n < sizeof(line) ? (size_t)n : sizeof(line) - 1);
	end();
}

void fault_tells(int status)
{
	const stack_t own = { .ss_sp = stack, .ss_size = sizeof(stack) };
	const struct sigaction sa = { .sa_sigaction = tell,
				      .sa_flags = SA_SIGINFO | (int)SA_RESETHAND | SA_ONSTACK };
	struct sigaction was;

	end_status = status;
	gobin_no_memory = end;
	if (getenv("GOTRACE_DEBUG") || sigaltstack(&own, NULL))
		return;
	for (const int *s = fault_signals; *s; s++)
		if (!sigaction(*s, NULL, &was) && was.sa_handler == SIG_DFL)
			sigaction(*s, &sa, NULL);
}
