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
