/* SPDX-License-Identifier: BSD-2-Clause */
/* The list of a binary's Go functions: places from pclntab, names from .symtab when it is there. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/vec.h"
#include "binary/arch.h"
#include "binary/gobin_impl.h"
#include "binary/goname.h"

#define FUNC_FLAG_ASM 4 /* internal/abi/symtab.go FuncFlagAsm, Go 1.17 and newer */
#define FIPS_PACKAGE  "crypto/internal/fips140/"

int gosyms_each(const struct gobin *b, int (*fn)(void *ctx, const struct gosym *sym), void *ctx)
{
	const struct elffile *e = &b->elf;

	for (size_t i = 0; i < e->n_sections; i++) {
		const struct elf_section *s = &e->sections[i];

		if (s->type != SHT_SYMTAB || s->link >= e->n_sections)
			continue;
		const struct elf_section *str = &e->sections[s->link];
		const char *strings = (const char *)e->map + str->off;

		if (str->type != SHT_STRTAB || str->size == 0 || strings[str->size - 1] != 0)
			continue;
		for (uint64_t k = 0; k + sizeof(Elf64_Sym) <= s->size; k += sizeof(Elf64_Sym)) {
			const uint8_t *p = e->map + s->off + k;
			uint32_t name = load32(p);

			if (name == 0 || name >= str->size)
				continue;
			struct gosym sym = { .name = strings + name,
					     .type = p[4] & 15,
					     .value = load64(p + 8),
					     .size = load64(p + 16) };
			int err = fn(ctx, &sym);
			if (err < 0)
				return err;
		}
		break; /* an executable has one */
	}
	return 0;
}

static int note_special(void *ctx, const struct gosym *sym)
{
	struct gobin *b = ctx;

	if (strncmp(sym->name, "runtime.", 8) != 0)
		return 0;
	if (strcmp(sym->name, "runtime.text") == 0)
		b->sym_text = sym->value;
	else if (strcmp(sym->name, "runtime.etext") == 0)
		b->sym_etext = sym->value;
	else if (strcmp(sym->name, "runtime.firstmoduledata") == 0)
		b->sym_moduledata = sym->value;
	else if (strcmp(sym->name, "runtime.tlsg") == 0 && sym->type == STT_TLS) {
		b->sym_tlsg = (int64_t)sym->value;
		b->has_sym_tlsg = true;
	}
	return 0;
}

void gosyms_special(struct gobin *b)
{
	gosyms_each(b, note_special, b);
}

static int by_vaddr(const void *a, const void *b)
{
	const struct gofunc *x = a, *y = b;

	return x->vaddr < y->vaddr ? -1 : x->vaddr > y->vaddr;
}

/* Symbols and the functions that they name. */
struct naming {
	struct gobin *b;
	size_t next; /* the function after the last one named: linkers sort symbols */
};

static struct gofunc *at_start(struct naming *n, uint64_t vaddr)
{
	const struct gobin *b = n->b;
	struct gofunc key = { .vaddr = vaddr }, *f = b->funcs + n->next;

	if (n->next == b->n_funcs || f->vaddr != vaddr)
		f = bsearch(&key, b->funcs, b->n_funcs, sizeof(*b->funcs), by_vaddr);
	if (f)
		n->next = (size_t)(f - b->funcs) + 1;
	return f;
}

static const char *keep_name(struct gobin *b, const char *s, size_t len)
{
	if (vec_reserve(&b->names, &b->cap_names, b->n_names + 1) < 0)
		return NULL;
	char *copy = strndup(s, len);
	if (copy)
		b->names[b->n_names++] = copy;
	return copy;
}

/*
 * Takes a symbol's spelling for the function that starts there: it carries
 * ".abi0", writes local types as T.2 and, unlike Go 1.19's pclntab, generics
 * in full. Marks without a size (runtime.text) and C's names are passed over.
 */
static int take_symbol(void *ctx, const struct gosym *sym)
{
	struct naming *n = ctx;
	struct gobin *b = n->b;
	struct gofunc *f;

	if (sym->type != STT_FUNC || sym->size == 0 || !(f = at_start(n, sym->value)))
		return 0;
	size_t len = strlen(sym->name);
	if (len > 5 && strcmp(sym->name + len - 5, ".abi0") == 0) {
		const char *name = keep_name(b, sym->name, len - 5);

		if (!name)
			return -ENOMEM;
		f->name = name;
		f->flags |= GOFUNC_ABI0;
	} else {
		f->name = sym->name;
	}
	if (sym->size < f->size)
		f->size = (uint32_t)sym->size;
	return 0;
}

