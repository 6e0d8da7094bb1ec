// SPDX-License-Identifier: BSD-2-Clause
/*
 * Events into columns, one after the other as they come: nothing is kept of an event but what it
 * put into its columns. The collector spends most of its time here, so each step avoids what costs:
 * a hash (most events are of a site and a thread met lately), a branch that depends on data.
 */
#include <endian.h>
#include <stdlib.h>

#include "base/varint.h"
#include "trace/block.h"

/* Most bytes that one event puts into each column. */
static const size_t col_bytes[N_COLS] = {
	[COL_CODES] = 5 + 3 + 3, [COL_TIDS] = 5,  [COL_TS_LO] = 1, [COL_TS_HI] = 1, [COL_TS_X] = 10,
	[COL_WHO] = 3,           [COL_GOID] = 10, [COL_CODE] = 3,  [COL_DEPTH] = 5, [COL_ARGS] = 40,
};
/* What put_short may write beyond the number itself. */
#define COL_SLACK 8

/* In the loop over events: a call would move the cursors through memory. */
#define IN_LOOP inline __attribute__((always_inline))

/* Open hashing from a value to its index in a dictionary. Slots of another
 * round are free: nothing is cleared between blocks, which is why this is not
 * base/hash_index. */
#define MAP_SLOTS (2 * BLOCK_EVENTS)
struct slot {
	uint64_t key;
	uint32_t round, index;
};

/* Looked at before the maps, by the low bits: the code that a site had last, the index of a tid. */
#define RECENT_SITES   8192
#define RECENT_THREADS 256

struct block_encoder {
	uint32_t round, n_events;
	uint64_t first_ns, last_ns, last_goid, last_args[4];
	uint32_t n_codes, n_threads, n_args;
	uint16_t recent_code[RECENT_SITES], recent_thread[RECENT_THREADS];
	struct slot codes_map[MAP_SLOTS], tids_map[MAP_SLOTS];
	struct block_code codes[BLOCK_EVENTS];
	struct block_thread threads[BLOCK_EVENTS];
	struct block_guess guess;
	uint8_t head[BLOCK_HEAD_BYTES];
	uint8_t *start[N_COLS], *at[N_COLS];
	struct block_piece pieces[N_COLS + 1];
};

/* The columns that every event writes to, kept in registers while events are added. */
struct cursor {
	uint8_t *ts_lo, *ts_hi, *who, *code, *depth;
};

static void begin(struct block_encoder *e)
{
	if (++e->round == 0) { /* after 2^32 blocks slots of round 0 would look new and be old */
		memset(e->codes_map, 0, sizeof(e->codes_map));
		memset(e->tids_map, 0, sizeof(e->tids_map));
		e->round = 1;
	}
	e->n_events = e->n_codes = e->n_threads = e->n_args = 0;
	e->last_goid = 0;
	memset(e->last_args, 0, sizeof(e->last_args));
	memset(&e->guess, 0, sizeof(e->guess));
	for (int c = 0; c < N_COLS; c++)
		e->at[c] = e->start[c];
}

struct block_encoder *block_encoder_new(void)
{
	struct block_encoder *e = calloc(1, sizeof(*e));

	if (!e)
		return NULL;
	for (int c = 0; c < N_COLS; c++) {
		e->start[c] = malloc(col_bytes[c] * BLOCK_EVENTS + COL_SLACK);
		if (!e->start[c]) {
			block_encoder_free(e);
			return NULL;
		}
	}
	begin(e);
	return e;
}

void block_encoder_free(struct block_encoder *e)
{
	if (!e)
		return;
	for (int c = 0; c < N_COLS; c++)
		free(e->start[c]);
	free(e);
}

/* The slot of a key; one of an older round when the key is new. */
static inline struct slot *find(struct slot *map, uint32_t round, uint64_t key)
{
	size_t i = key * 0x9e3779b97f4a7c15u >> 40 & (MAP_SLOTS - 1);

	while (map[i].round == round && map[i].key != key)
		i = (i + 1) & (MAP_SLOTS - 1);
	return &map[i];
}

