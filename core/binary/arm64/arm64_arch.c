// SPDX-License-Identifier: BSD-2-Clause
#include "binary/arm64/arm64_arch.h"

#include <elf.h>

#include "binary/arm64/arm64_impl.h"

static const uint8_t sigtramp[] = {
	0xfe, 0x0f, 0x14, 0xf8, /* str x30, [sp, #-192]! */
	0xfd, 0x83, 0x1f, 0xf8, /* stur x29, [sp, #-8] */
};

const struct arch arm64_arch = {
	.name = "arm64",
	.goarch = "arm64",
	.elf_machine = EM_AARCH64,
	.relative_reloc = R_AARCH64_RELATIVE,
	.pc_quantum = 4,
	.padding = 0, /* udf #0 */
	.values = {
		/* R0 to R15; F0 to F15, of which DWARF numbers V0 */
		.n_ints = 16,
		.n_floats = 16,
		.dwarf_ints = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 },
		.dwarf_float = 64,
	},
	.frames = { .sp = 31, .fp = 29 },
	.words = {
		.assembly = "written in assembly: R28 need not hold g",
		.abi0 = "follows the stack ABI, as assembly does: R28 need not hold g at its entry",
		.refused = "the kernel takes no probe on an exclusive access, a load of a constant "
			   "behind the code, or a system instruction",
		.sp_changes = "the first byte; sp then changes in a way that is not followed",
	},
	.sigtramp = sigtramp,
	.sigtramp_bytes = sizeof(sigtramp),
	.tls_of_g = arm64_tls_of_g,
	.text_writers = arm64_text_writers,
	.address_taken = arm64_address_taken,
	.words_loaded = arm64_words_loaded,
	.called = arm64_called,
	.byte_compared = arm64_byte_compared,
	.code = &arm64_code,
	.text = &arm64_text,
};
