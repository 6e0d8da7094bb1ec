/* SPDX-License-Identifier: BSD-2-Clause */
/* Decodes x86-64, by capstone where the bytes of an instruction alone do not tell. */
#include "binary/x86_64/x86_code.h"

#include <errno.h>
#include <stdlib.h>

#include "binary/capstone/capstone_open.h"
#include "binary/x86_64/x86_impl.h"
#include "binary/x86_64/x86_insn.h"
#include "binary/x86_64/x86_length.h"

#define TABLE_LOAD_NEAR 6 /* instructions between a jump table's load and its jump */

/* 0, -ENOMEM or -ENOTSUP. */
static int open_decoders(struct decoder *d)
{
	int err = capstone_open(CS_ARCH_X86, &d->fast);

	if (!err)
		err = capstone_open(CS_ARCH_X86, &d->detail);
	/* Its text is not printed, and is shorter so (decode). */
	if (!err && cs_option(d->fast, CS_OPT_SYNTAX, CS_OPT_SYNTAX_ATT) != CS_ERR_OK)
		err = -ENOTSUP;
	if (!err && cs_option(d->detail, CS_OPT_DETAIL, CS_OPT_ON) != CS_ERR_OK)
		err = -ENOTSUP;
	if (err)
		return err;
	d->fast_insn = cs_malloc(d->fast);
	for (size_t i = 0; i < DETAILS; i++) {
		d->details[i] = cs_malloc(d->detail);
		d->detail_at[i] = NO_DETAIL;
		if (!d->details[i])
			return -ENOMEM;
	}
	return d->fast_insn ? 0 : -ENOMEM;
}

static void close_decoder(struct decoder *d)
{
	if (d->fast_insn)
		cs_free(d->fast_insn, 1);
	for (size_t i = 0; i < DETAILS; i++)
		if (d->details[i])
			cs_free(d->details[i], 1);
	if (d->fast)
		cs_close(&d->fast);
	if (d->detail)
		cs_close(&d->detail);
	free(d);
}

static struct decoder *open_decoder(void)
{
	struct decoder *d = calloc(1, sizeof(*d));

	if (!d)
		return NULL;
	int err = open_decoders(d);
	if (!err)
		return d;
	close_decoder(d);
	errno = -err;
	return NULL;
}

/* Its length; 0: no instruction begins there. */
static unsigned length_at(struct decoder *d, const uint8_t *p, size_t left, uint64_t vaddr)
{
	unsigned n = x86_length(p, left);

	if (n)
		return n;
	capstone_want_text(false); /* only lengths are used */
	if (cs_disasm_iter(d->fast, &p, &left, &vaddr, d->fast_insn))
		n = d->fast_insn->size;
	capstone_want_text(true);
	return n;
}

static bool decode(struct decoder *d, const uint8_t *p, size_t left, uint64_t vaddr,
		   struct insn *in)
{
	in->len = (uint8_t)length_at(d, p, left, vaddr);
	if (!in->len)
		return false;
	x86_classify(in, p);
	return true;
}

static bool is_table_jump(const struct body *y, size_t i)
{
	const struct insn *in = &y->insns[i];
	int reg = x86_jump_reg(y->code + in->off, in->len);

	if (reg < 0)
		return x86_is_table_jump(y->code + in->off, in->len);
	for (size_t n = 0; n < TABLE_LOAD_NEAR && i-- > 0 && y->insns[i].flow == FLOW_NEXT; n++)
		if (x86_is_table_load(y->code + y->insns[i].off, y->insns[i].len, reg))
			return true;
	return false;
}

const struct arch_code x86_code = {
	.no_decoder = "libcapstone has no x86 support; install a build that has",
	.open = open_decoder,
	.close = close_decoder,
	.decode = decode,
	.is_table_jump = is_table_jump,
	.check = x86_check,
	.g_in_register = x86_g_in_register,
	.may_fault = x86_may_fault,
	.reads_closure = x86_reads_closure,
	.writes_closure = x86_writes_closure,
	.writes_result = x86_writes_result,
	.follow_sp = x86_follow_sp,
	.memory = x86_memory,
	.windows = x86_windows,
	.inline_windows = x86_inline_windows,
};