static void new_code(struct block_encoder *e, const struct event *ev)
{
	struct block_code *c = &e->codes[e->n_codes++];

	*c = (struct block_code){ .site = ev->site, .kind = ev->kind, .flags = ev->flags };
	c->has_args = event_kind_has_args(ev->kind);
	uint8_t *p = varint_put(e->at[COL_CODES], c->site);
	p = varint_put(p, (uint64_t)c->kind << 1 | c->has_args);
	e->at[COL_CODES] = varint_put(p, c->flags);
}

static __attribute__((noinline)) uint32_t code_by_map(struct block_encoder *e,
						      const struct event *ev)
{
	uint64_t key = (uint64_t)ev->site << 32 | (uint32_t)ev->kind << 16 | ev->flags;
	struct slot *s = find(e->codes_map, e->round, key);

	if (s->round != e->round) {
		*s = (struct slot){ .key = key, .round = e->round, .index = e->n_codes };
		new_code(e, ev);
	}
	e->recent_code[ev->site % RECENT_SITES] = (uint16_t)s->index;
	return s->index;
}

static IN_LOOP uint32_t code_of(struct block_encoder *e, const struct event *ev)
{
	uint32_t code = e->recent_code[ev->site % RECENT_SITES];
	const struct block_code *c = &e->codes[code];

	if (__builtin_expect(code < e->n_codes && c->site == ev->site &&
				     !memcmp(&c->kind, &ev->kind, 4), /* and flags */
			     1))
		return code;
	return code_by_map(e, ev);
}

static __attribute__((noinline)) uint32_t thread_by_map(struct block_encoder *e, uint32_t tid)
{
	struct slot *s = find(e->tids_map, e->round, tid);

	if (s->round != e->round) {
		*s = (struct slot){ .key = tid, .round = e->round, .index = e->n_threads++ };
		e->threads[s->index] = (struct block_thread){ .tid = tid };
		e->at[COL_TIDS] = varint_put(e->at[COL_TIDS], tid);
	}
	e->recent_thread[tid % RECENT_THREADS] = (uint16_t)s->index;
	return s->index;
}

static IN_LOOP uint32_t thread_of(struct block_encoder *e, uint32_t tid)
{
	uint32_t thread = e->recent_thread[tid % RECENT_THREADS];

	if (__builtin_expect(thread < e->n_threads && e->threads[thread].tid == tid, 1))
		return thread;
	return thread_by_map(e, tid);
}

/* varint_put without a branch on whether it takes one byte or two, which is unpredictable. */
static IN_LOOP uint8_t *put_short(uint8_t *p, uint32_t v)
{
	if (__builtin_expect(v >= 1 << 14, 0))
		return varint_put(p, v);
	uint32_t more = v > 0x7f;
	/* the bits from the eighth on move up by one */
	uint16_t two = htole16((uint16_t)(v + (v & ~0x7fu) + (more << 7)));

	memcpy(p, &two, sizeof(two));
	return p + 1 + more;
}

static IN_LOOP void put_ts(struct block_encoder *e, struct cursor *at, uint64_t delta)
{
	if (__builtin_expect(delta >= TS_ESCAPE, 0)) {
		e->at[COL_TS_X] = varint_put(e->at[COL_TS_X], zigzag((int64_t)delta));
		delta = TS_ESCAPE;
	}
	*at->ts_lo++ = (uint8_t)delta;
	*at->ts_hi++ = (uint8_t)(delta >> 8);
}

/* Code and depth of an event, each as the difference from what was guessed. */
static IN_LOOP void put_code(struct block_encoder *e, struct cursor *at, struct block_thread *t,
			     uint32_t depth, uint32_t code, bool switched)
{
	uint16_t *guess = &e->guess.code[guess_slot(t->before_last, t->last)];
	uint32_t base;

	at->code = put_short(at->code, (code + 1) & -(uint32_t)(*guess != code));
	*guess = (uint16_t)code;
	if (__builtin_expect(switched, 0)) {
		base = e->codes[code].depth;
	} else {
		uint32_t *step = &e->guess.step[guess_slot(code, t->last)];

		base = t->depth + *step;
		*step = depth - t->depth;
	}
	at->depth = put_short(at->depth, (uint32_t)zigzag((int32_t)(depth - base)));
	e->codes[code].depth = depth;
	t->depth = depth;
	t->before_last = t->last;
	t->last = (uint16_t)code;
}

