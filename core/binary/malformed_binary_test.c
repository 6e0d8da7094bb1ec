/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Files that must be refused, each with its errno and one line; and some
 * hundreds of damaged binaries, which may be refused or read, but never crash
 * the readers or make them run away. Deterministic. Meant for SAN=1 above all.
 */
#include "base/test_fixture.h"
#include "binary/binaries_fixture.h"

#include <elf.h>
#include <time.h>

#include "binary/gobin_impl.h"
#include "binary/look_fixture.h"

/* an open and a look at everything take 0.05 s, ten times that under ASan */
#define MAX_SECONDS_EACH 10

TEST(test_not_elf)
{
	assert_refused("", 0, ENOEXEC, "not an ELF executable");
	assert_refused("\x7f"
		       "EL",
		       3, ENOEXEC, "not an ELF executable");
	assert_refused("hello, world", 12, ENOEXEC, "not an ELF executable");
	assert_refused("#!/bin/sh\necho\n", 15, ENOEXEC, "a script; name the Go program");
}

TEST(test_not_a_file)
{
	assert_null(open_path("."));
	assert_int_equal(errno, ENOEXEC);
	assert_int_equal(logged_count, 1);
	forget_log();
	assert_null(gobin_open(-1, "x"));
	assert_int_equal(errno, EIO);
	assert_non_null(strstr(logged, "cannot be read"));
	assert_int_equal(logged_count, 1);
}

TEST(test_wrong_kind)
{
	size_t n;
	uint8_t *p = load_binary("kinds", &n);
	Elf64_Ehdr *h = (Elf64_Ehdr *)p;

	assert_refused(p, 16, EBADMSG, "truncated: the ELF header");
	h->e_machine = EM_RISCV;
	assert_refused(p, n, ENOTSUP, "not for x86-64 or arm64");
	h->e_machine = EM_X86_64;
	h->e_ident[EI_CLASS] = ELFCLASS32;
	assert_refused(p, n, ENOTSUP, "32-bit");
	h->e_ident[EI_CLASS] = ELFCLASS64;
	h->e_ident[EI_DATA] = ELFDATA2MSB;
	assert_refused(p, n, ENOTSUP, "not for x86-64 or arm64");
	h->e_ident[EI_DATA] = ELFDATA2LSB;
	h->e_type = ET_REL;
	assert_refused(p, n, ENOEXEC, "not an executable");
	h->e_type = ET_EXEC;
	h->e_phoff = n;
	assert_refused(p, n, EBADMSG, "program header");
	free(p);
	p = load_binary("notgo", &n);
	assert_refused(p, n, ENOEXEC, "not a Go program");
	free(p);
}

/* Where the parts of a program lie in its file. */
struct region {
	const char *what;
	uint64_t off, len;
};

static struct region section(const struct gobin *b, const char *name)
{
	const struct elf_section *s = elffile_section(&b->elf, name);

	return (struct region){ name, s ? s->off : 0, s ? s->size : 0 };
}

static struct region pcln_part(const struct gobin *b, const char *what, uint64_t off, uint64_t len)
{
	uint64_t at = (uint64_t)(b->pcln.tab - b->elf.map) + off;

	return (struct region){ what, at, at + len <= b->elf.size ? len : b->elf.size - at };
}

TEST(test_pclntab_refusals)
{
	struct gobin *b = open_binary("kinds.stripped");
	uint64_t off = (uint64_t)(b->pcln.tab - b->elf.map);
	uint64_t first = off + b->pcln.func_off, info = section(b, ".go.buildinfo").off;
	size_t n;
	uint8_t *p = load_binary("kinds.stripped", &n);

	gobin_close(b);
	memcpy(p + off, "\xfb\xff\xff\xff", 4); /* the magic of Go 1.2 to 1.15 */
	assert_refused(p, n, ENOTSUP, "Go 1.15 or older");
	memcpy(p + off, "\x12\x34\x56\x78", 4); /* as garble does */
	assert_refused(p, n, ENOTSUP, "An obfuscator such as garble changed");
	memcpy(p + off, "\xf1\xff\xff\xff", 4);
	memset(p + off + 8, 0xff, 8); /* the number of functions */
	assert_refused(p, n, EBADMSG, "pclntab) makes no sense");
	free(p);

	p = load_binary("kinds.stripped", &n);
	memset(p + first + 8 * 100 + 4, 0xee, 4); /* function 100's record */
	assert_refused(p, n, EBADMSG, "function 100 of");
	free(p);

	p = load_binary("kinds.stripped", &n);
	memset(p + off, 0, 8); /* the header is gone, with the section's name */
	uint8_t *name = memmem(p, n, ".gopclntab", 10);
	assert_non_null(name);
	name[1] = 'x';
	assert_refused(p, n, EBADMSG, "function table (pclntab) is missing");
	memset(p + info, 0, 32);
	assert_refused(p, n, ENOEXEC, "not a Go program");
	memcpy(name, ".go_export", 10);
	assert_refused(p, n, ENOTSUP, "built by gccgo, ");
	memcpy(p + 0xf00, "UPX!", 4); /* behind the headers */
	assert_refused(p, n, ENOTSUP, "packed by UPX. ");
	free(p);
}

