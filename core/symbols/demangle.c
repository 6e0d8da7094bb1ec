// SPDX-License-Identifier: BSD-2-Clause
#include "symbols/demangle.h"

#include <setjmp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <libiberty/demangle.h>

#include "base/vec.h"

/* A short name may stand for one that never ends: parts of it refer to other parts. */
#define MOST_BYTES 16384

struct name {
	char *text;
	size_t n, cap;
	jmp_buf end;
};

/* libiberty cannot be told to stop; while it calls this it holds an identifier's letters at most.
 */
static void append(const char *text, size_t n, void *ctx)
{
	struct name *name = ctx;

	if (name->n + n > MOST_BYTES || vec_reserve(&name->text, &name->cap, name->n + n + 1))
		longjmp(name->end, 1);
	memcpy(name->text + name->n, text, n);
	name->n += n;
}

static bool demangle_into(const char *mangled, struct name *name)
{
	const int options = DMGL_PARAMS | DMGL_ANSI;

	if (setjmp(name->end))
		return false;
	if (rust_demangle_callback(mangled, options, append, name))
		return true;
	name->n = 0;
	return cplus_demangle_v3_callback(mangled, options, append, name);
}

char *demangle(const char *mangled)
{
	struct name *name = NULL;
	char *text = NULL;

	if (!strncmp(mangled, "_Z", 2) || !strncmp(mangled, "_R", 2))
		name = calloc(1, sizeof(*name));
	if (!name)
		return NULL;
	if (demangle_into(mangled, name) && name->n) {
		name->text[name->n] = '\0';
		text = name->text;
	} else {
		free(name->text);
	}
	free(name);
	return text;
}
