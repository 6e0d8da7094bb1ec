/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The state of a walk and its steps from one frame to the next. Frame pointers give the callers of
 * a function whose frame is there. Some code has no frame yet, or never has one: the leaf, and each
 * instruction that a signal interrupted. For it the walk uses the pcsp rows of the binary. For code
 * that is not Go's it uses rows of .eh_frame. A walk on a system stack continues at the goroutine
 * that is waiting for it.
 */
#ifndef GOTRACE_STEP_BPF_H
#define GOTRACE_STEP_BPF_H

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include "bpf/sample.h"

/* One ring serves all CPUs, because samples are few. Its size is set when it is loaded. */
struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 20);
} ring SEC(".maps");

/* Wakes the reader at once when a quarter of the ring is full. A lower filling can wait. */
static __always_inline __u64 ring_wakeup(void)
{
	return bpf_ringbuf_query(&ring, BPF_RB_AVAIL_DATA) * 4 >
			       bpf_ringbuf_query(&ring, BPF_RB_RING_SIZE)
		       ? BPF_RB_FORCE_WAKEUP
		       : BPF_RB_NO_WAKEUP;
}

/* Rows of Go binaries by slot. Each inner map is as long as its rows (BPF_F_INNER_MAP:
 * 4a8f87e60f6d, Linux 5.10). */
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

/* The mapped images of each process, by its pid. User space chooses the processes that have an
 * entry, and sets the map's size. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1024);
	__type(key, uint32_t);
	__type(value, struct sample_images);
} images SEC(".maps");

/* The walk. It is in a map. On the BPF stack each of its values would multiply the verifier's
 * states beyond a million instructions. */
struct walk {
	uint64_t pc, sp, bp;
	uint64_t bias; /* run-time minus link-time address */
	uint64_t curg; /* the goroutine that a system stack works for */
	uint64_t g, g0;
	/* Where a goroutine continues that has called C which has called Go. 0 when there is
	 * none. */
	uint64_t outer_pc, outer_sp;
	uint64_t called_sp; /* outer_sp of the innermost one */
	uint64_t g0_sp;     /* cgocallback's rsp on the system stack, for the next one outwards */
	uint32_t go;        /* `binary` is set */
	uint32_t returns;   /* pc is a return address */
	uint32_t by_rows;   /* number of functions whose frame may not be there yet */
	uint32_t n;         /* number of addresses in record.pcs */
	uint32_t switched;  /* the walk has continued at curg */
	/* index in record.pcs since which the walk is in code that is not Go's; 0 when it is not */
	uint32_t foreign;
	uint32_t sched;  /* it ended in mcall */
	uint32_t called; /* index in record.pcs of C that has called Go; 0 for none */
	uint32_t busy;   /* a program that can be preempted is using this */
	struct sample_binary binary;
	uint64_t list, n_list; /* list of goroutines */
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

/* ---- tables. They have functions of their own, so that the verifier looks at each once. */

/* Returns the bytes from rsp up to the return address at `off` from the text's start, or -1 when
 * not known. */
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

/* Returns SAMPLE_AT_* at `off` from the text's start, or 0. */
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

/* Returns the row at an address of code that is not Go's, or 0 when there is none. */
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

/* Marks that the next frame is found by rbp, which code that is not Go's may use as it likes. The
 * reader of the stack decides by tables whether the code does. */
static __always_inline void put_guess(struct walk *w)
{
#ifdef WALK_TELLS_GUESSES
	if (w->foreign)
		put(w, SAMPLE_GUESS_PC);
#else
	(void)w;
#endif
}

/* Continues the walk where m.curg left for this system stack. Returns 1 when it cannot. */
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

/* Continues the walk from C to the goroutine's function that has called it. Returns 1 when there is
 * none. */
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

/* Handles the end of the chain of frames. Returns 0 when the walk continues on another stack, else
 * 1. */
static __always_inline int chain_ends(const struct walk_context *c, int unreadable)
{
	struct walk *w = c->w;
	uint32_t foreign = w->foreign;

	if (!go_on_outside(w) || !go_on_at_curg(c)) {
		/* In C code without frame pointers, rbp pointed at no frames. */
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

#include "frames.bpf.h"

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
		/* The called function used rbp as it likes, as assembly may. rsp is still known. */
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
