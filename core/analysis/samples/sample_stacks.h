/* SPDX-License-Identifier: BSD-2-Clause */
/* The functions on a goroutine's stack, and the packages that they belong to. */
#ifndef GOTRACE_SAMPLE_STACKS_H
#define GOTRACE_SAMPLE_STACKS_H

#include <stdbool.h>

#include "trace/samples.h"

struct stack_look {
	const char *first; /* NULL where all functions are the runtime's */
	bool main;         /* the goroutine of main.main */
	/* a function is of another repository than the first one, and does not carry bytes */
	bool strange;
	bool reads, accepts; /* from the network; connections */
};
/* Looks at a stack. The names are borrowed from t; `first` is the outermost function that is not
 * the runtime's. */
struct stack_look sample_stack_look(const struct sample_tables *t, uint32_t stack);

/* Returns whether a goroutine waits in its own loop: started by a go statement, and only in
 * functions of one repository. */
static inline bool stack_look_own(const struct stack_look *l)
{
	return l->first && !l->main && !l->strange;
}

/* Returns whether the stack has a function of the repository of `func`. */
bool sample_stack_passes(const struct sample_tables *t, uint32_t stack, const char *func);

/* Returns whether the function is of a package that brings bytes from a connection, whoever reads
 * them: net, bufio, io, encoding, crypto and others of the standard library, and golang.org/x. */
bool sample_carries_bytes(const char *name);

/* Functions of one repository. Where its path has fewer parts, as google.golang.org/grpc, one
 * package's path begins with the other's. */
bool sample_same_repository(const char *x, const char *y);

/* Methods of one type, and functions that one function has in it. */
bool sample_same_owner(const char *x, const char *y);

#endif
