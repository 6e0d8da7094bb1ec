// SPDX-License-Identifier: BSD-2-Clause
/* What instructions of arm64 do to registers and memory. */
#include "binary/arm64/arm64_code.h"
#include "binary/arm64/arm64_insn.h"

/* A pointer that was read through faults nowhere below this offset either: it is not nil, and Go
 * leaves out nil checks up to there (minZeroPage, cmd/compile/internal/ssa/nilcheck.go). */
#define SAME_PAGE 4096

/* sys of dc and such may fault. */
static bool is_cache_operation(uint32_t w)
{
	return (w & 0xfff80000) == 0xd5080000;
}

/* Whether the base was made right before from an adrp, so it is a place the linker has laid down.
 */
static bool is_place(const struct body *y, const struct insn *in)
{
	size_t i = gocode_index_at(y, in->off);
	unsigned reg = arm64_rn(arm64_word(y, in));
	int64_t n;

	if (i && arm64_add(arm64_word(y, &y->insns[i - 1]), &n) &&
	    arm64_rd(arm64_word(y, &y->insns[i - 1])) == reg) {
		i--;
		reg = arm64_rn(arm64_word(y, &y->insns[i]));
	}
	if (!i || !arm64_adrp(arm64_word(y, &y->insns[i - 1]), &n) ||
	    arm64_rd(arm64_word(y, &y->insns[i - 1])) != reg)
		return false;
	return !gocode_targeted(y, y->insns[i].off, in->off);
}

bool arm64_may_fault(const struct body *y, const struct insn *in)
{
	const uint32_t w = arm64_word(y, in);
	const unsigned base = arm64_rn(w);
	struct arm64_access a;

	if (!arm64_access(w, &a))
		return is_cache_operation(w);
	if (a.others)
		return true;
	return base != ARM64_SP && base != ARM64_FP && base != ARM64_G && !is_place(y, in);
}

bool arm64_reads_closure(const struct body *y, const struct insn *in)
{
	const uint32_t w = arm64_word(y, in);
	struct arm64_access a;

	return arm64_access(w, &a) && !a.others && arm64_rn(w) == ARM64_CLOSURE;
}

bool arm64_writes_closure(const struct body *y, const struct insn *in)
{
	return arm64_written(arm64_word(y, in)) & 1u << ARM64_CLOSURE;
}

bool arm64_writes_result(const struct body *y, const struct insn *in)
{
	return arm64_written(arm64_word(y, in)) & 1u << ARM64_R0;
}

bool arm64_follow_sp(const struct body *y, const struct insn *in, int64_t *down_bytes)
{
	const uint32_t w = arm64_word(y, in);
	struct arm64_access a;
	int64_t n;

	if (arm64_access(w, &a)) {
		if (!a.writes_base || arm64_rn(w) != ARM64_SP)
			return true;
		*down_bytes -= a.moved_bytes;
		return !a.others;
	}
	if (!arm64_writes_sp(w))
		return true;
	if (!arm64_add(w, &n) || arm64_rn(w) != ARM64_SP)
		return false;
	*down_bytes -= n;
	return true;
}

struct memory_use arm64_memory(const struct body *y, const struct insn *in)
{
	const uint32_t w = arm64_word(y, in);
	struct memory_use m = { .faults = arm64_may_fault(y, in), .written = arm64_written(w) };
	struct arm64_access a;

	if (!arm64_access(w, &a)) {
		m.others = m.faults;
		return m;
	}
	m.others = a.others || a.offset_bytes < 0 || a.offset_bytes >= SAME_PAGE;
	if (arm64_rn(w) != ARM64_SP)
		m.bases = 1u << arm64_rn(w);
	return m;
}
