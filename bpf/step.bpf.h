/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The state of a walk and its steps from one frame to the next. Frame pointers give the callers of
 * a function whose frame is there. What has no frame yet, or never, is found by the pcsp rows of
 * the binary: the leaf, and each instruction that a signal interrupted; code that is not Go's by
 * rows of .eh_frame. System stacks go on at the goroutine that is waiting for them.
 */
#ifndef GOTRACE_STEP_BPF_H
#define GOTRACE_STEP_BPF_H

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include "bpf/sample.h"

/* One ring for all CPUs: samples are few. Its size is set when it is loaded. */
struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 20);
} ring SEC(".maps");

/* A ring that is a quarter full is to be read at once; what is in it otherwise can wait. */
static __always_inline __u64 ring_wakeup(void)
{
	return bpf_ringbuf_query(&ring, BPF_RB_AVAIL_DATA) * 4 >
			       bpf_ringbuf_query(&ring, BPF_RB_RING_SIZE)
		       ? BPF_RB_FORCE_WAKEUP
		       : BPF_RB_NO_WAKEUP;
}

/* Rows of Go binaries by slot, each as long as it has to be (BPF_F_INNER_MAP: 4a8f87e60f6d,
 * Linux 5.10). */
struct rows_of_one {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_INNER_MAP);
	__uint(max_entries, 1);
	__uint(key_size, sizeof(uint32_t));
	__uint(value_size, sizeof(struct sample_row));
};
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, SAMPLE_BINARIES + SAMPLE_NATIVES);
	__type(key, uint32_t);
	__array(values, struct rows_of_one);
} rows SEC(".maps");

/* What each process has mapped, by its pid. User space decides which of them have a place, and sets
 * how many there are. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1024);
	__type(key, uint32_t);
	__type(value, struct sample_images);
} images SEC(".maps");

/* The walk. In a map: on the BPF stack each of its values would multiply the verifier's states
 * beyond a million instructions. */
struct walk {
	uint64_t pc, sp, bp;
	uint64_t bias; /* run-time minus link-time address */
	uint64_t curg; /* the goroutine that a system stack works for */
	uint64_t g, g0;
	/* where the goroutine goes on that has called C which has called Go; 0: there is none */
	uint64_t outer_pc, outer_sp;
	uint64_t called_sp; /* outer_sp of the innermost one */
	uint64_t g0_sp;     /* of the next one outwards: cgocallback's rsp on the system stack */
	uint32_t go;        /* `binary` is set */
	uint32_t returns;   /* pc is a return address */
	uint32_t by_rows;   /* its frame may not be there; of so many functions */
	uint32_t n;         /* in record.pcs */
	uint32_t switched;  /* went on at curg */
	uint32_t foreign;   /* since then the walk is in code that is not Go's; 0: it is not */
	uint32_t sched;     /* it ended in mcall */
	uint32_t called;    /* in record.pcs: C that has called Go; 0: none */
	uint32_t busy;      /* a program that can be preempted is using this */
	struct sample_binary binary;
	uint64_t list, n_list; /* of goroutines */
	struct sample_record record;
	struct sample_label_record labels;
};
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, struct walk);
} walks SEC(".maps");

#ifdef WALK_ANOTHER
#include "bpf/window.bpf.h"
#else
struct walk_context {
	struct walk *w;
};

static __always_inline long read_user(const struct walk_context *c, void *to, uint32_t bytes,
				      uint64_t at)
{
	(void)c;
	return bpf_probe_read_user(to, bytes, (void *)at);
}
#endif

static __always_inline int read_word(const struct walk_context *c, uint64_t at, uint64_t *to)
{
	return read_user(c, to, sizeof(*to), at) != 0;
}

static __always_inline struct walk *this_walk(void)
{
	uint32_t zero = 0;

	return bpf_map_lookup_elem(&walks, &zero);
}

static __always_inline uint64_t link_off(const struct walk *w, uint64_t pc)
{
	return pc - w->bias - w->binary.text;
}

static __always_inline int in_go(const struct walk *w, uint64_t pc)
{
	return w->go && link_off(w, pc) < w->binary.etext - w->binary.text;
}

/* ---- tables. Functions of their own for the verifier, so that it looks at each once. */

/* Bytes from rsp up to the return address at `off` from the text's start; -1: not known. */
__noinline int delta_at(uint32_t off, uint32_t slot, uint32_t n_rows)
{
	uint32_t lo = 0, hi = n_rows, key = slot;
	void *of_one = bpf_map_lookup_elem(&rows, &key);
	struct sample_row *r;

	if (!of_one || !n_rows)
		return -1;
	for (int i = 0; i < 26 && hi - lo > 1; i++) {
		uint32_t mid = lo + (hi - lo) / 2;

		r = bpf_map_lookup_elem(of_one, &mid);
		if (!r)
			return -1;
		if (r->off <= off)
			lo = mid;
		else
			hi = mid;
	}
	r = bpf_map_lookup_elem(of_one, &lo);
	return r && r->off <= off ? r->delta : -1;
}

