// SPDX-License-Identifier: BSD-2-Clause
/* Which executables ask for a shadow stack: files of a header, one program header and a note. */
#include <string.h>

#include <elf.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/test_fixture.h"
#include "attach/host/shadow_stack.h"

#define FEATURES GNU_PROPERTY_X86_FEATURE_1_AND
#define SHSTK    GNU_PROPERTY_X86_FEATURE_1_SHSTK
#define OTHER    0xc0008002 /* GNU_PROPERTY_X86_ISA_1_NEEDED */

struct property {
	uint32_t type, size, bits, pad;
};

struct file {
	Elf64_Ehdr e;
	Elf64_Phdr p;
	Elf64_Nhdr n;
	char name[4];
	struct property properties[2];
};

static struct file file_of(uint32_t type0, uint32_t bits0, uint32_t type1, uint32_t bits1)
{
	struct file f = {
		.e = { .e_phoff = offsetof(struct file, p),
		       .e_phentsize = sizeof(Elf64_Phdr),
		       .e_phnum = 1 },
		.p = { .p_type = PT_GNU_PROPERTY,
		       .p_offset = offsetof(struct file, n),
		       .p_filesz = sizeof(f) - offsetof(struct file, n) },
		.n = { .n_namesz = 4,
		       .n_descsz = sizeof(f.properties),
		       .n_type = NT_GNU_PROPERTY_TYPE_0 },
		.name = "GNU",
		.properties = { { type0, 4, bits0, 0 }, { type1, 4, bits1, 0 } },
	};

	return f;
}

static bool asks(const struct file *f, size_t size)
{
	int fd = memfd_create("elf", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, f, size), size);
	bool found = shadow_stack_of_file(fd);
	close(fd);
	return found;
}

TEST(properties)
{
	struct file f = file_of(FEATURES, SHSTK | 1, OTHER, 1);

	assert_true(asks(&f, sizeof(f)));
	f = file_of(OTHER, 1, FEATURES, SHSTK);
	assert_true(asks(&f, sizeof(f)));
	f = file_of(OTHER, SHSTK, FEATURES, 1); /* only branch tracking */
	assert_false(asks(&f, sizeof(f)));
	f = file_of(FEATURES, SHSTK, OTHER, 1);
	f.p.p_type = PT_NOTE;
	assert_false(asks(&f, sizeof(f)));
}

/* A note that is cut short is no promise; a file that cannot be read might hold one. */
TEST(damaged)
{
	struct file f = file_of(FEATURES, SHSTK, OTHER, 1);

	assert_true(asks(&f, sizeof(f) - 1));
	assert_true(asks(&f, sizeof(f.e) - 1));
	f.n.n_descsz = UINT32_MAX;
	assert_false(asks(&f, sizeof(f)));
	f = file_of(OTHER, 1, FEATURES, SHSTK);
	f.properties[0].size = UINT32_MAX;
	assert_false(asks(&f, sizeof(f)));
	f = file_of(FEATURES, SHSTK, OTHER, 1);
	f.p.p_filesz = UINT64_MAX;
	assert_true(asks(&f, sizeof(f)));
}

TEST(processes)
{
	assert_true(shadow_stack_of_process(0x7fffffff)); /* there is none */
}

TESTS(properties, damaged, processes)