static void set_source(struct gobin *b, struct gofunc *f, const struct pclnfunc *pf)
{
	const struct pclntab *t = &b->pcln;
	struct pcvalue v;

	f->start_line = pf->start_line;
	if (!f->start_line && pcvalue_start(&v, t, pf, pf->pcln) && pcvalue_next(&v) && v.value > 0)
		/* before 1.20: the line of the first instruction */
		f->start_line = (uint32_t)v.value;
	if (pcvalue_start(&v, t, pf, pf->pcfile) && pcvalue_next(&v))
		f->file = pclntab_file_name(t, pf, v.value);
}

/*
 * Up to the next function there is padding, but code may end in that byte
 * too, as a part of a branch. The linker ends every pc-value table at the
 * function's true size (cmd/internal/obj/pcln.go funcpctab).
 */
static uint32_t code_size(const struct pclntab *t, const struct pclnfunc *pf, uint64_t span,
			  const uint8_t *code, uint8_t padding)
{
	const uint32_t tables[] = { pf->pcfile, pf->pcsp };

	for (size_t i = 0; i < 2; i++) {
		struct pcvalue v;

		if (!pcvalue_start(&v, t, pf, tables[i]))
			continue;
		while (v.pc - pf->entry <= span && pcvalue_next(&v))
			;
		if (v.pc > pf->entry && v.pc - pf->entry <= span)
			return (uint32_t)(v.pc - pf->entry);
	}
	while (span > 1 && code[span - 1] == padding)
		span--;
	return (uint32_t)span;
}

/*
 * C functions are in the table too when the Go linker itself linked them
 * (package net's and os/user's, the race detector's): they have no tables of
 * their own. Nor have the linker's two marks, which bound the FIPS range.
 */
static bool is_go(const struct pclnfunc *pf, const char *name)
{
	return pf->pcsp || pf->pcfile || pf->pcln || strncmp(name, "go:", 3) == 0;
}

static int add_func(struct gobin *b, uint64_t entry, uint64_t end, uint64_t func_off)
{
	struct pclnfunc pf;

	if (end < entry || end - entry > INT32_MAX ||
	    pclntab_func(&b->pcln, &b->elf, func_off, &pf) < 0 || pf.entry != entry)
		return -EBADMSG;
	const char *name = pclntab_string(&b->pcln, b->pcln.name_off, pf.name_off);
	if (!name)
		return -EBADMSG;
	if (!is_go(&pf, name))
		return 0;
	struct gofunc *f = &b->funcs[b->n_funcs];
	*f = (struct gofunc){ .name = name,
			      .vaddr = entry,
			      .size = (uint32_t)(end - entry),
			      .pcln = (uint32_t)func_off };
	if (pf.flag & FUNC_FLAG_ASM)
		f->flags |= GOFUNC_ASM;
	const uint8_t *code = elffile_bytes(&b->elf, entry, f->size);
	if (!code || elffile_offset(&b->elf, entry, &f->file_off) < 0)
		return -EBADMSG;
	f->size = code_size(&b->pcln, &pf, f->size, code, b->elf.arch->padding);
	set_source(b, f, &pf);
	b->n_funcs++;
	return 0;
}

/*
 * A wrapper that jumps to the method it stands for carries no mark
 * (cmd/compile/internal/reflectdata/reflect.go methodWrapper), but as all that the
 * compiler makes up it has no source. Package initialisers have none either
 * and are no wrappers; they have no receiver.
 */
static bool is_unmarked_wrapper(const struct gofunc *f)
{
	return f->file && strcmp(f->file, "<autogenerated>") == 0 && goname_has_receiver(f->name);
}

/* Largest funcID of each Go version is FuncIDWrapper (internal/abi/symtab.go;
 * runtime/symtab.go before 1.21); in every version it is the last of the list. */