/* SAMPLE_AT_* at `off` from the text's start, or 0. */
__noinline int special_at(uint32_t off)
{
	struct walk *w = this_walk();

	if (!w || off < w->binary.specials_from || off >= w->binary.specials_to)
		return 0;
	for (int i = 0; i < SAMPLE_SPECIALS; i++)
		if (off >= w->binary.special[i].from && off < w->binary.special[i].to)
			return w->binary.special[i].what;
	return 0;
}

/* The row at an address of code that is not Go's, 0: there is none. */
__noinline int native_at(uint64_t pc)
{
	struct walk *w = this_walk();
	struct sample_images *of = w ? bpf_map_lookup_elem(&images, &w->record.pid) : 0;

	if (w && !of)
		w->record.flags |= SAMPLE_NO_IMAGES;
	if (!of)
		return 0;
	for (uint32_t i = 0; i < SAMPLE_IMAGES; i++) {
		struct sample_native *n = &of->at[i];

		if (i >= of->n)
			return 0;
		if (pc >= n->start && pc < n->end)
			return delta_at(pc - n->start + n->link, n->slot, n->n_rows);
	}
	return 0;
}

/* ---- one frame to the next */

static __always_inline void put(struct walk *w, uint64_t pc)
{
	if (w->n >= SAMPLE_FRAMES + SAMPLE_KERNEL_FRAMES)
		w->record.flags |= SAMPLE_CUT;
	else
		w->record.pcs[w->n++] = pc;
}

/* The next frame is found by rbp, which code that is not Go's may use as it likes. Whether tables
 * say that it does is decided by who reads the stack. */
static __always_inline void put_guess(struct walk *w)
{
#ifdef WALK_TELLS_GUESSES
	if (w->foreign)
		put(w, SAMPLE_GUESS_PC);
#else
	(void)w;
#endif
}

/* The walk goes on where m.curg left for this system stack. 1 when it cannot. */
static __always_inline int go_on_at_curg(const struct walk_context *c)
{
	struct walk *w = c->w;
	if (w->switched || !w->curg || w->curg == w->g)
		return 1;
	w->switched = 1;
	w->foreign = 0;
	w->record.flags |= SAMPLE_CURG;
	if (read_word(c, w->curg + w->binary.g_sched_pc, &w->pc) ||
	    read_word(c, w->curg + w->binary.g_sched_sp, &w->sp) ||
	    read_word(c, w->curg + w->binary.g_sched_bp, &w->bp) || !w->pc) {
		w->record.flags |= SAMPLE_UNREADABLE;
		return 1;
	}
	w->returns = 1;
	w->by_rows = 1;
	return 0;
}

/* From C to the goroutine's function that has called it. */
static __always_inline int go_on_outside(struct walk *w)
{
	if (!w->outer_pc)
		return 1;
	w->pc = w->outer_pc;
	w->sp = w->outer_sp;
	w->bp = w->outer_pc = 0;
	w->foreign = 0;
	w->returns = 1;
	w->by_rows = 2; /* asmcgocall's frame, and its caller's, which has rbp */
	return 0;
}

/* The chain of frames has ended. */
static __always_inline int chain_ends(const struct walk_context *c, int unreadable)
{
	struct walk *w = c->w;
	uint32_t foreign = w->foreign;

	if (!go_on_outside(w) || !go_on_at_curg(c)) {
		/* C code without frame pointers: what rbp pointed at were no frames of its. */
		if (foreign)
			w->n = foreign;
		if (foreign || unreadable)
			put(w, SAMPLE_MISSING_PC);
		return 0;
	}
	if (unreadable)
		w->record.flags |= SAMPLE_UNREADABLE;
	return 1;
}

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

static __always_inline int step_to_caller(const struct walk_context *c, int special)
{
	struct walk *w = c->w;
	int how = 1;

	if (w->by_rows && in_go(w, w->pc))
		how = step_by_rows(c, special);
	else if (!in_go(w, w->pc - (w->returns ? 1 : 0)))
		how = step_by_native(c);
	if (how == 3)
		return 0;
	if (how == 1) {
		const int from_go = !special && w->returns && !w->foreign && in_go(w, w->pc - 1);

		put_guess(w);
		how = step_by_frame(c, special, from_go);
		/* What it has called used rbp as it likes, as assembly may: rsp is still known. */
		if (how && from_go && step_by_rows(c, special) == 0)
			how = 0;
	}
	if (how || !w->pc)
		return chain_ends(c, how < 0);
	w->returns = special != SAMPLE_AT_INTERRUPT;
	w->by_rows = !w->returns ? 1 : w->by_rows > 1 ? w->by_rows - 1 : 0;
	return 0;
}

#endif
