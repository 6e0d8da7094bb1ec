/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which register or place on the stack a parameter has: cmd/compile/abi-internal.md, "Function call
 * argument and result passing".
 */
#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>

#include "base/vec.h"
#include "binary/gosignature_impl.h"

#define NESTING_MAX 16
#define LOCATIONS   16

/* ---- by the rules */

struct assigner {
	const struct arch_values *regs;
	struct goparam *p;
	unsigned ints, floats; /* next free ones */
	unsigned budget;       /* members that may still be looked at */
	int err;
};

static bool take(struct assigner *a, uint64_t off, bool fp, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		unsigned *next = fp ? &a->floats : &a->ints;

		if (*next == (fp ? a->regs->n_floats : a->regs->n_ints))
			return false;
		a->err = vec_reserve(&a->p->pieces, &a->p->cap_pieces, a->p->n_pieces + 1);
		if (a->err)
			return false;
		a->p->pieces[a->p->n_pieces++] =
			(struct gopiece){ .off = off, .reg = (uint8_t)(*next)++, .fp = fp };
		off += 8;
	}
	return true;
}

static bool assign(struct assigner *a, const struct gotype *t, uint64_t off, int depth);

static bool assign_members(struct assigner *a, const struct gotype *t, uint64_t off, int depth)
{
	Dwarf_Die m;

	for (bool got = gotype_member(t, &m, true); got; got = gotype_member(t, &m, false)) {
		struct gotype inner = gotype_of(&m);
		uint64_t at;

		if (!a->budget-- || depth == NESTING_MAX || !gotype_member_off(&m, &at) ||
		    !assign(a, &inner, off + at, depth + 1))
			return false;
	}
	return true;
}

static bool assign_array(struct assigner *a, const struct gotype *t, uint64_t off, int depth)
{
	uint64_t n = gotype_count(t);
	struct gotype inner = gotype_of((Dwarf_Die *)(uintptr_t)&t->die);

	return !n || (n == 1 && depth < NESTING_MAX && assign(a, &inner, off, depth + 1));
}

/* False: not all of it fits into registers. */
static bool assign(struct assigner *a, const struct gotype *t, uint64_t off, int depth)
{
	switch (t->kind) {
	case GOTYPE_INT:
	case GOTYPE_UINT:
	case GOTYPE_BOOL:
	case GOTYPE_POINTER:
	case GOTYPE_FUNC:
	case GOTYPE_MAP:
	case GOTYPE_CHAN:
		return take(a, off, false, 1);
	case GOTYPE_FLOAT:
		return take(a, off, true, 1);
	case GOTYPE_COMPLEX:
		return take(a, off, true, 1) && take(a, off + t->bytes / 2, true, 1);
	case GOTYPE_STRING:
	case GOTYPE_IFACE:
	case GOTYPE_EFACE:
		return take(a, off, false, 2);
	case GOTYPE_SLICE:
		return take(a, off, false, 3);
	case GOTYPE_STRUCT:
		return assign_members(a, t, off, depth);
	case GOTYPE_ARRAY:
		return assign_array(a, t, off, depth);
	default:
		return false;
	}
}

static uint64_t round_up(uint64_t n, uint64_t to)
{
	return (n + to - 1) / to * to;
}

/* All arguments, or all results. *stack: bytes of the stack that are taken. */
static int assign_all(struct gosignature *s, bool result, uint64_t *stack)
{
	struct assigner a = { .regs = s->regs, .budget = 4096 };
	bool lost = false;

	for (size_t i = 0; i < s->n && !a.err; i++) {
		struct goparam *p = &s->params[i];
		unsigned ints = a.ints, floats = a.floats;

		if (p->result != result)
			continue;
		a.p = p;
		lost |= p->type.kind == GOTYPE_NONE;
		p->unknown = lost;
		if (lost || assign(&a, &p->type, 0, 0))
			continue;
		a.ints = ints;
		a.floats = floats;
		p->n_pieces = 0;
		p->on_stack = true;
		p->stack_off = round_up(*stack, gotype_align(&p->type));
		*stack = p->stack_off + p->type.bytes;
	}
	*stack = round_up(*stack, 8);
	return a.err;
}

int goabi_assign(struct gosignature *s)
{
	uint64_t stack = 0;
	int err = assign_all(s, false, &stack);

	return err ? err : assign_all(s, true, &stack);
}

/* ---- by what DWARF says */

/* Where its words are, in order; places on the stack are from the return address on. */
struct where {
	struct {
		bool known, stack, fp;
		uint8_t reg;
		int64_t off;
		uint64_t at; /* in the parameter */
	} parts[LOCATIONS];
	size_t n;
};

