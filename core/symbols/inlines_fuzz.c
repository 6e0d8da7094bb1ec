// SPDX-License-Identifier: BSD-2-Clause
/*
 * Programs with DWARF, into what finds inlined functions (libFuzzer; ci/fuzz.sh). An input is a
 * file, small enough that each byte matters.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "symbols/inlines.h"

#define MOST_BYTES (1u << 20)
#define MOST       32
#define CODE       0x401000 /* where the linker puts the code of a static program */
#define CODE_BYTES 512

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const char *s)
{
	if (s && strlen(s) > 4096 * 4)
		abort();
}

static void look(struct inlines *x, uint64_t vaddr)
{
	uint64_t left = 1000000000;
	struct inline_frame f[MOST], again[MOST];
	const size_t n = inlines_at(x, vaddr, f, MOST, &left);

	if (n > MOST)
		abort();
	for (size_t i = 0; i < n; i++) {
		check(f[i].func);
		check(f[i].file);
		check(f[i].decl_file);
	}
	if (left && inlines_at(x, vaddr, again, MOST, &left) != n)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct inlines_place at = { "/", "/nowhere", MOST_BYTES };
	int fd = memfd_create("elf", MFD_CLOEXEC);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	uint64_t left = 1000000000;
	struct inlines *x = inlines_open(fd, &at, &left);

	for (uint64_t pc = CODE; x && pc < CODE + CODE_BYTES; pc += 4)
		look(x, pc);
	if (x && inlines_bytes(x) > 128 * MOST_BYTES)
		abort();
	inlines_close(x);
	close(fd);
	return 0;
}
