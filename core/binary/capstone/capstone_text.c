// SPDX-License-Identifier: BSD-2-Clause
#include "binary/capstone/capstone_text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "binary/capstone/capstone_open.h"

struct speller {
	csh handle;
	cs_insn *insn;
};

void capstone_text_close(void *decoder)
{
	struct speller *s = decoder;

	if (s->insn)
		cs_free(s->insn, 1);
	if (s->handle)
		cs_close(&s->handle);
	free(s);
}

void *capstone_text_open(cs_arch arch)
{
	struct speller *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	int err = capstone_open(arch, &s->handle);
	if (!err && arch == CS_ARCH_X86 &&
	    cs_option(s->handle, CS_OPT_SYNTAX, CS_OPT_SYNTAX_ATT) != CS_ERR_OK)
		err = -ENOTSUP;
	if (!err && !(s->insn = cs_malloc(s->handle)))
		err = -ENOMEM;
	if (!err)
		return s;
	capstone_text_close(s);
	errno = -err;
	return NULL;
}

unsigned capstone_text_decode(void *decoder, const uint8_t *p, size_t left, uint64_t vaddr,
			      char *out, size_t size)
{
	struct speller *s = decoder;

	if (!cs_disasm_iter(s->handle, &p, &left, &vaddr, s->insn))
		return 0;
	if (out)
		snprintf(out, size, "%s%s%s", s->insn->mnemonic, *s->insn->op_str ? " " : "",
			 s->insn->op_str);
	return s->insn->size;
}
