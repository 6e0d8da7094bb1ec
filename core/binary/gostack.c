// SPDX-License-Identifier: BSD-2-Clause
#include "binary/gostack.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "binary/foreign_elf.h"
#include "binary/gobin_impl.h"

struct builder {
	struct gostack *s;
	size_t cap;
	int err;
};

/* A row that says the same as the one before is none. */
static void add(struct builder *b, uint64_t off, int32_t delta)
{
	struct gostack *s = b->s;

	if (s->n && s->rows[s->n - 1].delta == delta)
		return;
	/* Nothing comes between two functions that follow each other. */
	if (s->n && s->rows[s->n - 1].off == off)
		s->n--;
	if (s->n == b->cap) {
		size_t cap = b->cap ? 2 * b->cap : 4096;
		struct gostack_row *rows = realloc(s->rows, cap * sizeof(*rows));

		if (!rows) {
			b->err = -ENOMEM;
			return;
		}
		s->rows = rows;
		b->cap = cap;
	}
	s->rows[s->n++] = (struct gostack_row){ (uint32_t)off, delta };
}

/* The rows of a function that ends at `end`, before which the next one begins. */
static void add_func(struct builder *b, const struct gobin *g, const struct pclnfunc *f,
		     uint64_t end)
{
	const uint64_t text = b->s->text;
	struct pcvalue v;
	uint64_t pc = f->entry;

	if (pcvalue_start(&v, &g->pcln, f, f->pcsp))
		while (pc < end && !b->err && pcvalue_next(&v)) {
			add(b, pc - text, v.value < 0 ? -1 : v.value);
			pc = v.pc;
		}
	if (pc < end)
		add(b, pc - text, -1);
}

static bool is_of_go(const char *section)
{
	static const char *const names[] = { ".gopclntab", ".data.rel.ro.gopclntab",
					     ".go.buildinfo", ".note.go.buildid" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(section, names[i]))
			return true;
	return false;
}

/* By the names of its sections. Without any it may: the table is looked for. */
static bool may_be_go(int fd)
{
	Elf *elf = foreign_elf_open(fd);
	bool is_elf = elf, named = false, may = false;
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;
	size_t at;

	if (elf && !elf_getshdrstrndx(elf, &at) && (scn = elf_getscn(elf, at)) &&
	    gelf_getshdr(scn, &sh) && foreign_elf_data(scn, &sh, FOREIGN_SECTION_BYTES))
		named = sh.sh_size > 1;
	scn = NULL;
	while (named && !may && (scn = elf_nextscn(elf, scn)) && gelf_getshdr(scn, &sh)) {
		const char *name = elf_strptr(elf, at, sh.sh_name);

		may = name && is_of_go(name);
	}
	elf_end(elf);
	return is_elf && (may || !named);
}

bool gostack_is_go(int fd, const char *path, uint64_t most_bytes)
{
	const struct elffile_part part = { .most_bytes = most_bytes, .names = true };
	struct elffile e = { 0 };
	struct pclntab t;

	/* Most programs of a host are not: they are not read. */
	if (!may_be_go(fd))
		return false;
	int err = elffile_open(&e, fd, path, &part);
	const bool is = err ? err == -EFBIG : !pclntab_find(&e, &t);

	elffile_close(&e);
	return is;
}

static uint64_t start_code(const struct gobin *g)
{
	uint64_t least = UINT64_MAX;

	for (size_t i = 0; i < g->elf.n_segments; i++)
		if (g->elf.segments[i].flags & PF_X && g->elf.segments[i].vaddr < least)
			least = g->elf.segments[i].vaddr;
	return least;
}

int gostack_read(const struct gobin *g, struct gostack *out)
{
	struct builder b = { .s = out };

	*out = (struct gostack){ .text = g->text, .etext = g->etext, .start_code = start_code(g) };
	if (out->etext <= out->text || out->etext - out->text > UINT32_MAX)
		return -EBADMSG;
	for (uint64_t i = 0; i < g->pcln.n_funcs && !b.err; i++) {
		uint64_t entry, end, off, no_off;
		struct pclnfunc f;

		if (pclntab_entry(&g->pcln, &g->elf, i, &entry, &off) ||
		    pclntab_entry(&g->pcln, &g->elf, i + 1, &end, &no_off) ||
		    pclntab_func(&g->pcln, &g->elf, off, &f))
			continue;
		/* The table is searched: what is out of order or out of the text is left out. */
		if (entry < out->text || end > out->etext || end <= entry || f.entry != entry ||
		    (out->n && entry - out->text < out->rows[out->n - 1].off))
			continue;
		add_func(&b, g, &f, end);
	}
	if (b.err)
		gostack_free(out);
	return b.err;
}

void gostack_free(struct gostack *s)
{
	free(s->rows);
	*s = (struct gostack){ 0 };
}
