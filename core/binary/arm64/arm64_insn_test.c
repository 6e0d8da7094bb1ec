// SPDX-License-Identifier: BSD-2-Clause
#include "base/test_fixture.h"
#include "binary/arm64/arm64_insn.h"

#include <stdio.h>

#include "binary/gocode.h"

/* Words as `llvm-mc -triple aarch64 -mattr=+v9a,+mops -show-encoding` makes them. */
TEST(flows)
{
	static const struct {
		uint32_t word;
		uint8_t flow, class;
		int64_t target; /* of an instruction at offset 0x1000 */
	} of[] = {
		{ 0x14000002, FLOW_JMP, INSN_EMULATED, 0x1008 }, /* b .+8 */
		{ 0x17fffffe, FLOW_JMP, INSN_EMULATED, 0xff8 },  /* b .-8 */
		{ 0x16000000, FLOW_JMP, INSN_EMULATED, 0x1000 - (128 << 20) },
		{ 0x97ffffff, FLOW_CALL, INSN_EMULATED, 0xffc }, /* bl .-4 */
		{ 0x54000049, FLOW_JCC, INSN_EMULATED, 0x1008 }, /* b.ls .+8 */
		{ 0x54800009, FLOW_JCC, INSN_EMULATED, 0x1000 - (1 << 20) },
		{ 0x54000059, FLOW_JCC, INSN_REFUSED, 0x1008 },  /* bc.ls .+8 */
		{ 0xb4000040, FLOW_JCC, INSN_EMULATED, 0x1008 }, /* cbz x0, .+8 */
		{ 0x35ffffc0, FLOW_JCC, INSN_EMULATED, 0xff8 },  /* cbnz w0, .-8 */
		{ 0x36000040, FLOW_JCC, INSN_EMULATED, 0x1008 }, /* tbz w0, #0, .+8 */
		{ 0xb7f80040, FLOW_JCC, INSN_EMULATED, 0x1008 }, /* tbnz x0, #63, .+8 */
		{ 0x36040000, FLOW_JCC, INSN_EMULATED, 0x1000 - 32768 },
		{ 0xd61f0360, FLOW_JMP_IND, INSN_EMULATED, 0 },  /* br x27 */
		{ 0xd63f0340, FLOW_CALL_IND, INSN_EMULATED, 0 }, /* blr x26 */
		{ 0xd65f03c0, FLOW_RET, INSN_EMULATED, 0 },      /* ret */
		{ 0xd65f0bff, FLOW_RET, INSN_REFUSED, 0 },       /* retaa */
		{ 0xd71f0901, FLOW_JMP_IND, INSN_REFUSED, 0 },   /* braa x8, x1 */
		{ 0xd73f0901, FLOW_CALL_IND, INSN_REFUSED, 0 },  /* blraa x8, x1 */
		{ 0xd69f03e0, FLOW_TRAP, INSN_REFUSED, 0 },      /* eret */
		{ 0xd4200000, FLOW_TRAP, INSN_REFUSED, 0 },      /* brk #0 */
		{ 0x00000000, FLOW_TRAP, INSN_REFUSED, 0 },      /* udf #0 */
		{ 0x0000ffff, FLOW_TRAP, INSN_REFUSED, 0 },      /* udf #65535 */
		{ 0xbea71700, FLOW_TRAP, INSN_REFUSED, 0 },      /* Go's UNDEF */
		{ 0xd4000001, FLOW_NEXT, INSN_REFUSED, 0 },      /* svc #0 */
		{ 0x10000040, FLOW_NEXT, INSN_EMULATED, 0 },     /* adr x0, .+8 */
		{ 0xb0000bdb, FLOW_NEXT, INSN_EMULATED, 0 },     /* adrp x27, ... */
		{ 0x58000040, FLOW_NEXT, INSN_REFUSED, 0 },      /* ldr x0, .+8 */
		{ 0x98000040, FLOW_NEXT, INSN_REFUSED, 0 },      /* ldrsw x0, .+8 */
		{ 0x5c000040, FLOW_NEXT, INSN_REFUSED, 0 },      /* ldr d0, .+8 */
		{ 0xd8000040, FLOW_NEXT, INSN_REFUSED, 0 },      /* prfm pldl1keep, .+8 */
		{ 0xc85ffc01, FLOW_NEXT, INSN_REFUSED, 0 },      /* ldaxr x1, [x0] */
		{ 0xc802fc01, FLOW_NEXT, INSN_REFUSED, 0 },      /* stlxr w2, x1, [x0] */
		{ 0x48207c82, FLOW_NEXT, INSN_REFUSED, 0 },      /* casp x0, x1, x2, x3, [x4] */
		{ 0xc8dffc01, FLOW_NEXT, INSN_STEP, 0 },         /* ldar x1, [x0] */
		{ 0xc89ffc01, FLOW_NEXT, INSN_STEP, 0 },         /* stlr x1, [x0] */
		{ 0xc8e1fc02, FLOW_NEXT, INSN_STEP, 0 },         /* casal x1, x2, [x0] */
		{ 0xf8e10002, FLOW_NEXT, INSN_STEP, 0 },         /* ldaddal x1, x2, [x0] */
		{ 0x1d010440, FLOW_NEXT, INSN_REFUSED, 0 },      /* cpyp [x0]!, [x1]!, x2! */
		{ 0xd503201f, FLOW_NEXT, INSN_STEP, 0 },         /* nop */
		{ 0xd503203f, FLOW_NEXT, INSN_REFUSED, 0 },      /* yield */
		{ 0xd503233f, FLOW_NEXT, INSN_STEP, 0 },         /* paciasp */
		{ 0xd50323bf, FLOW_NEXT, INSN_REFUSED, 0 },      /* autiasp */
		{ 0xd503245f, FLOW_NEXT, INSN_STEP, 0 },         /* bti c */
		{ 0xd5033bbf, FLOW_NEXT, INSN_STEP, 0 },         /* dmb ish */
		{ 0xd53be040, FLOW_NEXT, INSN_STEP, 0 },         /* mrs x0, cntvct_el0 */
		{ 0xd53b4220, FLOW_NEXT, INSN_REFUSED, 0 },      /* mrs x0, daif */
		{ 0xd51bd040, FLOW_NEXT, INSN_REFUSED, 0 },      /* msr tpidr_el0, x0 */
		{ 0xf81f0ffe, FLOW_NEXT, INSN_STEP, 0 },         /* str x30, [sp, #-16]! */
		{ 0xd10083ff, FLOW_NEXT, INSN_STEP, 0 },         /* sub sp, sp, #32 */
	};

	for (size_t i = 0; i < sizeof(of) / sizeof(*of); i++) {
		struct insn in = { .off = 0x1000 };

		arm64_classify(of[i].word, &in);
		if (in.off != 0x1000 || in.len != 4 || in.flow != of[i].flow ||
		    in.class != of[i].class || in.target != of[i].target)
			fail_msg("%08x: flow %d, class %d, target %lld", of[i].word, in.flow,
				 in.class, (long long)in.target);
	}
}

