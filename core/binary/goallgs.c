// SPDX-License-Identifier: BSD-2-Clause
/* Where the runtime lists its goroutines. Stripping does not hide it. */
#include <errno.h>

#include "binary/arch.h"
#include "binary/gobin_impl.h"

#define LOADS_MAX 64

static bool among(const uint64_t *loads, unsigned n, uint64_t vaddr)
{
	for (unsigned i = 0; i < n; i++)
		if (loads[i] == vaddr)
			return true;
	return false;
}

/*
 * runtime.allgadd appends to allgs, so it loads that slice's three words: the only variable of
 * which it does. Found by its loads, wherever an instruction may begin: of what is none, three
 * would have to fit.
 */
int gobin_allgs(const struct gobin *b, uint64_t *vaddr)
{
	const struct gofunc *f = gobin_func_named(b, "runtime.allgadd");
	const struct arch *arch = b->elf.arch;
	const uint8_t *p = f ? gobin_bytes(b, f->vaddr, f->size) : NULL;
	uint64_t loads[LOADS_MAX];
	unsigned n = 0;

	for (uint32_t i = 0; p && i < f->size && n + 2 <= LOADS_MAX; i += arch->pc_quantum) {
		unsigned words = 1;

		loads[n] = arch->words_loaded(p + i, f->size - i, f->vaddr + i, &words);
		loads[n + 1] = loads[n] + 8;
		n += loads[n] ? words : 0;
	}
	for (unsigned i = 0; i < n; i++)
		if (among(loads, n, loads[i] + 8) && among(loads, n, loads[i] + 16)) {
			*vaddr = loads[i];
			return 0;
		}
	return -ENOENT;
}
