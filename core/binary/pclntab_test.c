// SPDX-License-Identifier: BSD-2-Clause
/* The function table of Go 1.16 and 1.17, which has addresses where later ones have offsets. No Go
 * that can be had today writes it, so it is written here by src/cmd/link/internal/ld/pcln.go
 * of 1.16. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/test_fixture.h"
#include "binary/pclntab.h"
#include "binary/x86_64/x86_arch.h"

#define VADDR 0x500000u /* of the table */
#define TEXT  0x401000u

enum {
	NAMES = 64,
	CUS = 96,
	FILES = 104,
	PCS = 120,
	FUNCS = 136,
	FUNC_1 = 176,
	FUNC_2 = 248,
	END = 320
};

struct table {
	uint8_t bytes[END];
	struct elf_section section;
	struct elf_segment segment;
	struct elf_reloc reloc;
	struct elffile elf;
};

static void put32(uint8_t *at, uint32_t v)
{
	memcpy(at, &v, 4);
}
static void put64(uint8_t *at, uint64_t v)
{
	memcpy(at, &v, 8);
}

/* _func of runtime/runtime2.go, 1.16. */
static void put_func(uint8_t *at, uint64_t entry, uint32_t name, uint32_t pcsp)
{
	put64(at, entry);
	put32(at + 8, name);
	put32(at + 20, pcsp);
	put32(at + 24, 6);  /* pcfile */
	put32(at + 28, 6);  /* pcln */
	put32(at + 32, 1);  /* npcdata */
	put32(at + 36, 1);  /* cuOffset */
	at[40] = 7;         /* funcID */
	at[43] = 2;         /* nfuncdata */
	put32(at + 44, 11); /* pcdata[0] */
	put64(at + 48, 0x600000);
	put64(at + 56, 0x600010);
}

static void make(struct table *t, uint32_t magic)
{
	uint8_t *p = t->bytes;

	*t = (struct table){ .section = { .name = ".gopclntab",
					  .type = SHT_PROGBITS,
					  .vaddr = VADDR,
					  .size = END },
			     .segment = {
				     .flags = PF_R, .vaddr = VADDR, .filesz = END, .memsz = END } };
	put32(p, magic);
	p[6] = 1;
	p[7] = 8;
	put64(p + 8, 2);  /* nfunc */
	put64(p + 16, 1); /* nfiles */
	put64(p + 24, NAMES);
	put64(p + 32, CUS);
	put64(p + 40, FILES);
	put64(p + 48, PCS);
	put64(p + 56, FUNCS);
	memcpy(p + NAMES, "\0main.first\0main.second", 24);
	put32(p + CUS, 100); /* of another unit; cuOffset says that f's are after it */
	put32(p + CUS + 4, 0);
	memcpy(p + FILES, "/src/main.go", 13);
	/* from 1: 0 up to +16, 24 up to +48; from 6: 3 (a file or a line) up to +48 */
	memcpy(p + PCS, "\0\x02\x10\x30\x20\0\x08\x30\0", 9);
	put64(p + FUNCS, TEXT);
	put64(p + FUNCS + 8, FUNC_1 - FUNCS);
	put64(p + FUNCS + 16, TEXT + 48);
	put64(p + FUNCS + 24, FUNC_2 - FUNCS);
	put64(p + FUNCS + 32, TEXT + 96);
	put_func(p + FUNC_1, TEXT, 1, 1);
	put_func(p + FUNC_2, TEXT + 48, 12, 1);
	t->elf = (struct elffile){ .arch = &x86_arch,
				   .map = p,
				   .size = END,
				   .sections = &t->section,
				   .n_sections = 1,
				   .segments = &t->segment,
				   .n_segments = 1 };
}

TEST(functions_of_116)
{
	static const char *const names[] = { "main.first", "main.second" };
	struct pclntab tab;
	struct table t;
	uint64_t entry, off;

	make(&t, PCLNTAB_MAGIC_116);
	assert_int_equal(pclntab_find(&t.elf, &tab), 0);
	assert_int_equal(tab.n_funcs, 2);
	for (unsigned i = 0; i < 2; i++) {
		struct pclnfunc f;

		assert_int_equal(pclntab_entry(&tab, &t.elf, i, &entry, &off), 0);
		assert_int_equal(entry, TEXT + 48 * i);
		assert_int_equal(pclntab_func(&tab, &t.elf, off, &f), 0);
		assert_int_equal(f.entry, entry);
		assert_string_equal(pclntab_string(&tab, tab.name_off, f.name_off), names[i]);
		assert_int_equal(f.func_id, 7);
		assert_int_equal(f.n_funcdata, 2);
		assert_int_equal(pclntab_pcdata(&tab, &f, 0), 11);
		assert_int_equal(pclntab_pcdata(&tab, &f, 1), 0);
		/* pointers, aligned as such */
		assert_int_equal(pclntab_funcdata(&tab, &t.elf, &f, 0, 0), 0x600000);
		assert_int_equal(pclntab_funcdata(&tab, &t.elf, &f, 1, 0), 0x600010);
		assert_int_equal(pclntab_funcdata(&tab, &t.elf, &f, 2, 0), 0);
		assert_string_equal(pclntab_file_name(&tab, &f, 0), "/src/main.go");
	}
	assert_int_equal(pclntab_entry(&tab, &t.elf, 2, &entry, &off), 0); /* where the text ends */
	assert_int_equal(entry, TEXT + 96);
	assert_int_equal(off, 0);
}

