// SPDX-License-Identifier: BSD-2-Clause
/* The layout of an interpreter, by its version and from files. */
#include "base/test_fixture.h"
#include "sample/lang/python_layout.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define WORDS (PYTHON_RUNTIME_BYTES / 8)

/* _Py_DebugOffsets with numbers that tell their positions. */
static void fill(uint64_t words[WORDS])
{
	memcpy(words, "xdebugpy", 8);
	words[1] = 0x030d00f0;
	words[2] = 0;
	for (unsigned i = 3; i < WORDS; i++)
		words[i] = 1000 + i;
}

static int layout(struct sample_python *to, uint64_t version, const uint64_t *words, size_t n)
{
	return python_layout_of(to, version, 0x5000, 0x7000, words, n * 8);
}

TEST(test_table)
{
	struct sample_python a, b;

	assert_int_equal(layout(&a, 0x030b07f0, NULL, 0), 0);
	assert_int_equal(layout(&b, 0x030b02f0, NULL, 0), 0);
	assert_memory_equal(&a, &b, sizeof(a));
	assert_int_equal(a.interpreters, 0x5000 + 40);
	assert_int_equal(a.code_type, 0x7000);
	assert_true(a.by_cframe && a.no_entry_frame);
	assert_int_equal(layout(&a, 0x030c01f0, NULL, 0), 0);
	assert_true(a.by_cframe && !a.no_entry_frame);
	assert_int_equal(a.interpreter_threads, 72);
}

TEST(test_other_versions)
{
	struct sample_python a;

	assert_int_equal(layout(&a, 0x030a0df0, NULL, 0), -ENOTSUP);
	assert_int_equal(layout(&a, 0x030e00f0, NULL, 0), -ENOTSUP);
	assert_int_equal(layout(&a, 0, NULL, 0), -ENOTSUP);
	assert_int_equal(layout(&a, UINT64_MAX, NULL, 0), -ENOTSUP);
}

TEST(test_debug_offsets)
{
	struct sample_python a;
	uint64_t words[WORDS];

	fill(words);
	assert_int_equal(layout(&a, words[1], words, WORDS), 0);
	assert_int_equal(a.interpreters, 0x5000 + 1005);
	assert_int_equal(a.interpreter_next, 1008);
	assert_int_equal(a.interpreter_threads, 1009);
	assert_int_equal(a.thread_frame, 1023);
	assert_int_equal(a.frame_owner, 1033);
	assert_int_equal(a.code_name, 1037);
	assert_int_equal(a.text_ascii, 1070);
	assert_int_equal(a.text_compact, 1086);
	assert_false(a.by_cframe || a.no_entry_frame);
}

TEST(test_bad_offsets)
{
	struct sample_python a;
	uint64_t words[WORDS];

	fill(words);
	assert_int_equal(layout(&a, words[1], words, WORDS - 1), -EINVAL);
	assert_int_equal(layout(&a, words[1] + 0x100, words, WORDS), -EINVAL);
	words[70] = 1u << 20;
	assert_int_equal(layout(&a, words[1], words, WORDS), -EINVAL);
	fill(words);
	words[5] = UINT64_MAX;
	assert_int_equal(layout(&a, words[1], words, WORDS), -EINVAL);
	fill(words);
	words[0] ^= 1;
	assert_int_equal(layout(&a, words[1], words, WORDS), -EINVAL);
	fill(words);
	words[2] = 1; /* built without the global lock */
	assert_int_equal(layout(&a, words[1], words, WORDS), -ENOTSUP);
}

/* ---- files */

static char folder[] = "/tmp/gotrace-python.XXXXXX";

FIXTURE(set_up)
{
	return mkdtemp(folder) ? 0 : -1;
}

FIXTURE(tear_down)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf %s", folder);
	return system(command);
}

/* A library with these definitions. */
static int build(const char *name, const char *text)
{
	char path[128], command[256];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	snprintf(command, sizeof(command), "cc -shared -fPIC -nostdlib -x c -o %s -", path);
	FILE *f = popen(command, "w");

	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(pclose(f), 0);
	return open(path, O_RDONLY | O_CLOEXEC);
}

#define EXPORTS "char PyCode_Type[8] = { 1 }; int run(void) { return 1; }"

TEST(test_recognize)
{
	struct lang_layout a;
	char text[4096];
	uint64_t words[WORDS];
	size_t n;

	fill(words);
	n = (size_t)snprintf(text, sizeof(text),
			     EXPORTS "unsigned long Py_Version = 0x030d00f0, _PyRuntime[500] = {");
	for (unsigned i = 0; i < WORDS; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%#llxul,",
				      (unsigned long long)words[i]);
	snprintf(text + n, sizeof(text) - n, "};");
	int fd = build("libpython3.13.so", text);

	assert_int_equal(lang_python.recognize(fd, &a), 0);
	assert_int_equal(a.python.thread_frame, 1023);
	assert_true(a.python.interpreters > 1005 && a.python.code_type > 0);
	assert_true(a.vaddr > 0);
	close(fd);
	/* Its runtime is not in the file. */
	fd = build("libpython3.11.so",
		   EXPORTS "unsigned long Py_Version = 0x030b02f0, _PyRuntime[500];");
	assert_int_equal(lang_python.recognize(fd, &a), 0);
	assert_true(a.python.no_entry_frame);
	close(fd);
}

