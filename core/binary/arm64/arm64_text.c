// SPDX-License-Identifier: BSD-2-Clause
#include "binary/arm64/arm64_impl.h"
#include "binary/arm64/arm64_insn.h"
#include "binary/capstone/capstone_text.h"
#include "binary/disasm.h"

static void *open_decoder(void)
{
	return capstone_text_open(CS_ARCH_ARM64);
}

const struct arch_text arm64_text = {
	.insn_bytes_max = ARM64_BYTES,
	.open = open_decoder,
	.close = capstone_text_close,
	.decode = capstone_text_decode,
};
