// SPDX-License-Identifier: BSD-2-Clause
/* Windows of every kind: each makes a stub of another shape. */
#include "plan/inline_world_fixture.h"

/* A distance counted from the end of the instruction that ends at offset `end` of the window. */
#define TO(place, end) ((place) - (TEXT_WINDOW + (end)))
#define WORD(v)        (uint8_t)(v), (uint8_t)((v) >> 8), (uint8_t)((v) >> 16), (uint8_t)((v) >> 24)

#define SUB_STORE                                \
	/* sub $0x18,%rsp; mov %rbx,0x8(%rsp) */ \
	.code = { 0x48, 0x83, 0xec, 0x18, 0x48, 0x89, 0x5c, 0x24, 0x08 }, .len = 9
#define ADD_POP                        \
	/* add $0x18,%rsp; pop %rbp */ \
	.code = { 0x48, 0x83, 0xc4, 0x18, 0x5d }, .len = 5
#define SETG_ADD                                           \
	/* setg %cl; lea 0x10(%rsp),%rsp; mov %rcx,%rbx */ \
	.code = { 0x0f, 0x9f, 0xc1, 0x48, 0x8d, 0x64, 0x24, 0x10, 0x48, 0x89, 0xcb }, .len = 11
#define RDX_ADD                             \
	/* add $0x10,%rsp; mov %rdx,%rcx */ \
	.code = { 0x48, 0x83, 0xc4, 0x10, 0x48, 0x89, 0xd1 }, .len = 7
#define LOADS                                     \
	/* mov (%rdi),%rcx; mov 0x8(%rdi),%rbx */ \
	.code = { 0x48, 0x8b, 0x0f, 0x48, 0x8b, 0x5f, 0x08 }, .len = 7
/* cmp $0x20,%rax */
#define COMPARE .compare = { 0x48, 0x83, 0xf8, 0x20 }, .compare_len = 4
#define JE8                                                                     \
	/* je; cmp $0x22,%rax */                                                \
	.code = { 0x74, TO(TEXT_BRANCH, 2), 0x48, 0x83, 0xf8, 0x22 }, .len = 6, \
	.fixes = { { 1, INLINE_FIX_BRANCH8 } }, .n_fixes = 1, COMPARE
#define JE32                                                        \
	.code = { 0x0f, 0x84, WORD(TO(TEXT_BRANCH, 6)) }, .len = 6, \
	.fixes = { { 2, INLINE_FIX_BRANCH32 } }, .n_fixes = 1, COMPARE
#define TWO                                                                                        \
	/* je; inc %rcx; jb */                                                                     \
	.code = { 0x74, TO(TEXT_BRANCH, 2), 0x48, 0xff, 0xc1, 0x72, TO(TEXT_BRANCH, 7) },          \
	.len = 7, .fixes = { { 1, INLINE_FIX_BRANCH8 }, { 6, INLINE_FIX_BRANCH8 } }, .n_fixes = 2, \
	COMPARE
#define CMP_JE                                                                  \
	/* cmp $0x20,%rax; je */                                                \
	.code = { 0x48, 0x83, 0xf8, 0x20, 0x74, TO(TEXT_BRANCH, 6) }, .len = 6, \
	.fixes = { { 5, INLINE_FIX_BRANCH8 } }, .n_fixes = 1
#define INC_JMP                                                           \
	/* inc %rcx; jmp */                                               \
	.code = { 0x48, 0xff, 0xc1, 0xeb, TO(TEXT_BRANCH, 5) }, .len = 5, \
	.fixes = { { 4, INLINE_FIX_BRANCH8 } }, .n_fixes = 1
#define JMP32                                                 \
	.code = { 0xe9, WORD(TO(TEXT_BRANCH, 5)) }, .len = 5, \
	.fixes = { { 1, INLINE_FIX_BRANCH32 } }, .n_fixes = 1
#define CALL                                                                                       \
	/* call */                                                                                 \
	.code = { 0xe8, WORD(TO(TEXT_CALLEE, 5)) }, .len = 5, .fixes = { { 1, INLINE_FIX_CALL } }, \
	.n_fixes = 1
#define MOV_CALL                                                                \
	/* inc %rcx; call */                                                    \
	.code = { 0x48, 0xff, 0xc1, 0xe8, WORD(TO(TEXT_CALLEE, 8)) }, .len = 8, \
	.fixes = { { 4, INLINE_FIX_CALL } }, .n_fixes = 1
#define RIP_LOAD                                                        \
	/* mov data(%rip),%rcx */                                       \
	.code = { 0x48, 0x8b, 0x0d, WORD(TO(TEXT_DATA, 7)) }, .len = 7, \
	.fixes = { { 3, INLINE_FIX_MEMORY } }, .n_fixes = 1
#define RIP_ADD                                                      \
	/* addl $5,data(%rip) */                                     \
	.code = { 0x83, 0x05, WORD(TO(TEXT_DATA, 7)), 5 }, .len = 7, \
	.fixes = { { 2, INLINE_FIX_MEMORY } }, .n_fixes = 1
#define SHORT                \
	/* add $0x10,%rsp */ \
	.code = { 0x48, 0x83, 0xc4, 0x10 }, .len = 4
/* ret, and padding */
#define RET .code = { 0xc3, 0xcc, 0xcc, 0xcc, 0xcc }, .len = 5, .returns = true

