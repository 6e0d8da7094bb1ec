/* SPDX-License-Identifier: BSD-2-Clause */
/* A signature's parts. Private to core/binary. */
#ifndef GOTRACE_GOSIGNATURE_IMPL_H
#define GOTRACE_GOSIGNATURE_IMPL_H

#include "binary/gotype.h"
#include "binary/govalue.h"

/* A word, or less, of a parameter that has a register to itself. */
struct gopiece {
	uint64_t off; /* in the parameter */
	uint8_t reg;
	bool fp;
};

/* An argument or a result. */
struct goparam {
	char *name;             /* NULL: a result without one */
	const char *dwarf_name; /* libdw's: ~r0 for that one */
	Dwarf_Die die;
	struct gotype type;
	bool result;
	bool hidden;  /* the dictionary of a generic function: not the user's */
	bool unknown; /* where it is cannot be told, see gosignature */
	bool on_stack;
	uint64_t stack_off; /* from the first byte above the return address */
	/* in registers; none where on_stack, and where its size is 0 */
	struct gopiece *pieces;
	size_t n_pieces, cap_pieces;
};

struct gosignature {
	struct goparam *params;
	size_t n, cap;
};

/* Gives every parameter its registers, or its place on the stack. 0 or -ENOMEM. What follows one
 * whose type is not understood is `unknown`. */
int goabi_assign(struct gosignature *s);

/* Compares with where DWARF says that arguments are at the function's first instruction, at `pc`.
 * Where they differ (Go 1.19 leaves out arguments without a name) what DWARF says counts, and
 * arguments of which it says nothing are `unknown`. */
void goabi_check(struct gosignature *s, uint64_t pc);

#endif
