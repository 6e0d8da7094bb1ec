/* SPDX-License-Identifier: BSD-2-Clause */
/* Opens the disassembler of x86-64. Private to core/binary. */
#ifndef GOTRACE_X86_H
#define GOTRACE_X86_H

#include <capstone/capstone.h>
#include <stdbool.h>

/*
 * Opens a handle that allocates nothing later. capstone 4 writes into some of its memory without
 * asking whether it got any, when a handle opens and at its first instruction (X86_global_init in
 * arch/X86/X86Module.c, make_id2insn in utils.c). Both have happened when this returns, so no later
 * cs_disasm_iter allocates anything. Returns 0, -ENOMEM, or -ENOTSUP where capstone has no x86.
 */
int x86_open(csh *handle);

/* Turns the text of instructions that this thread decodes on or off. It is on until the first call.
 * Printing takes a fifth of the time. Without it the operands may be missing in the text. */
void x86_want_text(bool wanted);

/* The allocator of capstone's memory: calloc, which tests replace. */
extern void *(*x86_calloc)(size_t n, size_t size);

#endif
