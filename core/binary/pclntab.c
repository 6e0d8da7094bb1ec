/* SPDX-License-Identifier: BSD-2-Clause */
#include "binary/pclntab.h"

#include <errno.h>
#include <string.h>

#include "binary/arch.h"

/* Generic names grow long, but not like this; a table without ends costs no more. */
#define MAX_STRING_BYTES 65536

/* Bytes 4 to 7 of the header: two zeros, the instructions' quantum, pointer size 8. */
static bool header_tail(const struct elffile *e, const uint8_t *p)
{
	return p[4] == 0 && p[5] == 0 && p[6] == e->arch->pc_quantum && p[7] == 8;
}

static bool is_old(uint32_t magic)
{
	return magic == PCLNTAB_MAGIC_116;
}

static bool is_known(uint32_t magic)
{
	return magic == PCLNTAB_MAGIC_116 || magic == PCLNTAB_MAGIC_118 ||
	       magic == PCLNTAB_MAGIC_120;
}

/* Size of one ftab entry: two absolute words before 1.18, two 32-bit offsets since. */
static uint64_t ftab_entry_bytes(const struct pclntab *t)
{
	return is_old(t->magic) ? 16 : 8;
}

/*
 * Reads the pcHeader (runtime/symtab.go): since 1.18 a textStart word is between the counts and the
 * offsets. From 1.26 on that word is 0.
 */
static int read_header(const struct elffile *e, uint64_t vaddr, uint64_t limit, struct pclntab *t)
{
	uint64_t avail;
	const uint8_t *p = elffile_span(e, vaddr, &avail);

	if (p && avail > limit)
		avail = limit;
	if (!p || avail < 72 || !header_tail(e, p))
		return -EBADMSG;
	*t = (struct pclntab){
		.vaddr = vaddr, .tab = p, .len = avail, .magic = load32(p), .quantum = p[6]
	};
	if (t->magic == PCLNTAB_MAGIC_12)
		return -ENOTSUP;
	unsigned o = is_old(t->magic) ? 24 : 32;

	t->n_funcs = load64(p + 8);
	if (!is_old(t->magic) && elffile_word(e, vaddr + 24, &t->text_start) < 0)
		return -EBADMSG;
	t->name_off = load64(p + o);
	t->cu_off = load64(p + o + 8);
	t->file_off = load64(p + o + 16);
	t->pc_off = load64(p + o + 24);
	t->func_off = load64(p + o + 32);
	if (t->name_off >= avail || t->cu_off > avail || t->file_off > avail || t->pc_off > avail ||
	    t->func_off > avail || t->n_funcs == 0 ||
	    t->n_funcs >= (avail - t->func_off) / ftab_entry_bytes(t))
		return -EBADMSG;
	return is_known(t->magic) ? 0 : -EPROTO;
}

/*
 * Linked by gcc or ld into a PIE, the table has no section for itself and is inside .data.rel.ro;
 * stripped of section headers it has none either. The header's first 8 bytes are rare enough to
 * search for; what is found is believed only when the whole header makes sense.
 */
static int scan(const struct elffile *e, struct pclntab *out)
{
	int worst = -ENOENT;

	for (size_t i = 0; i < e->n_segments; i++) {
		const struct elf_segment *s = &e->segments[i];
		const uint8_t *p = e->map + s->off;

		if (s->flags & PF_X)
			continue;
		/* The linker aligns the table to 32 bytes; 8 is all that is relied on. */
		for (uint64_t k = (8 - s->vaddr % 8) % 8; k + 72 <= s->filesz; k += 8) {
			if (!header_tail(e, p + k))
				continue;
			int err = read_header(e, s->vaddr + k, UINT64_MAX, out);
			if (!err)
				return 0;
			if (err == -ENOTSUP || (err == -EPROTO && worst == -ENOENT))
				worst = err;
		}
	}
	return worst;
}

int pclntab_find(const struct elffile *e, struct pclntab *out)
{
	static const char *const names[] = { ".gopclntab", ".data.rel.ro.gopclntab" };

	for (size_t i = 0; i < 2; i++) {
		const struct elf_section *s = elffile_section(e, names[i]);

		if (s && s->type != SHT_NOBITS)
			return read_header(e, s->vaddr, s->size, out);
	}
	return scan(e, out);
}

int pclntab_entry(const struct pclntab *t, const struct elffile *e, uint64_t i, uint64_t *entry,
		  uint64_t *func_off)
{
	uint64_t at = t->func_off + i * ftab_entry_bytes(t);

	*func_off = 0;
	if (is_old(t->magic)) { /* absolute, relocated in a PIE */
		uint64_t need = i < t->n_funcs ? 16 : 8;

		if (at > t->len || need > t->len - at || elffile_word(e, t->vaddr + at, entry) < 0)
			return -EBADMSG;
		if (i < t->n_funcs)
			*func_off = load64(t->tab + at + 8);
		return 0;
	}
	uint64_t need = i < t->n_funcs ? 8 : 4;
	if (at > t->len || need > t->len - at)
		return -EBADMSG;
	*entry = t->text_start + load32(t->tab + at);
	if (i < t->n_funcs)
		*func_off = load32(t->tab + at + 4);
	return 0;
}

