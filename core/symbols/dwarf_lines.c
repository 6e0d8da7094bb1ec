// SPDX-License-Identifier: BSD-2-Clause
#include "symbols/dwarf_lines.h"

#include <dwarf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/vec.h"

#define MOST_NAMES (1u << 18)
#define MOST_TEXT  (32u << 20)
#define MOST_ROWS  (1u << 22)
#define NAMES_PART 16 /* of the memory that a file may take: several units' names are kept */

struct reading {
	struct dwarf_lines *l;
	struct dwarf_file *f, *other;
	struct dwarf_unit u; /* its offsets have the size of this table's */
	struct in in;
	uint8_t least_bytes, opcode_base, line_range;
	int8_t line_base;
	const uint8_t *lengths; /* of the standard opcodes */
	size_t most_rows, most_sequences;
};

static int add_text(struct dwarf_lines *l, const char *s, uint32_t *at)
{
	const size_t n = strlen(s) + 1;

	*at = (uint32_t)l->n_text;
	if (l->n_text + n > l->most_text)
		return -EFBIG;
	if (vec_reserve_most(&l->text, &l->cap_text, l->n_text + n, l->most_text))
		return -ENOMEM;
	memcpy(l->text + l->n_text, s, n);
	l->n_text += n;
	return 0;
}

static int add_folder(struct dwarf_lines *l, const char *name)
{
	if (l->n_folders >= l->most_names)
		return -EFBIG;
	if (vec_reserve(&l->folders, &l->cap_folders, l->n_folders + 1))
		return -ENOMEM;
	const int err = add_text(l, name, &l->folders[l->n_folders]);

	l->n_folders += !err;
	return err;
}

static int add_source(struct dwarf_lines *l, const char *name, uint64_t folder)
{
	if (l->n_sources >= l->most_names)
		return -EFBIG;
	if (vec_reserve(&l->sources, &l->cap_sources, l->n_sources + 1))
		return -ENOMEM;
	l->sources[l->n_sources].folder = folder;
	const int err = add_text(l, name, &l->sources[l->n_sources].name);

	l->n_sources += !err;
	return err;
}

/* ---- names before DWARF 5 (DWARF 4, 6.2.4) */

static const char *get_string(struct in *in)
{
	const char *s = (const char *)in->p;
	const uint8_t *end = in->bad ? NULL : memchr(in->p, 0, (size_t)(in->end - in->p));

	in->bad = !end;
	if (end)
		in->p = end + 1;
	return end ? s : "";
}

static int read_old_names(struct reading *r)
{
	const char *s;
	int err = 0;

	while (!err && *(s = get_string(&r->in)))
		err = dwarf_bounds_step(r->f->bounds, 1) ? add_folder(r->l, s) : -ETIMEDOUT;
	while (!err && *(s = get_string(&r->in))) {
		const uint64_t folder = get_leb(&r->in, false);

		get_leb(&r->in, false);
		get_leb(&r->in, false);
		err = dwarf_bounds_step(r->f->bounds, 1) ? add_source(r->l, s, folder) : -ETIMEDOUT;
	}
	return err ? err : r->in.bad ? -EBADMSG : 0;
}

/* ---- names of DWARF 5 (6.2.4.1) */

#define MOST_FORMATS 16

static int read_table(struct reading *r, bool of_folders)
{
	uint64_t content[MOST_FORMATS], form[MOST_FORMATS];
	const uint64_t n_formats = get(&r->in, 1);
	int err = 0;

	if (n_formats > MOST_FORMATS)
		return -EBADMSG;
	for (uint64_t i = 0; i < n_formats; i++) {
		content[i] = get_leb(&r->in, false);
		form[i] = get_leb(&r->in, false);
	}
	const uint64_t n = get_leb(&r->in, false);

	if (r->in.bad || n > MOST_NAMES || (n && !n_formats))
		return -EBADMSG;
	for (uint64_t k = 0; k < n && !err; k++) {
		const char *name = NULL;
		uint64_t folder = 0;

		for (uint64_t i = 0; i < n_formats; i++) {
			struct dwarf_value v;

			if (form[i] > UINT16_MAX || form[i] == DW_FORM_implicit_const ||
			    !dwarf_value_read(&r->in, &r->u, (uint16_t)form[i], 0, &v))
				return -EBADMSG;
			if (content[i] == DW_LNCT_path)
				name = dwarf_string(r->f, r->other, &r->u, &v);
			else if (content[i] == DW_LNCT_directory_index)
				folder = v.u;
		}
		name = name ? name : "";
		err = of_folders ? add_folder(r->l, name) : add_source(r->l, name, folder);
		if (!dwarf_bounds_step(r->f->bounds, n_formats))
			return -ETIMEDOUT;
	}
	return err;
}

