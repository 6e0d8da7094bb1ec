// SPDX-License-Identifier: BSD-2-Clause
/* What a file is by its contents. */
#include "binary/foreign_elf.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

/* A program header that is a note, and the note. */
struct file {
	Elf64_Ehdr head;
	Elf64_Phdr ph;
	struct {
		Elf64_Nhdr head;
		char name[4];
		uint8_t id[20];
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

static uint64_t identity_of(const struct file *f)
{
	int fd = written(f);
	uint64_t id = foreign_elf_identity(fd);

	close(fd);
	return id;
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

static void identities(void **state)
{
	struct file a = with_note(), b = with_note();
	uint8_t id[20];

	(void)state;
	int fd = written(&a);
	Elf *elf = foreign_elf_open(fd);

	assert_int_equal(foreign_elf_build_id(elf, id, sizeof(id)), 20);
	assert_memory_equal(id, a.note.id, 20);
	assert_int_equal(foreign_elf_build_id(elf, id, 19), 0); /* no room */
	elf_end(elf);
	close(fd);
	/* The build id alone counts. */
	b.code[7] = 1;
	assert_true(identity_of(&a) && identity_of(&a) == identity_of(&b));
	b.note.id[19] = 1;
	assert_true(identity_of(&a) != identity_of(&b));
	/* Without one the bytes do. */
	a.ph.p_type = b.ph.p_type = PT_NULL;
	b.note.id[19] = 0;
	assert_true(identity_of(&a) && identity_of(&a) != identity_of(&b));
	b.code[7] = 0;
	assert_true(identity_of(&a) == identity_of(&b));
	assert_int_equal(foreign_elf_identity(-1), 0);
}

static void not_bounded(void **state)
{
	struct file f = with_note();

	(void)state;
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(identities),
		cmocka_unit_test(not_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
