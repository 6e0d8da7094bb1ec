/* SPDX-License-Identifier: BSD-2-Clause */
/* The slot of thread-local storage that holds g. */
#include <errno.h>

#include "binary/arm64/arm64_impl.h"
#include "binary/gobin_impl.h"

#define THREAD_BYTES 16 /* of the C library, at the thread pointer */

/*
 * arm64 puts the executable's TLS block above the thread pointer, after 16 bytes and aligned (the
 * ABI's variant I). Only a program with cgo keeps g there (runtime/tls_arm64.s).
 */
int arm64_tls_of_g(const struct gobin *b, int64_t *off)
{
	const struct elffile *e = &b->elf;
	const uint64_t align = e->tls_align ? e->tls_align : 1;
	const int64_t slot = b->has_sym_tlsg ? b->sym_tlsg : 0;

	if (!gobin_func_named(b, "crosscall2") || !e->has_tls ||
	    (e->tls_memsz != 8 && !b->has_sym_tlsg))
		return -ENOENT;
	if ((align & (align - 1)) || align > 1 << 20 || e->tls_memsz > INT32_MAX || slot < 0 ||
	    slot > (int64_t)e->tls_memsz - 8)
		return -ENOENT;
	*off = (int64_t)((THREAD_BYTES + align - 1) & ~(align - 1)) + slot;
	return 0;
}
