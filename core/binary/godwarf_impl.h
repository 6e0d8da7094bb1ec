/* SPDX-License-Identifier: BSD-2-Clause */
/* A binary's DWARF, opened. Private to core/binary. */
#ifndef GOTRACE_GODWARF_IMPL_H
#define GOTRACE_GODWARF_IMPL_H

#include <elfutils/libdw.h>
#include <libelf.h>

#include "binary/gobin.h"

/* As often as wanted, one at a time or several at once. 0; -ENOENT: it has none, -EBADMSG, -ENOMEM.
 * Logs nothing. */
int godwarf_open(const struct gobin *b, Elf **elf, Dwarf **dwarf);
void godwarf_close(Elf *elf, Dwarf *dwarf);

#endif
