// SPDX-License-Identifier: BSD-2-Clause
#include "binary/arch.h"

#include <stdio.h>
#include <string.h>

#include "binary/arm64/arm64_arch.h"
#include "binary/x86_64/x86_arch.h"

static const struct arch *const table[] = { &x86_arch, &arm64_arch };

#define N_ARCHS (sizeof(table) / sizeof(*table))

const struct arch *arch_of_machine(uint16_t elf_machine)
{
	for (size_t i = 0; i < N_ARCHS; i++)
		if (table[i]->elf_machine == elf_machine)
			return table[i];
	return NULL;
}

void arch_names(bool goarch, char *out, size_t size)
{
	size_t n = 0;

	for (size_t i = 0; i < N_ARCHS && n < size; i++)
		n += (size_t)snprintf(out + n, size - n, "%s%s",
				      !i                ? ""
				      : i + 1 < N_ARCHS ? ", "
							: " or ",
				      goarch ? table[i]->goarch : table[i]->name);
}
