// SPDX-License-Identifier: BSD-2-Clause
/*
 * ELF files that a sampled process may have mapped, into the readers of their symbols and of their
 * .eh_frame, and to what unpacks names (libFuzzer; ci/fuzz.sh). An input is a file, small enough
 * that each byte matters.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "binary/ehframe.h"
#include "symbols/elf_symbols.h"
#include "symbols/mini_debug.h"

#define MOST_BYTES (1u << 20) /* of memory, for symbols */
#define MOST_ROWS  10000

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Asks for all that there is; what is handed out are strings, and the same again. */
static void look(const struct elf_symbols *e, const uint8_t *data, size_t size)
{
	const uint8_t *id = NULL;
	uint32_t sum;
	const char *link = elf_symbols_debuglink(e, &sum);
	const size_t n_id = elf_symbols_build_id(e, &id);

	if ((link && !*link) || (n_id && !id) || (n_id && id[0] + id[n_id - 1] > 510))
		abort();
	for (size_t at = 0; at + 8 <= size; at += 8) {
		uint64_t value, vaddr;

		memcpy(&value, data + at, sizeof(value));
		const char *name = elf_symbols_at(e, value);

		if (name && (strlen(name) > size || name != elf_symbols_at(e, value)))
			abort();
		if (elf_symbols_vaddr(e, value, &vaddr))
			elf_symbols_at(e, vaddr);
	}
	elf_symbols_go(e);
	elf_symbols_whole(e);
}

static void unpack(const uint8_t *data, size_t size)
{
	void *to = NULL;
	size_t n = 0;

	if (!mini_debug_unpack(data, size, MOST_BYTES, &to, &n) && (n > MOST_BYTES || (n && !to)))
		abort();
	free(to);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("elf", MFD_CLOEXEC);
	struct elf_symbols *e = elf_symbols_memory(data, size);
	struct ehframe rows;

	unpack(data, size);
	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	if (e)
		look(e, data, size);
	elf_symbols_close(e);
	e = elf_symbols_open(fd, NULL, 0, MOST_BYTES);
	if (e && elf_symbols_bytes(e) > 2 * MOST_BYTES)
		abort();
	if (e)
		look(e, data, size);
	elf_symbols_close(e);
	if (!ehframe_read(&rows, fd, MOST_ROWS))
		for (size_t i = 1; i < rows.n; i++)
			if (rows.rows[i].vaddr <= rows.rows[i - 1].vaddr)
				abort();
	ehframe_free(&rows);
	close(fd);
	return 0;
}
