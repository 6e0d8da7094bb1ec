// SPDX-License-Identifier: BSD-2-Clause
#include "binary/disasm.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "binary/arch.h"
#include "binary/gobin_impl.h"

struct disasm {
	const struct gobin *b;
	const struct arch_text *arch;
	void *decoder;
};

struct disasm *disasm_new(const struct gobin *b)
{
	struct disasm *d = calloc(1, sizeof(*d));

	if (!d)
		return NULL;
	d->b = b;
	d->arch = b->elf.arch->text;
	d->decoder = d->arch->open();
	if (d->decoder)
		return d;
	int err = errno;

	free(d);
	errno = err;
	return NULL;
}

void disasm_free(struct disasm *d)
{
	if (!d)
		return;
	d->arch->close(d->decoder);
	free(d);
}

static unsigned decode(struct disasm *d, uint64_t vaddr, char *out, size_t size)
{
	size_t left = d->arch->insn_bytes_max;
	const uint8_t *p = NULL;

	/* Near the end of the text there may be fewer bytes than the longest instruction has. */
	while (left && !(p = gobin_bytes(d->b, vaddr, left)))
		left--;
	return p ? d->arch->decode(d->decoder, p, left, vaddr, out, size) : 0;
}

unsigned disasm_length(struct disasm *d, uint64_t vaddr)
{
	return decode(d, vaddr, NULL, 0);
}

void disasm_text(struct disasm *d, uint64_t vaddr, char *out, size_t size)
{
	if (!decode(d, vaddr, out, size))
		snprintf(out, size, "?");
}
