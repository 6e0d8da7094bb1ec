// SPDX-License-Identifier: BSD-2-Clause
#include "base/test_fixture.h"
#include "binary/x86_64/x86_length.h"

#include <string.h>

#include "binary/capstone/capstone_open.h"

static csh handle;
static cs_insn *decoded;

static unsigned of_capstone(const uint8_t *code, size_t left)
{
	uint64_t at = 0x1000;

	return cs_disasm_iter(handle, &code, &left, &at, decoded) ? decoded->size : 0;
}

/* How many of those compared have a length. */
static size_t known;

static void compare(const uint8_t *code, size_t left)
{
	unsigned n = x86_length(code, left);

	if (!n)
		return;
	known++;
	if (n != of_capstone(code, left))
		fail_msg("%02x %02x %02x %02x %02x %02x: %u bytes, capstone: %u", code[0], code[1],
			 code[2], code[3], code[4], code[5], n, of_capstone(code, left));
}

/* All ModRM bytes, where one has a SIB byte some of those. */
static void compare_operands(uint8_t *code, unsigned at)
{
	for (unsigned modrm = 0; modrm < 256; modrm++) {
		code[at] = (uint8_t)modrm;
		const unsigned step = modrm >> 6 != 3 && (modrm & 7) == 4 ? 7 : 256;
		for (unsigned sib = 0; sib < 256; sib += step) {
			code[at + 1] = (uint8_t)sib;
			compare(code, 15);
		}
	}
}

/* Every opcode of both tables after every prefix that is known, REX and not. */
TEST(test_all_forms)
{
	static const uint8_t prefixes[] = { 0, 0x66, 0xf2, 0xf3, 0x2e, 0xf0 };

	known = 0;
	for (size_t i = 0; i < sizeof(prefixes); i++)
		for (unsigned rex = 0x3f; rex < 0x50; rex++)
			for (unsigned op = 0; op < 512; op++) {
				uint8_t code[15] = { 0 };
				unsigned n = 0;

				if (prefixes[i])
					code[n++] = prefixes[i];
				if (rex >= 0x40)
					code[n++] = (uint8_t)rex;
				if (op >= 256)
					code[n++] = 0x0f;
				code[n++] = (uint8_t)op;
				compare_operands(code, n);
			}
	assert_true(known > 1000000);
}

static uint64_t next_random(uint64_t *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 7;
	*x ^= *x << 17;
	return *x;
}

TEST(test_random_bytes)
{
	uint64_t x = 88172645463325252ull;
	uint8_t code[16];

	known = 0;
	for (int i = 0; i < 300000; i++) {
		for (size_t k = 0; k < sizeof(code); k += sizeof(x)) {
			next_random(&x);
			memcpy(code + k, &x, sizeof(x));
		}
		compare(code, 15);
	}
	assert_true(known > 100000);
}

/* At each byte less than an instruction has it is unknown, and none behind is read. */
TEST(test_cut_off)
{
	static const uint8_t code[][15] = {
		{ 0x48, 0xb8, 1, 2, 3, 4, 5, 6, 7, 8 },             /* movabs */
		{ 0x66, 0x41, 0x81, 0x84, 0x24, 1, 2, 3, 4, 5, 6 }, /* addw */
		{ 0xf2, 0x0f, 0x10, 0x84, 0x24, 1, 2, 3, 4 },       /* movsd */
		{ 0x0f, 0x84, 1, 2, 3, 4 },                         /* je */
		{ 0x48, 0xf7, 0x04, 0x25, 1, 2, 3, 4, 5, 6, 7, 8 }, /* testq */
	};
	static const unsigned lengths[] = { 10, 11, 9, 6, 12 };

	for (size_t i = 0; i < sizeof(lengths) / sizeof(*lengths); i++) {
		assert_int_equal(x86_length(code[i], lengths[i]), lengths[i]);
		for (unsigned n = 0; n < lengths[i]; n++) {
			uint8_t *cut = test_malloc(n + 1);

			memcpy(cut, code[i], n);
			assert_int_equal(x86_length(cut, n), 0);
			test_free(cut);
		}
	}
}

/* Forms that capstone refuses, and those that are left to it. */
TEST(test_left_to_the_disassembler)
{
	static const uint8_t code[][15] = {
		{ 0xc5, 0xfe, 0x6f, 0x00 },       /* vmovdqu */
		{ 0xf0, 0x0f, 0xb1, 0x11 },       /* lock cmpxchg */
		{ 0x64, 0x48, 0x8b, 0x0c, 0x25 }, /* mov %fs:0 */
		{ 0x06, 0, 0, 0 },
		{ 0x8d, 0xc0, 0, 0 },
		{ 0xff, 0xff, 0xff, 0xff },
		{ 0x66, 0xe8, 0, 0, 0, 0 },
	};

	for (size_t i = 0; i < sizeof(code) / sizeof(*code); i++)
		assert_int_equal(x86_length(code[i], 15), 0);
}

FIXTURE(open_capstone)
{
	if (capstone_open(CS_ARCH_X86, &handle) || !(decoded = cs_malloc(handle)))
		return -1;
	capstone_want_text(false);
	return 0;
}

FIXTURE(close_capstone)
{
	cs_free(decoded, 1);
	cs_close(&handle);
	return 0;
}

TESTS_BETWEEN(open_capstone, close_capstone, test_all_forms, test_random_bytes, test_cut_off,
	      test_left_to_the_disassembler)
