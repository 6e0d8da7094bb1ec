/* SPDX-License-Identifier: BSD-2-Clause */
/* Selections for a purpose: --waits, --net, --db. They add to -p and -f. */
#ifndef GOTRACE_PRESETS_H
#define GOTRACE_PRESETS_H

#include "binary/goname.h"

#define PRESET_WAITS 1u /* where goroutines wait */
#define PRESET_NET   2u
#define PRESET_DB    4u

struct preset {
	unsigned bit;
	const char *name; /* "waits" */
	/* Each list ends with NULL. globs are of functions. packages are written as -p takes them.
	 * exported are packages as package_is takes them, and mean their exported functions. */
	const char *const *globs, *const *packages, *const *exported;
};

/* The list ends with a bit of 0. */
extern const struct preset presets[];

/* Returns those PRESET_* of `wanted` that select the function displayed so. PRESET_DB also selects
 * the functions of drivers (drivers.h). */
unsigned presets_match(unsigned wanted, const struct goname *name, const char *display);

#endif
