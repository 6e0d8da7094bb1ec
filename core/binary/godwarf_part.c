/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The first units of a binary's DWARF. libdw unpacks every section of a file that it opens, which
 * takes a fifth of a second for a large server; the runtime's types are at the beginning. So libdw
 * is given a small file in memory that holds that much and no lines, frames or locations.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "binary/arch.h"
#include "binary/gobin_impl.h"
#include "binary/godwarf_impl.h"

/* What types and their names may refer to; the first is cut. */
static const char *const names[] = { ".debug_info", ".debug_abbrev", ".debug_str",
				     ".debug_line_str", ".debug_str_offsets" };
#define N_NAMES      (sizeof(names) / sizeof(*names))
#define STRINGS_MAX  128
#define INFLATED_MAX 1100 /* times as large as packed: deflate does no better */

struct piece {
	uint8_t *at;
	size_t bytes;
	bool whole;
};

static int inflate_into(struct piece *p, const uint8_t *packed, size_t packed_bytes)
{
	z_stream z = { .next_in = (Bytef *)(uintptr_t)packed,
		       .avail_in = (uInt)packed_bytes,
		       .next_out = p->at,
		       .avail_out = (uInt)p->bytes };

	if (inflateInit(&z) != Z_OK)
		return -ENOMEM;
	int got = inflate(&z, Z_SYNC_FLUSH);
	const bool full = !z.avail_out;

	inflateEnd(&z);
	return (got == Z_OK || got == Z_STREAM_END || got == Z_BUF_ERROR) && full ? 0 : -EBADMSG;
}

/* At most `most` bytes of a section, unpacked, into p, whose memory is the caller's to free. 0,
 * -ENOMEM or -EBADMSG: packed in another way, or broken. */
static int unpack(const struct gobin *b, const struct elf_section *s, size_t most, struct piece *p)
{
	const uint8_t *from = b->elf.map + s->off;
	const bool packed = s->flags & SHF_COMPRESSED;
	uint64_t bytes = s->size;
	Elf64_Chdr head;

	if (packed) {
		if (s->size < sizeof(head) || s->size > UINT32_MAX)
			return -EBADMSG;
		memcpy(&head, from, sizeof(head));
		if (head.ch_type != ELFCOMPRESS_ZLIB || head.ch_size / INFLATED_MAX > s->size)
			return -EBADMSG;
		bytes = head.ch_size;
	}
	p->whole = bytes <= most;
	p->bytes = p->whole ? (size_t)bytes : most;
	if (p->bytes > UINT32_MAX)
		return -EBADMSG;
	p->at = malloc(p->bytes + 1);
	if (!p->at)
		return -ENOMEM;
	if (packed)
		return inflate_into(p, from + sizeof(head), s->size - sizeof(head));
	memcpy(p->at, from, p->bytes);
	return 0;
}

/* A unit of which less is there is left out. */
#define UNIT_LEAST 4096

/* Bytes of the units. The last may go on where the piece ends, as the one with all types of a large
 * program does: its header then says that it ends there, and libdw finds a tree that breaks off. */
static size_t cut_to_units(const struct piece *p)
{
	size_t at = 0;

	while (p->bytes - at >= 12) {
		uint64_t len = load32(p->at + at), head = 4;
		const size_t left = p->bytes - at;

		if (len == UINT32_MAX) {
			len = load64(p->at + at + 4);
			head = 12;
		}
		if (len <= left - head) {
			at += head + len;
			continue;
		}
		if (p->whole || left < UNIT_LEAST)
			break;
		len = left - head; /* little-endian: its first bytes are a number of 4 */
		memcpy(p->at + at + head - (head == 4 ? 4 : 8), &len, head == 4 ? 4 : 8);
		return p->bytes;
	}
	return at;
}

static int unpack_all(const struct gobin *b, size_t info_bytes, struct piece pieces[N_NAMES])
{
	int err = 0;

	for (size_t i = 0; i < N_NAMES && !err; i++) {
		const struct elf_section *s = elffile_section(&b->elf, names[i]);

		if (s && s->type != SHT_NOBITS)
			err = unpack(b, s, i ? SIZE_MAX : info_bytes, &pieces[i]);
		else if (i < 2)
			err = -ENOENT;
	}
	if (err)
		return err;
	pieces[0].bytes = cut_to_units(&pieces[0]);
	return pieces[0].bytes ? 0 : pieces[0].whole ? -EBADMSG : -ERANGE;
}

/* The file: its header, the pieces, their names, their headers. NULL: no memory. */
static uint8_t *compose(const struct arch *arch, const struct piece pieces[N_NAMES], size_t *size)
{
	Elf64_Shdr sections[N_NAMES + 2] = { 0 };
	char strings[STRINGS_MAX] = "";
	size_t at = sizeof(Elf64_Ehdr), n_strings = 1, n = 1;

	for (size_t i = 0; i < N_NAMES; i++, n++) {
		sections[n] = (Elf64_Shdr){ .sh_name = (Elf64_Word)n_strings,
					    .sh_type = SHT_PROGBITS,
					    .sh_offset = at,
					    .sh_size = pieces[i].bytes,
					    .sh_addralign = 1 };
		at += pieces[i].bytes;
		strcpy(strings + n_strings, names[i]);
		n_strings += strlen(names[i]) + 1;
	}
	sections[n] = (Elf64_Shdr){
		.sh_type = SHT_STRTAB, .sh_offset = at, .sh_size = n_strings, .sh_addralign = 1
	};
	const size_t headers = (at + n_strings + 7) / 8 * 8;
	const Elf64_Ehdr head = { .e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
					       ELFDATA2LSB, EV_CURRENT },
				  .e_type = ET_EXEC,
				  .e_machine = arch->elf_machine,
				  .e_version = EV_CURRENT,
				  .e_shoff = headers,
				  .e_ehsize = sizeof(head),
				  .e_shentsize = sizeof(Elf64_Shdr),
				  .e_shnum = N_NAMES + 2,
				  .e_shstrndx = N_NAMES + 1 };
	uint8_t *file = calloc(1, headers + sizeof(sections));

	if (!file)
		return NULL;
	memcpy(file, &head, sizeof(head));
	for (size_t i = 0; i < N_NAMES; i++)
		if (pieces[i].bytes)
			memcpy(file + sections[i + 1].sh_offset, pieces[i].at, pieces[i].bytes);
	memcpy(file + at, strings, n_strings);
	memcpy(file + headers, sections, sizeof(sections));
	*size = headers + sizeof(sections);
	return file;
}

int godwarf_part_open(const struct gobin *b, size_t info_bytes, struct godwarf_part *part)
{
	struct piece pieces[N_NAMES] = { 0 };
	size_t size = 0;
	int err = unpack_all(b, info_bytes, pieces);

	*part = (struct godwarf_part){ .whole = pieces[0].whole };
	if (!err && !(part->file = compose(b->elf.arch, pieces, &size)))
		err = -ENOMEM;
	for (size_t i = 0; i < N_NAMES; i++)
		free(pieces[i].at);
	if (err)
		return err;
	elf_version(EV_CURRENT);
	part->elf = elf_memory((char *)part->file, size);
	part->dwarf = godwarf_begin(part->elf);
	if (part->dwarf)
		return 0;
	godwarf_part_close(part);
	return -EBADMSG;
}

void godwarf_part_close(struct godwarf_part *part)
{
	godwarf_close(part->elf, part->dwarf);
	free(part->file);
	*part = (struct godwarf_part){ 0 };
}