TEST(test_no_interpreter)
{
	struct lang_layout a;
	int fd = build("plain.so", EXPORTS);

	assert_int_equal(lang_python.recognize(fd, &a), -ENOENT);
	close(fd);
	fd = build("old.so", EXPORTS "unsigned long _PyRuntime[500];");
	assert_int_equal(lang_python.recognize(fd, &a), -ENOTSUP);
	close(fd);
	fd = build("nowhere.so", EXPORTS "unsigned long Py_Version, _PyRuntime[500];");
	assert_int_equal(lang_python.recognize(fd, &a), -EINVAL);
	close(fd);
	/* Not bound to a definition. */
	fd = build("extension.so",
		   "extern char PyCode_Type[], _PyRuntime[]; extern long Py_Version;"
		   "long run(void) { return Py_Version + PyCode_Type[0] + "
		   "_PyRuntime[0]; }");
	assert_int_equal(lang_python.recognize(fd, &a), -ENOENT);
	close(fd);
}

/* Each beginning of the file, and the file with each byte of its headers changed. */
TEST(test_damaged)
{
	int fd = build("whole.so",
		       EXPORTS "unsigned long Py_Version = 0x030b02f0, _PyRuntime[500] = { 1 };");
	static uint8_t bytes[1 << 16];
	struct lang_layout a;
	ssize_t n = read(fd, bytes, sizeof(bytes));
	int found = 0;

	close(fd);
	assert_true(n > 1024);
	fd = memfd_create("damaged", MFD_CLOEXEC);
	for (ssize_t len = 0; len < n; len += 61) {
		assert_int_equal(ftruncate(fd, 0), 0);
		assert_int_equal(pwrite(fd, bytes, (size_t)len, 0), len);
		assert_true(lang_python.recognize(fd, &a) < 0);
	}
	for (ssize_t i = 0; i < n; i += i < 1024 ? 1 : 97) {
		bytes[i] ^= 0xff;
		assert_int_equal(pwrite(fd, bytes, (size_t)n, 0), n);
		found += !lang_python.recognize(fd, &a);
		bytes[i] ^= 0xff;
	}
	assert_true(found > 0); /* some bytes mean nothing here */
	close(fd);
}

#define HEADERS 2000
#define CLAIMED (64u << 20)
static size_t address_space_kb(void)
{
	char line[128];
	size_t kb = 0;
	FILE *f = fopen("/proc/self/status", "re");

	assert_non_null(f);
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "VmPeak: %zu", &kb) == 1)
			break;
	fclose(f);
	return kb;
}

/* Each of its sections claims to be a large table of symbols, and all are the same bytes. */
TEST(test_many_tables)
{
	static Elf64_Shdr sections[HEADERS];
	const Elf64_Ehdr head = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, 1 },
				  .e_type = ET_DYN,
				  .e_machine = EM_X86_64,
				  .e_version = 1,
				  .e_shoff = CLAIMED,
				  .e_ehsize = sizeof(head),
				  .e_shentsize = sizeof(*sections),
				  .e_shnum = HEADERS };
	int fd = memfd_create("many", MFD_CLOEXEC);
	struct lang_layout a;

	for (size_t i = 1; i < HEADERS; i++)
		sections[i] = (Elf64_Shdr){ .sh_type = i % 2 ? SHT_DYNSYM : SHT_STRTAB,
					    .sh_offset = 4096,
					    .sh_size = CLAIMED - 4096,
					    .sh_link = (uint32_t)(i % 2 ? i + 1 : 0),
					    .sh_entsize = sizeof(Elf64_Sym) };
	assert_int_equal(ftruncate(fd, CLAIMED + sizeof(sections)), 0);
	assert_int_equal(pwrite(fd, &head, sizeof(head), 0), sizeof(head));
	assert_int_equal(pwrite(fd, sections, sizeof(sections), CLAIMED), sizeof(sections));
	const size_t before = address_space_kb();

	assert_int_equal(lang_python.recognize(fd, &a), -ENOENT);
	assert_true(address_space_kb() - before < CLAIMED >> 10);
	close(fd);
}

TESTS_BETWEEN(set_up, tear_down, test_table, test_other_versions, test_debug_offsets,
	      test_bad_offsets, test_recognize, test_no_interpreter, test_damaged, test_many_tables)
