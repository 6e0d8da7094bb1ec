/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "base/test_fixture.h"
#include "binary/gocode.h"
#include "binary/x86_64/x86_insn.h"

#define CODE(s) (const uint8_t *)(s), sizeof(s) - 1

/* Refusals (-ENOTSUPP) and acceptances as a 6.18 kernel gave them for a uprobe at these bytes. */
static const struct {
	const uint8_t *bytes;
	uint8_t len, class, flow;
	int64_t target; /* the instruction lies at 0x100 */
} cases[] = {
	{ CODE("\x55"), INSN_EMULATED, FLOW_NEXT, -1 },     /* push %rbp */
	{ CODE("\x41\x54"), INSN_EMULATED, FLOW_NEXT, -1 }, /* push %r12 */
	{ CODE("\x66\x55"), INSN_STEP, FLOW_NEXT, -1 },     /* push %bp */
	{ CODE("\x6a\x01"), INSN_STEP, FLOW_NEXT, -1 },     /* push $1 */
	{ CODE("\x5d"), INSN_STEP, FLOW_NEXT, -1 },         /* pop %rbp */
	{ CODE("\x90"), INSN_EMULATED, FLOW_NEXT, -1 },     /* nop */
	{ CODE("\x66\x90"), INSN_EMULATED, FLOW_NEXT, -1 }, /* xchg %ax,%ax */
	{ CODE("\xf3\x90"), INSN_STEP, FLOW_NEXT, -1 },     /* pause */
	{ CODE("\x41\x90"), INSN_STEP, FLOW_NEXT, -1 },     /* xchg %eax,%r8d */
	{ CODE("\x0f\x1f\x00"), INSN_STEP, FLOW_NEXT, -1 }, /* nopl: not before 6.18 */
	{ CODE("\xeb\xfe"), INSN_EMULATED, FLOW_JMP, 0x100 },
	{ CODE("\xe9\x00\x01\x00\x00"), INSN_EMULATED, FLOW_JMP, 0x205 },
	{ CODE("\x76\x10"), INSN_EMULATED, FLOW_JCC, 0x112 },
	{ CODE("\x0f\x86\xfa\xff\xff\xff"), INSN_EMULATED, FLOW_JCC, 0x100 },
	{ CODE("\xe8\xfb\xff\xff\xff"), INSN_EMULATED, FLOW_CALL, 0x100 },
	{ CODE("\x66\xe8\x00\x00"), INSN_REFUSED, FLOW_CALL, 0x104 }, /* callw */
	{ CODE("\xe3\x02"), INSN_STEP, FLOW_JCC, 0x104 },             /* jrcxz */
	{ CODE("\xff\xe1"), INSN_STEP, FLOW_JMP_IND, -1 },            /* jmp *%rcx */
	{ CODE("\xff\xd1"), INSN_STEP, FLOW_CALL_IND, -1 },           /* call *%rcx */
	{ CODE("\xff\x30"), INSN_STEP, FLOW_NEXT, -1 },               /* push (%rax) */
	{ CODE("\xc3"), INSN_STEP, FLOW_RET, -1 },
	{ CODE("\xc2\x08\x00"), INSN_STEP, FLOW_RET, -1 },
	{ CODE("\x0f\x0b"), INSN_STEP, FLOW_TRAP, -1 }, /* ud2 */
	{ CODE("\xcc"), INSN_REFUSED, FLOW_TRAP, -1 },
	{ CODE("\xf4"), INSN_REFUSED, FLOW_TRAP, -1 },
	{ CODE("\xf0\x48\x83\x00\x01"), INSN_REFUSED, FLOW_NEXT, -1 }, /* lock addq */
	{ CODE("\x2e\x90"), INSN_REFUSED, FLOW_NEXT, -1 },
	{ CODE("\x66\x2e\x0f\x1f\x84\x00\x00\x00\x00\x00"), INSN_REFUSED, FLOW_NEXT, -1 },
	{ CODE("\x64\x48\x8b\x0c\x25\xf8\xff\xff\xff"), INSN_STEP, FLOW_NEXT, -1 },
	{ CODE("\xc5\xfe\x6f\x00"), INSN_REFUSED, FLOW_NEXT, -1 },      /* vmovdqu */
	{ CODE("\xc5\xf9\xef\xc0"), INSN_REFUSED, FLOW_NEXT, -1 },      /* vpxor */
	{ CODE("\xc5\xf8\x77"), INSN_STEP, FLOW_NEXT, -1 },             /* vzeroupper */
	{ CODE("\xc4\xe2\xf9\xf7\xc0"), INSN_STEP, FLOW_NEXT, -1 },     /* shlx */
	{ CODE("\x62\xf1\x7c\x48\x10\x00"), INSN_STEP, FLOW_NEXT, -1 }, /* vmovups %zmm0 */
	{ CODE("\xf3\x48\x0f\xb8\xc0"), INSN_STEP, FLOW_NEXT, -1 },     /* popcnt */
	{ CODE("\x66\x0f\x3a\x0b\xc0\x09"), INSN_STEP, FLOW_NEXT, -1 }, /* roundsd */
};

TEST(test_classes)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct insn in = { .off = 0x100, .len = cases[i].len };

		x86_classify(&in, cases[i].bytes);
		if (in.class != cases[i].class || in.flow != cases[i].flow ||
		    in.target != cases[i].target)
			fail_msg("case %zu: class %u flow %u target %lld", i, in.class, in.flow,
				 (long long)in.target);
		assert_int_equal(in.tls, cases[i].bytes[0] == 0x64);
	}
}

