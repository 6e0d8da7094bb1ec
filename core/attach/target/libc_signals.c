// SPDX-License-Identifier: BSD-2-Clause
#include "attach/target/libc_signals.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FIRST 32
#define N     2

/* struct sigaction of the kernel (arch/x86/include/uapi/asm/signal.h) */
struct kernel_sigaction {
	void (*handler)(int signo);
	uint64_t flags;
	void (*restorer)(void);
	uint64_t mask;
};

static bool ignored[N];

void libc_signals_note(void)
{
	for (int i = 0; i < N; i++) {
		struct kernel_sigaction now = { 0 };

		ignored[i] = !syscall(SYS_rt_sigaction, FIRST + i, NULL, &now, sizeof(now.mask)) &&
			     now.handler == SIG_IGN;
	}
}

void libc_signals_put_back(void)
{
	const struct kernel_sigaction ignore = { .handler = SIG_IGN };

	for (int i = 0; i < N; i++)
		if (ignored[i])
			syscall(SYS_rt_sigaction, FIRST + i, &ignore, NULL, sizeof(ignore.mask));
}
