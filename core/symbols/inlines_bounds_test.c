// SPDX-License-Identifier: BSD-2-Clause
/* DWARF that takes hours or gigabytes, unless reading is bounded. Without the bounds these tests do
 * not end within any patience. */
#include "symbols/dwarf_lines.h" /* before cmocka, which defines skip */
#include "symbols/inlines.h"

#include "base/test_fixture.h"

#include <dwarf.h>
#include <elf.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SHORT_NS 1000000ull
#define LONG_NS  (3600 * 1000000000ull)
#define MOST     8
#define CODE     0x1000

static char folder[] = "/tmp/gotrace-bounds.XXXXXX";

struct bytes {
	uint8_t *p;
	size_t n, cap;
};

static void put(struct bytes *b, const void *from, size_t n)
{
	if (b->n + n > b->cap) {
		b->cap = 2 * (b->n + n);
		b->p = realloc(b->p, b->cap);
		assert_non_null(b->p);
	}
	memcpy(b->p + b->n, from, n);
	b->n += n;
}

static void put_number(struct bytes *b, uint64_t x, size_t n)
{
	put(b, &x, n);
}

static void put_leb(struct bytes *b, uint64_t x)
{
	for (; x >= 128; x >>= 7)
		put_number(b, (x & 127) | 128, 1);
	put_number(b, x, 1);
}

/* ---- a file with sections */

struct section {
	const char *name;
	struct bytes *bytes;
};

static void write_elf(const char *name, const struct section *s, size_t n)
{
	char path[128], names[512] = "";
	size_t n_names = 1;
	Elf64_Shdr sh[8] = { { 0 } };
	Elf64_Ehdr h = { .e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
				      EV_CURRENT },
			 .e_type = ET_EXEC,
			 .e_machine = EM_X86_64,
			 .e_version = EV_CURRENT,
			 .e_ehsize = sizeof(h),
			 .e_shentsize = sizeof(*sh),
			 .e_shnum = (uint16_t)(n + 2),
			 .e_shstrndx = (uint16_t)(n + 1) };
	uint64_t at = sizeof(h);

	assert_true(n + 2 <= sizeof(sh) / sizeof(*sh));
	for (size_t i = 0; i <= n; i++) {
		const char *of = i < n ? s[i].name : ".shstrtab";

		sh[i + 1].sh_name = (uint32_t)n_names;
		sh[i + 1].sh_type = i == n                         ? SHT_STRTAB
				    : strncmp(of, ".note", 5) == 0 ? SHT_NOTE
								   : SHT_PROGBITS;
		sh[i + 1].sh_addralign = 1;
		strcpy(names + n_names, of);
		n_names += strlen(of) + 1;
		sh[i + 1].sh_offset = at;
		sh[i + 1].sh_size = i < n ? s[i].bytes->n : n_names;
		at += sh[i + 1].sh_size;
	}
	h.e_shoff = at;
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	FILE *f = fopen(path, "we");

	assert_non_null(f);
	fwrite(&h, sizeof(h), 1, f);
	for (size_t i = 0; i < n; i++)
		fwrite(s[i].bytes->p, 1, s[i].bytes->n, f);
	fwrite(names, 1, n_names, f);
	fwrite(sh, sizeof(*sh), n + 2, f);
	assert_int_equal(fclose(f), 0);
	for (size_t i = 0; i < n; i++)
		free(s[i].bytes->p);
}

static int open_file(const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	const int fd = open(path, O_RDONLY | O_CLOEXEC);

	assert_true(fd >= 0);
	return fd;
}

static struct inlines *open_inlines(const char *name, uint64_t most_bytes)
{
	char path[128];
	uint64_t left = LONG_NS;
	const int fd = open_file(name);

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	struct inlines *x = inlines_open(fd, &(struct inlines_place){ path, "", most_bytes },
					 &left);

	close(fd);
	assert_non_null(x);
	return x;
}

/* Nothing is found, and the time is over. */
static void takes_too_long(const char *name)
{
	struct inlines *x = open_inlines(name, 64 << 20);
	struct inline_frame f[MOST];
	uint64_t left = SHORT_NS;

	assert_int_equal(inlines_at(x, CODE, f, MOST, &left), 0);
	assert_int_equal(left, 0);
	inlines_close(x);
}

/* ---- its DWARF */

/* An abbreviation's number, tag and children; attributes and put_end follow. */
static void put_abbrev(struct bytes *b, uint64_t code, uint64_t tag, bool children)
{
	put_leb(b, code);
	put_leb(b, tag);
	put_number(b, children, 1);
}

