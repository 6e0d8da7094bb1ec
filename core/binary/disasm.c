// SPDX-License-Identifier: BSD-2-Clause
#include "binary/disasm.h"

#include <capstone/capstone.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "binary/gobin_impl.h"
#include "binary/x86.h"

#define INSN_MAX 15

struct disasm {
	const struct gobin *b;
	csh handle;
	cs_insn *insn;
};

struct disasm *disasm_new(const struct gobin *b)
{
	struct disasm *d = calloc(1, sizeof(*d));

	if (!d)
		return NULL;
	d->b = b;
	int err = x86_open(&d->handle);
	if (!err && cs_option(d->handle, CS_OPT_SYNTAX, CS_OPT_SYNTAX_ATT) != CS_ERR_OK)
		err = -ENOTSUP;
	if (!err && !(d->insn = cs_malloc(d->handle)))
		err = -ENOMEM;
	if (!err)
		return d;
	disasm_free(d);
	errno = -err;
	return NULL;
}

void disasm_free(struct disasm *d)
{
	if (!d)
		return;
	if (d->insn)
		cs_free(d->insn, 1);
	if (d->handle)
		cs_close(&d->handle);
	free(d);
}

/* Decodes into d->insn. */
static bool decode(struct disasm *d, uint64_t vaddr)
{
	size_t left = INSN_MAX;
	const uint8_t *p = NULL;

	/* Near the end of the text there may be fewer bytes than the longest instruction has. */
	while (left && !(p = gobin_bytes(d->b, vaddr, left)))
		left--;
	return p && cs_disasm_iter(d->handle, &p, &left, &vaddr, d->insn);
}

unsigned disasm_length(struct disasm *d, uint64_t vaddr)
{
	return decode(d, vaddr) ? d->insn->size : 0;
}

void disasm_text(struct disasm *d, uint64_t vaddr, char *out, size_t size)
{
	if (decode(d, vaddr))
		snprintf(out, size, "%s%s%s", d->insn->mnemonic, *d->insn->op_str ? " " : "",
			 d->insn->op_str);
	else
		snprintf(out, size, "?");
}