static int read_header(struct reading *r)
{
	const uint8_t *begin = r->in.p;

	r->l->version = (uint16_t)get(&r->in, 2);
	if (r->l->version < 2 || r->l->version > 5)
		return -EBADMSG;
	if (r->l->version == 5 && get(&r->in, 2) != 8) /* bytes of an address, and of a segment */
		return -EBADMSG;
	const uint64_t length = get(&r->in, r->u.offset_bytes);
	const uint8_t *program = r->in.p;

	if (r->in.bad || length > (uint64_t)(r->in.end - program))
		return -EBADMSG;
	r->least_bytes = (uint8_t)get(&r->in, 1);
	if (r->l->version >= 4)
		get(&r->in, 1); /* operations of an instruction */
	get(&r->in, 1);
	r->line_base = (int8_t)get(&r->in, 1);
	r->line_range = (uint8_t)get(&r->in, 1);
	r->opcode_base = (uint8_t)get(&r->in, 1);
	r->lengths = r->in.p;
	skip(&r->in, r->opcode_base ? r->opcode_base - 1u : 0);
	if (r->in.bad || !r->line_range || !r->opcode_base || r->in.p < begin)
		return -EBADMSG;
	int err;

	if (r->l->version < 5) {
		err = read_old_names(r);
	} else {
		err = read_table(r, true);
		err = err ? err : read_table(r, false);
	}
	r->in.p = program + length;
	return err;
}

/* ---- rows (6.2.5) */

struct state {
	uint64_t address, source;
	int64_t line;
	size_t first; /* row of this sequence */
};

static int put_row(struct reading *r, const struct state *m)
{
	struct dwarf_lines *l = r->l;

	if (l->n_rows >= r->most_rows)
		return -EFBIG;
	if (vec_reserve_most(&l->rows, &l->cap_rows, l->n_rows + 1, r->most_rows))
		return -ENOMEM;
	l->rows[l->n_rows++] = (struct dwarf_row){
		m->address, m->source <= UINT32_MAX ? (uint32_t)m->source : UINT32_MAX,
		m->line > 0 && m->line <= INT32_MAX ? (uint32_t)m->line : 0
	};
	return 0;
}

static int end_sequence(struct reading *r, struct state *m)
{
	struct dwarf_lines *l = r->l;
	const size_t n = l->n_rows - m->first;

	if (n && l->rows[m->first].address && l->rows[m->first].address < m->address) {
		if (l->n_sequences >= r->most_sequences)
			return -EFBIG;
		if (vec_reserve_most(&l->sequences, &l->cap_sequences, l->n_sequences + 1,
				     r->most_sequences))
			return -ENOMEM;
		l->sequences[l->n_sequences++] = (struct dwarf_sequence){ l->rows[m->first].address,
									  m->address, m->first, n };
	} else {
		l->n_rows = m->first; /* the linker removed the code */
	}
	*m = (struct state){ .source = 1, .line = 1, .first = l->n_rows };
	return 0;
}

static int extended(struct reading *r, struct state *m)
{
	const uint64_t n = get_leb(&r->in, false);
	const uint8_t *begin = r->in.p;

	if (r->in.bad || !n || n > (uint64_t)(r->in.end - begin))
		return -EBADMSG;
	const uint64_t opcode = get(&r->in, 1);
	int err = 0;

	if (opcode == DW_LNE_end_sequence)
		err = end_sequence(r, m);
	else if (opcode == DW_LNE_set_address && n == 9)
		m->address = get(&r->in, 8);
	r->in.p = begin + n;
	return err;
}

static int standard(struct reading *r, struct state *m, uint8_t opcode)
{
	switch (opcode) {
	case DW_LNS_copy:
		return put_row(r, m);
	case DW_LNS_advance_pc:
		m->address += get_leb(&r->in, false) * r->least_bytes;
		return 0;
	case DW_LNS_advance_line:
		m->line = (int64_t)((uint64_t)m->line + get_leb(&r->in, true));
		return 0;
	case DW_LNS_set_file:
		m->source = get_leb(&r->in, false);
		return 0;
	case DW_LNS_const_add_pc:
		m->address += (uint64_t)((255 - r->opcode_base) / r->line_range) * r->least_bytes;
		return 0;
	case DW_LNS_fixed_advance_pc:
		m->address += get(&r->in, 2);
		return 0;
	}
	for (uint8_t i = 0; i < r->lengths[opcode - 1]; i++)
		get_leb(&r->in, false);
	return 0;
}

