// SPDX-License-Identifier: BSD-2-Clause
/* Whether a program is one for the machine that gotrace runs on. */
#include <errno.h>

#include "base/host/machine.h"
#include "base/log.h"
#include "binary/arch.h"
#include "binary/gobin_impl.h"

bool gobin_runs_here(const struct gobin *b)
{
	return gobin_arch(b)->elf_machine == host_elf_machine();
}

int gobin_refuse_foreign(const struct gobin *b)
{
	const struct arch *here = arch_of_machine(host_elf_machine());

	if (gobin_runs_here(b))
		return 0;
	log_error(
		"%s: built for %s, and this machine is %s. Build it with GOARCH=%s to trace it here; "
		"'gotrace plan' reads it as it is",
		b->path, gobin_arch(b)->name, here->name, here->goarch);
	return -ENOTSUP;
}
