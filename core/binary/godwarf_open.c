/* SPDX-License-Identifier: BSD-2-Clause */
/* A binary's DWARF, all of it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "binary/gobin_impl.h"
#include "binary/godwarf_impl.h"

/* libelf writes into what it is given: a section that it has unpacked is not packed any more, says
 * its header, and who opens it next would take it for something else. */
static uint8_t *save_headers(const struct gobin *b, uint8_t **at, size_t *n)
{
	const Elf64_Ehdr *h = (const Elf64_Ehdr *)b->elf.map;

	*at = NULL;
	if (b->elf.size < sizeof(*h) || h->e_shoff > b->elf.size)
		return NULL;
	*n = (size_t)h->e_shnum * h->e_shentsize;
	if (!*n || *n > b->elf.size - h->e_shoff)
		return NULL;
	*at = (uint8_t *)(uintptr_t)b->elf.map + h->e_shoff;
	uint8_t *copy = malloc(*n);

	if (copy)
		memcpy(copy, *at, *n);
	return copy;
}

void (*gobin_no_memory)(void);

__attribute__((noreturn)) static void no_memory(void)
{
	log_no_memory("no memory for the debugging information");
	if (gobin_no_memory)
		gobin_no_memory();
	abort();
}

Dwarf *godwarf_begin(Elf *elf)
{
	Dwarf *dwarf = elf ? dwarf_begin_elf(elf, DWARF_C_READ, NULL) : NULL;

	if (!dwarf)
		return NULL;
	dwarf_new_oom_handler(dwarf, no_memory);
	/* Else libdw opens the file that .gnu_debugaltlink names: a FIFO, or a device that starts.
	 */
	dwarf_setalt(dwarf, dwarf);
	return dwarf;
}

int godwarf_open(const struct gobin *b, Elf **elf, Dwarf **dwarf)
{
	uint8_t *at, *headers;
	size_t n;

	*elf = NULL;
	*dwarf = NULL;
	if (!gobin_has_dwarf(b))
		return -ENOENT;
	headers = save_headers(b, &at, &n);
	if (!headers)
		return at ? -ENOMEM : -EBADMSG;
	elf_version(EV_CURRENT);
	*elf = elf_memory((char *)b->elf.map, b->elf.size);
	/* All of its sections are unpacked now, and not looked up in the headers again. */
	*dwarf = godwarf_begin(*elf);
	memcpy(at, headers, n);
	free(headers);
	if (!*dwarf)
		godwarf_close(*elf, NULL);
	return *dwarf ? 0 : -EBADMSG;
}

void godwarf_close(Elf *elf, Dwarf *dwarf)
{
	if (dwarf)
		dwarf_end(dwarf);
	if (elf)
		elf_end(elf);
}