static void put_args(struct block_encoder *e, const uint64_t args[4])
{
	for (int a = 0; a < 4; a++) {
		uint64_t delta = args[a] - e->last_args[a];

		e->at[COL_ARGS] = varint_put(e->at[COL_ARGS], zigzag((int64_t)delta));
		e->last_args[a] = args[a];
	}
	e->n_args++;
}

static IN_LOOP void put_event(struct block_encoder *e, struct cursor *at, const struct event *ev,
			      uint32_t code)
{
	uint32_t thread = thread_of(e, ev->tid);
	struct block_thread *t = &e->threads[thread];
	bool switched = ev->goid != t->goid;

	at->who = varint_put(at->who, thread << 1 | switched);
	if (__builtin_expect(switched, 0)) {
		e->at[COL_GOID] = varint_put(e->at[COL_GOID],
					     zigzag((int64_t)(ev->goid - e->last_goid)));
		e->last_goid = t->goid = ev->goid;
	}
	put_code(e, at, t, ev->depth, code, switched);
}

/* block_add, made twice: with_args is a constant. */
static IN_LOOP void add(struct block_encoder *e, const struct event *ev, size_t n, bool with_args,
			const uint64_t (*args)[4])
{
	struct cursor at = {
		.ts_lo = e->at[COL_TS_LO],
		.ts_hi = e->at[COL_TS_HI],
		.who = e->at[COL_WHO],
		.code = e->at[COL_CODE],
		.depth = e->at[COL_DEPTH],
	};
	uint64_t last_ns = e->last_ns;

	for (const struct event *end = ev + n; ev < end; ev++) {
		uint32_t code = code_of(e, ev);

		put_ts(e, &at, ev->ts_ns - last_ns);
		last_ns = ev->ts_ns;
		put_event(e, &at, ev, code);
		if (with_args && e->codes[code].has_args)
			put_args(e, *args++);
	}
	e->last_ns = last_ns;
	e->at[COL_TS_LO] = at.ts_lo;
	e->at[COL_TS_HI] = at.ts_hi;
	e->at[COL_WHO] = at.who;
	e->at[COL_CODE] = at.code;
	e->at[COL_DEPTH] = at.depth;
}

size_t block_add(struct block_encoder *e, const struct event *ev, size_t n,
		 const uint64_t (*args)[4])
{
	if (n > BLOCK_EVENTS - e->n_events)
		n = BLOCK_EVENTS - e->n_events;
	if (!e->n_events && n)
		e->first_ns = e->last_ns = ev->ts_ns;
	if (args)
		add(e, ev, n, true, args);
	else
		add(e, ev, n, false, NULL);
	e->n_events += (uint32_t)n;
	return n;
}

size_t block_events(const struct block_encoder *e)
{
	return e->n_events;
}

size_t block_bytes(const struct block_encoder *e)
{
	size_t n = BLOCK_HEAD_BYTES;

	for (int c = 0; c < N_COLS; c++)
		n += (size_t)(e->at[c] - e->start[c]);
	return n;
}

uint64_t block_first_ns(const struct block_encoder *e)
{
	return e->first_ns;
}

const struct block_piece *block_end(struct block_encoder *e)
{
	uint8_t *p = put_u64(e->head, e->first_ns);

	p = put_u32(p, e->n_codes);
	p = put_u32(p, e->n_threads);
	p = put_u32(p, e->n_args);
	p = put_u32(p, 0);
	e->pieces[0] = (struct block_piece){ e->head, BLOCK_HEAD_BYTES };
	for (int c = 0; c < N_COLS; c++) {
		size_t n = (size_t)(e->at[c] - e->start[c]);
		p = put_u32(p, (uint32_t)n);
		e->pieces[c + 1] = (struct block_piece){ e->start[c], n };
	}
	begin(e);
	return e->pieces;
}
