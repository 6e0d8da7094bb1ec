/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/test_fixture.h"
#include "binary/binaries_fixture.h"

#include <dwarf.h>
#include <elf.h>
#include <poll.h>
#include <sys/inotify.h>
#include <zlib.h>

#include "binary/gobin_impl.h"
#include "binary/godwarf_impl.h"
#include "binary/x86_64/x86_arch.h"

static void assert_same_layout(const struct golayout *a, const struct golayout *b)
{
	const size_t n = offsetof(struct golayout, from_dwarf) / sizeof(int32_t);

	for (size_t i = 0; i < n; i++) {
		int32_t x = ((const int32_t *)a)[i], y = ((const int32_t *)b)[i];

		if (x != y)
			fail_msg("field %zu of struct golayout: %d and %d", i, x, y);
	}
}

TEST(test_table_is_dwarf)
{
	static const char *const names[] = { "kinds", "kinds.pie", "cgo" };

	for (size_t i = 0; i < 3; i++) {
		struct gobin *b = open_binary(names[i]);
		struct golayout dwarf, table;

		assert_int_equal(gobin_layout(b, &dwarf), 0);
		assert_true(dwarf.from_dwarf);
		assert_int_equal(golayout_by_minor(gobin_go_minor(b), &table), 0);
		assert_false(table.from_dwarf);
		assert_same_layout(&dwarf, &table);
		gobin_close(b);
	}
}

TEST(test_stripped_uses_table)
{
	struct gobin *a = open_binary("kinds"), *b = open_binary("kinds.pie.stripped");
	struct golayout x, y;

	assert_int_equal(gobin_layout(a, &x), 0);
	assert_int_equal(gobin_layout(b, &y), 0);
	assert_false(y.from_dwarf);
	assert_same_layout(&x, &y);
	gobin_close(a);
	gobin_close(b);
}

/* Numbers of facts known from elsewhere: gdb and probes on real runs. */
TEST(test_known_offsets)
{
	static const struct {
		int minor, goid, curg, parent, recovery;
	} want[] = {
		{ 19, 152, 192, -1, 40 },  { 21, 152, 192, 272, 40 }, { 22, 152, 192, 272, 48 },
		{ 23, 160, 192, 280, 48 }, { 24, 160, 192, 280, 48 }, { 26, 152, 184, 280, 40 },
		{ 27, 152, 184, 280, 48 },
	};

	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		struct golayout l;

		assert_int_equal(golayout_by_minor(want[i].minor, &l), 0);
		assert_int_equal(l.g_goid, want[i].goid);
		assert_int_equal(l.m_curg, want[i].curg);
		assert_int_equal(l.g_parent_goid, want[i].parent);
		assert_int_equal(l.panic_sp, want[i].recovery);
	}
	struct golayout l;
	assert_int_equal(golayout_by_minor(18, &l), -ENOENT);
	assert_int_equal(golayout_by_minor(99, &l), -ENOENT);
	assert_int_equal(golayout_by_minor(-1, &l), -ENOENT);
}

/* Opens `name` with its Go version replaced by one of the same length. */
static struct gobin *with_version(const char *name, const char *version)
{
	size_t size;
	uint8_t *p = load_binary(name, &size);
	uint8_t *at = memmem(p, size, "\xff Go buildinf:", 14);

	assert_non_null(at);
	assert_memory_equal(at + 33, "go1.", 4);
	memcpy(at + 33, version, strlen(version));
	struct gobin *b = open_bytes(p, size);
	free(p);
	return b;
}

TEST(test_unknown_versions)
{
	struct golayout l;
	struct gobin *b = with_version("kinds.stripped", "go1.99");

	assert_non_null(b);
	assert_int_equal(gobin_layout(b, &l), -ENOTSUP);
	assert_non_null(strstr(logged, "runtime this gotrace does not know"));
	assert_non_null(strstr(logged, "(ci/go-layout.sh 1.99"));
	assert_int_equal(logged_count, 1);
	gobin_close(b);
	/* the command names the release and no more */
	b = with_version("kinds.stripped", "go1.31-x");
	assert_non_null(b);
	assert_int_equal(gobin_layout(b, &l), -ENOTSUP);
	assert_string_equal(strstr(logged, "(ci/go-layout.sh "), "(ci/go-layout.sh 1.31)");
	gobin_close(b);
	b = with_version("kinds", "go1.99"); /* DWARF needs no table */
	assert_non_null(b);
	assert_int_equal(gobin_layout(b, &l), 0);
	assert_true(l.from_dwarf);
	gobin_close(b);
	b = with_version("kinds", "go1.18");
	assert_non_null(b);
	forget_log();
	assert_int_equal(gobin_layout(b, &l), -ENOTSUP);
	assert_non_null(strstr(logged, "tracing needs Go 1.19 or newer"));
	assert_int_equal(logged_count, 1);
	gobin_close(b);
}

