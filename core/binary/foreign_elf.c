// SPDX-License-Identifier: BSD-2-Clause
#include "binary/foreign_elf.h"

#include <string.h>
#include <unistd.h>

#include "base/hash_index.h"

#define NT_GO_BUILD_ID 4 /* ELF_NOTE_GOBUILDID_TAG, cmd/link/internal/ld/elf.go */
#define NOTES_MAX \
	64 /* sections and segments of them that are looked at: libelf keeps a copy of each */

bool foreign_elf_bounded(const void *head, size_t n)
{
	Elf64_Ehdr wide;
	Elf32_Ehdr narrow;

	memset(&wide, 0, sizeof(wide));
	memset(&narrow, 0, sizeof(narrow));
	memcpy(&wide, head, n < sizeof(wide) ? n : sizeof(wide));
	memcpy(&narrow, head, n < sizeof(narrow) ? n : sizeof(narrow));
	if (n < EI_NIDENT || memcmp(wide.e_ident, ELFMAG, SELFMAG) != 0)
		return false;
	if (wide.e_ident[EI_CLASS] == ELFCLASS32)
		return narrow.e_phnum != PN_XNUM && (narrow.e_shnum || !narrow.e_shoff);
	return wide.e_phnum != PN_XNUM && (wide.e_shnum || !wide.e_shoff);
}

Elf *foreign_elf_open(int fd)
{
	uint8_t head[sizeof(Elf64_Ehdr)];
	ssize_t n = pread(fd, head, sizeof(head), 0);

	if (n < 0 || !foreign_elf_bounded(head, (size_t)n))
		return NULL;
	elf_version(EV_CURRENT);
	Elf *elf = elf_begin(fd, ELF_C_READ, NULL);

	if (elf && elf_kind(elf) == ELF_K_ELF)
		return elf;
	elf_end(elf);
	return NULL;
}

Elf_Data *foreign_elf_data(Elf_Scn *scn, const GElf_Shdr *sh, uint64_t most_bytes)
{
	if (sh->sh_type == SHT_NOBITS || sh->sh_flags & SHF_COMPRESSED || sh->sh_size > most_bytes)
		return NULL;
	return elf_getdata(scn, NULL);
}

/* The build IDs of a file. */
struct ids {
	uint8_t *gnu;
	size_t most, n_gnu;
	uint8_t go[FILE_ID_GO_BYTES];
	size_t n_go;
};

static void ids_in(Elf_Data *data, struct ids *ids)
{
	size_t at = 0, name_off, desc_off;
	GElf_Nhdr note;

	while (data && !ids->n_gnu &&
	       (at = gelf_getnote(data, at, &note, &name_off, &desc_off)) > 0) {
		const char *bytes = data->d_buf;

		if (note.n_namesz != 4)
			continue;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_descsz <= ids->most &&
		    !memcmp(bytes + name_off, "GNU", 4)) {
			memcpy(ids->gnu, bytes + desc_off, note.n_descsz);
			ids->n_gnu = note.n_descsz;
		} else if (note.n_type == NT_GO_BUILD_ID && !memcmp(bytes + name_off, "Go\0", 4) &&
			   file_id_of_go(bytes + desc_off, note.n_descsz, ids->go)) {
			ids->n_go = sizeof(ids->go);
		}
	}
}

static void find_ids(Elf *elf, struct ids *ids)
{
	size_t n = 0, notes = 0;
	Elf_Scn *scn = NULL;
	GElf_Phdr ph;
	GElf_Shdr sh;

	if (elf_getphdrnum(elf, &n))
		n = 0;
	for (size_t i = 0; i < n && !ids->n_gnu && gelf_getphdr(elf, (int)i, &ph); i++)
		if (ph.p_type == PT_NOTE && ph.p_filesz <= FOREIGN_NOTES_BYTES &&
		    notes++ < NOTES_MAX)
			ids_in(elf_getdata_rawchunk(elf, (int64_t)ph.p_offset, ph.p_filesz,
						    ph.p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR),
			       ids);
	while (!ids->n_gnu && (scn = elf_nextscn(elf, scn)))
		if (gelf_getshdr(scn, &sh) && sh.sh_type == SHT_NOTE && notes++ < 2 * NOTES_MAX)
			ids_in(foreign_elf_data(scn, &sh, FOREIGN_NOTES_BYTES), ids);
}

size_t foreign_elf_file_id(Elf *elf, uint8_t id[FILE_ID_BYTES])
{
	struct ids ids = { .gnu = id, .most = FILE_ID_BYTES };

	find_ids(elf, &ids);
	if (!ids.n_gnu)
		memcpy(id, ids.go, ids.n_go);
	return ids.n_gnu ? ids.n_gnu : ids.n_go;
}

uint64_t foreign_elf_digest(int fd, const void *tables, size_t n)
{
	uint8_t id[FILE_ID_BYTES];
	Elf *elf = foreign_elf_open(fd);
	const size_t n_id = elf ? foreign_elf_file_id(elf, id) : 0;

	elf_end(elf);
	return hash_wide(hash_wide(0, id, n_id), tables, n) | 1;
}
