/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Drivers of database/sql in a binary, by the methods of the interfaces in database/sql/driver. A
 * package is a driver if one of its types has the methods of Stmt and another those of Conn. Only
 * Stmt has NumInput. The linker keeps those methods that database/sql calls on behalf of the
 * program. A program that never begins a transaction has no Begin. One that only queries has no
 * Exec.
 */
#ifndef GOTRACE_DRIVERS_H
#define GOTRACE_DRIVERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash_index.h"
#include "binary/gobin.h"
#include "binary/goname.h"

struct driver_type {
	char *package, *name;     /* name has no *, not even for the methods of a pointer */
	uint32_t methods, forged; /* forged: those of `methods` that the compiler made */
};

/* The caller zeroes it before the first use. */
struct drivers {
	struct driver_type *types;
	size_t n, cap;
	struct hash_index by_name;
};

/* Returns 0 or -ENOMEM. */
int drivers_find(struct drivers *d, const struct gobin *b);
/* Returns true for a method of a driver in which database/sql may wait for a database. */
bool drivers_has(const struct drivers *d, const struct goname *name);
void drivers_free(struct drivers *d);

/* For tests: adds a function of that name, which the compiler made if `wrapper`. Returns 0 or
 * -ENOMEM. */
int drivers_add(struct drivers *d, const struct goname *name, bool wrapper);

#endif