static Elf64_Shdr *find_section(uint8_t *p, const char *name)
{
	const Elf64_Ehdr *h = (const Elf64_Ehdr *)p;
	Elf64_Shdr *s = (Elf64_Shdr *)(p + h->e_shoff);
	const char *names = (const char *)p + s[h->e_shstrndx].sh_offset;

	for (unsigned i = 0; i < h->e_shnum; i++)
		if (!strcmp(names + s[i].sh_name, name))
			return &s[i];
	fail_msg("no section %s", name);
	return NULL;
}

/* Renames all members of structs called `from` in compressed DWARF to `to`, of the same length. */
static void rename_members(uint8_t *p, const char *from, const char *to)
{
	Elf64_Shdr *s = find_section(p, ".debug_info");
	Elf64_Chdr c;
	memcpy(&c, p + s->sh_offset, sizeof(c)); /* it need not be aligned */
	uint8_t *packed = p + s->sh_offset + sizeof(c), *plain = malloc(c.ch_size), *at = plain;
	uLongf n_plain = c.ch_size, n_packed = s->sh_size - sizeof(c);
	size_t len = strlen(from) + 1, renamed = 0;

	assert_non_null(plain);
	assert_true(s->sh_flags & SHF_COMPRESSED && c.ch_type == ELFCOMPRESS_ZLIB);
	assert_int_equal(uncompress(plain, &n_plain, packed, n_packed), Z_OK);
	while ((at = memmem(at, (size_t)(plain + n_plain - at), from, len))) {
		memcpy(at, to, len);
		renamed++;
	}
	assert_true(renamed > 0);
	assert_int_equal(compress2(packed, &n_packed, plain, n_plain, 9), Z_OK); /* Go's is 1 */
	s->sh_size = sizeof(c) + n_packed;
	free(plain);
}

/* A Go version that no table knows, whose runtime calls a field otherwise. */
static struct gobin *with_renamed(const char *from, const char *to)
{
	size_t size;
	uint8_t *p = load_binary("kinds", &size);
	uint8_t *at = memmem(p, size, "\xff Go buildinf:", 14);

	assert_non_null(at);
	memcpy(at + 33, "go1.99", 6);
	rename_members(p, from, to);
	struct gobin *b = open_bytes(p, size);
	free(p);
	assert_non_null(b);
	return b;
}

/* Only fields that are read are needed. */
TEST(test_renamed_fields)
{
	static const char *const unread[][2] = {
		{ "atomicstatus", "atomicstatuz" },
		{ "waitreason", "waitreazon" },
		{ "procid", "procit" },
		{ "gsignal", "gzignal" },
	};
	struct golayout l;

	for (size_t i = 0; i < sizeof(unread) / sizeof(unread[0]); i++) {
		struct gobin *b = with_renamed(unread[i][0], unread[i][1]);

		assert_int_equal(gobin_layout(b, &l), 0);
		assert_true(l.from_dwarf && l.g_goid > 0 && l.m_curg > 0);
		assert_true(l.g_atomicstatus == -1 || l.g_waitreason == -1 || l.m_procid == -1 ||
			    l.m_gsignal == -1);
		gobin_close(b);
	}
	struct gobin *b = with_renamed("goid", "goit");

	assert_int_equal(gobin_layout(b, &l), -ENOTSUP);
	gobin_close(b);
}

static size_t count_units(Dwarf *dwarf)
{
	Dwarf_CU *cu = NULL;
	uint8_t kind;
	Dwarf_Die unit;
	size_t n = 0;

	while (dwarf_get_units(dwarf, cu, &cu, NULL, &kind, &unit, NULL) == 0) {
		assert_non_null(dwarf_diename(&unit));
		n++;
	}
	return n;
}

/* However little of it is unpacked, what is there are units. */
TEST(test_first_units)
{
	static const size_t sizes[] = { 5000, 20000, 100000, 300000, SIZE_MAX };
	struct gobin *b = open_binary("kinds");
	struct godwarf_part none;
	size_t last = 0;

	assert_int_equal(godwarf_part_open(b, 11, &none), -ERANGE);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct godwarf_part part;

		assert_int_equal(godwarf_part_open(b, sizes[i], &part), 0);
		assert_int_equal(part.whole, sizes[i] == SIZE_MAX);
		size_t n = count_units(part.dwarf);
		assert_true(n >= last && n);
		last = n;
		godwarf_part_close(&part);
	}
	Elf *elf;
	Dwarf *dwarf;

	assert_int_equal(godwarf_open(b, &elf, &dwarf), 0);
	assert_int_equal(count_units(dwarf), last);
	godwarf_close(elf, dwarf);
	gobin_close(b);
}

