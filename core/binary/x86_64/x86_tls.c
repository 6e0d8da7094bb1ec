/* SPDX-License-Identifier: BSD-2-Clause */
/* The slot of thread-local storage that holds g. */
#include <errno.h>
#include <string.h>

#include "binary/gobin_impl.h"
#include "binary/x86_64/x86_impl.h"

/*
 * runtime.morestack begins by loading g (asm_amd64.s): mov %fs:OFF,%REG, or in
 * a PIE mov $OFF,%rcx; mov %fs:(%rcx),%REG. Used when the symbol is stripped.
 */
static int tls_from_code(const struct gobin *b, int64_t *off)
{
	const struct gofunc *f = gobin_func_named(b, "runtime.morestack");
	const uint8_t *p = f && f->size >= 11 ? gobin_bytes(b, f->vaddr, 11) : NULL;

	if (!p)
		return -ENOENT;
	if (memcmp(p, "\x64\x48\x8b", 3) == 0 && (p[3] & 0xc7) == 0x04 && p[4] == 0x25)
		*off = (int32_t)load32(p + 5);
	else if (memcmp(p, "\x48\xc7\xc1", 3) == 0 && memcmp(p + 7, "\x64\x48\x8b", 3) == 0 &&
		 (p[10] & 0xc7) == 0x01)
		*off = (int32_t)load32(p + 3);
	else
		return -ENOENT;
	return *off < 0 ? 0 : -ENOENT; /* the block is below the thread pointer */
}

/*
 * x86-64 puts the executable's TLS block below the thread pointer, its size
 * rounded up to its alignment (the ABI's variant II). The Go linker makes a
 * block of 8 bytes that is g's slot; a C linker places runtime.tlsg among C's
 * own variables. A static pure Go link may leave out the segment.
 */
int x86_tls_of_g(const struct gobin *b, int64_t *off)
{
	const struct elffile *e = &b->elf;
	uint64_t align = e->tls_align ? e->tls_align : 1;

	if (!e->has_tls || e->tls_memsz == 8) {
		*off = -8;
		return 0;
	}
	if (!b->has_sym_tlsg)
		return tls_from_code(b, off);
	if ((align & (align - 1)) || e->tls_memsz > INT32_MAX || align > 1 << 20)
		return -ENOENT;
	int64_t size = (int64_t)((e->tls_memsz + align - 1) & ~(align - 1));
	if (b->sym_tlsg < 0 || b->sym_tlsg > size - 8)
		return -ENOENT;
	*off = b->sym_tlsg - size;
	return 0;
}