TEST(constants)
{
	static const struct {
		uint32_t word;
		unsigned reg;
		uint64_t n;
	} of[] = {
		{ 0xd2801c48, 8, 226 },   /* mov x8, #226 */
		{ 0x52801c40, 0, 226 },   /* mov w0, #226 */
		{ 0xd2a00022, 2, 65536 }, /* mov x2, #65536 */
		{ 0xb2400be3, 3, 7 },     /* orr x3, xzr, #7 */
		{ 0xb27f07e3, 3, 6 },     /* orr x3, xzr, #6 */
		{ 0x32000be3, 3, 7 },     /* orr w3, wzr, #7 */
		{ 0x321e03e3, 3, 4 },     /* orr w3, wzr, #4 */
	};
	unsigned reg;
	uint64_t n;

	for (size_t i = 0; i < sizeof(of) / sizeof(*of); i++)
		if (!arm64_constant(of[i].word, &reg, &n) || reg != of[i].reg || n != of[i].n)
			fail_msg("%08x: register %u, %llu", of[i].word, reg, (unsigned long long)n);
	assert_false(arm64_constant(0xb2400803, &reg, &n)); /* orr x3, x0, #7 */
	assert_false(arm64_constant(0x92800003, &reg, &n)); /* mov x3, #-1 */
	assert_false(arm64_constant(0x320083e3, &reg, &n)); /* orr w3, wzr, #0x10001 */
}