static void put_attribute(struct bytes *b, uint64_t attribute, uint64_t form)
{
	put_leb(b, attribute);
	put_leb(b, form);
}

static void put_end(struct bytes *b)
{
	put_attribute(b, 0, 0);
}

/* A unit whose entry, of the first abbreviation, has the addresses from CODE on. Returns where its
 * length is. */
static size_t begin_unit(struct bytes *b, uint64_t abbrev_off)
{
	const size_t at = b->n;

	put_number(b, 0, 4);
	put_number(b, 4, 2);
	put_number(b, abbrev_off, 4);
	put_number(b, 8, 1);
	put_number(b, 1, 1);
	put_number(b, CODE, 8);
	put_number(b, 0x1000, 8);
	return at;
}

static void end_unit(struct bytes *b, size_t at)
{
	const uint32_t n = (uint32_t)(b->n - at - 4);

	memcpy(b->p + at, &n, 4);
}

static void put_unit_abbrev(struct bytes *b, size_t more)
{
	put_abbrev(b, 1, DW_TAG_compile_unit, true);
	put_attribute(b, DW_AT_low_pc, DW_FORM_addr);
	put_attribute(b, DW_AT_high_pc, DW_FORM_data8);
	for (size_t i = 0; i < more; i++)
		put_attribute(b, DW_AT_external, DW_FORM_flag_present);
	put_end(b);
}

/* Each entry is a byte, and has a million attributes of no bytes. */
TEST(wide_entries)
{
	struct bytes info = { 0 }, abbrev = { 0 };

	put_unit_abbrev(&abbrev, 0);
	put_abbrev(&abbrev, 2, DW_TAG_variable, false);
	for (int i = 0; i < 1000000; i++)
		put_attribute(&abbrev, DW_AT_external, DW_FORM_flag_present);
	put_end(&abbrev);
	put_number(&abbrev, 0, 1);
	const size_t unit = begin_unit(&info, 0);

	for (int i = 0; i < 4000000; i++)
		put_number(&info, 2, 1);
	end_unit(&info, unit);
	write_elf("wide",
		  (struct section[]){ { ".debug_info", &info }, { ".debug_abbrev", &abbrev } }, 2);
	takes_too_long("wide");
}

/* All functions have one list of a million ranges of no bytes. */
TEST(long_lists)
{
	struct bytes info = { 0 }, abbrev = { 0 }, ranges = { 0 };

	put_unit_abbrev(&abbrev, 0);
	put_abbrev(&abbrev, 2, DW_TAG_subprogram, false);
	put_attribute(&abbrev, DW_AT_ranges, DW_FORM_sec_offset);
	put_end(&abbrev);
	put_number(&abbrev, 0, 1);
	const size_t unit = begin_unit(&info, 0);

	for (int i = 0; i < 200000; i++) {
		put_number(&info, 2, 1);
		put_number(&info, 0, 4);
	}
	end_unit(&info, unit);
	for (int i = 0; i < 1000000; i++) {
		put_number(&ranges, 1, 8);
		put_number(&ranges, 1, 8);
	}
	put_number(&ranges, 0, 8);
	put_number(&ranges, 0, 8);
	write_elf("lists",
		  (struct section[]){ { ".debug_info", &info },
				      { ".debug_abbrev", &abbrev },
				      { ".debug_ranges", &ranges } },
		  3);
	takes_too_long("lists");
}

/* Many units, each with a table of its own: the long one without some entries. */
static void put_many_units(struct bytes *info, struct bytes *abbrev, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		const uint64_t off = abbrev->n;

		put_unit_abbrev(abbrev, 0);
		end_unit(info, begin_unit(info, off));
	}
	for (int i = 0; i < 60000; i++) {
		put_abbrev(abbrev, 70000 - (uint64_t)i, DW_TAG_variable, false);
		put_end(abbrev);
	}
	put_number(abbrev, 0, 1);
}

/* They are in the file that .gnu_debugaltlink names. */
TEST(many_other_units)
{
	static const char id[] = "0123456789abcdefghij";
	struct bytes info = { 0 }, abbrev = { 0 }, note = { 0 }, link = { 0 };

	put_many_units(&info, &abbrev, 300000);
	put_number(&note, 4, 4);
	put_number(&note, 20, 4);
	put_number(&note, NT_GNU_BUILD_ID, 4);
	put(&note, "GNU", 4);
	put(&note, id, 20);
	write_elf("common",
		  (struct section[]){ { ".debug_info", &info },
				      { ".debug_abbrev", &abbrev },
				      { ".note.gnu.build-id", &note } },
		  3);
	info = abbrev = (struct bytes){ 0 };
	put_unit_abbrev(&abbrev, 0);
	put_number(&abbrev, 0, 1);
	end_unit(&info, begin_unit(&info, 0));
	put(&link, "common", 7);
	put(&link, id, 20);
	write_elf("linked",
		  (struct section[]){ { ".debug_info", &info },
				      { ".debug_abbrev", &abbrev },
				      { ".gnu_debugaltlink", &link } },
		  3);
	takes_too_long("linked");
}

