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
	/* Each ends with NULL. Globs of functions; packages as -p takes them; packages, as
	 * package_is takes them, of which what is exported is meant. */
	const char *const *globs, *const *packages, *const *exported;
};

/* Ends with a bit of 0. */
extern const struct preset presets[];

/* Which of `wanted` select the function that is displayed so; PRESET_*. PRESET_DB selects those of
 * drivers (drivers.h) besides. */
unsigned presets_match(unsigned wanted, const struct goname *name, const char *display);

#endif
