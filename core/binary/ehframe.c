// SPDX-License-Identifier: BSD-2-Clause
#include "binary/ehframe.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "binary/arch.h"
#include "binary/ehframe_bytes.h"

/* Pointer encodings (LSB, "DWARF Extensions"). */
#define PE_OMIT  0xff
#define PE_PCREL 0x10

#define OP_BREG0 0x70 /* DW_OP_breg0 */

/* A section in memory: what is at `data` is linked to `vaddr`. */
struct section {
	const uint8_t *data;
	size_t n;
	uint64_t vaddr;
	const struct arch_frames *regs; /* NULL where no rows are made */
};

static uint64_t get_pointer(struct in *in, const struct section *s, uint8_t encoding)
{
	const uint64_t here = s->vaddr + (uint64_t)(in->p - s->data);
	uint64_t v = 0;

	switch (encoding & 15) {
	case 0:
	case 4:
	case 12:
		v = get(in, 8);
		break;
	case 1:
		v = get_leb(in, false);
		break;
	case 9:
		v = get_leb(in, true);
		break;
	case 2:
		v = get(in, 2);
		break;
	case 3:
		v = get(in, 4);
		break;
	case 10:
		v = (uint64_t)get_signed(in, 2);
		break;
	case 11:
		v = (uint64_t)get_signed(in, 4);
		break;
	default:
		in->bad = true;
	}
	return (encoding & 0x70) == PE_PCREL ? v + here : v;
}

/* ---- what is said of a place */

struct state {
	uint64_t reg;
	int64_t off;
	int64_t fp;
	bool fp_saved, no_expression, plt, outermost;
};

#define STATES_MAX 16

struct machine {
	const struct arch_frames *regs;
	struct ehframe *to;
	size_t most;
	uint64_t at; /* link-time address */
	struct state now, first, kept[STATES_MAX];
	unsigned n_kept;
	bool emits;
};

struct cie {
	uint64_t code_factor, ra;
	int64_t data_factor;
	uint8_t encoding;
	bool has_augmentation, signal;
	struct in instructions;
};

/* An offset, in the CIE's unit; hostile ones wrap. */
static int64_t get_scaled(const struct cie *c, struct in *in, bool is_signed)
{
	return (int64_t)(get_leb(in, is_signed) * (uint64_t)c->data_factor);
}

static struct ehframe_row row_of(const struct machine *m, bool signal)
{
	const struct state *s = &m->now;
	struct ehframe_row r = { .vaddr = (uint32_t)m->at };
	const bool fits = !(s->off & 7) && s->off / 8 <= INT16_MAX && s->off / 8 >= INT16_MIN &&
			  !(s->fp & 7) && s->fp / 8 <= INT8_MAX && s->fp / 8 >= INT8_MIN;

	if (signal)
		r.rule = EHFRAME_SIGNAL;
	else if (s->outermost)
		r.rule = EHFRAME_END;
	else if (s->plt)
		r.rule = EHFRAME_PLT;
	else if (fits && !s->no_expression && s->reg == m->regs->sp)
		r.rule = EHFRAME_SP;
	else if (fits && !s->no_expression && s->reg == m->regs->fp)
		r.rule = EHFRAME_FP;
	if (r.rule == EHFRAME_SP || r.rule == EHFRAME_FP) {
		r.cfa = (int16_t)(s->off / 8);
		r.fp = (int8_t)(s->fp_saved ? s->fp / 8 : 0);
	}
	return r;
}

static int put(struct ehframe *to, size_t most, struct ehframe_row r)
{
	if (to->n == most)
		return -E2BIG;
	if (vec_reserve(&to->rows, &to->cap, to->n + 1))
		return -ENOMEM;
	to->rows[to->n++] = r;
	to->n_unknown += r.rule == EHFRAME_UNKNOWN;
	return 0;
}

/* What was said so far is of everything up to there. */
static int advance(struct machine *m, const struct cie *c, uint64_t to)
{
	int err = m->emits && to != m->at ? put(m->to, m->most, row_of(m, c->signal)) : 0;

	m->at = to;
	return err;
}

static void set_saved(struct machine *m, uint64_t reg, int64_t off)
{
	if (reg != m->regs->fp)
		return;
	m->now.fp_saved = true;
	m->now.fp = off;
}

static void restore(struct machine *m, uint64_t reg)
{
	if (reg != m->regs->fp)
		return;
	m->now.fp_saved = m->first.fp_saved;
	m->now.fp = m->first.fp;
}

static void cfa_expression(struct machine *m, struct in *in)
{
	uint64_t n = get_leb(in, false);

	/* The linker's own of a procedure linkage table begins with the stack pointer. */
	m->now.plt = n == m->regs->plt_expression_bytes && !in->bad && in->p < in->end &&
		     *in->p == OP_BREG0 + m->regs->sp;
	m->now.no_expression = !m->now.plt;
	skip(in, n);
}

