/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A block of events as columns (FORMAT.md, "Events"): what the encoder and the
 * decoder must do alike. Private to core/trace.
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
	COL_CODES, /* dictionary: what an event is (site, kind, flags, has arguments) */
	COL_TIDS,  /* dictionary: threads */
	COL_TS_LO, /* time since the event before, low byte */
	COL_TS_HI, /* and second byte; both 255: see the next column */
	COL_TS_X,  /* times that do not fit into two bytes or go back */
	COL_WHO,   /* thread, and whether another goroutine than last runs on it */
	COL_GOID,  /* of those */
	COL_CODE,  /* which of the dictionary */
	COL_DEPTH,
	COL_ARGS,
	N_COLS,
};

/* u64 first ts, u32 codes, u32 tids, u32 events with arguments, u32 reserved, u32 length[N_COLS] */
#define BLOCK_HEAD_BYTES (8 + 4 * 4 + 4 * N_COLS)

#define TS_ESCAPE 0xffffu

/* Which event follows which two on a thread, and how much deeper than the one
 * before it is: programs repeat themselves, so guesses are mostly right and
 * cost one zero byte. Both sides learn from each event in the same way. */
#define GUESS_BITS 12
struct block_guess {
	uint16_t code[1 << GUESS_BITS];
	uint32_t step[1 << GUESS_BITS];
};

static inline uint32_t guess_slot(uint32_t a, uint32_t b)
{
	return (a * 0x9e3779b1u ^ b * 0x85ebca6bu) >> (32 - GUESS_BITS);
}

/* What is remembered of a thread. */
struct block_thread {
	uint64_t goid;
	uint32_t tid;
	uint32_t depth;
	uint32_t last, before_last; /* codes */
	uint64_t pad;               /* a power of two: an index of it is a shift */
};

/* An entry of the dictionary. */
struct block_code {
	uint32_t site;
	uint16_t kind, flags;
	uint32_t depth; /* of its last event */
	bool has_args;
};

struct block_piece {
	const uint8_t *data;
	size_t n;
};

/* ---- encoding ---- */

/* Events the writer puts into a block: enough that the dictionary and the
 * frame cost nothing, few enough that encoder and decoder stay in the L2 cache. */
#define BLOCK_EVENTS 32768

struct block_encoder;
struct block_encoder *block_encoder_new(void); /* NULL: no memory */
void block_encoder_free(struct block_encoder *e);

/* Adds up to n events to the block, as many as it still has room for, and returns how many that
 * were: 0 when it is full. args in the order of those events that have some; NULL: none is of
 * such a kind. */
size_t block_add(struct block_encoder *e, const struct event *ev, size_t n,
		 const uint64_t (*args)[4]);
size_t block_events(const struct block_encoder *e);     /* in the block so far */
size_t block_bytes(const struct block_encoder *e);      /* that they take, uncompressed */
uint64_t block_first_ns(const struct block_encoder *e); /* time of its first event */

/* Ends the block, which must have events; the next one added begins another. The pieces, N_COLS + 1
 * of them, are the payload in order; owned by e, valid until the next call. */
const struct block_piece *block_end(struct block_encoder *e);

/* ---- decoding ---- */

struct block {
	struct event *ev;
	size_t n, cap_ev;
	/* of the events arg_at[0..n_args) */
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

/* Fills *b from a payload of n events. NULL, or what is wrong with it ("" for
 * no memory); *b then holds nothing to be used. */
const char *block_decode(struct block *b, const uint8_t *raw, size_t len, uint32_t n);
void block_free(struct block *b); /* what *b owns */

#endif
