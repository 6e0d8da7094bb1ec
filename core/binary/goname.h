/* SPDX-License-Identifier: BSD-2-Clause */
/* A linker symbol name of a Go function, taken apart. */
#ifndef GOTRACE_GONAME_H
#define GOTRACE_GONAME_H

#include <stdbool.h>
#include <stddef.h>

enum goname_kind {
	GONAME_PLAIN,     /* function or method of the source */
	GONAME_CLOSURE,   /* F.func1, F.func1.2, glob..func1, F-range1 */
	GONAME_DEFERWRAP, /* F.deferwrap1, F.gowrap1 */
	GONAME_INIT,      /* init, init.0, map.init.0 */
	GONAME_BOUND,     /* T.M-fm */
	GONAME_TYPEALG,   /* type:.eq.T, type..hash.T */
	GONAME_OTHER,     /* go:..., assembly locals without a package */
};

struct goname {
	/* import path, %-escapes resolved ("gopkg.in/yaml.v3"); "" when it has none */
	char *package;
	char *receiver; /* "T", "*T", "*Stack[...]"; NULL when it is no method */
	char *function; /* the rest: "M", "F[go.shape.int]", "F.func1" */
	bool generic;   /* an instance of a generic function or method */
	enum goname_kind kind;
};

/* Splits `name`. 0 or -ENOMEM. Free with goname_free. */
int goname_split(const char *name, struct goname *out);
void goname_free(struct goname *n);

/* Parts of what goname_split tells, at a fraction of its time: the package, allocated (NULL and
 * ENOMEM), how many bytes of `name` it takes with its escapes, and whether there is a receiver. */
char *goname_package(const char *name);
size_t goname_package_bytes(const char *name);
bool goname_has_receiver(const char *name);

/* `name` with the package's %-escapes resolved, the spelling that users type
 * and that every output uses. Allocated; NULL and ENOMEM. */
char *goname_display(const char *name);

/* `name` with every outermost [...] written as "[...]", so that F[...] names
 * all instances. Allocated; NULL and ENOMEM. */
char *goname_shorten_generics(const char *name);

#endif
