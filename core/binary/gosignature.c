/* SPDX-License-Identifier: BSD-2-Clause */
/* A function's parameters from DWARF, and where the value of an expression of them is. */
#include <dwarf.h>
#include <errno.h>
#include <libelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "binary/gobin_impl.h"
#include "binary/godwarf_impl.h"
#include "binary/gosignature_impl.h"

#define DW_AT_go_runtime_type 0x2904

struct godebug {
	const struct gobin *binary;
	Elf *elf;
	Dwarf *dwarf;
	struct type_name {
		uint64_t vaddr;
		const char *name; /* libdw's */
	} * types;                /* by vaddr */
	size_t n_types, cap_types;
	bool types_read;
};

struct godebug *godebug_open(const struct gobin *b)
{
	struct godebug *d;

	d = calloc(1, sizeof(*d));
	if (!d)
		return NULL;
	int err = godwarf_open(b, &d->elf, &d->dwarf);

	d->binary = b;
	if (!err)
		return d;
	free(d);
	errno = -err;
	return NULL;
}

void godebug_close(struct godebug *d)
{
	if (!d)
		return;
	godwarf_close(d->elf, d->dwarf);
	free(d->types);
	free(d);
}

/* ---- reading */

static bool find_subprogram(Dwarf_Die *unit, uint64_t vaddr, Dwarf_Die *out)
{
	Dwarf_Addr low;

	if (dwarf_child(unit, out))
		return false;
	do {
		if (dwarf_tag(out) == DW_TAG_subprogram && !dwarf_lowpc(out, &low) && low == vaddr)
			return true;
	} while (!dwarf_siblingof(out, out));
	return false;
}

/* The DIE of the function at vaddr. Units may say nothing of their addresses: those are looked
 * through after the others. */
static bool find_function(struct godebug *d, uint64_t vaddr, Dwarf_Die *out)
{
	for (int round = 0; round < 2; round++) {
		Dwarf_CU *cu = NULL;
		Dwarf_Die unit;
		uint8_t kind;

		while (!dwarf_get_units(d->dwarf, cu, &cu, NULL, &kind, &unit, NULL))
			if ((dwarf_haspc(&unit, vaddr) == 1) == (round == 0) &&
			    find_subprogram(&unit, vaddr, out))
				return true;
	}
	return false;
}

static bool is_result(Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	bool yes = false;

	return dwarf_attr_integrate(die, DW_AT_variable_parameter, &attr) &&
	       !dwarf_formflag(&attr, &yes) && yes;
}

/* ~r0 is a result without a name, ~p0 an argument; older versions say ~b0. */
static bool is_made_up(const char *name)
{
	return name[0] == '~' || !strcmp(name, "_");
}

/* Of a function that defers, the compiler lists results twice. */
static bool is_there(const struct gosignature *s, const char *name, bool result)
{
	for (size_t i = 0; name && strcmp(name, "_") && i < s->n; i++) {
		const struct goparam *p = &s->params[i];

		if (p->result == result && p->dwarf_name && !strcmp(p->dwarf_name, name))
			return true;
	}
	return false;
}

static int add_param(struct gosignature *s, Dwarf_Die *die)
{
	const char *name = dwarf_diename(die);

	if (is_there(s, name, is_result(die)))
		return 0;
	int err = vec_reserve(&s->params, &s->cap, s->n + 1);

	if (err)
		return err;
	struct goparam *p = &s->params[s->n];

	*p = (struct goparam){
		.die = *die, .dwarf_name = name, .type = gotype_of(die), .result = is_result(die)
	};
	p->hidden = name && name[0] == '.';
	if (name && !is_made_up(name) && !(p->name = strdup(name)))
		return -ENOMEM;
	s->n++;
	return 0;
}

struct gosignature *gosignature_read(struct godebug *d, const struct gofunc *f)
{
	struct gosignature *s;
	Dwarf_Die func, die;
	int err = 0;

	if (!find_function(d, f->vaddr, &func)) {
		errno = ENOENT;
		return NULL;
	}
	s = calloc(1, sizeof(*s));
	if (s)
		s->regs = &d->binary->elf.arch->values;
	for (int more = s ? dwarf_child(&func, &die) : 1; !more && !err;
	     more = dwarf_siblingof(&die, &die))
		if (dwarf_tag(&die) == DW_TAG_formal_parameter)
			err = add_param(s, &die);
	if (s && !err)
		err = goabi_assign(s);
	if (!s || err) {
		gosignature_free(s);
		errno = ENOMEM;
		return NULL;
	}
	goabi_check(s, f->vaddr);
	return s;
}

void gosignature_free(struct gosignature *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->n; i++) {
		free(s->params[i].name);
		free(s->params[i].pieces);
	}
	free(s->params);
	free(s);
}

const char *gosignature_name(const struct gosignature *s, bool result, size_t i)
{
	static const char *const numbers[] = { "0", "1", "2",  "3",  "4",  "5",  "6",  "7",
					       "8", "9", "10", "11", "12", "13", "14", "15" };

	for (size_t k = 0, seen = 0; k < s->n; k++) {
		const struct goparam *p = &s->params[k];

		if (p->result != result || p->hidden || (!result && !p->name))
			continue;
		if (seen++ == i)
			return p->name ? p->name : i < 16 ? numbers[i] : NULL;
	}
	return NULL;
}

/* ---- types by address */

static int by_vaddr(const void *x, const void *y)
{
	const struct type_name *a = x, *b = y;

	return (a->vaddr > b->vaddr) - (a->vaddr < b->vaddr);
}

static int is_base(void *ctx, const struct gosym *sym)
{
	if (!strcmp(sym->name, "runtime.types"))
		*(uint64_t *)ctx = sym->value;
	return 0;
}

/* Types are numbered by their distance from the first. */
static void add_type(struct godebug *d, Dwarf_Die *die, uint64_t base)
{
	Dwarf_Attribute attr;
	Dwarf_Word off;
	const char *name;

	if (!dwarf_attr(die, DW_AT_go_runtime_type, &attr) ||
	    (dwarf_formudata(&attr, &off) && dwarf_formaddr(&attr, &off)))
		return;
	name = dwarf_diename(die);
	if (off && name && !vec_reserve(&d->types, &d->cap_types, d->n_types + 1))
		d->types[d->n_types++] = (struct type_name){ base + off, name };
}

static void read_types(struct godebug *d)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die unit, die;
	uint64_t base = 0;
	uint8_t kind;

	gosyms_each(d->binary, is_base, &base);
	d->types_read = true;
	while (base && !dwarf_get_units(d->dwarf, cu, &cu, NULL, &kind, &unit, NULL)) {
		if (dwarf_child(&unit, &die))
			continue;
		do
			add_type(d, &die, base);
		while (!dwarf_siblingof(&die, &die));
	}
	if (d->n_types)
		qsort(d->types, d->n_types, sizeof(*d->types), by_vaddr);
}

const char *godebug_type_at(struct godebug *d, uint64_t vaddr)
{
	const struct type_name key = { .vaddr = vaddr };

	if (!d->types_read)
		read_types(d);
	const struct type_name *t = d->n_types ? bsearch(&key, d->types, d->n_types,
							 sizeof(*d->types), by_vaddr)
					       : NULL;

	return t ? t->name : NULL;
}