int pclntab_func(const struct pclntab *t, const struct elffile *e, uint64_t func_off,
		 struct pclnfunc *out)
{
	uint64_t room = t->len - t->func_off;

	if (func_off > room || room - func_off < 48)
		return -EBADMSG;
	uint64_t at = t->func_off + func_off;
	const uint8_t *p = t->tab + at;

	*out = (struct pclnfunc){ 0 };
	if (is_old(t->magic)) { /* the entry is a pointer: all that follows it moves by 4 */
		if (elffile_word(e, t->vaddr + at, &out->entry) < 0)
			return -EBADMSG;
		p += 4;
		out->data_off = at + 44;
	} else {
		out->entry = t->text_start + load32(p);
		out->data_off = at + (t->magic == PCLNTAB_MAGIC_118 ? 40 : 44);
	}
	out->name_off = load32(p + 4);
	out->pcsp = load32(p + 16);
	out->pcfile = load32(p + 20);
	out->pcln = load32(p + 24);
	out->n_pcdata = load32(p + 28);
	out->cu_off = load32(p + 32);
	if (t->magic == PCLNTAB_MAGIC_120) {
		out->start_line = load32(p + 36);
		p += 4;
	}
	out->func_id = p[36];
	out->flag = p[37];
	out->n_funcdata = p[39];
	return 0;
}

const char *pclntab_string(const struct pclntab *t, uint64_t base, uint64_t off)
{
	if (base > t->len || off >= t->len - base)
		return NULL;
	const char *s = (const char *)t->tab + base + off;
	uint64_t room = t->len - base - off;

	return memchr(s, 0, room < MAX_STRING_BYTES ? room : MAX_STRING_BYTES) ? s : NULL;
}

static bool varint(struct pcvalue *v, uint32_t *out)
{
	uint32_t x = 0;

	for (unsigned shift = 0; shift < 35 && v->p < v->end; shift += 7) {
		uint8_t b = *v->p++;

		x |= (uint32_t)(b & 0x7f) << (shift & 31);
		if (!(b & 0x80)) {
			*out = x;
			return true;
		}
	}
	return false;
}

bool pcvalue_start(struct pcvalue *v, const struct pclntab *t, const struct pclnfunc *f,
		   uint32_t table)
{
	if (table == 0 || t->pc_off > t->len || table >= t->len - t->pc_off)
		return false;
	*v = (struct pcvalue){ .p = t->tab + t->pc_off + table,
			       .end = t->tab + t->len,
			       .pc = f->entry,
			       .value = -1,
			       .quantum = t->quantum,
			       .first = true };
	return true;
}

/* runtime/symtab.go step(): a zigzag value delta, then a pc delta; a zero value
 * delta ends the table unless it is the first. */
bool pcvalue_next(struct pcvalue *v)
{
	uint32_t d, pc;

	/* A range is never empty, so that a walk is bounded by the function's size. */
	if (!varint(v, &d) || (d == 0 && !v->first) || !varint(v, &pc) || pc == 0)
		return false;
	v->first = false;
	v->value = (int32_t)((uint32_t)v->value + ((d & 1) ? ~(d >> 1) : d >> 1));
	v->pc += (uint64_t)pc * v->quantum;
	return true;
}

int pcvalue_at(const struct pclntab *t, const struct pclnfunc *f, uint32_t table, uint64_t vaddr,
	       int32_t *out)
{
	struct pcvalue v;

	if (vaddr < f->entry || !pcvalue_start(&v, t, f, table))
		return -ENOENT;
	while (pcvalue_next(&v)) {
		if (vaddr < v.pc) {
			*out = v.value;
			return 0;
		}
	}
	return -ENOENT;
}

uint32_t pclntab_pcdata(const struct pclntab *t, const struct pclnfunc *f, uint32_t i)
{
	uint64_t at = f->data_off + 4ull * i;

	if (i >= f->n_pcdata || at > t->len || t->len - at < 4)
		return 0;
	return load32(t->tab + at);
}

uint64_t pclntab_funcdata(const struct pclntab *t, const struct elffile *e,
			  const struct pclnfunc *f, uint32_t i, uint64_t gofunc)
{
	uint64_t at = f->data_off + 4ull * f->n_pcdata, word;

	if (i >= f->n_funcdata)
		return 0;
	if (is_old(t->magic)) { /* absolute pointers, aligned as such */
		at = (at + 7) / 8 * 8 + 8ull * i;
		return elffile_word(e, t->vaddr + at, &word) < 0 ? 0 : word;
	}
	at += 4ull * i;
	if (at > t->len || t->len - at < 4 || load32(t->tab + at) == UINT32_MAX || !gofunc)
		return 0;
	return gofunc + load32(t->tab + at);
}

const char *pclntab_file_name(const struct pclntab *t, const struct pclnfunc *f, int32_t file_no)
{
	if (file_no < 0)
		return NULL;
	uint64_t at = t->cu_off + 4ull * f->cu_off + 4ull * (uint32_t)file_no;
	if (at > t->len || t->len - at < 4 || load32(t->tab + at) == UINT32_MAX)
		return NULL;
	return pclntab_string(t, t->file_off, load32(t->tab + at));
}
