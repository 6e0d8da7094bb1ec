// SPDX-License-Identifier: BSD-2-Clause
/* Where a function can be seen to return, without its RET, which the kernel single-steps. */
#include <errno.h>
#include <stdlib.h>

#include "binary/gocode_impl.h"

/* Whether it goes on, at once or by a branch ahead, to the instruction at `end` or one before it,
 * without a call or a fault, and leaves the result alone. */
static bool only_returns(const struct body *y, const struct insn *in, uint32_t end)
{
	if (in->flow == FLOW_JMP || in->flow == FLOW_JCC)
		return in->target > in->off && in->target <= end;
	return in->flow == FLOW_NEXT && !y->c->arch->may_fault(y, in) &&
	       !y->c->arch->writes_result(y, in);
}

/* Whether anything but the instructions from index `first` on jumps to what follows it, up to and
 * with index `last`. */
static bool entered_elsewhere(const struct body *y, size_t first, size_t last)
{
	uint32_t lo = y->insns[first].off + 1, hi = y->insns[last].off;

	for (size_t i = 0; i < y->n; i++) {
		const struct insn *in = &y->insns[i];

		if ((in->flow == FLOW_JMP || in->flow == FLOW_JCC) && in->target >= lo &&
		    in->target <= hi && (i < first || i > last))
			return true;
	}
	return gocode_in_table(y, lo, hi);
}

static struct code_point before_ret(const struct body *y, size_t ret)
{
	if (y->insns[ret].class == INSN_EMULATED)
		return ret_point(&y->insns[ret]);
	for (size_t i = ret; i-- > 0 && only_returns(y, &y->insns[i], y->insns[ret].off);) {
		uint16_t to_frame;

		if (y->insns[i].class == INSN_EMULATED && !entered_elsewhere(y, i, ret) &&
		    gocode_sp_at(y, y->insns[i].off, &to_frame))
			return point(&y->insns[i], to_frame);
	}
	return ret_point(&y->insns[ret]);
}

int gocode_returns(struct gocode_ctx *c, const struct gofunc *f, struct code_point **points,
		   size_t *n)
{
	struct body y = { .c = c, .f = f, .code = gobin_bytes(c->b, f->vaddr, f->size) };
	int err = y.code && f->size ? gocode_decode(&y) : -EILSEQ;

	*points = err ? NULL : calloc(y.n, sizeof(**points));
	*n = 0;
	if (!err && !*points)
		err = -ENOMEM;
	for (size_t i = 0; !err && i < y.n; i++)
		if (y.insns[i].flow == FLOW_RET)
			(*points)[(*n)++] = before_ret(&y, i);
	return err;
}
