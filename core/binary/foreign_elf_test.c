// SPDX-License-Identifier: BSD-2-Clause
/* What a file is by its contents. */
#include "base/test_fixture.h"
#include "binary/binaries_fixture.h"
#include "binary/foreign_elf.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* A program header that is a note, and the note. */
struct file {
	Elf64_Ehdr head;
	Elf64_Phdr ph;
	struct {
		Elf64_Nhdr head;
		char name[4];
		uint8_t id[48];
	} note;
	uint8_t code[100];
};

static int written(const struct file *f)
{
	int fd = memfd_create("file", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, f, sizeof(*f), 0), sizeof(*f));
	return fd;
}

static uint64_t digest_of(const struct file *f, const char *tables)
{
	int fd = written(f);
	uint64_t digest = foreign_elf_digest(fd, tables, strlen(tables));

	close(fd);
	return digest;
}

static size_t id_of(int fd, uint8_t id[FILE_ID_BYTES])
{
	Elf *elf = foreign_elf_open(fd);
	size_t n = elf ? foreign_elf_file_id(elf, id) : 0;

	assert_non_null(elf);
	elf_end(elf);
	close(fd);
	return n;
}

static size_t file_id(const struct file *f, uint8_t id[FILE_ID_BYTES])
{
	return id_of(written(f), id);
}

static struct file with_note(void)
{
	return (struct file){
		.head = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
			  .e_type = ET_EXEC,
			  .e_machine = EM_X86_64,
			  .e_version = EV_CURRENT,
			  .e_ehsize = sizeof(Elf64_Ehdr),
			  .e_phoff = offsetof(struct file, ph),
			  .e_phentsize = sizeof(Elf64_Phdr),
			  .e_phnum = 1 },
		.ph = { .p_type = PT_NOTE,
			.p_offset = offsetof(struct file, note),
			.p_filesz = sizeof(((struct file *)0)->note),
			.p_align = 4 },
		.note = { { 4, 20, NT_GNU_BUILD_ID }, "GNU", { 1, 2, 3 } },
	};
}

TEST(identities)
{
	struct file a = with_note(), b = with_note();
	uint8_t id[FILE_ID_BYTES];

	assert_int_equal(file_id(&a, id), 20);
	assert_memory_equal(id, a.note.id, 20);
	a.note.head.n_descsz = 21; /* no room */
	assert_int_equal(file_id(&a, id), 0);
	a.note.head.n_descsz = 20;
	/* The build ID and the tables count. */
	b.code[7] = 1;
	assert_true(digest_of(&a, "rows") && digest_of(&a, "rows") == digest_of(&b, "rows"));
	assert_true(digest_of(&a, "rows") != digest_of(&b, "roWs"));
	b.note.id[19] = 1;
	assert_true(digest_of(&a, "rows") != digest_of(&b, "rows"));
	/* Without one the tables do. */
	a.ph.p_type = b.ph.p_type = PT_NULL;
	assert_true(digest_of(&a, "rows") == digest_of(&b, "rows"));
	assert_true(digest_of(&a, "rows") != digest_of(&b, "roWs"));
}

#define PART_A "aaaaaaaaaaaaaaaaaaaa"
#define PART_B "bbbbbbbbbbbbbbbbbbbb"

static struct file with_go_note(const char *build_id)
{
	struct file f = with_note();

	f.note.head.n_type = 4;
	f.note.head.n_descsz = (uint32_t)strlen(build_id);
	memcpy(f.note.name, "Go\0", 4);
	memcpy(f.note.id, build_id, strlen(build_id));
	return f;
}

/* The hash of the contents counts, and not what the linker was given. */
TEST(go_identities)
{
	struct file a = with_go_note(PART_A "/" PART_A), b = with_go_note(PART_B "/" PART_A);
	struct file c = with_go_note("redacted");
	uint8_t id[FILE_ID_BYTES];

	b.code[7] = 1;
	assert_int_equal(file_id(&a, id), FILE_ID_GO_BYTES);
	assert_true(file_id_is_go(id, FILE_ID_GO_BYTES));
	assert_true(digest_of(&a, "") == digest_of(&b, ""));
	b = with_go_note(PART_A "/" PART_B);
	assert_true(digest_of(&a, "") != digest_of(&b, ""));
	assert_int_equal(file_id(&c, id), 0);
}

/* Go's is taken from programs without a GNU build ID. */
TEST(programs)
{
	static const struct {
		const char *name;
		bool gnu, go;
	} expected[] = { { "user", true, true },
			 { "user.goid", false, true },
			 { "user.noid", false, false } };
	char text[FILE_ID_TEXT_BYTES];
	uint8_t id[FILE_ID_BYTES];

	for (size_t i = 0; i < sizeof(expected) / sizeof(*expected); i++) {
		struct gobin *b = open_binary(expected[i].name);
		const bool gnu = expected[i].gnu && gobin_go_minor(b) >= 24;
		const bool go = expected[i].go && !gnu;
		size_t n = id_of(open(binary_path(expected[i].name), O_RDONLY | O_CLOEXEC), id);

		assert_int_equal(n, gnu ? 20 : go ? FILE_ID_GO_BYTES : 0);
		assert_int_equal(file_id_is_go(id, n), go);
		/* As `go tool buildid` prints it. */
		file_id_text(id, n, text);
		if (go)
			assert_string_equal(text + strlen("go:"),
					    strrchr(gobin_build_id(b), '/') + 1);
		gobin_close(b);
	}
}

TEST(not_bounded)
{
	struct file f = with_note();

	assert_true(foreign_elf_bounded(&f, sizeof(f)));
	f.head.e_phnum = PN_XNUM;
	assert_false(foreign_elf_bounded(&f, sizeof(f)));
	f.head.e_phnum = 1;
	f.head.e_shoff = 64;
	assert_false(foreign_elf_bounded(&f, sizeof(f)));
	f.head.e_shnum = 1;
	assert_true(foreign_elf_bounded(&f, sizeof(f)));
	f.head.e_ident[0] = 0;
	assert_false(foreign_elf_bounded(&f, sizeof(f)));
	assert_false(foreign_elf_bounded("\177ELF", 4));
}

TESTS_BETWEEN(set_up_binaries, NULL, identities, go_identities, programs, not_bounded)