TEST(addresses)
{
	int64_t n;

	assert_true(arm64_adrp(0xb0000bdb, &n)); /* adrp x27, .+0x179000 */
	assert_int_equal(n, 0x179000);
	assert_true(arm64_adrp(0x90ffffe0, &n));
	assert_int_equal(n, -0x4000);
	assert_false(arm64_adrp(0x10000040, &n)); /* adr */
	assert_true(arm64_add(0x9104037b, &n));   /* add x27, x27, #256 */
	assert_int_equal(n, 256);
	assert_true(arm64_add(0xd14007ff, &n)); /* sub sp, sp, #1, lsl #12 */
	assert_int_equal(n, -4096);
	assert_false(arm64_add(0xeb30601f, &n));   /* cmp x0, x16, uxtx */
	assert_false(arm64_add(0xf1000400, &n));   /* subs x0, x0, #1 */
	assert_true(arm64_load64(0xf9400b90, &n)); /* ldr x16, [x28, #16] */
	assert_int_equal(n, 16);
	assert_false(arm64_load64(0xb9400b90, &n));    /* ldr w16 */
	assert_true(arm64_load_two64(0xa9400760, &n)); /* ldp x0, x1, [x27] */
	assert_int_equal(n, 0);
	assert_true(arm64_load_two64(0xa97f0760, &n)); /* ldp x0, x1, [x27, #-16] */
	assert_int_equal(n, -16);
	assert_false(arm64_load_two64(0xa9000760, &n)); /* stp */
	assert_false(arm64_load_two64(0xa8c10760, &n)); /* ldp x0, x1, [x27], #16 */
	assert_int_equal(arm64_literal(0x58000060, &n), 8);
	assert_int_equal(n, 12);
	assert_int_equal(arm64_literal(0x18000060, &n), 4);
	assert_int_equal(arm64_literal(0x98ffffe0, &n), 4);
	assert_int_equal(n, -4);
	assert_int_equal(arm64_literal(0x1c000060, &n), 4);
	assert_int_equal(arm64_literal(0x5c000060, &n), 8);
	assert_int_equal(arm64_literal(0x9c000060, &n), 16);
	assert_int_equal(arm64_literal(0xd8000060, &n), 0); /* prfm */
	assert_int_equal(arm64_literal(0xf9400b90, &n), 0);
}