static int run(struct reading *r)
{
	struct state m = { .source = 1, .line = 1 };
	int err = 0;

	while (!err && !r->in.bad && r->in.p < r->in.end) {
		const uint8_t opcode = (uint8_t)get(&r->in, 1);

		if (!dwarf_bounds_step(r->f->bounds, 1))
			return -ETIMEDOUT;
		if (opcode >= r->opcode_base) {
			const unsigned x = opcode - r->opcode_base;

			m.address += (uint64_t)(x / r->line_range) * r->least_bytes;
			m.line = (int64_t)((uint64_t)m.line + (uint64_t)(int64_t)r->line_base +
					   x % r->line_range);
			err = put_row(r, &m);
		} else {
			err = opcode ? standard(r, &m, opcode) : extended(r, &m);
		}
	}
	return err ? err : r->in.bad ? -EBADMSG : 0;
}

static int by_low(const void *x, const void *y)
{
	return compare_u64(((const struct dwarf_sequence *)x)->low,
			   ((const struct dwarf_sequence *)y)->low);
}

int dwarf_lines_read(struct dwarf_lines *l, struct dwarf_file *f, struct dwarf_file *other,
		     const struct dwarf_unit *u, const char *folder, bool with_rows)
{
	const struct dwarf_bounds *b = f->bounds;
	struct reading r = { .l = l,
			     .f = f,
			     .other = other,
			     .u = *u,
			     .most_rows = dwarf_bounds_room(b, 1, sizeof(*l->rows), MOST_ROWS),
			     .most_sequences = dwarf_bounds_room(b, 2, sizeof(*l->sequences),
								 MOST_ROWS) };
	struct dwarf_section *s = &f->sections.s[DWARF_LINE];
	uint64_t length, off = u->lines_off;

	l->most_text = dwarf_bounds_room(b, NAMES_PART, 1, MOST_TEXT);
	l->most_names = dwarf_bounds_room(b, NAMES_PART, sizeof(*l->sources), MOST_NAMES);
	l->n_text = l->n_folders = l->n_sources = l->n_rows = l->n_sequences = 0;
	int err = add_text(l, folder ? folder : "", &l->folder);

	if (err)
		return err;
	if (!u->has_lines || !dwarf_section_number(s, off, 4, &length))
		return -ENOENT;
	off += 4;
	r.u.offset_bytes = 4;
	if (length == UINT32_MAX) {
		r.u.offset_bytes = 8;
		if (!dwarf_section_number(s, off, 8, &length))
			return -EBADMSG;
		off += 8;
	}
	r.in.p = dwarf_section_get(s, off, length);
	if (!r.in.p)
		return -EBADMSG;
	r.in.end = r.in.p + length;
	err = read_header(&r);
	if (!err && with_rows)
		err = run(&r);
	if (l->n_sequences)
		qsort(l->sequences, l->n_sequences, sizeof(*l->sequences), by_low);
	return err;
}

void dwarf_lines_free(struct dwarf_lines *l)
{
	free(l->text);
	free(l->folders);
	free(l->sources);
	free(l->rows);
	free(l->sequences);
	*l = (struct dwarf_lines){ 0 };
}

size_t dwarf_lines_bytes(const struct dwarf_lines *l)
{
	return l->cap_text + l->cap_folders * sizeof(*l->folders) +
	       l->cap_sources * sizeof(*l->sources) + l->cap_rows * sizeof(*l->rows) +
	       l->cap_sequences * sizeof(*l->sequences);
}

bool dwarf_lines_at(const struct dwarf_lines *l, uint64_t vaddr, uint32_t *source, uint32_t *line)
{
	size_t lo = 0, hi = l->n_sequences;

	while (lo < hi) { /* the first above vaddr */
		size_t mid = lo + (hi - lo) / 2;

		if (l->sequences[mid].low <= vaddr)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (!lo || vaddr >= l->sequences[lo - 1].high)
		return false;
	const struct dwarf_row *rows = &l->rows[l->sequences[lo - 1].first];

	hi = l->sequences[lo - 1].n;
	lo = 0;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (rows[mid].address <= vaddr)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (!lo)
		return false;
	*source = rows[lo - 1].source;
	*line = rows[lo - 1].line;
	return true;
}

bool dwarf_lines_path(const struct dwarf_lines *l, uint64_t source, char *to, size_t size)
{
	const uint64_t i = l->version < 5 ? source - 1 : source;

	if (i >= l->n_sources)
		return false;
	const char *name = l->text + l->sources[i].name, *unit = l->text + l->folder, *folder = "";
	const uint64_t k = l->sources[i].folder - (l->version < 5);
	int n;

	if (l->version < 5 && !l->sources[i].folder)
		folder = unit;
	else if (k < l->n_folders)
		folder = l->text + l->folders[k];
	if (*name == '/')
		n = snprintf(to, size, "%s", name);
	else if (!*folder || *folder == '/' || !*unit || folder == unit)
		n = snprintf(to, size, "%s%s%s", folder, *folder ? "/" : "", name);
	else
		n = snprintf(to, size, "%s/%s/%s", unit, folder, name);
	return *name && n > 0 && (size_t)n < size;
}