/* Without section headers (sstrip) everything is found by its bytes. */
TEST(test_no_section_headers)
{
	static const char *const names[] = { "kinds", "kinds.pie.stripped", "cgo.pie.stripped" };

	for (size_t i = 0; i < 3; i++) {
		struct gobin *whole = open_binary(names[i]);
		size_t n;
		uint8_t *p = load_binary(names[i], &n);
		Elf64_Ehdr *h = (Elf64_Ehdr *)p;

		h->e_shoff = h->e_shnum = h->e_shstrndx = 0;
		struct gobin *b = open_bytes(p, n);
		free(p);
		assert_non_null(b);
		const struct gofunc *fa, *fb;
		assert_int_equal(gobin_funcs(b, &fa), gobin_funcs(whole, &fb));
		assert_string_equal(gobin_go_version(b), gobin_go_version(whole));
		assert_string_equal(gobin_main_module(b)->path, gobin_main_module(whole)->path);
		assert_false(gobin_has_dwarf(b));
		gobin_close(b);
		gobin_close(whole);
	}
}

TEST(test_truncated)
{
	static const char *const names[] = { "kinds", "cgo.pie.stripped" };

	for (size_t i = 0; i < 2; i++) {
		size_t n;
		uint8_t *p = load_binary(names[i], &n);

		for (size_t k = 0; k < 120; k++) {
			size_t len = k < 40 ? 4 + k * 23 : n / 120 * k;

			assert_refused(p, len, EBADMSG, k < 3 ? "truncated" : "corrupt");
		}
		/* The last bytes are a section's, or the headers' own. */
		assert_refused(p, n - 1, EBADMSG, "truncated");
		free(p);
	}
}

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static uint32_t next_random(uint32_t *s)
{
	*s ^= *s << 13;
	*s ^= *s >> 17;
	*s ^= *s << 5;
	return *s;
}

/* Changes up to eight values in the region to others that tend to hurt. */
static void damage(uint8_t *p, const struct region *r, uint32_t *seed)
{
	static const uint8_t bad[] = { 0x00, 0xff, 0x7f, 0x80, 0x01 };
	unsigned changes = 1 + next_random(seed) % 8;

	for (unsigned i = 0; i < changes; i++) {
		static const unsigned widths[] = { 1, 2, 4, 8 };
		unsigned w = widths[next_random(seed) % 4];
		uint64_t at = next_random(seed) % r->len;
		uint32_t how = next_random(seed) % 6;

		for (unsigned k = 0; k < w && at + k < r->len; k++)
			p[at + k] = how < 5 ? bad[how] : (uint8_t)next_random(seed);
	}
}

static void damage_region(int fd, const struct gobin *good, const struct region *r, unsigned times)
{
	uint32_t seed = 2463534242u;
	uint8_t *copy = malloc(r->len);
	uint64_t digest;

	assert_non_null(copy);
	for (unsigned i = 0; i < times; i++) {
		double start = now_s();

		memcpy(copy, good->elf.map + r->off, r->len);
		damage(copy, r, &seed);
		assert_int_equal(pwrite(fd, copy, r->len, (off_t)r->off), r->len);
		forget_log();
		struct gobin *b = gobin_open(fd, "x");
		int err = errno;
		if (b) {
			assert_null(look_at_everything(b, 48, &digest));
			gobin_close(b);
		} else {
			assert_int_equal(logged_count, 1);
			assert_true(err == ENOEXEC || err == ENOTSUP || err == EBADMSG);
		}
		if (now_s() - start > MAX_SECONDS_EACH)
			fail_msg("%s, damage %u: took %.1f s", r->what, i, now_s() - start);
	}
	assert_int_equal(pwrite(fd, good->elf.map + r->off, r->len, (off_t)r->off), r->len);
	free(copy);
}

static void damage_binary(const char *name)
{
	struct gobin *b = open_binary(name);
	const Elf64_Ehdr *h = (const Elf64_Ehdr *)b->elf.map;
	const struct pclntab *t = &b->pcln;
	uint64_t shdrs = (uint64_t)h->e_shnum * h->e_shentsize;
	const struct region regions[] = {
		{ "ELF header", 0, 64 },
		{ "program headers", h->e_phoff, (uint64_t)h->e_phnum * h->e_phentsize },
		{ "section headers", h->e_shoff, h->e_shoff + shdrs <= b->elf.size ? shdrs : 0 },
		section(b, ".shstrtab"),
		section(b, ".symtab"),
		section(b, ".strtab"),
		section(b, ".go.buildinfo"),
		section(b, ".note.go.buildid"),
		section(b, ".note.gnu.build-id"),
		section(b, ".dynamic"),
		section(b, ".rela"),
		section(b, ".rela.dyn"),
		section(b, ".go.module"),
		section(b, ".noptrdata"),
		section(b, ".debug_info"),
		section(b, ".debug_abbrev"),
		pcln_part(b, "pclntab header", 0, 72),
		pcln_part(b, "ftab", t->func_off, 8 * t->n_funcs),
		pcln_part(b, "_func records", t->func_off + 8 * t->n_funcs, 65536),
		pcln_part(b, "pc-value tables", t->pc_off, 65536),
		pcln_part(b, "file tables", t->cu_off, 16384),
		{ "code", b->funcs[0].file_off, 65536 },
	};
	int fd = memfd_create("damaged", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, b->elf.map, b->elf.size, 0), b->elf.size);
	for (size_t i = 0; i < sizeof(regions) / sizeof(regions[0]); i++)
		if (regions[i].len)
			damage_region(fd, b, &regions[i], 12);
	close(fd);
	gobin_close(b);
}

TEST(test_damaged)
{
	damage_binary("kinds");
	damage_binary("cgo.pie.stripped");
	damage_binary("kinds.pie");
}

TESTS_BETWEEN(set_up_binaries, NULL, test_not_elf, test_not_a_file, test_wrong_kind,
	      test_pclntab_refusals, test_no_section_headers, test_truncated, test_damaged)