static void keep_state(struct machine *m, bool back, bool *bad)
{
	if (back && m->n_kept)
		m->now = m->kept[--m->n_kept];
	else if (!back && m->n_kept < STATES_MAX)
		m->kept[m->n_kept++] = m->now;
	else
		*bad = true;
}

static void define_cfa(struct machine *m, uint64_t reg, int64_t off)
{
	m->now.reg = reg;
	m->now.off = off;
	m->now.plt = m->now.no_expression = false;
}

/* DW_CFA_* from 0x05 on, which move no address. */
static void rule(struct machine *m, const struct cie *c, uint8_t op, struct in *in)
{
	uint64_t reg = 0;

	if (op != 0x0a && op != 0x0b && op != 0x0e && op != 0x0f && op != 0x13 && op)
		reg = get_leb(in, false);
	switch (op) {
	case 0x05: /* offset_extended */
		set_saved(m, reg, get_scaled(c, in, false));
		break;
	case 0x11: /* offset_extended_sf */
		set_saved(m, reg, get_scaled(c, in, true));
		break;
	case 0x06:
		restore(m, reg);
		break;
	case 0x07: /* undefined, same_value */
	case 0x08:
		m->now.outermost |= op == 0x07 && reg == c->ra;
		m->now.fp_saved &= reg != m->regs->fp;
		break;
	case 0x09: /* register */
		get_leb(in, false);
		break;
	case 0x0a:
	case 0x0b:
		keep_state(m, op == 0x0b, &in->bad);
		break;
	case 0x0c:
		define_cfa(m, reg, (int64_t)get_leb(in, false));
		break;
	case 0x12:
		define_cfa(m, reg, get_scaled(c, in, true));
		break;
	case 0x0d:
		m->now.reg = reg;
		break;
	case 0x0e:
		m->now.off = (int64_t)get_leb(in, false);
		break;
	case 0x13:
		m->now.off = get_scaled(c, in, true);
		break;
	case 0x0f:
		cfa_expression(m, in);
		break;
	case 0x10: /* expression, val_expression: of a register */
	case 0x16:
		m->now.no_expression |= reg == m->regs->fp || reg == c->ra;
		skip(in, get_leb(in, false));
		break;
	case 0x2e: /* GNU_args_size, which reg was */
	case 0x00:
		break;
	default:
		in->bad = true;
	}
}

static int run(struct machine *m, const struct cie *c, const struct section *s, struct in in)
{
	int err = 0;

	while (in.p < in.end && !in.bad && !err) {
		const uint8_t op = (uint8_t)get(&in, 1), low = op & 63;

		if (op >> 6 == 1)
			err = advance(m, c, m->at + low * c->code_factor);
		else if (op >> 6 == 2)
			set_saved(m, low, get_scaled(c, &in, false));
		else if (op >> 6 == 3)
			restore(m, low);
		else if (op == 1)
			err = advance(m, c, get_pointer(&in, s, c->encoding));
		else if (op >= 2 && op <= 4)
			err = advance(m, c, m->at + get(&in, 1u << (op - 2)) * c->code_factor);
		else
			rule(m, c, op, &in);
	}
	return in.bad ? -EBADMSG : err;
}

/* ---- the section */

static int read_cie(struct cie *c, const struct section *s, struct in in)
{
	const uint8_t version = (uint8_t)get(&in, 1);
	const char *names = (const char *)in.p;
	size_t n = in.bad ? 0 : strnlen(names, (size_t)(in.end - in.p));

	*c = (struct cie){ .encoding = 0 };
	skip(&in, n + 1);
	c->code_factor = get_leb(&in, false);
	c->data_factor = (int64_t)get_leb(&in, true);
	c->ra = version == 1 ? get(&in, 1) : get_leb(&in, false);
	if (in.bad || (n && *names != 'z'))
		return -EBADMSG;
	c->has_augmentation = n > 0;
	struct in augmentation = in;
	if (n) {
		uint64_t bytes = get_leb(&in, false);

		augmentation = in;
		skip(&in, bytes);
		augmentation.end = in.p;
	}
	for (size_t i = 1; i < n; i++) {
		if (names[i] == 'R')
			c->encoding = (uint8_t)get(&augmentation, 1);
		else if (names[i] == 'L')
			get(&augmentation, 1);
		else if (names[i] == 'P')
			get_pointer(&augmentation, s, (uint8_t)get(&augmentation, 1));
		c->signal |= names[i] == 'S';
	}
	c->instructions = in;
	return in.bad || augmentation.bad ? -EBADMSG : 0;
}

