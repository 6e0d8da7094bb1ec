// SPDX-License-Identifier: BSD-2-Clause
#include "binary/ehframe.h"

#include <errno.h>
#include <string.h>

#include "binary/arch.h"
#include "binary/foreign_elf.h"

/* Of the section, for a row: most take a few. */
#define ROW_BYTES_MAX 32

/* The data of .eh_frame, its link-time address and its processor; NULL and *err: there is none. */
static const Elf_Data *find_section(Elf *elf, uint64_t most_bytes, const struct arch **arch,
				    uint64_t *vaddr, int *err)
{
	Elf_Scn *scn = NULL;
	GElf_Ehdr head;
	GElf_Shdr sh;
	size_t names;

	*err = -EBADMSG;
	if (!elf || !gelf_getehdr(elf, &head) || elf_getshdrstrndx(elf, &names))
		return NULL;
	*err = -ENOTSUP;
	*arch = arch_of_machine(head.e_machine);
	if (!*arch || head.e_ident[EI_CLASS] != ELFCLASS64)
		return NULL;
	*err = -ENOENT;
	while ((scn = elf_nextscn(elf, scn))) {
		const char *name = gelf_getshdr(scn, &sh) ? elf_strptr(elf, names, sh.sh_name)
							  : NULL;
		if (!name || strcmp(name, ".eh_frame") != 0)
			continue;
		if (sh.sh_size > most_bytes) {
			*err = -E2BIG;
			return NULL;
		}
		const Elf_Data *d = foreign_elf_data(scn, &sh, most_bytes);

		if (d && d->d_buf) {
			*vaddr = sh.sh_addr;
			return d;
		}
	}
	return NULL;
}

int ehframe_read(struct ehframe *to, int fd, size_t most)
{
	const uint64_t bytes = (uint64_t)most * ROW_BYTES_MAX;
	const struct arch *arch;
	uint64_t vaddr;
	int err;

	*to = (struct ehframe){ 0 };
	Elf *elf = foreign_elf_open(fd);
	const Elf_Data *d = find_section(
		elf, bytes < FOREIGN_SECTION_BYTES ? bytes : FOREIGN_SECTION_BYTES, &arch, &vaddr,
		&err);

	if (d)
		err = ehframe_parse(to, arch, d->d_buf, d->d_size, vaddr, most);
	elf_end(elf);
	return err;
}

int ehframe_ranges(struct ehframe *to, Elf *elf, uint64_t most_bytes)
{
	const struct arch *arch;
	uint64_t vaddr;
	int err;

	*to = (struct ehframe){ 0 };
	const Elf_Data *d = find_section(elf, most_bytes, &arch, &vaddr, &err);

	return d ? ehframe_parse_ranges(to, d->d_buf, d->d_size, vaddr) : err;
}
