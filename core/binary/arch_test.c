// SPDX-License-Identifier: BSD-2-Clause
/* The table of processors, and that a file of another one is refused by name. */
#include "base/test_fixture.h"
#include "binary/binaries_fixture.h"

#include <elf.h>

#include "base/host/machine.h"
#include "binary/arch.h"
#include "binary/arm64/arm64_arch.h"
#include "binary/gobin_impl.h"
#include "binary/x86_64/x86_arch.h"

TEST(lookup)
{
	assert_ptr_equal(arch_of_machine(EM_X86_64), &x86_arch);
	assert_int_equal(x86_arch.elf_machine, EM_X86_64);
	assert_ptr_equal(arch_of_machine(EM_AARCH64), &arm64_arch);
	assert_int_equal(arm64_arch.elf_machine, EM_AARCH64);
	assert_null(arch_of_machine(EM_NONE));
	assert_null(arch_of_machine(EM_386));
	assert_null(arch_of_machine(EM_RISCV));
}

TEST(names)
{
	char text[64], few[5];

	arch_names(false, text, sizeof(text));
	assert_string_equal(text, "x86-64 or arm64");
	arch_names(true, text, sizeof(text));
	assert_string_equal(text, "amd64 or arm64");
	arch_names(false, few, sizeof(few));
	assert_string_equal(few, "x86-");
}

/* A program's processor is that of its file. An unknown one is refused with its number, and with
 * the names of those that are known. */
TEST(of_a_program)
{
	size_t n;
	uint8_t *p = load_binary("kinds", &n);
	Elf64_Ehdr *h = (Elf64_Ehdr *)p;
	struct gobin *b = open_bytes(p, n);

	assert_non_null(b);
	assert_ptr_equal(gobin_arch(b), arch_of_machine(h->e_machine));
	gobin_close(b);
	h->e_machine = 4711;
	assert_refused(p, n, ENOTSUP, "not for x86-64 or arm64 (ELF machine 4711)");
	assert_refused(p, n, ENOTSUP, "GOARCH=amd64 or arm64");
	h->e_ident[EI_CLASS] = ELFCLASS32;
	assert_refused(p, n, ENOTSUP, "32-bit executable; build it with GOARCH=amd64 or arm64");
	free(p);
}

/* The processor that gotrace runs on executes programs of its own kind only. */
TEST(runs_here)
{
	static const char *const names[] = { "kinds", "kinds.arm64" };

	for (size_t i = 0; i < 2; i++) {
		struct gobin *b = open_binary(names[i]);

		if (gobin_arch(b)->elf_machine == host_elf_machine()) {
			assert_true(gobin_runs_here(b));
			assert_int_equal(gobin_refuse_foreign(b), 0);
			assert_int_equal(logged_count, 0);
		} else {
			assert_false(gobin_runs_here(b));
			assert_int_equal(gobin_refuse_foreign(b), -ENOTSUP);
			assert_int_equal(logged_count, 1);
			assert_non_null(strstr(logged, gobin_arch(b)->name));
			assert_non_null(strstr(logged, "Build it with GOARCH="));
		}
		gobin_close(b);
	}
}

TESTS_BETWEEN(set_up_binaries, NULL, lookup, names, of_a_program, runs_here)
