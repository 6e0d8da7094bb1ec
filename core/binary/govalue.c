/* SPDX-License-Identifier: BSD-2-Clause */
/* Where the value of an expression is: a parameter, fields of it, what it points to. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "binary/gosignature_impl.h"

#define EMBEDDED_MAX 4 /* structs in structs that a promoted field is looked for in */

/* A place on the way: a value of `type`, either at `off` of the parameter, or in memory. */
struct place {
	const struct goparam *param;
	struct gotype type;
	uint64_t off;     /* without hops */
	struct govalue v; /* its hops so far */
};

struct finder {
	char *why;
	size_t why_size;
	unsigned budget;
};

static int complain(const struct finder *f, int err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static int complain(const struct finder *f, int err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(f->why, f->why_size, fmt, ap);
	va_end(ap);
	return err;
}

/* The register that holds what is at `off` of the parameter. */
static const struct gopiece *piece_at(const struct place *at, uint64_t off)
{
	for (size_t i = 0; i < at->param->n_pieces; i++)
		if (at->param->pieces[i].off == off)
			return &at->param->pieces[i];
	return NULL;
}

/* Makes the place one in memory, unless it is in registers. */
static int settle(const struct finder *f, struct place *at, uint64_t off)
{
	const struct goparam *p = at->param;
	const struct gopiece *piece;

	if (at->v.n_hops)
		return 0;
	if (p->on_stack) {
		at->v.source = GOVALUE_STACK;
		at->v.n_hops = 1;
		at->v.off[0] = (int32_t)(8 + p->stack_off + at->off);
		return p->stack_off + at->off > INT32_MAX / 2
			       ? complain(f, -ENOTSUP, "it lies too far up the stack")
			       : 0;
	}
	piece = piece_at(at, off);
	if (!piece)
		return complain(f, -ENOTSUP, "it takes no room");
	at->v.source = piece->fp ? GOVALUE_FP : GOVALUE_REG;
	at->v.reg = piece->reg;
	return 0;
}

/* Follows the pointer at the place; it is at what that points to then. */
static int follow(const struct finder *f, struct place *at)
{
	struct gotype to = gotype_of(&at->type.die);
	int err = settle(f, at, at->off);

	if (err)
		return err;
	if (at->v.n_hops == GOVALUE_HOPS_MAX)
		return complain(f, -ENOTSUP, "more than %d pointers have to be followed",
				GOVALUE_HOPS_MAX - 1);
	at->v.off[at->v.n_hops++] = 0;
	at->type = to;
	return 0;
}

static int step_into(const struct finder *f, struct place *at, uint64_t off,
		     const struct gotype *type)
{
	at->type = *type;
	if (!at->v.n_hops) {
		at->off += off;
		return 0;
	}
	int32_t *last = &at->v.off[at->v.n_hops - 1];

	if (off > INT32_MAX || *last > INT32_MAX - (int32_t)off)
		return complain(f, -ENOTSUP, "it lies too far into a struct");
	*last += (int32_t)off;
	return 0;
}

/* 0, -ENOENT when the struct has no such member at this depth, or -ENOTSUP. */
static int find_member(struct finder *f, struct place *at, const char *name, size_t len, int depth)
{
	Dwarf_Die m;
	int err;

	if (at->type.kind == GOTYPE_POINTER && (err = follow(f, at)))
		return err;
	if (at->type.kind != GOTYPE_STRUCT)
		return -ENOENT;
	const struct gotype outer = at->type;

	for (bool got = gotype_member(&outer, &m, true); got && f->budget;
	     got = gotype_member(&outer, &m, false)) {
		const char *called = dwarf_diename(&m);
		struct gotype type = gotype_of(&m);
		uint64_t off;

		f->budget--;
		if (!called || !gotype_member_off(&m, &off))
			continue;
		const char *last = strrchr(called, '.'); /* pkg.T, of an embedded one */
		const char *plain = gotype_member_embedded(&m) && last ? last + 1 : called;

		if (!depth && strlen(plain) == len && !memcmp(plain, name, len))
			return step_into(f, at, off, &type);
		if (!depth || !gotype_member_embedded(&m))
			continue;
		struct place inner = *at;

		err = step_into(f, &inner, off, &type);
		if (!err)
			err = find_member(f, &inner, name, len, depth - 1);
		if (err == -ENOENT)
			continue;
		*at = inner;
		return err;
	}
	return -ENOENT;
}

static int take_field(struct finder *f, struct place *at, const char *name, size_t len)
{
	const bool points = at->type.kind == GOTYPE_POINTER;
	struct gotype type = points ? gotype_of(&at->type.die) : at->type;

	if (type.kind == GOTYPE_IFACE || type.kind == GOTYPE_EFACE)
		return complain(f, -ENOTSUP,
				"the content of an interface is not read, only its type is");
	if (type.kind != GOTYPE_STRUCT)
		return complain(f, -ENOENT, "'.%.*s' is asked of what is no struct", (int)len,
				name);
	/* Go takes the one that is embedded least deep. */
	for (int depth = 0; depth <= EMBEDDED_MAX; depth++) {
		struct place inner = *at;
		int err = find_member(f, &inner, name, len, depth);

		if (err == -ENOENT)
			continue;
		*at = inner;
		return err;
	}
	return complain(f, -ENOENT, "there is no field '%.*s'", (int)len, name);
}

/* ---- the end of the way */

static int read_as(const struct finder *f, struct place *at, enum govalue_type type, uint64_t off,
		   uint64_t bytes)
{
	int err = 0;

	if (at->v.n_hops) {
		struct gotype same = at->type;

		err = step_into(f, at, off, &same);
	} else {
		uint64_t whole = at->off;

		at->off += off;
		err = settle(f, at, at->off);
		at->off = whole;
	}
	at->v.type = (uint8_t)type;
	at->v.bytes = (uint8_t)bytes;
	return err;
}

static int read_value(const struct finder *f, struct place *at)
{
	const struct gotype *t = &at->type;

	switch (t->kind) {
	case GOTYPE_INT:
		return read_as(f, at, GOVALUE_INT, 0, t->bytes);
	case GOTYPE_UINT:
		return read_as(f, at, GOVALUE_UINT, 0, t->bytes);
	case GOTYPE_BOOL:
		return read_as(f, at, GOVALUE_BOOL, 0, 1);
	case GOTYPE_FLOAT:
		return read_as(f, at, GOVALUE_FLOAT, 0, t->bytes);
	case GOTYPE_POINTER:
	case GOTYPE_FUNC:
		return read_as(f, at, GOVALUE_POINTER, 0, 8);
	case GOTYPE_STRING:
		return read_as(f, at, GOVALUE_STRING, 0, 16);
	case GOTYPE_SLICE:
		return read_as(f, at, GOVALUE_LENGTH, 8, 8);
	case GOTYPE_MAP:
	case GOTYPE_CHAN:
		at->v.counted = true;
		return read_as(f, at, GOVALUE_LENGTH, 0, 8);
	case GOTYPE_IFACE:
		at->v.has_itab = true;
		return read_as(f, at, GOVALUE_TYPE, 0, 8);
	case GOTYPE_EFACE:
		return read_as(f, at, GOVALUE_TYPE, 0, 8);
	case GOTYPE_STRUCT:
		return complain(f, -ENOTSUP, "it is a struct: name a field of it");
	case GOTYPE_ARRAY:
		return complain(f, -ENOTSUP, "arrays are not read");
	case GOTYPE_COMPLEX:
		return complain(f, -ENOTSUP, "complex numbers are not read");
	default:
		return complain(f, -ENOTSUP, "its type is not understood");
	}
}

static const struct goparam *find_param(const struct gosignature *s, bool result, const char *name,
					size_t len)
{
	size_t number = 0;
	char text[24];

	for (size_t i = 0; i < s->n; i++) {
		const struct goparam *p = &s->params[i];

		if (p->result != result || p->hidden)
			continue;
		snprintf(text, sizeof(text), "%zu", number++);
		if (p->name && strlen(p->name) == len && !memcmp(p->name, name, len))
			return p;
		if (result && strlen(text) == len && !memcmp(text, name, len))
			return p;
	}
	return NULL;
}

int gosignature_find(const struct gosignature *s, bool result, const char *expr, struct govalue *v,
		     char *why, size_t why_size)
{
	struct finder f = { why, why_size, 65536 };
	bool star = *expr == '*';
	const char *at = expr + star;
	size_t len = strcspn(at, ".");
	const struct goparam *p = find_param(s, result, at, len);
	int err = 0;

	if (!p)
		return complain(&f, -ENOENT, "there is no %s '%.*s'",
				result ? "result" : "argument", (int)len, at);
	if (p->unknown)
		return complain(
			&f, -ENOTSUP,
			"DWARF does not say in which register it is, which this Go version's "
			"arguments without a name leave open");
	struct place place = { .param = p, .type = p->type };

	while (at[len] && !err) {
		at += len + 1;
		len = strcspn(at, ".");
		err = take_field(&f, &place, at, len);
	}
	if (!err && star && place.type.kind != GOTYPE_POINTER)
		err = complain(&f, -ENOENT, "it is no pointer");
	if (!err && star)
		err = follow(&f, &place);
	if (!err)
		err = read_value(&f, &place);
	if (!err && place.v.type != GOVALUE_STRING && place.v.bytes != 1 && place.v.bytes != 2 &&
	    place.v.bytes != 4 && place.v.bytes != 8)
		err = complain(&f, -ENOTSUP, "it is a number of %u bytes", place.v.bytes);
	*v = place.v;
	return err;
}
