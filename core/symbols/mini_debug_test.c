// SPDX-License-Identifier: BSD-2-Clause
/* Symbols that are packed into .gnu_debugdata. */
#include <elf.h>
#include <errno.h>
#include <lzma.h>

#include <stdlib.h>
#include <string.h>

#include "base/test_fixture.h"
#include "symbols/elf_symbols.h"
#include "symbols/mini_debug.h"

static uint8_t *pack(const void *data, size_t n, uint32_t preset, size_t *n_packed)
{
	const size_t most = lzma_stream_buffer_bound(n);
	uint8_t *packed = malloc(most);

	assert_non_null(packed);
	*n_packed = 0;
	assert_int_equal(lzma_easy_buffer_encode(preset, LZMA_CHECK_CRC32, NULL, data, n, packed,
						 n_packed, most),
			 LZMA_OK);
	return packed;
}

/* An ELF file with two functions and their names. */
struct inner {
	Elf64_Ehdr head;
	Elf64_Shdr sections[3];
	char names[32];
	Elf64_Sym symbols[3];
};

static void head_of(Elf64_Ehdr *h, unsigned sections)
{
	memcpy(h->e_ident, ELFMAG, SELFMAG);
	h->e_ident[EI_CLASS] = ELFCLASS64;
	h->e_ident[EI_DATA] = ELFDATA2LSB;
	h->e_ident[EI_VERSION] = EV_CURRENT;
	h->e_type = ET_EXEC;
	h->e_machine = EM_X86_64;
	h->e_version = EV_CURRENT;
	h->e_ehsize = sizeof(*h);
	h->e_shoff = sizeof(*h);
	h->e_shentsize = sizeof(Elf64_Shdr);
	h->e_shnum = (Elf64_Half)sections;
	h->e_shstrndx = 1;
}

static void fill_inner(struct inner *f)
{
	*f = (struct inner){ .names = "\0.symtab\0inner_work\0" };
	head_of(&f->head, 3);
	f->sections[1] = (Elf64_Shdr){ .sh_type = SHT_STRTAB,
				       .sh_offset = offsetof(struct inner, names),
				       .sh_size = sizeof(f->names) };
	f->sections[2] = (Elf64_Shdr){ .sh_name = 1,
				       .sh_type = SHT_SYMTAB,
				       .sh_offset = offsetof(struct inner, symbols),
				       .sh_size = sizeof(f->symbols),
				       .sh_entsize = sizeof(Elf64_Sym),
				       .sh_link = 1 };
	f->symbols[1] = (Elf64_Sym){
		.st_name = 9, .st_info = STT_FUNC, .st_shndx = 1, .st_value = 0x1000, .st_size = 16
	};
}

/* A stripped file that has packed bytes in its .gnu_debugdata, to be freed. */
static uint8_t *outer(const uint8_t *packed, size_t n_packed, size_t *n)
{
	struct head {
		Elf64_Ehdr head;
		Elf64_Shdr sections[3];
		char names[32];
	} *h = calloc(1, sizeof(*h) + n_packed);

	assert_non_null(h);
	*n = sizeof(*h) + n_packed;
	head_of(&h->head, 3);
	memcpy(h->names, "\0.gnu_debugdata", 16);
	h->sections[1] = (Elf64_Shdr){ .sh_type = SHT_STRTAB,
				       .sh_offset = offsetof(struct head, names),
				       .sh_size = sizeof(h->names) };
	h->sections[2] = (Elf64_Shdr){
		.sh_name = 1, .sh_type = SHT_PROGBITS, .sh_offset = sizeof(*h), .sh_size = n_packed
	};
	memcpy(h + 1, packed, n_packed);
	return (uint8_t *)h;
}

TEST(symbols_are_found)
{
	size_t n_packed, n;
	struct inner f;

	fill_inner(&f);
	uint8_t *packed = pack(&f, sizeof(f), 6, &n_packed), *file = outer(packed, n_packed, &n);
	struct elf_symbols *e = elf_symbols_memory(file, n);

	assert_non_null(e);
	assert_non_null(elf_symbols_at(e, 0x1008));
	assert_string_equal(elf_symbols_at(e, 0x1008), "inner_work");
	assert_null(elf_symbols_at(e, 0x1010));
	/* a file of debug information may have more */
	assert_false(elf_symbols_whole(e));
	elf_symbols_close(e);

	/* damaged anywhere, cut anywhere */
	for (size_t i = 0; i < n_packed; i++) {
		file[n - n_packed + i] ^= 0x55;
		elf_symbols_close(elf_symbols_memory(file, n));
		file[n - n_packed + i] ^= 0x55;
		elf_symbols_close(elf_symbols_memory(file, n - i));
	}
	free(file);
	free(packed);
}

/* Small, and says that it is large. */
TEST(sizes_are_bounded)
{
	const size_t large = MINI_DEBUG_BYTES + 4096;
	uint8_t *zeros = calloc(1, large);
	size_t n_packed, n = 0;
	void *to = NULL;

	assert_non_null(zeros);
	uint8_t *packed = pack(zeros, large, 0, &n_packed);

	assert_true(n_packed < 1 << 20);
	assert_int_equal(mini_debug_unpack(packed, n_packed, UINT64_MAX, &to, &n), -E2BIG);
	free(packed);
	packed = pack(zeros, MINI_DEBUG_BYTES, 0, &n_packed);
	assert_int_equal(mini_debug_unpack(packed, n_packed, UINT64_MAX, &to, &n), 0);
	assert_int_equal(n, MINI_DEBUG_BYTES);
	free(to);
	assert_int_equal(mini_debug_unpack(packed, n_packed, 4096, &to, &n), -E2BIG);
	free(packed);

	/* a dictionary that is larger than the limit */
	packed = pack(zeros, 4096, 9, &n_packed);
	assert_int_equal(mini_debug_unpack(packed, n_packed, 1 << 20, &to, &n), -E2BIG);
	assert_int_equal(mini_debug_unpack(packed, n_packed - 1, UINT64_MAX, &to, &n), -EINVAL);
	assert_int_equal(mini_debug_unpack(packed, 0, UINT64_MAX, &to, &n), -EINVAL);
	assert_int_equal(mini_debug_unpack(packed, n_packed, UINT64_MAX, &to, &n), 0);
	assert_int_equal(n, 4096);
	free(to);
	free(packed);
	free(zeros);
}

TESTS(symbols_are_found, sizes_are_bounded)
