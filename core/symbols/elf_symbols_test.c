// SPDX-License-Identifier: BSD-2-Clause
/* Symbols of ELF files that nobody's linker wrote. */
#include <elf.h>

#include "base/test_fixture.h"
#include "binary/binaries_fixture.h"
#include "symbols/elf_symbols.h"

/* Many symbols with one long name, of which each would be a copy; and many tables of symbols. */
TEST(shared_names)
{
	enum { NAME = 4000, SYMBOLS = 5000, TABLES = 40 };
	struct {
		Elf64_Ehdr head;
		Elf64_Shdr sections[2 + TABLES];
		char names[NAME + 16];
		Elf64_Sym symbols[SYMBOLS];
	} *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	memcpy(f->head.e_ident, ELFMAG, SELFMAG);
	f->head.e_ident[EI_CLASS] = ELFCLASS64;
	f->head.e_ident[EI_DATA] = ELFDATA2LSB;
	f->head.e_ident[EI_VERSION] = EV_CURRENT;
	f->head.e_type = ET_EXEC;
	f->head.e_machine = EM_X86_64;
	f->head.e_version = EV_CURRENT;
	f->head.e_ehsize = sizeof(f->head);
	f->head.e_shoff = offsetof(__typeof__(*f), sections);
	f->head.e_shentsize = sizeof(Elf64_Shdr);
	f->head.e_shnum = 2 + TABLES;
	f->head.e_shstrndx = 1;
	memset(f->names + 1, 'n', NAME);
	f->sections[1] = (Elf64_Shdr){ .sh_type = SHT_STRTAB,
				       .sh_offset = offsetof(__typeof__(*f), names),
				       .sh_size = sizeof(f->names) };
	for (int i = 2; i < 2 + TABLES; i++)
		f->sections[i] = (Elf64_Shdr){ .sh_type = SHT_SYMTAB,
					       .sh_offset = offsetof(__typeof__(*f), symbols),
					       .sh_size = sizeof(f->symbols),
					       .sh_entsize = sizeof(Elf64_Sym),
					       .sh_link = 1 };
	for (int i = 0; i < SYMBOLS; i++)
		f->symbols[i] = (Elf64_Sym){ .st_name = 1,
					     .st_info = STT_FUNC,
					     .st_shndx = 1,
					     .st_value = 0x1000 + 16 * (uint64_t)i,
					     .st_size = 16 };
	struct elf_symbols *e = elf_symbols_memory((uint8_t *)f, sizeof(*f));

	assert_non_null(e);
	assert_int_equal(strlen(elf_symbols_at(e, 0x1000)), NAME);
	assert_true(elf_symbols_bytes(e) < 4 << 20);
	elf_symbols_close(e);

	/* all at one address: one stays, and is found at once */
	for (int i = 0; i < SYMBOLS; i++)
		f->symbols[i].st_value = 0x1000;
	e = elf_symbols_memory((uint8_t *)f, sizeof(*f));
	assert_non_null(e);
	assert_int_equal(strlen(elf_symbols_at(e, 0x100f)), NAME);
	assert_null(elf_symbols_at(e, 0x1010));
	elf_symbols_close(e);
	free(f);
}

/* Of a file that is not the one wanted nothing is read. */
TEST(wanted_file)
{
	const uint8_t other[20] = { 1 }, *id;
	FILE *f = fopen("/proc/self/exe", "r");

	assert_non_null(f);
	struct elf_symbols *e = elf_symbols_open(fileno(f), NULL, 0, 0), *same;
	size_t n = e ? elf_symbols_build_id(e, &id) : 0;

	assert_int_not_equal(n, 0);
	same = elf_symbols_open(fileno(f), id, n, 0);
	assert_non_null(same);
	assert_null(elf_symbols_open(fileno(f), other, n, 0));
	elf_symbols_close(same);
	elf_symbols_close(e);
	fclose(f);
}

/* Cut anywhere, changed anywhere: no symbols, or some, and no harm. */
TEST(damaged_files)
{
	size_t size;
	uint8_t *p = load_binary("cgo", &size);
	uint64_t seed = 5;

	for (int round = 0; round < 60; round++) {
		uint8_t *copy = malloc(size);

		assert_non_null(copy);
		memcpy(copy, p, size);
		for (int k = 0; k < 8; k++) {
			seed = seed * 6364136223846793005u + 1442695040888963407u;
			copy[(seed >> 33) % (round % 2 ? 4096 : size)] ^= (uint8_t)(seed >> 20);
		}
		struct elf_symbols *e = elf_symbols_memory(copy, round % 3 ? size : size / 2);

		for (uint64_t a = 0x400000; e && a < 0x500000; a += 4097)
			elf_symbols_at(e, a);
		elf_symbols_close(e);
		free(copy);
	}
	free(p);
}

TESTS_BETWEEN(set_up_binaries, NULL, shared_names, wanted_file, damaged_files)
