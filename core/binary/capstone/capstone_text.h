/* SPDX-License-Identifier: BSD-2-Clause */
/* Single instructions as text, for the members of struct arch_text (disasm.h). Private to
 * core/binary. */
#ifndef GOTRACE_CAPSTONE_TEXT_H
#define GOTRACE_CAPSTONE_TEXT_H

#include <capstone/capstone.h>
#include <stdint.h>

/* Opens a decoder, for x86 in the AT&T spelling. Returns NULL with errno ENOMEM, or ENOTSUP when it
 * cannot be had. */
void *capstone_text_open(cs_arch arch);
void capstone_text_close(void *decoder);
/* Does what decode of struct arch_text does. */
unsigned capstone_text_decode(void *decoder, const uint8_t *p, size_t left, uint64_t vaddr,
			      char *out, size_t size);

#endif
