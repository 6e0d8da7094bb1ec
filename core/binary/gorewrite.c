// SPDX-License-Identifier: BSD-2-Clause
#include "binary/gorewrite.h"

#include <string.h>

#include "binary/arch.h"
#include "binary/gobin_impl.h"
#include "binary/gorewrite_impl.h"

static bool among(const char *const *names, const char *name)
{
	for (; *names; names++)
		if (strcmp(*names, name) == 0)
			return true;
	return false;
}

bool gorewrite_is_mprotect(const struct gofunc *f)
{
	static const char *const names[] = { "syscall.Mprotect", "golang.org/x/sys/unix.Mprotect",
					     "vendor/golang.org/x/sys/unix.Mprotect", NULL };

	return among(names, f->name);
}

bool gorewrite_is_syscall(const struct gofunc *f)
{
	static const char *const names[] = {
		"syscall.Syscall",
		"syscall.RawSyscall",
		"syscall.Syscall6",
		"syscall.RawSyscall6",
		"golang.org/x/sys/unix.Syscall",
		"golang.org/x/sys/unix.RawSyscall",
		"golang.org/x/sys/unix.SyscallNoError",
		"golang.org/x/sys/unix.RawSyscallNoError",
		NULL,
	};

	return among(names, f->name);
}

void gobin_text_writers(const struct gobin *b, void (*fn)(void *ctx, const struct gofunc *f),
			void *ctx)
{
	b->elf.arch->text_writers(b, fn, ctx);
}
