/* SPDX-License-Identifier: BSD-2-Clause */
/* Opening the disassembler of x86-64. Private to core/binary. */
#ifndef GOTRACE_X86_H
#define GOTRACE_X86_H

#include <capstone/capstone.h>
#include <stdbool.h>

/*
 * A handle that is ready: capstone 4 writes into some of what it allocates, at a handle's opening
 * and at its first instruction, without asking whether there was memory (X86_global_init in
 * arch/X86/X86Module.c, make_id2insn in utils.c). Both have happened when this returns, so no later
 * cs_disasm_iter allocates anything. 0, -ENOMEM, or -ENOTSUP where capstone has no x86.
 */
int x86_open(csh *handle);

/* Whether instructions that this thread decodes from now on get a text (the operands may be missing
 * in it, if not). Printing it takes a fifth of the time. It is, until this is called. */
void x86_want_text(bool wanted);

/* Where its memory is from: calloc, which tests replace. */
extern void *(*x86_calloc)(size_t n, size_t size);

#endif
