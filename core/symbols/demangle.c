// SPDX-License-Identifier: BSD-2-Clause
#include "symbols/demangle.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

typedef char *demangle_fn(const char *name, char *buf, size_t *size, int *status);

char *demangle(const char *name)
{
	/* Loaded once, never unloaded: no program that has no C++ in it needs the library. */
	void *lib = strncmp(name, "_Z", 2) ? NULL : dlopen("libstdc++.so.6", RTLD_NOW);
	void *found = lib ? dlsym(lib, "__cxa_demangle") : NULL;
	demangle_fn *fn;
	int status;

	/* ISO C knows no way from an object's pointer to a function's */
	memcpy(&fn, &found, sizeof(fn));
	return fn ? fn(name, NULL, NULL, &status) : NULL;
}