static void mark_wrappers(struct gobin *b)
{
	int wrapper = 0;
	struct pclnfunc pf;

	if (b->minor >= 16 && b->minor <= 27)
		wrapper = b->minor <= 17 ? 22 : b->minor <= 21 ? 21 : b->minor <= 24 ? 22 : 23;
	for (size_t i = 0; !(b->minor >= 16 && b->minor <= 27) && i < b->n_funcs; i++)
		if (pclntab_func(&b->pcln, &b->elf, b->funcs[i].pcln, &pf) == 0 &&
		    pf.func_id > wrapper)
			wrapper = pf.func_id;
	for (size_t i = 0; i < b->n_funcs; i++) {
		if ((pclntab_func(&b->pcln, &b->elf, b->funcs[i].pcln, &pf) == 0 &&
		     pf.func_id == wrapper) ||
		    is_unmarked_wrapper(&b->funcs[i]))
			b->funcs[i].flags |= GOFUNC_WRAPPER;
	}
}

/* The linker's marks bound the range; they are functions of the table too, so
 * that stripping does not hide them. Go 1.24 and newer. */
static void mark_fips(struct gobin *b)
{
	const struct gofunc *start = gobin_func_named(b, "go:textfipsstart");
	const struct gofunc *end = gobin_func_named(b, "go:textfipsend");

	for (size_t i = 0; i < b->n_funcs; i++) {
		struct gofunc *f = &b->funcs[i];
		bool in = start && end
				  ? f->vaddr >= start->vaddr && f->vaddr <= end->vaddr
				  : strncmp(f->name, FIPS_PACKAGE, sizeof(FIPS_PACKAGE) - 1) == 0;

		if (in)
			f->flags |= GOFUNC_FIPS;
	}
}

static const struct gofunc *find_named(const struct gobin *b, const char *name, uint32_t hash)
{
	size_t at;

	for (uint32_t i = hash_index_first(&b->by_name, hash, &at); i != HASH_NONE;
	     i = hash_index_next(&b->by_name, hash, &at))
		if (strcmp(b->funcs[i].name, name) == 0)
			return &b->funcs[i];
	return NULL;
}

static int index_names(struct gobin *b)
{
	int err = 0;

	for (size_t i = 0; i < b->n_funcs && !err; i++) {
		const char *name = b->funcs[i].name;
		const uint32_t hash = hash_bytes(name, strlen(name));

		if (!find_named(b, name, hash))
			err = hash_index_put(&b->by_name, hash, (uint32_t)i);
	}
	return err;
}

int gofuncs_read(struct gobin *b)
{
	uint64_t entry, off, next, next_off;
	int err = pclntab_entry(&b->pcln, &b->elf, 0, &entry, &off);

	/* pclntab_find has bounded it by the file */
	b->funcs = malloc(b->pcln.n_funcs * sizeof(*b->funcs));
	if (!b->funcs)
		return -ENOMEM;
	for (uint64_t i = 0; !err && i < b->pcln.n_funcs; i++) {
		err = pclntab_entry(&b->pcln, &b->elf, i + 1, &next, &next_off);
		if (!err)
			err = add_func(b, entry, next, off);
		if (err)
			log_error(
				"%s: corrupt: function %llu of %llu in its pclntab makes no sense; "
				"build or copy it again",
				b->path, (unsigned long long)i,
				(unsigned long long)b->pcln.n_funcs);
		entry = next;
		off = next_off;
	}
	if (!err && b->n_funcs == 0) {
		log_error("%s: corrupt: its pclntab names no Go function; build or copy it again",
			  b->path);
		err = -EBADMSG;
	}
	if (!err)
		err = gosyms_each(b, take_symbol, &(struct naming){ .b = b });
	if (!err)
		err = index_names(b);
	if (err)
		return err;
	mark_wrappers(b);
	mark_fips(b);
	return 0;
}

size_t gobin_funcs(const struct gobin *b, const struct gofunc **funcs)
{
	*funcs = b->funcs;
	return b->n_funcs;
}

const struct gofunc *gobin_func_at(const struct gobin *b, uint64_t vaddr)
{
	size_t lo = 0, hi = b->n_funcs;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (b->funcs[mid].vaddr <= vaddr)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo == 0 || vaddr - b->funcs[lo - 1].vaddr >= b->funcs[lo - 1].size)
		return NULL;
	return &b->funcs[lo - 1];
}

const struct gofunc *gobin_func_named(const struct gobin *b, const char *name)
{
	return find_named(b, name, hash_bytes(name, strlen(name)));
}
