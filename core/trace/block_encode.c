// SPDX-License-Identifier: BSD-2-Clause
#include <stdlib.h>

#include "base/varint.h"
#include "trace/block.h"

/* Most bytes that one event puts into each column. */
static const size_t col_bytes[N_COLS] = {
	[COL_CODES] = 5 + 3 + 3, [COL_TIDS] = 5,  [COL_TS_LO] = 1, [COL_TS_HI] = 1, [COL_TS_X] = 10,
	[COL_WHO] = 3,           [COL_GOID] = 10, [COL_CODE] = 3,  [COL_DEPTH] = 5, [COL_ARGS] = 40,
};

/* Open hashing from a value to its index in a dictionary. Slots of another
 * round are free: nothing is cleared between blocks, which is why this is not
 * base/hash_index. */
#define MAP_SLOTS (2 * BLOCK_EVENTS)
struct slot {
	uint64_t key;
	uint32_t round, index;
};

struct block_encoder {
	uint32_t round;
	struct slot codes_map[MAP_SLOTS], tids_map[MAP_SLOTS];
	struct block_code codes[BLOCK_EVENTS];
	struct block_thread threads[BLOCK_EVENTS];
	uint32_t n_codes, n_threads;
	struct block_guess guess;
	uint8_t head[BLOCK_HEAD_BYTES];
	uint8_t *start[N_COLS], *at[N_COLS];
	struct block_piece pieces[N_COLS + 1];
};

struct block_encoder *block_encoder_new(void)
{
	struct block_encoder *e = calloc(1, sizeof(*e));

	if (!e)
		return NULL;
	for (int c = 0; c < N_COLS; c++) {
		e->start[c] = malloc(col_bytes[c] * BLOCK_EVENTS);
		if (!e->start[c]) {
			block_encoder_free(e);
			return NULL;
		}
	}
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

static uint32_t code_of(struct block_encoder *e, const struct event *ev)
{
	uint64_t key = (uint64_t)ev->site << 32 | (uint32_t)ev->kind << 16 | ev->flags;
	struct slot *s = find(e->codes_map, e->round, key);

	if (s->round == e->round)
		return s->index;
	*s = (struct slot){ .key = key, .round = e->round, .index = e->n_codes++ };

	struct block_code *c = &e->codes[s->index];
	*c = (struct block_code){ .site = ev->site, .kind = ev->kind, .flags = ev->flags };
	c->has_args = event_kind_has_args(ev->kind);
	uint8_t *p = varint_put(e->at[COL_CODES], c->site);
	p = varint_put(p, (uint64_t)c->kind << 1 | c->has_args);
	e->at[COL_CODES] = varint_put(p, c->flags);
	return s->index;
}

static uint32_t thread_of(struct block_encoder *e, uint32_t tid)
{
	struct slot *s = find(e->tids_map, e->round, tid);

	if (s->round == e->round)
		return s->index;
	*s = (struct slot){ .key = tid, .round = e->round, .index = e->n_threads++ };
	e->threads[s->index] = (struct block_thread){ .tid = tid };
	e->at[COL_TIDS] = varint_put(e->at[COL_TIDS], tid);
	return s->index;
}

static void put_ts(struct block_encoder *e, uint64_t delta)
{
	if (delta < TS_ESCAPE) {
		*e->at[COL_TS_LO]++ = (uint8_t)delta;
		*e->at[COL_TS_HI]++ = (uint8_t)(delta >> 8);
		return;
	}
	*e->at[COL_TS_LO]++ = 0xff;
	*e->at[COL_TS_HI]++ = 0xff;
	e->at[COL_TS_X] = varint_put(e->at[COL_TS_X], zigzag((int64_t)delta));
}

/* Code and depth of an event, each as the difference from what was guessed. */
static void put_code(struct block_encoder *e, struct block_thread *t, const struct event *ev,
		     uint32_t code, bool switched)
{
	uint32_t guess = guess_slot(t->before_last, t->last), step, base;

	e->at[COL_CODE] = varint_put(e->at[COL_CODE],
				     e->guess.code[guess] == code ? 0 : (uint64_t)code + 1);
	e->guess.code[guess] = (uint16_t)code;

	if (switched) {
		base = e->codes[code].depth;
	} else {
		step = guess_slot(code, t->last);
		base = t->depth + e->guess.step[step];
		e->guess.step[step] = ev->depth - t->depth;
	}
	e->at[COL_DEPTH] = varint_put(e->at[COL_DEPTH], zigzag((int32_t)(ev->depth - base)));
	e->codes[code].depth = ev->depth;
	t->depth = ev->depth;
	t->before_last = t->last;
	t->last = (uint16_t)code;
}

static void put_head(struct block_encoder *e, uint64_t first_ns, uint32_t n_args)
{
	uint8_t *p = put_u64(e->head, first_ns);

	p = put_u32(p, e->n_codes);
	p = put_u32(p, e->n_threads);
	p = put_u32(p, n_args);
	p = put_u32(p, 0);
	e->pieces[0] = (struct block_piece){ e->head, BLOCK_HEAD_BYTES };
	for (int c = 0; c < N_COLS; c++) {
		size_t n = (size_t)(e->at[c] - e->start[c]);
		p = put_u32(p, (uint32_t)n);
		e->pieces[c + 1] = (struct block_piece){ e->start[c], n };
	}
}

static void begin(struct block_encoder *e)
{
	if (++e->round == 0) { /* after 2^32 blocks slots of round 0 would look new and be old */
		memset(e->codes_map, 0, sizeof(e->codes_map));
		memset(e->tids_map, 0, sizeof(e->tids_map));
		e->round = 1;
	}
	e->n_codes = e->n_threads = 0;
	memset(&e->guess, 0, sizeof(e->guess));
	for (int c = 0; c < N_COLS; c++)
		e->at[c] = e->start[c];
}

const struct block_piece *block_encode(struct block_encoder *e, const struct event *ev, size_t n,
				       const uint64_t (*args)[4])
{
	const uint64_t first_ns = ev[0].ts_ns;
	uint64_t ts = first_ns, goid = 0, last_args[4] = { 0 };
	uint32_t n_args = 0, thread = 0;

	begin(e);
	for (const struct event *first = ev; ev < first + n; ev++) {
		if (!e->n_threads || ev->tid != e->threads[thread].tid)
			thread = thread_of(e, ev->tid);
		struct block_thread *t = &e->threads[thread];
		uint32_t code = code_of(e, ev);
		bool switched = ev->goid != t->goid;

		put_ts(e, ev->ts_ns - ts);
		ts = ev->ts_ns;
		e->at[COL_WHO] = varint_put(e->at[COL_WHO], (uint64_t)thread << 1 | switched);
		if (switched) {
			e->at[COL_GOID] = varint_put(e->at[COL_GOID],
						     zigzag((int64_t)(ev->goid - goid)));
			goid = t->goid = ev->goid;
		}
		put_code(e, t, ev, code, switched);
		if (!e->codes[code].has_args)
			continue;
		for (int a = 0; a < 4; a++) {
			uint64_t delta = args[n_args][a] - last_args[a];
			e->at[COL_ARGS] = varint_put(e->at[COL_ARGS], zigzag((int64_t)delta));
			last_args[a] = args[n_args][a];
		}
		n_args++;
	}
	put_head(e, first_ns, n_args);
	return e->pieces;
}
