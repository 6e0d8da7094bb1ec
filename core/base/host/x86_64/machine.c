// SPDX-License-Identifier: BSD-2-Clause
#include "base/host/machine.h"

#include <elf.h>

uint16_t host_elf_machine(void)
{
	return EM_X86_64;
}
