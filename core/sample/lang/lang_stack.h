/* SPDX-License-Identifier: BSD-2-Clause */
/* Puts Python frames into the stack of the interpreter that executes them. */
#ifndef GOTRACE_LANG_STACK_H
#define GOTRACE_LANG_STACK_H

#include <stdint.h>

#include "sample/lang/lang_names.h"

/* Writes the stack of n addresses at pcs into `to`, innermost first. A run of Python frames takes
 * the place of the evaluator that executes it. STACK_MISSING_PC stands for frames that were not
 * read. Frames whose evaluator the walk did not reach are outermost, behind STACK_MISSING_PC.
 * Returns the number of addresses, at most `most`. */
uint32_t lang_stack(struct lang_names *l, const struct sample_python_record *r, uint32_t process,
		    const uint64_t *pcs, uint32_t n, uint64_t *to, uint32_t most);

#endif
