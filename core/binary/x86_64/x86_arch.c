// SPDX-License-Identifier: BSD-2-Clause
#include "binary/x86_64/x86_arch.h"

#include <elf.h>

#include "binary/x86_64/x86_impl.h"

static const uint8_t sigtramp[] = {
	0x48, 0x83, 0xec, 0x30,       /* sub $0x30,%rsp */
	0x48, 0x89, 0x6c, 0x24, 0x28, /* mov %rbp,0x28(%rsp) */
};

const struct arch x86_arch = {
	.name = "x86-64",
	.goarch = "amd64",
	.elf_machine = EM_X86_64,
	.relative_reloc = R_X86_64_RELATIVE,
	.pc_quantum = 1,
	.padding = 0xcc, /* int3 */
	.values = {
		/* RAX, RBX, RCX, RDI, RSI, R8 to R11; X0 to X14 */
		.n_ints = 9,
		.n_floats = 15,
		.dwarf_ints = { 0, 3, 2, 5, 4, 8, 9, 10, 11 },
		.dwarf_float = 17,
	},
	/* RSP, RBP. The table's expression is breg7 8, breg16, and so on. */
	.frames = { .sp = 7, .fp = 6, .return_on_stack = true, .plt_expression_bytes = 11 },
	.words = {
		.assembly = "written in assembly: R14 need not hold g",
		.abi0 = "follows the stack ABI: R14 does not hold g at its entry",
		.refused =
			"the kernel takes no probe on an instruction with a lock or segment prefix",
		.sp_changes = "the first byte; rsp then changes in a way that is not followed",
	},
	.has_stubs = true,
	.sigtramp = sigtramp,
	.sigtramp_bytes = sizeof(sigtramp),
	.tls_of_g = x86_tls_of_g,
	.text_writers = x86_text_writers,
	.address_taken = x86_address_taken,
	.words_loaded = x86_words_loaded,
	.called = x86_called,
	.byte_compared = x86_byte_compared,
	.code = &x86_code,
	.text = &x86_text,
};