/* Packed data that is broken is no reason to fail: the table knows this version. */
TEST(test_broken_dwarf)
{
	size_t size;
	uint8_t *p = load_binary("kinds", &size);
	Elf64_Shdr *s = find_section(p, ".debug_info");
	struct golayout l;

	memset(p + s->sh_offset + sizeof(Elf64_Chdr) + 100, 0xff, 1000);
	struct gobin *b = open_bytes(p, size);
	free(p);
	assert_non_null(b);
	assert_int_equal(gobin_layout(b, &l), 0);
	assert_false(l.from_dwarf);
	gobin_close(b);
}

/* A section of 42 bytes that no one needs becomes one that names a file of more DWARF. The names of
 * units refer to that file. */
static struct gobin *with_supplement(const char *path)
{
	static const char from[] = ".debug_gdb_scripts", to[] = ".gnu_debugaltlink";
	size_t size, at;
	uint8_t *p = load_binary("values.plain", &size);
	Elf64_Shdr *s = find_section(p, from), *abbrevs = find_section(p, ".debug_abbrev");
	uint8_t *name = memmem(p, size, from, sizeof(from));

	assert_non_null(name);
	memcpy(name, to, sizeof(to));
	at = strlen(path) + 1;
	assert_true(at + 20 <= s->sh_size);
	memset(p + s->sh_offset, 7, s->sh_size);
	memcpy(p + s->sh_offset, path, at);
	uint8_t *form = memmem(p + abbrevs->sh_offset, abbrevs->sh_size, "\x03\x08", 2);

	assert_non_null(form);
	form[1] = DW_FORM_strp_sup;
	struct gobin *b = open_bytes(p, size);

	free(p);
	return b;
}

/* libdw opens the file that such a section names. It may be a FIFO, or a device that starts. */
TEST(test_no_other_file)
{
	char path[] = "/tmp/gotrace-XXXXXX";
	int fd = mkstemp(path), watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	struct pollfd seen = { .fd = watch, .events = POLLIN };
	struct golayout l;
	Elf *elf;
	Dwarf *dwarf;

	assert_true(fd >= 0 && watch >= 0);
	assert_true(inotify_add_watch(watch, path, IN_OPEN) >= 0);
	struct gobin *b = with_supplement(path);

	assert_non_null(b);
	assert_int_equal(gobin_layout(b, &l), 0);
	assert_false(l.from_dwarf);
	assert_int_equal(godwarf_open(b, &elf, &dwarf), 0);
	Dwarf_CU *cu = NULL;
	Dwarf_Die unit;
	uint8_t kind;

	assert_int_equal(dwarf_get_units(dwarf, cu, &cu, NULL, &kind, &unit, NULL), 0);
	dwarf_diename(&unit);
	godwarf_close(elf, dwarf);
	assert_int_equal(poll(&seen, 1, 0), 0);
	gobin_close(b);
	close(watch);
	close(fd);
	unlink(path);
}

/* The block of TLS ends at the thread pointer, and is rounded up to its alignment (the x86-64 ABI's
 * variant II). */
TEST(test_tls)
{
	static const struct {
		uint64_t memsz, align;
		int64_t sym, off; /* off 0: refused */
	} blocks[] = {
		{ 8, 8, 0, -8 },         { 16, 8, 8, -8 },      { 24, 16, 16, -16 },
		{ 40, 64, 0, -64 },      { 65, 64, 56, -72 },   { 16, 0, 8, -8 },
		{ 16, 24, 0, 0 },        { 16, 8, 16, 0 },      { 16, 8, -8, 0 },
		{ 1ull << 40, 8, 0, 0 }, { 16, 1 << 30, 0, 0 },
	};

	for (size_t i = 0; i < sizeof(blocks) / sizeof(blocks[0]); i++) {
		const struct gobin b = { .elf = { .arch = &x86_arch,
						  .has_tls = true,
						  .tls_memsz = blocks[i].memsz,
						  .tls_align = blocks[i].align },
					 .has_sym_tlsg = true,
					 .sym_tlsg = blocks[i].sym };
		int64_t off = 0;

		assert_int_equal(gobin_tls_g(&b, &off), blocks[i].off ? 0 : -ENOENT);
		assert_int_equal(off, blocks[i].off);
	}
}

TESTS_BETWEEN(set_up_binaries, NULL, test_tls, test_no_other_file, test_table_is_dwarf,
	      test_stripped_uses_table, test_known_offsets, test_unknown_versions,
	      test_renamed_fields, test_first_units, test_broken_dwarf)