const struct world_case world_cases[] = {
	{ "entry", SUB_STORE, .entry = true, .tells = true },
	{ "entry, drop", SUB_STORE, .entry = true, .drop = true, .tells = true },
	{ "exit", ADD_POP, .tells = true },
	{ "exit, drop", ADD_POP, .drop = true, .tells = true },
	{ "exit, flags read", SETG_ADD, .late = true },
	{ "exit, result read, drop", RDX_ADD, .late = true, .drop = true, .tells = true },
	{ "entry, late", RDX_ADD, .late = true, .entry = true, .tells = true },
	{ "loads", LOADS, .entry = true },
	{ "loads, nil", LOADS, .entry = true, .rdi = NIL },
	{ "loads, the second faults", LOADS, .entry = true, .rdi = EDGE },
	{ "loads before the record, the second faults", LOADS, .late = true, .rdi = EDGE },
	{ "relative operand", RIP_LOAD },
	{ "relative operand and immediate", RIP_ADD, .entry = true },
	{ "call", CALL, .entry = true },
	{ "call after an instruction", MOV_CALL, .entry = true, .tells = true },
	{ "call after an instruction, drop", MOV_CALL, .entry = true, .drop = true, .tells = true },
	{ "leaf, taken", JE8, .entry = true, .rax = 0x20 },
	{ "leaf, not taken", JE8, .entry = true, .rax = 0x30 },
	{ "leaf, long, taken", JE32, .entry = true, .rax = 0x20 },
	{ "leaf, long, not taken", JE32, .entry = true, .rax = 0x30 },
	{ "leaf, second of two taken, drop", TWO, .entry = true, .rax = 0x10, .drop = true,
	  .tells = true },
	{ "leaf, none of two taken, drop", TWO, .entry = true, .rax = 0x30, .drop = true,
	  .tells = true },
	{ "leaf, compares in the window", CMP_JE, .entry = true, .rax = 0x20 },
	{ "a loop begins", INC_JMP, .entry = true, .tells = true },
	{ "a loop begins, far, drop", JMP32, .entry = true, .drop = true },
	{ "short", SHORT, .padding = 2, .tells = true },
	{ "short, rex", SHORT, .padding = 3, .tells = true },
	{ "ret", RET, .tells = true },
	{ "ret, drop", RET, .drop = true, .tells = true },
	{ "branch to a ret", .late = true, .branch = 2, .tells = true },
	{ "branch to a ret, drop", .late = true, .branch = 2, .drop = true, .tells = true },
	{ "jump to a ret", .late = true, .branch = 5, .tells = true },
	{ "long branch to a ret", .late = true, .branch = 6, .tells = true },
	{ "a state at an entry", SUB_STORE, .entry = true, .tells = true, .what = INLINE_STATE,
	  .depth = 0x1a03 },
	{ "a state at a return, drop", ADD_POP, .drop = true, .tells = true, .what = INLINE_STATE,
	  .depth = 1 },
	{ "status, a system call begins", SUB_STORE, .entry = true, .tells = true,
	  .what = INLINE_STATUS, .from = 2, .to = 3, .depth = 4 },
	{ "status, a wait", SUB_STORE, .entry = true, .tells = true, .what = INLINE_STATUS,
	  .on_g0 = true, .from = 2, .to = 4, .depth = 0x6a03 },
	{ "status, a wake", SUB_STORE, .entry = true, .tells = true, .what = INLINE_STATUS,
	  .on_g0 = true, .from = 4, .to = 1, .depth = WORLD_GOID },
	{ "status, it runs, drop", SUB_STORE, .entry = true, .drop = true, .tells = true,
	  .what = INLINE_STATUS, .on_g0 = true, .from = 1, .to = 2, .depth = 1 },
	{ "status, a wake, drop", SUB_STORE, .entry = true, .drop = true, .tells = true,
	  .what = INLINE_STATUS, .on_g0 = true, .from = 4, .to = 1, .depth = WORLD_GOID },
	{ "a goroutine ends", SUB_STORE, .entry = true, .tells = true, .what = INLINE_END,
	  .on_g0 = true },
	{ "a goroutine ends, drop", SUB_STORE, .entry = true, .drop = true, .tells = true,
	  .what = INLINE_END, .on_g0 = true },
	{ "a goroutine is made", ADD_POP, .tells = true, .what = INLINE_CREATE, .on_g0 = true },
	{ "a goroutine is made, drop", ADD_POP, .drop = true, .tells = true, .what = INLINE_CREATE,
	  .on_g0 = true },
	{ "a prologue stops", SUB_STORE, .entry = true, .tells = true, .what = INLINE_STOP,
	  .on_g0 = true, .depth = WORLD_STOPPED_USED + 8 },
	{ "a stack grows, drop", SUB_STORE, .entry = true, .drop = true, .tells = true,
	  .what = INLINE_GROWTH, .on_g0 = true },
	{ "bare", SUB_STORE, .bare = true, .tells = true },
	{ "bare, call after an instruction", MOV_CALL, .bare = true, .tells = true },
	{ "bare, branches", TWO, .bare = true, .rax = 0x10 },
	{ "bare, ends in a jump", INC_JMP, .bare = true, .tells = true },
	{ "bare, relative operand and immediate", RIP_ADD, .bare = true },
	{ "bare, the second load faults", LOADS, .bare = true, .rdi = EDGE },
};
const unsigned n_world_cases = sizeof(world_cases) / sizeof(*world_cases);
