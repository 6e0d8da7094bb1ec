/* SPDX-License-Identifier: BSD-2-Clause */
/* Computes lengths of the instructions that compilers write most, without a disassembler. Private
 * to core/binary. */
#ifndef GOTRACE_X86_LENGTH_H
#define GOTRACE_X86_LENGTH_H

#include <stddef.h>
#include <stdint.h>

/*
 * Returns the length of the instruction at p, of which `left` bytes may be read. Returns 0 when it
 * is none of the common forms, or is cut off. Then only the disassembler knows. The length is never
 * another than capstone's, and 0 where capstone has none. x86_length_test.c compares all forms.
 */
unsigned x86_length(const uint8_t *p, size_t left);

#endif
