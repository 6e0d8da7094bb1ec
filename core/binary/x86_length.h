/* SPDX-License-Identifier: BSD-2-Clause */
/* Lengths of the instructions that compilers write most, without a disassembler. Private to
 * core/binary. */
#ifndef GOTRACE_X86_LENGTH_H
#define GOTRACE_X86_LENGTH_H

#include <stddef.h>
#include <stdint.h>

/*
 * The length of the instruction at p, of which `left` bytes may be read. 0: it is none of the
 * common forms, or cut off, and only the disassembler can tell. Never another length than
 * capstone's, and never one where capstone has none: x86_length_test.c compares all forms.
 */
unsigned x86_length(const uint8_t *p, size_t left);

#endif
