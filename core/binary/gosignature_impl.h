/* SPDX-License-Identifier: BSD-2-Clause */
/* A signature's parts. Private to core/binary. */
#ifndef GOTRACE_GOSIGNATURE_IMPL_H
#define GOTRACE_GOSIGNATURE_IMPL_H

#include "binary/arch.h"
#include "binary/gotype.h"
#include "binary/govalue.h"

/* A word of a parameter, or less, that has a register to itself. */
struct gopiece {
	uint64_t off; /* offset in the parameter */
	uint8_t reg;
	bool fp;
};

/* An argument or a result. */
struct goparam {
	char *name;             /* NULL for a result without a name */
	const char *dwarf_name; /* name in DWARF, ~r0 for a result without a name; owned by libdw */
	Dwarf_Die die;
	struct gotype type;
	bool result;
	bool hidden;  /* the dictionary of a generic function, which the user did not write */
	bool unknown; /* its place is not known, see gosignature */
	bool on_stack;
	uint64_t stack_off; /* from the first byte above the return address */
	/* its registers; none with on_stack, or when its size is 0 */
	struct gopiece *pieces;
	size_t n_pieces, cap_pieces;
};

struct gosignature {
	const struct arch_values *regs; /* that values are passed in */
	struct goparam *params;
	size_t n, cap;
};

/* Gives every parameter its registers, or its place on the stack. Parameters after one of an
 * unknown type become `unknown`. Returns 0 or -ENOMEM. */
int goabi_assign(struct gosignature *s);

/* Compares with the places that DWARF gives for arguments at the function's first instruction, at
 * `pc`. Where they differ (Go 1.19 leaves out arguments without a name), DWARF's place counts.
 * Arguments without a place in DWARF become `unknown`. */
void goabi_check(struct gosignature *s, uint64_t pc);

#endif
