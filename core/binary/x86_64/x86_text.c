// SPDX-License-Identifier: BSD-2-Clause
#include "binary/capstone/capstone_text.h"
#include "binary/disasm.h"
#include "binary/x86_64/x86_impl.h"

#define INSN_MAX 15

static void *open_decoder(void)
{
	return capstone_text_open(CS_ARCH_X86);
}

const struct arch_text x86_text = {
	.insn_bytes_max = INSN_MAX,
	.open = open_decoder,
	.close = capstone_text_close,
	.decode = capstone_text_decode,
};
