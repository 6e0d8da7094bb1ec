/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The part of the walk of a stack that passes through Go code called by C. */
#ifndef GOTRACE_CALLBACK_BPF_H
#define GOTRACE_CALLBACK_BPF_H

#include "bpf/step.bpf.h"

/* The callers of goroutines, noted at their last panic. When a panic unwinds the stack, C's frames
 * are overwritten, and the goroutine may continue in another thread. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 1024);
	__type(key, struct sample_goroutine);
	__type(value, struct sample_callers);
} callers SEC(".maps");

static __always_inline struct sample_goroutine this_goroutine(const struct walk *w)
{
	return (struct sample_goroutine){ .g = w->curg, .tgid = bpf_get_current_pid_tgid() >> 32 };
}

/* Steps from crosscall2, which has C's rbp below its return address. */
static __always_inline int step_by_crosscall(const struct walk_context *c)
{
	struct walk *w = c->w;
	uint64_t pair[2] = { 0, 0 };
	int d = delta_at(link_off(w, w->pc), w->binary.slot, w->binary.n_rows);

	if (d < 8 || read_user(c, pair, sizeof(pair), w->sp + d - 8))
		return chain_ends(c, 1);
	w->bp = pair[0];
	w->pc = pair[1];
	w->sp += d + 8;
	return 0;
}

static long put_caller(uint32_t i, const struct walk_context *c)
{
	struct sample_goroutine key = this_goroutine(c->w);
	struct sample_callers *of = bpf_map_lookup_elem(&callers, &key);

	if (!of || i >= of->n || i >= SAMPLE_CALLERS)
		return 1;
	put(c->w, of->pcs[i]);
	return 0;
}

/* Puts the callers of a callback whose C frames are gone. Returns 1 when its callers were known and
 * all are noted. */
static __always_inline int put_callers(const struct walk_context *c)
{
	struct walk *w = c->w;
	struct sample_goroutine key = this_goroutine(w);
	struct sample_callers *of = bpf_map_lookup_elem(&callers, &key);

	if (!of || of->sp != w->outer_sp) {
		put(w, SAMPLE_MISSING_PC);
		return go_on_outside(w);
	}
	w->record.flags |= of->flags;
	bpf_loop(SAMPLE_CALLERS, put_caller, (void *)c, 0);
	return 1;
}

/*
 * Steps from cgocallback, which has a frame on each of two stacks (runtime/asm_amd64.s). In the
 * frame on the goroutine's stack, the return address is the goroutine's saved pc, and its saved sp
 * follows. rbp still belongs to the other frame, on the system stack, which m.g0.sched.sp points
 * at. That frame holds the former value of m.g0.sched.sp. A panic puts that value back before it
 * ends the program (unwindm in runtime/cgocall.go). Code that then runs on the system stack
 * overwrites C's frames.
 */
static __always_inline int step_by_callback(const struct walk_context *c, int special)
{
	struct walk *w = c->w;
	int d = delta_at(link_off(w, w->pc), w->binary.slot, w->binary.n_rows);
	uint64_t next = 0, back = 0;

	/* cgocallback has not called the Go function yet, or it has returned */
	if (d < 8 || w->bp == w->sp + d - 8)
		return step_to_caller(c, special);
	if (read_word(c, w->sp + d, &w->outer_pc))
		return chain_ends(c, 1);
	w->outer_sp = w->sp + d + 8;
	w->switched = 1;
	if (!w->g0_sp && w->g0)
		read_word(c, w->g0 + w->binary.g_sched_sp, &w->g0_sp);
	if ((w->g0 && w->bp != w->g0_sp + d - 8) || read_word(c, w->bp + 8, &back) ||
	    !in_go(w, back) || special_at(link_off(w, back)) != SAMPLE_AT_CROSSCALL ||
	    read_word(c, w->bp + 8 - d, &next))
		return put_callers(c);
	if (!w->called) {
		w->called = w->n;
		w->called_sp = w->outer_sp;
	}
	w->g0_sp = next;
	w->pc = back;
	w->sp = w->bp + 16;
	w->bp = 0; /* crosscall2 does not need it */
	w->by_rows = 0;
	return 0;
}

#endif
