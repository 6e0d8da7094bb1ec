/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Drivers of database/sql in a binary, by the methods of the interfaces in database/sql/driver: a
 * package is one if it has a type with those of Stmt, whose NumInput nothing else has, and one with
 * those of Conn. Of these the linker keeps what database/sql calls on behalf of the program: one
 * that never begins a transaction has no Begin, one that only queries no Exec.
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
	char *package, *name;     /* name: without the *, of a pointer's methods, too */
	uint32_t methods, forged; /* forged: of these, those that the compiler made */
};

/* Zeroed at first. */
struct drivers {
	struct driver_type *types;
	size_t n, cap;
	struct hash_index by_name;
};

/* 0 or -ENOMEM. */
int drivers_find(struct drivers *d, const struct gobin *b);
/* Whether it is a driver's method in which database/sql may wait for a database. */
bool drivers_has(const struct drivers *d, const struct goname *name);
void drivers_free(struct drivers *d);

/* For tests: takes in a function of that name, made by the compiler or not. 0 or -ENOMEM. */
int drivers_add(struct drivers *d, const struct goname *name, bool wrapper);

#endif
