// SPDX-License-Identifier: BSD-2-Clause
#include <stdlib.h>

#include "base/varint.h"
#include "base/vec.h"
#include "trace/block.h"

/* The unread rest of a column. */
struct col {
	const uint8_t *p, *end;
};

/* Reads a number that must not be beyond max. */
static inline bool get(struct col *c, uint64_t max, uint64_t *v)
{
	const uint8_t *next = varint_get(c->p, c->end, v);

	if (__builtin_expect(!next || *v > max, 0))
		return false;
	c->p = next;
	return true;
}

static const char *get_codes(struct block *b, struct col *c, uint32_t n_codes)
{
	uint64_t site, kind, flags;

	if (vec_reserve(&b->codes, &b->cap_codes, n_codes))
		return "";
	for (uint32_t i = 0; i < n_codes; i++) {
		if (!get(c, UINT32_MAX, &site) || !get(c, 2 * UINT16_MAX + 1, &kind) ||
		    !get(c, UINT16_MAX, &flags) || kind >> 1 == 0)
			return "a bad dictionary";
		b->codes[i] = (struct block_code){
			.site = (uint32_t)site,
			.kind = (uint16_t)(kind >> 1),
			.flags = (uint16_t)flags,
			.has_args = kind & 1,
		};
		/* Of a kind added later only the file knows. */
		if (kind >> 1 <= EV_KIND_MAX &&
		    event_kind_has_args(kind >> 1) != b->codes[i].has_args)
			return "a kind with the wrong arguments";
	}
	return NULL;
}

static const char *get_tids(struct block *b, struct col *c, uint32_t n_threads)
{
	uint64_t tid;

	if (vec_reserve(&b->threads, &b->cap_threads, n_threads))
		return "";
	for (uint32_t i = 0; i < n_threads; i++) {
		if (!get(c, UINT32_MAX, &tid))
			return "a bad list of threads";
		b->threads[i] = (struct block_thread){ .tid = (uint32_t)tid };
	}
	return NULL;
}

/* All events. Columns of one byte an event have their length checked already. */
static const char *get_events(struct block *b, struct col col[N_COLS], uint64_t ts,
			      uint32_t n_codes, uint32_t n_threads)
{
	uint64_t goid = 0, v;
	size_t n_args = 0;

	for (size_t i = 0; i < b->n; i++) {
		struct event *ev = &b->ev[i];
		uint32_t delta = (uint32_t)*col[COL_TS_LO].p++ | (uint32_t)*col[COL_TS_HI].p++ << 8;
		if (__builtin_expect(delta != TS_ESCAPE, 1)) {
			ts += delta;
		} else {
			if (!get(&col[COL_TS_X], UINT64_MAX, &v))
				return "a bad time";
			ts += (uint64_t)unzigzag(v);
		}

		if (!get(&col[COL_WHO], 2 * (uint64_t)n_threads - 1, &v))
			return "an unknown thread";
		struct block_thread *t = &b->threads[v >> 1];
		bool switched = v & 1;
		if (switched) {
			if (!get(&col[COL_GOID], UINT64_MAX, &v))
				return "a bad goid";
			goid += (uint64_t)unzigzag(v);
			t->goid = goid;
		}

		uint32_t slot = guess_slot(t->before_last, t->last), code = b->guess.code[slot];
		if (!get(&col[COL_CODE], n_codes, &v))
			return "an event outside the dictionary";
		if (v)
			b->guess.code[slot] = (uint16_t)(code = (uint32_t)v - 1);
		struct block_code *c = &b->codes[code];

		if (!get(&col[COL_DEPTH], UINT32_MAX, &v))
			return "a bad depth";
		uint32_t depth = (uint32_t)unzigzag(v);
		if (switched) {
			depth += c->depth;
		} else {
			slot = guess_slot(code, t->last);
			depth += t->depth + b->guess.step[slot];
			b->guess.step[slot] = depth - t->depth;
		}
		c->depth = t->depth = depth;
		t->before_last = t->last;
		t->last = (uint16_t)code;

		*ev = (struct event){ .ts_ns = ts,
				      .goid = t->goid,
				      .site = c->site,
				      .depth = depth,
				      .tid = t->tid,
				      .kind = c->kind,
				      .flags = c->flags };
		if (__builtin_expect(c->has_args, 0)) {
			if (n_args == b->n_args)
				return "more events with arguments than announced";
			b->arg_at[n_args++] = (uint32_t)i;
		}
	}
	return n_args == b->n_args ? NULL : "fewer events with arguments than announced";
}

static const char *get_args(struct block *b, struct col *c)
{
	uint64_t last[4] = { 0 }, v;

	for (size_t i = 0; i < b->n_args; i++) {
		for (int a = 0; a < 4; a++) {
			if (!get(c, UINT64_MAX, &v))
				return "a bad argument";
			b->args[i][a] = last[a] += (uint64_t)unzigzag(v);
		}
	}
	return NULL;
}

/* Splits the payload into its columns; they must fill it. */
static const char *get_cols(struct col col[N_COLS], const uint8_t *raw, size_t len)
{
	const uint8_t *p = raw + BLOCK_HEAD_BYTES, *end = raw + len;

	for (int c = 0; c < N_COLS; c++) {
		uint32_t n = get_u32(raw + BLOCK_HEAD_BYTES - 4 * N_COLS + 4 * c);
		if (n > (size_t)(end - p))
			return "a column beyond its end";
		col[c] = (struct col){ p, p + n };
		p += n;
	}
	return p == end ? NULL : "bytes outside its columns";
}

const char *block_decode(struct block *b, const uint8_t *raw, size_t len, uint32_t n)
{
	struct col col[N_COLS];
	const char *fault;

	if (len < BLOCK_HEAD_BYTES || !n || n > BLOCK_MAX_EVENTS)
		return "a bad size";
	fault = get_cols(col, raw, len);
	if (fault)
		return fault;
	uint32_t n_codes = get_u32(raw + 8), n_threads = get_u32(raw + 12),
		 n_args = get_u32(raw + 16);
	/* Nothing is allocated that the payload could not fill. */
	if (col[COL_TS_LO].end - col[COL_TS_LO].p != n ||
	    col[COL_TS_HI].end - col[COL_TS_HI].p != n || !n_codes || n_codes > n || !n_threads ||
	    n_threads > n || n_args > n)
		return "bad counts";
	if (vec_reserve(&b->ev, &b->cap_ev, n) || vec_reserve(&b->args, &b->cap_args, n_args) ||
	    vec_reserve(&b->arg_at, &b->cap_at, n_args))
		return "";
	b->n = n;
	b->n_args = n_args;
	memset(&b->guess, 0, sizeof(b->guess));
	if ((fault = get_codes(b, &col[COL_CODES], n_codes)) ||
	    (fault = get_tids(b, &col[COL_TIDS], n_threads)) ||
	    (fault = get_events(b, col, get_u64(raw), n_codes, n_threads)) ||
	    (fault = get_args(b, &col[COL_ARGS])))
		return fault;
	for (int c = 0; c < N_COLS; c++)
		if (col[c].p != col[c].end)
			return "a column longer than its events";
	return NULL;
}

void block_free(struct block *b)
{
	free(b->ev);
	free(b->args);
	free(b->arg_at);
	free(b->threads);
	free(b->codes);
	memset(b, 0, sizeof(*b));
}
