/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Finds a frame's caller on x86-64, by each of the walk's ways. step.bpf.h includes this and
 * defines the functions used here. A call pushes the return address, and Go and C keep rbp below
 * it.
 */
#ifndef GOTRACE_FRAMES_BPF_H
#define GOTRACE_FRAMES_BPF_H

/*
 * Finds the caller by the rows. If rbp points at the saved rbp of the caller, the frame is there.
 * Otherwise rbp is still, or again, that of the caller. There are two exceptions: the function uses
 * rbp as it likes, or has pushed it and not set it yet. In both, the word below the return address
 * is the caller's frame, further up. Returns 0, 1 when the rows do not know, or -1 when unreadable.
 */
static __always_inline int step_by_rows(const struct walk_context *c, int special)
{
	struct walk *w = c->w;
	uint64_t pair[2] = { 0, 0 }, frame;
	int d = delta_at(link_off(w, w->pc) - (w->returns ? 1 : 0), w->binary.slot,
			 w->binary.n_rows);

	/* In time.now, for example, rsp may be another stack's, and rbp is the frame's. */
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

/* Steps by the frame pointer. Returns 0, or 1 when the chain has ended as it should. Returns -1
 * when the frame is unreadable, or the chain would lead back. With from_go it also returns -1 when
 * the chain would lead out of Go's code, because no other code calls such a function. */
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
	/* A stack grows downwards. A walk leaves it for another one here only once, outside of
	 * callbacks. */
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

/* Takes the registers that a signal's frame has saved, from its ucontext on. In gregs 10 is rbp, 15
 * rsp, 16 rip (sys/ucontext.h). Returns 0 or -1. */
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
 * Steps from a signal's handler to the interrupted code. runtime.sigtramp called the handler. The
 * kernel put sigtramp on top of a struct rt_sigframe (arch/x86/include/asm/sigframe.h): return
 * address, then ucontext with the registers of the interrupted code. Returns 0 or -1.
 */
static __always_inline int step_by_signal(const struct walk_context *c)
{
	struct walk *w = c->w;
	int d = delta_at(link_off(w, w->pc), w->binary.slot, w->binary.n_rows);

	w->record.flags |= SAMPLE_SIGNAL;
	return d < 0 ? -1 : go_on_interrupted(c, w->sp + d + 8);
}

/* Finds the caller by .eh_frame. Returns 0, 1 when .eh_frame does not know, 2 when there is no
 * caller, 3 when a signal interrupted the caller, or -1 when unreadable. */
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
	if (cfa <= w->sp) /* a stack grows downwards, so this walk would not end */
		return -1;
	if (read_word(c, cfa - 8, &w->pc) || (rbp && read_word(c, cfa + 8 * rbp, &w->bp)))
		return -1;
	w->sp = cfa;
	w->foreign = 0; /* by the table, the frames up to here are no guess */
	return 0;
}

#endif
