// SPDX-License-Identifier: BSD-2-Clause
/* The stack check that the assembler puts first (cmd/internal/obj/arm64/obj7.go stacksplit). */
#include "binary/arm64/arm64_code.h"
#include "binary/arm64/arm64_insn.h"

#define G_STACKGUARD0 16 /* offset of g.stackguard0, all versions */
#define G_STACKGUARD1 24 /* the one that //go:systemstack functions are checked against */
#define CHECK_MAX     10 /* instructions of a check */
#define COND_LO       3
#define COND_LS       9

/* Instructions that store a function's register arguments, or load them, at most: 16 integers, 16
 * floats, and those that make a frame. */
#define SPILLED_MAX 40

static bool is_conditional(const struct body *y, size_t i, unsigned cond)
{
	const uint32_t w = arm64_word(y, &y->insns[i]);

	return (w & 0xff00001f) == (0x54000000 | cond);
}

/* Is there a call of morestack where that jump leads? */
static bool leads_to_morestack(const struct body *y, size_t jcc)
{
	for (size_t i = jcc + 1; i < y->n; i++)
		if (y->insns[i].off >= y->insns[jcc].target && y->insns[i].flow != FLOW_NEXT)
			return gocode_is_morestack_call(y, &y->insns[i]);
	return false;
}

/*
 * A check that begins with instruction `i`:
 *   ldr x16, [x28, #guard]; cmp sp, x16; b.ls
 *   ldr; sub x17, sp, #frame; cmp x17, x16; b.ls
 *   ldr; subs x17, sp, frame; b.lo; cmp x17, x16; b.ls
 * A large frame may take further instructions, by way of x27.
 */
static struct check check_at(const struct body *y, size_t i)
{
	struct check k = { .restart = y->insns[i].off };
	const uint32_t load = arm64_word(y, &y->insns[i]);
	int64_t guard;

	if (!arm64_load64(load, &guard) || arm64_rn(load) != ARM64_G || arm64_rd(load) != 16 ||
	    (guard != G_STACKGUARD0 && guard != G_STACKGUARD1))
		return k;
	for (size_t j = i + 1; j < y->n && j < i + CHECK_MAX; j++) {
		if (is_conditional(y, j, COND_LS)) {
			k.found = leads_to_morestack(y, j);
			k.user = k.found && guard == G_STACKGUARD0;
			k.jcc = j;
			return k;
		}
		if (y->insns[j].flow != FLOW_NEXT && !is_conditional(y, j, COND_LO))
			break;
	}
	return k;
}

struct check arm64_check(const struct body *y)
{
	struct check k = check_at(y, 0);
	size_t call = 0;

	if (k.found)
		return k;
	/* Built with -d=maymorestack=F, it calls F before, with its arguments stored around that.
	 */
	while (call < y->n && call <= SPILLED_MAX && y->insns[call].flow == FLOW_NEXT)
		call++;
	if (call == y->n || y->insns[call].flow != FLOW_CALL)
		return k;
	for (size_t i = call + 1; i < y->n && i <= call + 1 + SPILLED_MAX; i++) {
		struct check later = check_at(y, i);

		if (later.found)
			return later;
		if (y->insns[i].flow != FLOW_NEXT)
			break;
	}
	return k;
}

/* R28 is g in all that the compiler makes. Assembly may use it otherwise, or be called by C. */
bool arm64_g_in_register(const struct body *y, const struct check *k)
{
	(void)k;
	return !(y->f->flags & (GOFUNC_ABI0 | GOFUNC_ASM));
}
