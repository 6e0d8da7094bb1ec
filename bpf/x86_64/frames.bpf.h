/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A frame's caller on x86-64, by each of the ways that the walk knows. Included by step.bpf.h,
 * which defines what is used here. A call pushes the return address; Go and C keep rbp below it.
 */
#ifndef GOTRACE_FRAMES_BPF_H
#define GOTRACE_FRAMES_BPF_H

/*
 * The caller by the rows. If rbp is where the frame has the caller's, the frame is there. Else rbp
 * is the caller's still, or again, but where the function uses it as it likes, or has pushed it and
 * not set it yet: then the word below the return address is the caller's frame, further up.
 * 0, 1: the rows do not know, -1: unreadable.
 */
static __always_inline int step_by_rows(const struct walk_context *c, int special)
{
	struct walk *w = c->w;
	uint64_t pair[2] = { 0, 0 }, frame;
	int d = delta_at(link_off(w, w->pc) - (w->returns ? 1 : 0), w->binary.slot,
			 w->binary.n_rows);

	/* Where rsp may be another stack's, as in time.now, rbp is the frame's. */
	if (d < 0 || (d >= 8 && special == SAMPLE_AT_SWITCH))
		return 1;
	frame = w->sp + d;
	if (d < 8) {
		if (read_word(c, frame, &pair[1]))
			return -1;
	} else {
		if (read_user(c, pair, sizeof(pair), frame - 8))
			return -1;
		if (w->bp == frame - 8 || (pair[0] > frame && pair[0] - frame < 1 << 30) ||
		    (!pair[0] && w->bp <= frame))
			w->bp = pair[0];
	}
	w->pc = pair[1];
	w->sp = frame + 8;
	return 0;
}

/* 0, or 1 when the chain has ended as it should, -1: unreadable, or it would lead back; with
 * from_go also where it would lead out of Go's code, from which such a function is not called. */
static __always_inline int step_by_frame(const struct walk_context *c, int special, int from_go)
{
	struct walk *w = c->w;
	uint64_t pair[2] = { 0, 0 };

	if (!w->bp)
		return 1;
	if (read_user(c, pair, sizeof(pair), w->bp))
		return -1;
	if (pair[0] == w->bp || (from_go && !in_go(w, pair[1] - 1)))
		return -1;
	/* A stack grows downwards. It is left for another one here once, outside of callbacks. */
	if (w->bp < w->sp) {
		if (w->switched || (special != SAMPLE_AT_SWITCH && special != SAMPLE_AT_MORESTACK))
			return -1;
		w->switched = 1;
	}
	w->sp = w->bp + 16;
	w->bp = pair[0];
	w->pc = pair[1];
	return 0;
}

/* The registers that a signal's frame has saved, from its ucontext on: gregs 10 is rbp, 15 rsp, 16
 * rip (sys/ucontext.h). 0 or -1. */
static __always_inline int go_on_interrupted(const struct walk_context *c, uint64_t ucontext)
{
	struct walk *w = c->w;
	uint64_t registers = ucontext + 40; /* uc_mcontext */

	if (read_word(c, registers + 10 * 8, &w->bp) || read_word(c, registers + 15 * 8, &w->sp) ||
	    read_word(c, registers + 16 * 8, &w->pc))
		return -1;
	w->returns = 0;
	w->by_rows = 1;
	return 0;
}

/*
 * A signal's handler was called by runtime.sigtramp, which the kernel put on top of a struct
 * rt_sigframe (arch/x86/include/asm/sigframe.h): return address, then ucontext with the registers
 * of what was interrupted. 0 or -1.
 */
static __always_inline int step_by_signal(const struct walk_context *c)
{
	struct walk *w = c->w;
	int d = delta_at(link_off(w, w->pc), w->binary.slot, w->binary.n_rows);

	w->record.flags |= SAMPLE_SIGNAL;
	return d < 0 ? -1 : go_on_interrupted(c, w->sp + d + 8);
}

/* The caller by .eh_frame. 0, 1: it does not know, 2: it has none, 3: it was interrupted by a
 * signal, -1: unreadable. */
static __always_inline int step_by_native(const struct walk_context *c)
{
	struct walk *w = c->w;
	uint32_t row = native_at(w->pc - (w->returns ? 1 : 0)), rule = row >> 24;
	int64_t rbp = (signed char)(row >> 16);
	uint64_t cfa = 8 * (int64_t)(short)row;

	if (rule == NATIVE_RSP)
		cfa += w->sp;
	else if (rule == NATIVE_RBP)
		cfa += w->bp;
	else if (rule == NATIVE_PLT)
		cfa = w->sp + 8 + ((w->pc & 15) >= 11 ? 8 : 0);
	else if (rule == NATIVE_SIGNAL)
		return go_on_interrupted(c, w->sp) ? -1 : 3;
	else
		return rule == NATIVE_END ? 2 : 1;
	if (cfa <= w->sp) /* a stack grows downwards: it would not end */
		return -1;
	if (read_word(c, cfa - 8, &w->pc) || (rbp && read_word(c, cfa + 8 * rbp, &w->bp)))
		return -1;
	w->sp = cfa;
	w->foreign = 0; /* a table says so: the frames up to here are no guess */
	return 0;
}

#endif
