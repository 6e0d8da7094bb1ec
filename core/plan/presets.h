/* SPDX-License-Identifier: BSD-2-Clause */
/* Selections for a purpose: --waits, --net, --db. They add to -p and -f. */
#ifndef GOTRACE_PRESETS_H
#define GOTRACE_PRESETS_H

#include <stdbool.h>

#define PRESET_WAITS 1u /* where goroutines wait */
#define PRESET_NET   2u
#define PRESET_DB    4u

struct preset {
	unsigned bit;
	const char *name; /* "waits" */
	/* Each ends with NULL. Globs of functions; packages as -p takes them. */
	const char *const *globs, *const *packages;
};

/* Ends with a bit of 0. */
extern const struct preset presets[];

/* Which of `wanted` select a function of this name in this package; PRESET_*. */
unsigned presets_match(unsigned wanted, const char *package, const char *name);

#endif