TEST(test_bytes_cut_short)
{
	/* only prefixes, or a VEX prefix without its opcode: refused, nothing read beyond */
	static const char *const cut[] = { "\x66", "\x48",     "\xf0\x2e\x66",
					   "\xc5", "\xc4\xe2", "\x62\xf1\x7c" };

	for (size_t i = 0; i < sizeof(cut) / sizeof(cut[0]); i++) {
		struct insn in = { .len = (uint8_t)strlen(cut[i]) };

		x86_classify(&in, (const uint8_t *)cut[i]);
		assert_int_equal(in.class, INSN_REFUSED);
	}
}

TEST(test_sp_change)
{
	static const struct {
		const uint8_t *bytes;
		uint8_t len;
		bool known;
		int64_t down;
	} sp[] = {
		{ CODE("\x55"), true, 8 },
		{ CODE("\x41\x57"), true, 8 },
		{ CODE("\x5d"), true, -8 },
		{ CODE("\x41\x5f"), true, -8 },
		{ CODE("\x5c"), false, 0 }, /* pop %rsp */
		{ CODE("\x9c"), true, 8 },
		{ CODE("\x9d"), true, -8 },
		{ CODE("\x48\x83\xec\x18"), true, 0x18 }, /* sub $0x18,%rsp */
		{ CODE("\x48\x81\xec\x00\x10\x00\x00"), true, 0x1000 },
		{ CODE("\x48\x83\xc4\x80"), true, 128 }, /* add $-128,%rsp */
		{ CODE("\x48\x81\xc4\x00\x10\x00\x00"), true, -0x1000 },
		{ CODE("\x48\x8d\x64\x24\xf8"), true, 8 }, /* lea -8(%rsp),%rsp */
		{ CODE("\x48\x8d\xa4\x24\x00\x01\x00\x00"), true, -0x100 },
		{ CODE("\x48\x89\xe5"), false, 0 },         /* mov %rsp,%rbp */
		{ CODE("\x48\x89\xec"), false, 0 },         /* mov %rbp,%rsp */
		{ CODE("\x48\x83\xe4\xf0"), false, 0 },     /* and $-16,%rsp */
		{ CODE("\x4c\x8d\x64\x24\xf8"), false, 0 }, /* lea -8(%rsp),%r12 */
	};

	for (size_t i = 0; i < sizeof(sp) / sizeof(sp[0]); i++) {
		int64_t down = 0;

		assert_int_equal(x86_sp_change(sp[i].bytes, sp[i].len, &down), sp[i].known);
		if (sp[i].known && down != sp[i].down)
			fail_msg("case %zu: %lld", i, (long long)down);
	}
}

TEST(test_table_jumps)
{
	/* jmp *(%rcx,%rax,8) */
	assert_true(x86_is_table_jump(CODE("\xff\x24\xc1")));
	/* jmp *(%r8,%rax,8) */
	assert_true(x86_is_table_jump(CODE("\x41\xff\x24\xc0")));
	/* jmp *0x401000(,%rax,8) */
	assert_true(x86_is_table_jump(CODE("\xff\x24\xc5\x00\x10\x40\x00")));
	/* jmp *(%rcx,%r12,8) */
	assert_true(x86_is_table_jump(CODE("\x42\xff\x24\xe1")));
	assert_false(x86_is_table_jump(CODE("\xff\x24\x24"))); /* jmp *(%rsp) */
	assert_false(x86_is_table_jump(CODE("\xff\x61\x18"))); /* jmp *0x18(%rcx) */
	assert_false(x86_is_table_jump(CODE("\xff\xe1")));     /* jmp *%rcx */
	/* call *(%rcx,%rax,8) */
	assert_false(x86_is_table_jump(CODE("\xff\x14\xc1")));
	assert_int_equal(x86_jump_reg(CODE("\xff\xe1")), 1);
	assert_int_equal(x86_jump_reg(CODE("\x41\xff\xe3")), 11);
	assert_int_equal(x86_jump_reg(CODE("\xff\xd1")), -1);
	assert_int_equal(x86_jump_reg(CODE("\xff\x21")), -1);
	/* mov (%rcx,%rax,8),%rcx */
	assert_true(x86_is_table_load(CODE("\x48\x8b\x0c\xc1"), 1));
	assert_true(x86_is_table_load(CODE("\x4c\x8b\x1c\xc1"), 11));
	assert_false(x86_is_table_load(CODE("\x48\x8b\x0c\xc1"), 2));
	/* mov 0x18(%rcx),%rcx */
	assert_false(x86_is_table_load(CODE("\x48\x8b\x49\x18"), 1));
}

static bool repeats(const uint8_t *p, size_t len)
{
	struct insn in = { .len = (uint8_t)len };

	x86_classify(&in, p);
	return in.loops;
}

TEST(test_repeats)
{
	assert_true(repeats(CODE("\xf3\x48\xab")));          /* rep stosq */
	assert_true(repeats(CODE("\xf3\xa4")));              /* rep movsb */
	assert_true(repeats(CODE("\xf2\xae")));              /* repne scasb */
	assert_false(repeats(CODE("\xf2\x0f\x10\xc1")));     /* movsd %xmm1,%xmm0 */
	assert_false(repeats(CODE("\xf3\x48\x0f\x2a\xc0"))); /* cvtsi2ss %rax,%xmm0 */
	assert_false(repeats(CODE("\x48\xab")));             /* stosq */
	assert_false(repeats(CODE("\x48\xff\xc1")));         /* inc %rcx */
	assert_false(repeats(CODE("\xf3")));
}

TESTS(test_classes, test_bytes_cut_short, test_sp_change, test_table_jumps, test_repeats)