/* Each of many tables takes megabytes. */
TEST(large_tables)
{
	struct bytes info = { 0 }, abbrev = { 0 };
	struct inline_frame f[MOST];
	uint64_t left = LONG_NS;
	const uint64_t most = 16 << 20;

	for (int i = 0; i < 40; i++) {
		const uint64_t off = abbrev.n;

		put_unit_abbrev(&abbrev, 100000);
		put_number(&abbrev, 0, 1);
		end_unit(&info, begin_unit(&info, off));
	}
	write_elf("tables",
		  (struct section[]){ { ".debug_info", &info }, { ".debug_abbrev", &abbrev } }, 2);
	struct inlines *x = open_inlines("tables", most);

	assert_int_equal(inlines_at(x, CODE, f, MOST, &left), 0);
	assert_true(left > 0);
	assert_true(inlines_bytes(x) < most);
	inlines_close(x);
}

/* ---- names of source files */

/* A table of more text than it may have. The names that it has are whole. */
TEST(much_text)
{
	struct dwarf_bounds bounds = { 64 << 20, UINT64_MAX, 0, false };
	struct bytes info = { 0 }, abbrev = { 0 }, lines = { 0 };
	struct dwarf_lines l = { 0 };
	struct dwarf_file file;
	char name[1000], path[2000];

	put_unit_abbrev(&abbrev, 0);
	put_number(&abbrev, 0, 1);
	end_unit(&info, begin_unit(&info, 0));
	put_number(&lines, 0, 4);
	put_number(&lines, 4, 2);
	const size_t header = lines.n;

	put_number(&lines, 0, 4);
	put(&lines, "\1\1\1\0\1\1\0", 7); /* of its numbers, and no folders */
	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	for (int i = 0; i < 10000; i++) {
		put(&lines, name, sizeof(name));
		put(&lines, "\0\0", 3);
	}
	put_number(&lines, 0, 1);
	const uint32_t n = (uint32_t)(lines.n - header - 4), all = (uint32_t)(lines.n - 4);

	memcpy(lines.p, &all, 4);
	memcpy(lines.p + header, &n, 4);
	write_elf("text",
		  (struct section[]){ { ".debug_info", &info },
				      { ".debug_abbrev", &abbrev },
				      { ".debug_line", &lines } },
		  3);
	const int fd = open_file("text");

	assert_int_equal(dwarf_file_open(&file, fd, &bounds), 0);
	close(fd);
	file.units[0].has_lines = true;
	assert_int_not_equal(dwarf_lines_read(&l, &file, NULL, &file.units[0], NULL, true), 0);
	assert_true(l.n_sources > 1000 && l.n_sources < 10000);
	for (size_t i = 0; i < l.n_sources; i++) {
		assert_true(dwarf_lines_path(&l, i + 1, path, sizeof(path)));
		assert_string_equal(path, name);
	}
	assert_false(dwarf_lines_path(&l, l.n_sources + 1, path, sizeof(path)));
	dwarf_lines_free(&l);
	dwarf_file_close(&file);
}

/* ---- values */

/* A value that is no number counts as 0, and not as what the memory held before. */
TEST(no_number)
{
	const uint8_t block[] = { 2, 7, 7 };
	struct in in = { block, block + sizeof(block), false };
	const struct dwarf_unit u = { .version = 5, .address_bytes = 8, .offset_bytes = 4 };
	struct dwarf_value v = { .u = 12345, .s = "old" };

	assert_true(dwarf_value_read(&in, &u, DW_FORM_exprloc, 0, &v));
	assert_int_equal(v.u, 0);
	assert_null(v.s);
}

FIXTURE(make_folder)
{
	return mkdtemp(folder) ? 0 : -1;
}

FIXTURE(remove_folder)
{
	char text[128];

	snprintf(text, sizeof(text), "rm -rf %s", folder);
	return system(text);
}

TESTS_BETWEEN(make_folder, remove_folder, no_number, much_text, large_tables, wide_entries,
	      long_lists, many_other_units)
