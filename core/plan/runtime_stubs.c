// SPDX-License-Identifier: BSD-2-Clause
#include "plan/runtime_stubs.h"

#include "plan/inline_sites.h"

bool runtime_stubs_possible(const struct plan *p)
{
	const struct golayout *l = p->stubs.inl.options.layout;

	return p->stubs.kind == STUB_INLINE && (!l || (l->m_g0 == 0 && l->m_curg >= 0));
}

/* Only `sub $n,%rsp`, and stores of registers to the new frame; or how a frame is left: `add
 * $n,%rsp`, `pop %rbp` and, in old versions, a load of rbp. */
static bool keeps_registers(const uint8_t *code, size_t len)
{
	size_t i = 0;

	while (code && i < len) {
		size_t left = len - i, rex = code[i] == 0x48 || code[i] == 0x4c;
		const uint8_t *at = code + i + rex;

		if (rex && left >= 4 && at[0] == 0x83 && (at[1] == 0xec || at[1] == 0xc4))
			i += 4;
		else if (rex && left >= 7 && at[0] == 0x81 && (at[1] == 0xec || at[1] == 0xc4))
			i += 7;
		else if (at[0] == 0x5d && !rex)
			i++;
		else if (code[i] == 0x48 && left >= 5 && at[0] == 0x8b && at[1] == 0x6c &&
			 at[2] == 0x24)
			i += 5; /* mov disp8(%rsp),%rbp */
		else if (left >= rex + 4 && at[0] == 0x89 && (at[1] & 0xc7) == 0x44 &&
			 at[2] == 0x24)
			i += rex + 4; /* mov %reg,disp8(%rsp) */
		else
			return false;
	}
	return code && i == len;
}

bool runtime_stub_may_displace(const struct code_window *w)
{
	return w->len && !w->has_call && !w->n_jump_offs && !w->further;
}

bool runtime_stub_keeps_registers(const struct plan *p, const struct gofunc *fn,
				  const struct code_window *w)
{
	return runtime_stub_may_displace(w) && !w->reads && !w->compare_len &&
	       !w->n_relative_offs &&
	       keeps_registers(gobin_bytes(p->binary, fn->vaddr + w->off, w->len), w->len);
}

/* There is a stub for that kind, and all that it looks at is known. */
static bool is_known(const struct plan *p, unsigned kind)
{
	const struct golayout *l = p->stubs.inl.options.layout;

	if (kind == EV_CREATE)
		return !l || (l->g_gopc >= 0 && l->g_startpc >= 0);
	if (kind == EV_STOP)
		return !l || (l->g_sched_pc >= 0 && l->m_morebuf_sp >= 0);
	if (kind == EV_RESUME)
		return !l || (l->g_stack_lo == 0 && l->g_stack_hi == 8);
	return kind == EV_END;
}

/* No probe of a function that the user has selected is in there. */
static bool is_free(const struct plan *p, const struct gofunc *fn, const struct code_window *w)
{
	const uint64_t at = fn->vaddr + w->off;

	for (size_t i = 0; i < p->n_sites; i++)
		if (p->sites[i].vaddr >= at && p->sites[i].vaddr < at + w->len)
			return false;
	return true;
}

int runtime_stub_give(struct plan *p, struct plan_site *s, const struct gofunc *fn,
		      const struct code_window *w)
{
	int err;

	if (!is_known(p, s->kind) || !runtime_stubs_possible(p) ||
	    !runtime_stub_keeps_registers(p, fn, w) || !is_free(p, fn, w))
		return 0;
	err = inline_give_stub(p, s, w, NULL, s->kind == EV_CREATE);
	s->stub.ring_to_frame_bytes = 0; /* what it writes is no depth */
	return err;
}
