/* SPDX-License-Identifier: BSD-2-Clause */
/* What programs that gc has not written, or that are packed, are told by: their marks, whole and in
 * their place, and nothing like them elsewhere. */
#include "base/test_fixture.h"
#include "binary/binaries_fixture.h"

#include <elf.h>

#include "binary/gobin_impl.h"

static void assert_file_refused(const char *name, int want, const char *message)
{
	size_t n;
	uint8_t *p = load_binary(name, &n);

	assert_refused(p, n, want, message);
	free(p);
}

/* Other compilers are told by marks of their own, not by words that a program may have. */
TEST(test_other_compilers)
{
	assert_file_refused("tinygo.symbol", ENOTSUP, "built by TinyGo, ");
	assert_file_refused("tinygo.producer", ENOTSUP, "built by TinyGo, ");
	assert_file_refused("notgo.words", ENOEXEC, "not a Go program");
	assert_file_refused("gccgo.producer", ENOTSUP, "built by gccgo, ");
	assert_file_refused("gccgo.symbol", ENOTSUP, "built by gccgo, ");
}

/* Any byte of the tables that the marks are looked for in may be damaged. */
TEST(test_damaged_marks)
{
	static const char *const names[] = { "tinygo.symbol", "tinygo.producer", "gccgo.producer" };
	size_t n;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		uint8_t *p = load_binary(names[i], &n);
		const Elf64_Ehdr *h = (const Elf64_Ehdr *)p;
		uint64_t from = h->e_shoff, len = (uint64_t)h->e_shnum * h->e_shentsize;

		assert_true(from < n && len <= n - from);
		for (uint64_t k = from; k < from + len; k++) {
			uint8_t was = p[k];

			p[k] = (uint8_t)(was ^ 0xff);
			struct gobin *b = open_bytes(p, n);
			assert_null(b);
			assert_int_equal(logged_count, 1);
			p[k] = was;
		}
		free(p);
	}
}

TEST(test_packed)
{
	size_t n;
	uint8_t *p = load_binary("notgo", &n);
	int fd = memfd_create("packed", MFD_CLOEXEC);

	assert_true(fd >= 0 && !gobin_is_packed(fd)); /* empty */
	assert_int_equal(pwrite(fd, p, 300, 0), 300);
	assert_false(gobin_is_packed(fd));
	assert_int_equal(pwrite(fd, "UPX!", 4, 290), 4);
	assert_true(gobin_is_packed(fd));
	assert_int_equal(pwrite(fd, "x", 1, 0), 1);
	assert_false(gobin_is_packed(fd));
	close(fd);
	assert_false(gobin_is_packed(-1));
	free(p);
}

/* Its header in the bytes of a program. */
static Elf64_Shdr *section_of(uint8_t *p, const char *name)
{
	const Elf64_Ehdr *h = (const Elf64_Ehdr *)p;
	Elf64_Shdr *s = (Elf64_Shdr *)(p + h->e_shoff);
	const char *names = (const char *)p + s[h->e_shstrndx].sh_offset;

	for (int i = 0; i < h->e_shnum; i++)
		if (strcmp(names + s[i].sh_name, name) == 0)
			return &s[i];
	fail_msg("no section %s", name);
	return NULL;
}

/* objcopy --only-keep-debug and others leave sections without bytes: where they would be in the
 * file is something else. */
TEST(test_section_without_bytes)
{
	static const char *const names[] = { "tinygo.producer", "gccgo.producer" };

	for (size_t i = 0; i < 2; i++) {
		size_t n;
		uint8_t *p = load_binary(names[i], &n);

		section_of(p, ".debug_str")->sh_type = SHT_NOBITS;
		assert_refused(p, n, ENOEXEC, "not a Go program");
		free(p);
	}
}

/* A stripped program of gccgo, linked with its runtime as a library. */
TEST(test_library_of_gccgo)
{
	size_t n;
	uint8_t *p = load_binary("notgo", &n);
	const Elf64_Shdr *s = section_of(p, ".dynstr");
	uint8_t *name = memmem(p + s->sh_offset, s->sh_size, "\0libc.so.6", 11);

	assert_non_null(name);
	memcpy(name + 1, "libgo.so.", 9);
	assert_refused(p, n, ENOTSUP, "built by gccgo, ");
	memcpy(name + 1, "libgo-so.", 9);
	assert_refused(p, n, ENOEXEC, "not a Go program");
	free(p);
}

TEST(test_mark_within_a_string)
{
	static const struct {
		const char *binary, *mark, *instead;
		size_t n;
	} cases[] = {
		{ "tinygo.producer", "TinyGo", "tTiny\0", 6 }, /* cut */
		{ "gccgo.producer", "GNU Go 12.2.0", "xGNU Go 12.2.", 13 },
		{ "gccgo.symbol", "__go_init_main", "_go_init_main_", 14 },
		{ "tinygo.symbol", "tinygo_longjmp", "atinygo_longjm", 14 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		size_t n, found = 0;
		uint8_t *p = load_binary(cases[i].binary, &n), *at = p;

		while ((at = memmem(at, n - (size_t)(at - p), cases[i].mark, cases[i].n))) {
			memcpy(at, cases[i].instead, cases[i].n);
			found++;
		}
		assert_true(found > 0);
		assert_refused(p, n, ENOEXEC, "not a Go program");
		free(p);
	}
}

/* Part of a longer string, which is as long as the section. */
TEST(test_mark_behind_other_words)
{
	size_t n;
	uint8_t *p = load_binary("tinygo.producer", &n);
	const Elf64_Shdr *s = section_of(p, ".debug_str");

	assert_true(s->sh_size > 8);
	memset(p + s->sh_offset, 'x', s->sh_size);
	memcpy(p + s->sh_offset + s->sh_size - 7, "TinyGo", 7);
	assert_refused(p, n, ENOEXEC, "not a Go program");
	p[s->sh_offset + s->sh_size - 8] = 0;
	assert_refused(p, n, ENOTSUP, "built by TinyGo, ");
	memset(p + s->sh_offset, 'x', s->sh_size); /* no end at all */
	memcpy(p + s->sh_offset + s->sh_size - 7, "\0TinyGo", 7);
	assert_refused(p, n, ENOEXEC, "not a Go program");
	free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_other_compilers),
		cmocka_unit_test(test_damaged_marks),
		cmocka_unit_test(test_packed),
		cmocka_unit_test(test_section_without_bytes),
		cmocka_unit_test(test_library_of_gccgo),
		cmocka_unit_test(test_mark_within_a_string),
		cmocka_unit_test(test_mark_behind_other_words),
	};

	return cmocka_run_group_tests_name("gokind", tests, set_up_binaries, NULL);
}