static int put_range(struct ehframe *to, uint64_t from, uint64_t bytes)
{
	if (vec_reserve(&to->ranges, &to->cap_ranges, to->n_ranges + 1))
		return -ENOMEM;
	to->ranges[to->n_ranges++] = (struct ehframe_range){ (uint32_t)from,
							     (uint32_t)(from + bytes) };
	return 0;
}

static int read_fde(struct ehframe *to, size_t most, const struct section *s, const struct cie *c,
		    struct in in)
{
	struct machine m = { .regs = s->regs, .to = to, .most = most };
	const uint64_t from = get_pointer(&in, s, c->encoding),
		       bytes = get_pointer(&in, s, c->encoding & 15);

	if (c->has_augmentation)
		skip(&in, get_leb(&in, false));
	if (in.bad)
		return -EBADMSG;
	if (!bytes) /* of a function that the linker left out */
		return 0;
	if (from + bytes > UINT32_MAX || from + bytes < from)
		return -ENOTSUP;
	if (to->only_ranges)
		return put_range(to, from, bytes);
	m.at = from;
	int err = run(&m, c, s, c->instructions);
	m.first = m.now;
	m.at = from;
	m.emits = true;
	if (!err)
		err = run(&m, c, s, in);
	if (!err && m.at < from + bytes)
		err = advance(&m, c, from + bytes);
	to->n_fdes++;
	/* Nothing is known behind it, unless another one begins there. */
	return err ? err : put(to, most, (struct ehframe_row){ .vaddr = (uint32_t)(from + bytes) });
}

/* One after the other, of 32-bit lengths; 0 ends it. */
static int read_section(struct ehframe *to, size_t most, const struct section *s)
{
	struct in in = { s->data, s->data + s->n, false };
	int err = 0;

	while (!err && in.end - in.p >= 4) {
		const uint64_t bytes = get(&in, 4);
		struct in record = in, of;
		struct cie c;

		if (!bytes || bytes == UINT32_MAX)
			break;
		skip(&in, bytes);
		if (in.bad)
			return -EBADMSG;
		record.end = in.p;
		const size_t at = (size_t)(record.p - s->data);
		const uint64_t back = get(&record, 4);
		if (!back)
			continue;
		if (back > at || at - back + 8 > s->n)
			return -EBADMSG;
		of = (struct in){ s->data + (at - back), s->data + s->n, false };
		const uint64_t cie_bytes = get(&of, 4);
		if (cie_bytes < 4 || cie_bytes > (uint64_t)(of.end - of.p) || get(&of, 4))
			return -EBADMSG;
		of.end = of.p + (cie_bytes - 4);
		err = read_cie(&c, s, of);
		if (!err)
			err = read_fde(to, most, s, &c, record);
	}
	return err;
}

static int by_vaddr(const void *x, const void *y)
{
	const struct ehframe_row *a = x, *b = y;

	if (a->vaddr != b->vaddr)
		return a->vaddr < b->vaddr ? -1 : 1;
	/* the end of one is the start of the next, which counts */
	return (a->rule != EHFRAME_UNKNOWN) - (b->rule != EHFRAME_UNKNOWN);
}

/* In order; of several at one address the last, of those alike in a row the first. */
static void settle(struct ehframe *e)
{
	size_t n = 0;

	if (e->n)
		qsort(e->rows, e->n, sizeof(*e->rows), by_vaddr);
	for (size_t i = 0; i < e->n; i++) {
		const struct ehframe_row r = e->rows[i];

		if (i + 1 < e->n && e->rows[i + 1].vaddr == r.vaddr)
			continue;
		if (n && e->rows[n - 1].rule == r.rule && e->rows[n - 1].cfa == r.cfa &&
		    e->rows[n - 1].fp == r.fp)
			continue;
		e->rows[n++] = r;
	}
	e->n = n;
}

int ehframe_parse(struct ehframe *to, const struct arch *arch, const void *data, size_t n,
		  uint64_t vaddr, size_t most)
{
	*to = (struct ehframe){ 0 };
	if (!arch->frames.return_on_stack)
		return -ENOTSUP;
	int err = read_section(to, most, &(struct section){ data, n, vaddr, &arch->frames });

	if (!err)
		settle(to);
	return err;
}

static int by_start(const void *x, const void *y)
{
	const struct ehframe_range *a = x, *b = y;

	return (a->from > b->from) - (a->from < b->from);
}

int ehframe_parse_ranges(struct ehframe *to, const void *data, size_t n, uint64_t vaddr)
{
	*to = (struct ehframe){ .only_ranges = true };
	int err = read_section(to, 0, &(struct section){ data, n, vaddr, NULL });

	if (to->n_ranges)
		qsort(to->ranges, to->n_ranges, sizeof(*to->ranges), by_start);
	return err;
}

void ehframe_free(struct ehframe *e)
{
	free(e->ranges);
	free(e->rows);
	*e = (struct ehframe){ 0 };
}