TEST(values_of_116)
{
	static const struct {
		unsigned at;
		int32_t sp;
	} want[] = { { 0, 0 }, { 15, 0 }, { 16, 24 }, { 47, 24 } };
	struct pclntab tab;
	struct pclnfunc f;
	struct table t;
	int32_t v;

	make(&t, PCLNTAB_MAGIC_116);
	assert_int_equal(pclntab_find(&t.elf, &tab), 0);
	assert_int_equal(pclntab_func(&tab, &t.elf, FUNC_2 - FUNCS, &f), 0);
	for (size_t i = 0; i < sizeof(want) / sizeof(*want); i++) {
		assert_int_equal(pcvalue_at(&tab, &f, f.pcsp, TEXT + 48 + want[i].at, &v), 0);
		assert_int_equal(v, want[i].sp);
	}
	assert_int_equal(pcvalue_at(&tab, &f, f.pcsp, TEXT + 48 + 48, &v), -ENOENT);
	assert_int_equal(pcvalue_at(&tab, &f, f.pcsp, TEXT + 47, &v), -ENOENT);
	assert_int_equal(pcvalue_at(&tab, &f, f.pcln, TEXT + 48, &v), 0);
	assert_int_equal(v, 3);
}

/* Where instructions are words, pc-value tables count words. */
TEST(instructions_of_four_bytes)
{
	struct arch words = x86_arch;
	struct pclntab tab;
	struct pclnfunc f;
	struct table t;
	int32_t v;

	make(&t, PCLNTAB_MAGIC_116);
	words.pc_quantum = 4;
	t.elf.arch = &words;
	assert_int_equal(pclntab_find(&t.elf, &tab), -EBADMSG);
	t.bytes[6] = 4;
	assert_int_equal(pclntab_find(&t.elf, &tab), 0);
	assert_int_equal(pclntab_func(&tab, &t.elf, FUNC_1 - FUNCS, &f), 0);
	assert_int_equal(pcvalue_at(&tab, &f, f.pcsp, TEXT + 4 * 16 - 1, &v), 0);
	assert_int_equal(v, 0);
	assert_int_equal(pcvalue_at(&tab, &f, f.pcsp, TEXT + 4 * 16, &v), 0);
	assert_int_equal(v, 24);
	assert_int_equal(pcvalue_at(&tab, &f, f.pcsp, TEXT + 4 * 48 - 1, &v), 0);
	assert_int_equal(pcvalue_at(&tab, &f, f.pcsp, TEXT + 4 * 48, &v), -ENOENT);
}

/* In a PIE the addresses are relocations; the words in the file need not be right. */
TEST(relocated_116)
{
	struct pclntab tab;
	struct table t;
	uint64_t entry, off;

	make(&t, PCLNTAB_MAGIC_116);
	put64(t.bytes + FUNCS + 16, 0);
	t.reloc = (struct elf_reloc){ .vaddr = VADDR + FUNCS + 16, .addend = TEXT + 48 };
	t.elf.pie = true;
	t.elf.relocs = &t.reloc;
	t.elf.n_relocs = 1;
	assert_int_equal(pclntab_find(&t.elf, &tab), 0);
	assert_int_equal(pclntab_entry(&tab, &t.elf, 1, &entry, &off), 0);
	assert_int_equal(entry, TEXT + 48);
	assert_int_equal(off, FUNC_2 - FUNCS);
}

/* Stripped of its section headers it is found by its first bytes. */
TEST(found_without_a_section)
{
	struct pclntab tab;
	struct table t;

	make(&t, PCLNTAB_MAGIC_116);
	t.elf.n_sections = 0;
	assert_int_equal(pclntab_find(&t.elf, &tab), 0);
	assert_int_equal(tab.vaddr, VADDR);
	assert_int_equal(tab.n_funcs, 2);
	t.segment.flags = PF_R | PF_X; /* it is not among code */
	assert_int_equal(pclntab_find(&t.elf, &tab), -ENOENT);
}

TEST(damaged_116)
{
	struct pclntab tab;
	struct pclnfunc f;
	struct table t;
	uint64_t entry, off;

	make(&t, PCLNTAB_MAGIC_12); /* Go 1.15's and older */
	assert_int_equal(pclntab_find(&t.elf, &tab), -ENOTSUP);
	make(&t, 0x12345678);
	assert_int_equal(pclntab_find(&t.elf, &tab), -EBADMSG);
	make(&t, PCLNTAB_MAGIC_116);
	put64(t.bytes + 8, (END - FUNCS) / 16); /* more entries than there is room for */
	assert_int_equal(pclntab_find(&t.elf, &tab), -EBADMSG);
	make(&t, PCLNTAB_MAGIC_116);
	put64(t.bytes + 56, END + 1);
	assert_int_equal(pclntab_find(&t.elf, &tab), -EBADMSG);
	make(&t, PCLNTAB_MAGIC_116);
	assert_int_equal(pclntab_find(&t.elf, &tab), 0);
	assert_int_equal(pclntab_func(&tab, &t.elf, END - FUNCS - 47, &f), -EBADMSG);
	tab.n_funcs = 100;
	assert_int_equal(pclntab_entry(&tab, &t.elf, 12, &entry, &off), -EBADMSG);
}

TESTS(functions_of_116, values_of_116, relocated_116, found_without_a_section, damaged_116,
      instructions_of_four_bytes)
