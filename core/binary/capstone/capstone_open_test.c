// SPDX-License-Identifier: BSD-2-Clause
#include "base/test_fixture.h"
#include "binary/capstone/capstone_open.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static size_t taken, failing; /* the allocation that fails, from 1; 0: none */
static bool for_good;         /* and all after it */

static void *failing_calloc(size_t n, size_t size)
{
	taken++;
	return failing && (taken == failing || (for_good && taken > failing)) ? NULL
									      : calloc(n, size);
}

static int open_failing_at(cs_arch arch, csh *handle, size_t at)
{
	taken = 0;
	failing = at;
	return capstone_open(arch, handle);
}

/* A subtraction of 0x210 from the stack pointer, and a RET. */
static const struct {
	cs_arch arch;
	uint8_t code[11];
	size_t bytes;
	unsigned sub, ret;
} processors[] = {
	{ CS_ARCH_X86, { 0x48, 0x81, 0xec, 0x10, 0x02, 0, 0, 0xc3 }, 8, X86_INS_SUB, X86_INS_RET },
	{ CS_ARCH_ARM64,
	  { 0xff, 0x43, 0x08, 0xd1, 0xc0, 0x03, 0x5f, 0xd6 },
	  8,
	  ARM64_INS_SUB,
	  ARM64_INS_RET },
};
#define N_PROCESSORS (sizeof(processors) / sizeof(*processors))

/* Each allocation of a handle made to fail, alone and with all after it: the handle is refused, and
 * one opened later works. */
TEST(test_no_memory)
{
	csh handle;

	capstone_calloc = failing_calloc;
	for (size_t k = 0; k < N_PROCESSORS; k++) {
		const cs_arch arch = processors[k].arch;

		assert_int_equal(open_failing_at(arch, &handle, 0), 0);
		size_t n = taken;
		assert_true(n > 0); /* capstone 5 takes fewer than 4 does */
		cs_close(&handle);
		for (size_t i = 1; i <= 2 * n; i++) {
			for_good = i > n;
			assert_int_equal(open_failing_at(arch, &handle, for_good ? i - n : i),
					 -ENOMEM);
			assert_int_equal(handle, 0);
		}
		for_good = false;
		assert_int_equal(open_failing_at(arch, &handle, 0), 0);
		cs_close(&handle);
	}
	capstone_calloc = calloc;
}

/* A handle that is open needs no memory: x86 allocates nothing, arm64 for a moment only. */
TEST(test_ready)
{
	csh handle;

	capstone_calloc = failing_calloc;
	for (size_t k = 0; k < N_PROCESSORS; k++) {
		const uint8_t *p = processors[k].code;
		size_t left = processors[k].bytes;
		uint64_t at = 0x1000;

		assert_int_equal(open_failing_at(processors[k].arch, &handle, 0), 0);
		assert_int_equal(cs_option(handle, CS_OPT_DETAIL, CS_OPT_ON), CS_ERR_OK);
		cs_insn *in = cs_malloc(handle);
		assert_non_null(in);
		failing = taken + 1;
		for_good = true;
		assert_true(cs_disasm_iter(handle, &p, &left, &at, in));
		assert_int_equal(in->id, processors[k].sub);
		assert_string_equal(in->mnemonic, "sub");
		assert_true(cs_disasm_iter(handle, &p, &left, &at, in));
		assert_int_equal(in->id, processors[k].ret);
		if (processors[k].arch == CS_ARCH_X86)
			assert_int_equal(taken, failing - 1);
		for_good = false;
		cs_free(in, 1);
		cs_close(&handle);
	}
	capstone_calloc = calloc;
}

/* The same instruction either way; its operands are in the text where that is wanted. */
TEST(test_text)
{
	static const uint8_t code[] = { 0x48, 0x81, 0xec, 0x10, 0x02, 0, 0 };
	csh handle;

	assert_int_equal(capstone_open(CS_ARCH_X86, &handle), 0);
	cs_insn *in = cs_malloc(handle);
	assert_non_null(in);
	for (int wanted = 0; wanted < 2; wanted++) {
		const uint8_t *p = code;
		size_t left = sizeof(code);
		uint64_t at = 0x1000;

		capstone_want_text(wanted);
		assert_true(cs_disasm_iter(handle, &p, &left, &at, in));
		assert_int_equal(in->size, 7);
		assert_int_equal(in->id, X86_INS_SUB);
		assert_int_equal(strstr(in->op_str, "0x210") != NULL, wanted);
	}
	cs_free(in, 1);
	cs_close(&handle);
}

TESTS(test_no_memory, test_ready, test_text)
