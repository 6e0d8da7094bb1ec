/* SPDX-License-Identifier: BSD-2-Clause */
/* Splits the linker's symbol name of a Go function into its parts. */
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

/* Splits `name`. Returns 0 or -ENOMEM. The caller frees *out with goname_free. */
int goname_split(const char *name, struct goname *out);
void goname_free(struct goname *n);

/* Some results of goname_split, in a fraction of its time. goname_package returns the package,
 * allocated, or NULL with ENOMEM. goname_package_bytes returns the bytes of `name` that the package
 * takes with its escapes. goname_has_receiver returns true when there is a receiver. */
char *goname_package(const char *name);
size_t goname_package_bytes(const char *name);
bool goname_has_receiver(const char *name);

/* Returns `name` with the package's %-escapes resolved, the spelling that users type and that every
 * output uses. Allocated, or NULL with ENOMEM. */
char *goname_display(const char *name);

/* Returns `name` with every outermost [...] written as "[...]", so that F[...] names all instances.
 * Allocated, or NULL with ENOMEM. */
char *goname_shorten_generics(const char *name);

#endif
