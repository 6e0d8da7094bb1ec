/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The columns of a block of events (FORMAT.md, "Events"), for the encoder and the decoder, which
 * must agree. Private to core/trace.
 */
#ifndef GOTRACE_BLOCK_H
#define GOTRACE_BLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/event_kinds.h"
#include "bpf/event.h"
#include "trace/format.h"

/* Columns in file order, append-only within a major version. */
enum {
	COL_CODES, /* dictionary of codes: site, kind, flags, whether there are arguments */
	COL_TIDS,  /* dictionary of threads */
	COL_TS_LO, /* low byte of the time since the event before */
	COL_TS_HI, /* its second byte; both are 255 where the next column has the time */
	COL_TS_X,  /* times that do not fit into two bytes or go back */
	COL_WHO,   /* the thread, and whether its goroutine changed */
	COL_GOID,  /* goroutines of events whose thread changed its goroutine */
	COL_CODE,  /* index into the dictionary of codes */
	COL_DEPTH,
	COL_ARGS,
	N_COLS,
};

/* u64 first ts, u32 codes, u32 tids, u32 events with arguments, u32 reserved, u32 length[N_COLS] */
#define BLOCK_HEAD_BYTES (8 + 4 * 4 + 4 * N_COLS)

#define TS_ESCAPE 0xffffu

/* Guesses which event follows two others on a thread, and how much deeper it is than the one
 * before. Programs repeat themselves, so guesses are mostly right and cost one zero byte. Both
 * sides learn from each event in the same way. */
#define GUESS_BITS 12
struct block_guess {
	uint16_t code[1 << GUESS_BITS];
	uint32_t step[1 << GUESS_BITS];
};

static inline uint32_t guess_slot(uint32_t a, uint32_t b)
{
	return (a * 0x9e3779b1u ^ b * 0x85ebca6bu) >> (32 - GUESS_BITS);
}

/* The last events of a thread. */
struct block_thread {
	uint64_t goid;
	uint32_t tid;
	uint32_t depth;
	uint32_t last, before_last; /* codes */
	uint64_t pad;               /* makes the size a power of two, so that indexing is a shift */
};

/* An entry of the dictionary. */
struct block_code {
	uint32_t site;
	uint16_t kind, flags;
	uint32_t depth; /* depth of its last event */
	bool has_args;
};

struct block_piece {
	const uint8_t *data;
	size_t n;
};

/* ---- encoding ---- */

/* The number of events in a full block. It is so high that the dictionary and the frame cost
 * nothing, and so low that encoder and decoder stay in the L2 cache. */
#define BLOCK_EVENTS 32768

struct block_encoder;
struct block_encoder *block_encoder_new(void); /* NULL: no memory */
void block_encoder_free(struct block_encoder *e);

/* Adds up to n events to the block, as many as have room. Returns their number, 0 when the block is
 * full. args has the arguments of the events of kinds with arguments, in order; NULL when no event
 * is of such a kind. */
size_t block_add(struct block_encoder *e, const struct event *ev, size_t n,
		 const uint64_t (*args)[4]);
size_t block_events(const struct block_encoder *e);     /* number of events in the block */
size_t block_bytes(const struct block_encoder *e);      /* their size, uncompressed */
uint64_t block_first_ns(const struct block_encoder *e); /* time of its first event */

/* Ends the block, which must have events. The next event added begins another one. Returns the
 * payload as N_COLS + 1 pieces in order. e owns them, and they are valid until the next call. */
const struct block_piece *block_end(struct block_encoder *e);

/* ---- decoding ---- */

struct block {
	struct event *ev;
	size_t n, cap_ev;
	/* args[i] are the arguments of the event arg_at[i] */
	uint64_t (*args)[4];
	size_t cap_args;
	uint32_t *arg_at;
	size_t n_args, cap_at;
	struct block_thread *threads;
	size_t cap_threads;
	struct block_code *codes;
	size_t cap_codes;
	struct block_guess guess;
};

/* Fills *b from a payload of n events. Returns NULL, or the fault of the payload ("" for no
 * memory). After a fault *b has no usable contents. */
const char *block_decode(struct block *b, const uint8_t *raw, size_t len, uint32_t n);
void block_free(struct block *b); /* frees the memory that *b owns */

#endif