TEST(memory)
{
	static const struct {
		uint32_t word;
		unsigned base;
		struct arm64_access a;
		uint32_t written;
	} of[] = {
		/* str x30, [sp, #-16]! */
		{ 0xf81f0ffe,
		  31,
		  { .writes_base = true, .offset_bytes = -16, .moved_bytes = -16 },
		  0 },
		/* ldr x30, [sp], #16 */
		{ 0xf84107fe,
		  31,
		  { .loads = true, .writes_base = true, .moved_bytes = 16 },
		  1u << 30 },
		/* stp x29, x30, [sp, #-16]! */
		{ 0xa9bf7bfd,
		  31,
		  { .writes_base = true, .offset_bytes = -16, .moved_bytes = -16 },
		  0 },
		/* ldp x29, x30, [sp], #16 */
		{ 0xa8c17bfd,
		  31,
		  { .loads = true, .writes_base = true, .moved_bytes = 16 },
		  3u << 29 },
		/* ldp w1, w2, [x0, #8] */
		{ 0x29410801, 0, { .loads = true, .offset_bytes = 8 }, 6 },
		/* stp q0, q1, [x2, #32] */
		{ 0xad010440, 2, { .offset_bytes = 32 }, 0 },
		/* ldr q3, [x1, #48] */
		{ 0x3dc00c23, 1, { .loads = true, .offset_bytes = 48 }, 0 },
		/* ldrb w1, [x0, #3] */
		{ 0x39400c01, 0, { .loads = true, .offset_bytes = 3 }, 2 },
		/* ldur x29, [sp, #-8] */
		{ 0xf85f83fd, 31, { .loads = true, .offset_bytes = -8 }, 1u << 29 },
		/* str x1, [x0, #136] */
		{ 0xf9004401, 0, { .offset_bytes = 136 }, 0 },
		/* ldr x27, [x27, x0, lsl #3] */
		{ 0xf8607b7b, 27, { .loads = true, .others = true }, 1u << 27 },
		/* ldaddal x1, x2, [x0] */
		{ 0xf8e10002, 0, { .loads = true }, 4 },
		/* stlxr w2, x1, [x0] may write all that it names */
		{ 0xc802fc01, 0, { .loads = true }, 7 },
		/* ld1 {v0.16b}, [x1], #16 */
		{ 0x4cdf7020, 1, { .loads = true, .others = true, .writes_base = true }, 2 },
	};
	struct arm64_access a;

	for (size_t i = 0; i < sizeof(of) / sizeof(*of); i++) {
		const struct arm64_access *w = &of[i].a;

		assert_true(arm64_access(of[i].word, &a));
		if (a.loads != w->loads || a.others != w->others ||
		    a.writes_base != w->writes_base || a.offset_bytes != w->offset_bytes ||
		    a.moved_bytes != w->moved_bytes || arm64_rn(of[i].word) != of[i].base ||
		    arm64_written(of[i].word) != of[i].written)
			fail_msg("%08x: loads %d, others %d, base %d, at %lld, by %lld, writes %x",
				 of[i].word, a.loads, a.others, a.writes_base,
				 (long long)a.offset_bytes, (long long)a.moved_bytes,
				 arm64_written(of[i].word));
	}
	assert_false(arm64_access(0x58000060, &a)); /* ldr x0, .+12 */
	assert_false(arm64_access(0x8b020020, &a)); /* add x0, x1, x2 */
	assert_int_equal(arm64_written(0x8b020020), 1);
	assert_int_equal(arm64_written(0x58000061), 2);
	assert_int_equal(arm64_written(0x5c000061), 0);
	assert_int_equal(arm64_written(0xeb01001f), 0); /* cmp x0, x1 */
}

TEST(stack_pointer)
{
	assert_true(arm64_writes_sp(0xd10083ff));  /* sub sp, sp, #32 */
	assert_true(arm64_writes_sp(0x9100029f));  /* mov sp, x20 */
	assert_true(arm64_writes_sp(0xcb3b63ff));  /* sub sp, sp, x27 */
	assert_true(arm64_writes_sp(0x927cec1f));  /* and sp, x0, #-16 */
	assert_false(arm64_writes_sp(0xf100001f)); /* cmp x0, #0 */
	assert_false(arm64_writes_sp(0xeb2063ff)); /* cmp sp, x0 */
	assert_false(arm64_writes_sp(0xf240001f)); /* tst x0, #1 */
	assert_false(arm64_writes_sp(0x910023fd)); /* add x29, sp, #8 */
	assert_false(arm64_writes_sp(0xaa1f03ff)); /* mov xzr, xzr */
}

TESTS(flows, constants, addresses, memory, stack_pointer)
