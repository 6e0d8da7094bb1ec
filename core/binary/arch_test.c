// SPDX-License-Identifier: BSD-2-Clause
/* The table of processors, and that a file of another one is refused by name. */
#include "binary/binaries_fixture.h"

#include <elf.h>

#include "binary/arch.h"
#include "binary/gobin_impl.h"
#include "binary/x86_64/x86_arch.h"

static void lookup(void **state)
{
	(void)state;
	assert_ptr_equal(arch_of_machine(EM_X86_64), &x86_arch);
	assert_int_equal(x86_arch.elf_machine, EM_X86_64);
	assert_null(arch_of_machine(EM_NONE));
	assert_null(arch_of_machine(EM_386));
	assert_null(arch_of_machine(EM_RISCV));
}

static void names(void **state)
{
	char text[64], few[5];

	(void)state;
	arch_names(false, text, sizeof(text));
	assert_string_equal(text, "x86-64");
	arch_names(true, text, sizeof(text));
	assert_string_equal(text, "amd64");
	arch_names(false, few, sizeof(few));
	assert_string_equal(few, "x86-");
}

/* A program's processor is that of its file. An unknown one is refused with its number, and with
 * the names of those that are known. */
static void of_a_program(void **state)
{
	size_t n;
	uint8_t *p = load_binary("kinds", &n);
	Elf64_Ehdr *h = (Elf64_Ehdr *)p;
	struct gobin *b = open_bytes(p, n);

	(void)state;
	assert_non_null(b);
	assert_ptr_equal(gobin_arch(b), arch_of_machine(h->e_machine));
	gobin_close(b);
	h->e_machine = 4711;
	assert_refused(p, n, ENOTSUP, "not for x86-64 (ELF machine 4711)");
	assert_refused(p, n, ENOTSUP, "GOARCH=amd64");
	h->e_ident[EI_CLASS] = ELFCLASS32;
	assert_refused(p, n, ENOTSUP, "32-bit executable; build it with GOARCH=amd64");
	free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lookup),
		cmocka_unit_test(names),
		cmocka_unit_test(of_a_program),
	};

	return cmocka_run_group_tests(tests, set_up_binaries, NULL);
}
