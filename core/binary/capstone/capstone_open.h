/* SPDX-License-Identifier: BSD-2-Clause */
/* Opens the disassembler, for the folders of processors. Private to core/binary. */
#ifndef GOTRACE_CAPSTONE_OPEN_H
#define GOTRACE_CAPSTONE_OPEN_H

#include <capstone/capstone.h>
#include <stdbool.h>

/*
 * Opens a handle whose cs_disasm_iter needs no memory, for CS_ARCH_X86 (64 bits) or CS_ARCH_ARM64.
 * capstone 4 writes into some of its memory without asking whether it got any, when a handle opens
 * and at its first instruction (X86_global_init in arch/X86/X86Module.c, make_id2insn in utils.c).
 * Both have happened when this returns. Later only the text of an arm64 instruction takes memory,
 * and works without any. Returns 0, -ENOMEM, or -ENOTSUP where capstone lacks the processor.
 */
int capstone_open(cs_arch arch, csh *handle);

/* Turns the text of instructions that this thread decodes on or off. It is on until the first call.
 * Printing takes a fifth of the time. Without it the operands may be missing in the text. */
void capstone_want_text(bool wanted);

/* The allocator of capstone's memory: calloc, which tests replace. */
extern void *(*capstone_calloc)(size_t n, size_t size);

#endif
