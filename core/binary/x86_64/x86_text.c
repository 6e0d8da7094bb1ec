// SPDX-License-Identifier: BSD-2-Clause
/* Single instructions as text, in the AT&T spelling. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "binary/disasm.h"
#include "binary/capstone/capstone_open.h"
#include "binary/x86_64/x86_impl.h"

#define INSN_MAX 15

struct speller {
	csh handle;
	cs_insn *insn;
};

static void close_speller(void *decoder)
{
	struct speller *s = decoder;

	if (s->insn)
		cs_free(s->insn, 1);
	if (s->handle)
		cs_close(&s->handle);
	free(s);
}

static void *open_speller(void)
{
	struct speller *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	int err = capstone_open(CS_ARCH_X86, &s->handle);
	if (!err && cs_option(s->handle, CS_OPT_SYNTAX, CS_OPT_SYNTAX_ATT) != CS_ERR_OK)
		err = -ENOTSUP;
	if (!err && !(s->insn = cs_malloc(s->handle)))
		err = -ENOMEM;
	if (!err)
		return s;
	close_speller(s);
	errno = -err;
	return NULL;
}

static unsigned decode(void *decoder, const uint8_t *p, size_t left, uint64_t vaddr, char *out,
		       size_t size)
{
	struct speller *s = decoder;

	if (!cs_disasm_iter(s->handle, &p, &left, &vaddr, s->insn))
		return 0;
	if (out)
		snprintf(out, size, "%s%s%s", s->insn->mnemonic, *s->insn->op_str ? " " : "",
			 s->insn->op_str);
	return s->insn->size;
}

const struct arch_text x86_text = {
	.insn_bytes_max = INSN_MAX,
	.open = open_speller,
	.close = close_speller,
	.decode = decode,
};