static bool register_of(const struct arch_values *regs, unsigned dwarf, bool *fp, uint8_t *reg)
{
	*fp = dwarf >= regs->dwarf_float && dwarf < regs->dwarf_float + regs->n_floats;
	*reg = (uint8_t)(dwarf - regs->dwarf_float);
	if (*fp)
		return true;
	for (uint8_t i = 0; i < regs->n_ints; i++)
		if (regs->dwarf_ints[i] == dwarf) {
			*reg = i;
			return true;
		}
	return false;
}

static void part(const struct arch_values *regs, struct where *w, const Dwarf_Op *op, uint64_t at)
{
	size_t i = w->n++;

	w->parts[i].at = at;
	if (op->atom >= DW_OP_reg0 && op->atom <= DW_OP_reg31)
		w->parts[i].known = register_of(regs, op->atom - DW_OP_reg0, &w->parts[i].fp,
						&w->parts[i].reg);
	else if (op->atom == DW_OP_regx)
		w->parts[i].known = register_of(regs, (unsigned)op->number, &w->parts[i].fp,
						&w->parts[i].reg);
	else if (op->atom == DW_OP_fbreg || op->atom == DW_OP_call_frame_cfa) {
		w->parts[i].known = w->parts[i].stack = true;
		w->parts[i].off = op->atom == DW_OP_fbreg ? (int64_t)op->number : 0;
	}
}

/* False: DWARF does not say it of pc. */
static bool find_where(const struct arch_values *regs, struct goparam *p, uint64_t pc,
		       struct where *w)
{
	Dwarf_Attribute attr;
	Dwarf_Op *ops;
	size_t n;
	uint64_t at = 0;

	*w = (struct where){ 0 };
	if (!dwarf_attr(&p->die, DW_AT_location, &attr) ||
	    dwarf_getlocation_addr(&attr, pc, &ops, &n, 1) != 1)
		return false;
	for (size_t i = 0; i < n && w->n < LOCATIONS; i++) {
		if (ops[i].atom == DW_OP_piece) { /* of what is not known */
			at += ops[i].number;
			continue;
		}
		part(regs, w, &ops[i], at);
		if (i + 1 < n && ops[i + 1].atom == DW_OP_piece)
			at += ops[++i].number;
	}
	return w->n > 0;
}

static bool agrees(const struct goparam *p, const struct where *w)
{
	for (size_t i = 0; i < w->n; i++) {
		bool found = false;

		if (!w->parts[i].known)
			continue;
		/* (The place of one word alone may be given for the whole.) */
		if (w->parts[i].stack) {
			/* a parameter without a register may be said to be spilled already */
			if (p->on_stack &&
			    (w->parts[i].off < (int64_t)p->stack_off ||
			     w->parts[i].off >= (int64_t)(p->stack_off + p->type.bytes)))
				return false;
			continue;
		}
		for (size_t k = 0; k < p->n_pieces; k++)
			found |= p->pieces[k].reg == w->parts[i].reg &&
				 p->pieces[k].fp == w->parts[i].fp &&
				 p->pieces[k].off == w->parts[i].at;
		if (!found)
			return false;
	}
	return true;
}

/* Takes over the registers, if they hold all of the parameter. */
static void believe(struct goparam *p, const struct where *w)
{
	size_t want = p->n_pieces;
	bool whole = !p->on_stack && w->n == want;

	for (size_t i = 0; whole && i < want; i++)
		whole = w->parts[i].known && !w->parts[i].stack &&
			w->parts[i].at == p->pieces[i].off && w->parts[i].fp == p->pieces[i].fp;
	for (size_t i = 0; whole && i < want; i++)
		p->pieces[i].reg = w->parts[i].reg;
	p->unknown |= !whole;
}

void goabi_check(struct gosignature *s, uint64_t pc)
{
	bool all_agree = true;
	struct where w;

	for (size_t i = 0; i < s->n; i++)
		if (!s->params[i].result && !s->params[i].unknown &&
		    find_where(s->regs, &s->params[i], pc, &w))
			all_agree &= agrees(&s->params[i], &w);
	if (all_agree)
		return;
	for (size_t i = 0; i < s->n; i++) {
		struct goparam *p = &s->params[i];

		if (p->result)
			p->unknown = true; /* those on the stack are behind arguments */
		else if (!find_where(s->regs, p, pc, &w))
			p->unknown = true;
		else
			believe(p, &w);
	}
	/* Results in registers are not moved by what arguments are missing. */
	for (size_t i = 0; i < s->n; i++)
		if (s->params[i].result && !s->params[i].on_stack &&
		    s->params[i].type.kind != GOTYPE_NONE)
			s->params[i].unknown = false;
}
