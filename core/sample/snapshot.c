// SPDX-License-Identifier: BSD-2-Clause
#include "sample/snapshot.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sample/snapshot_walk.h"
#include "base/vec.h"
#include "bpf/event.h"
#include "trace/samples.h"

#define GOROUTINES_MAX (16u << 20)
#define LIST_PIECE     4096
#define TRIES          4 /* of one goroutine */

/* runtime2.go */
#define G_RUNNABLE  1
#define G_RUNNING   2
#define G_SYSCALL   3
#define G_WAITING   4
#define G_COPYSTACK 8
#define G_PREEMPTED 9
#define G_LEAKED    10 /* from 1.26 on */
#define G_SCAN      0x1000u

/* ---- reading */

/* Below n, by xorshift64 (Marsaglia, 2003). */
static uint64_t draw(struct snapshot *s, uint64_t n)
{
	s->random = s->random ? s->random : 0x9e3779b97f4a7c15ull ^ (uint64_t)s->pid;
	s->random ^= s->random << 13;
	s->random ^= s->random >> 7;
	s->random ^= s->random << 17;
	return s->random % n;
}

static size_t most_of(const struct snapshot *s)
{
	return s->most ? s->most : SNAPSHOT_MOST;
}

/* Those that came: each of all so far is in a full list with the same chance (reservoir sampling,
 * Vitter 1985, algorithm R). */
static void put(struct snapshot *s, const uint64_t *came, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const uint64_t at = s->n < most_of(s) ? s->n++ : draw(s, s->claimed + 1);

		if (at < most_of(s))
			s->list[at] = came[i];
		s->claimed++;
	}
}

int snapshot_list(struct snapshot *s)
{
	uint64_t slice[2], came[LIST_PIECE]; /* array, length */
	int err = snapshot_read(s, s->allgs, slice, sizeof(slice));

	if (err)
		return err;
	if (slice[1] > GOROUTINES_MAX || slice[1] < s->claimed)
		return -EBADMSG;
	if (vec_reserve(&s->list, &s->cap, slice[1] < most_of(s) ? slice[1] : most_of(s)))
		return -ENOMEM;
	while (s->claimed < slice[1] && !err) {
		const size_t left = slice[1] - s->claimed,
			     n = left < LIST_PIECE ? left : LIST_PIECE;

		err = snapshot_read(s, slice[0] + 8 * s->claimed, came, 8 * n);
		if (!err)
			put(s, came, n);
	}
	return err;
}

/* ---- one goroutine's memory */

static uint64_t word(const uint8_t *g, int32_t off)
{
	uint64_t v = 0;

	if (off >= 0)
		memcpy(&v, g + off, sizeof(v));
	return v;
}

static uint32_t status(const struct snapshot *s, const uint8_t *g)
{
	return (uint32_t)word(g, s->layout.g_atomicstatus) & ~G_SCAN;
}

static uint8_t state_of(uint32_t status)
{
	static const uint8_t states[] = {
		[G_RUNNABLE] = STATE_RUNNABLE, [G_RUNNING] = STATE_RUNNING,
		[G_SYSCALL] = STATE_SYSCALL,   [G_WAITING] = STATE_WAITING,
		[G_PREEMPTED] = STATE_WAITING, [G_LEAKED] = STATE_WAITING,
	};

	return status < sizeof(states) ? states[status] : 0;
}

/* Has it a stack that stands still? */
static bool stands(const struct snapshot *s, const uint8_t *g)
{
	const uint64_t sp = word(g, s->layout.g_sched_sp), hi = word(g, s->layout.g_stack_hi);
	uint8_t state = state_of(status(s, g));

	return state && state != STATE_RUNNING && sp && !(sp & 7) && sp < hi;
}

/* The same, of the same goroutine, as it was before? */
static bool same(const struct snapshot *s, const uint8_t *a, const uint8_t *b)
{
	const struct golayout *l = &s->layout;

	return status(s, a) == status(s, b) && word(a, l->g_goid) == word(b, l->g_goid) &&
	       word(a, l->g_sched_sp) == word(b, l->g_sched_sp) &&
	       word(a, l->g_sched_pc) == word(b, l->g_sched_pc) &&
	       word(a, l->g_stack_hi) == word(b, l->g_stack_hi);
}

static bool is_in(const struct snapshot *s, const struct snapshot_range *range, uint64_t at)
{
	return at - s->bias >= range->from && at - s->bias < range->to;
}

static bool of_runtime(const struct snapshot *s, uint64_t start)
{
	size_t low = 0, high = s->n_runtime;
	const uint64_t at = start - s->bias;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (s->runtime[mid].to <= at)
			low = mid + 1;
		else
			high = mid;
	}
	return low < s->n_runtime && s->runtime[low].from <= at;
}

static void thread_of(const struct snapshot *s, const uint8_t *g, uint32_t *tid)
{
	uint64_t m = word(g, s->layout.g_m), id;

	if (m && s->layout.m_procid >= 0 &&
	    !snapshot_read(s, m + (uint64_t)s->layout.m_procid, &id, sizeof(id)))
		*tid = (uint32_t)id;
}

/* ---- batches */

#define BATCH       64
#define STACK_BYTES 2048 /* that are read at once; the rest of a deep one as it is walked */

struct snapshot_batch {
	size_t n;
	uint32_t index[BATCH];
	struct iovec g_pieces[BATCH], stack_pieces[BATCH];
	uint8_t *before, *after; /* the gs */
	uint8_t stacks[BATCH * STACK_BYTES];
	struct stack_window window[BATCH];
	struct snapshot_goroutine told;
};

static struct snapshot_batch *new_batch(size_t g_bytes)
{
	struct snapshot_batch *b = calloc(1, sizeof(*b));

	if (!b)
		return NULL;
	b->before = malloc(2 * BATCH * g_bytes);
	if (!b->before) {
		free(b);
		return NULL;
	}
	b->after = b->before + BATCH * g_bytes;
	return b;
}

static int read_gs(struct snapshot *s, uint8_t *to)
{
	const size_t bytes = s->batch->n * s->g_bytes;
	ssize_t got = snapshot_read_pieces(s, to, s->batch->g_pieces, s->batch->n);

	return got < 0 ? (int)got : (size_t)got == bytes ? 0 : -EFAULT;
}

/* Of those that stand. What cannot be read is missing in its window. */
static int read_stacks(struct snapshot *s)
{
	struct snapshot_batch *b = s->batch;
	size_t n = 0, bytes = 0;

	for (size_t i = 0; i < b->n; i++) {
		const uint8_t *g = b->before + i * s->g_bytes;
		struct stack_window *w = &b->window[i];
		uint64_t sp = word(g, s->layout.g_sched_sp), hi = word(g, s->layout.g_stack_hi);

		*w = (struct stack_window){ .hi = hi, .from = sp };
		if (!stands(s, g))
			continue;
		w->data = b->stacks + bytes;
		w->bytes = hi - sp < STACK_BYTES ? hi - sp : STACK_BYTES;
		b->stack_pieces[n++] = (struct iovec){ (void *)(uintptr_t)sp, w->bytes };
		bytes += w->bytes;
	}
	ssize_t got = snapshot_read_pieces(s, b->stacks, b->stack_pieces, n);
	if (got < 0 && got != -EFAULT)
		return (int)got;
	for (size_t i = 0; i < b->n; i++) {
		struct stack_window *w = &b->window[i];

		if (w->data && (got < 0 || w->data + w->bytes > b->stacks + got))
			w->bytes = 0;
	}
	return 0;
}

/* What is in the batch, as it stands now. */
static int read_batch(struct snapshot *s)
{
	int err = read_gs(s, s->batch->before);

	if (!err)
		err = read_stacks(s);
	return err ? err : read_gs(s, s->batch->after);
}

/* Whether goroutine i of the batch could be understood. A stack that cannot be walked to its end
 * may be of one that woke and went on to wait at the same place, unless it is so each time. */
static bool understand(struct snapshot *s, size_t i, bool last, struct snapshot_goroutine *to)
{
	const uint8_t *g = s->batch->before + i * s->g_bytes;
	const uint32_t now = status(s, g);

	*to = (struct snapshot_goroutine){ .goid = word(g, s->layout.g_goid),
					   .index = s->batch->index[i],
					   .state = state_of(now) };
	to->runtime = of_runtime(s, word(g, s->layout.g_startpc));
	to->signals = is_in(s, &s->signals, word(g, s->layout.g_startpc));
	if (now == G_COPYSTACK || !same(s, g, s->batch->after + i * s->g_bytes))
		return false;
	if (to->state == STATE_RUNNING || !to->state)
		return true;
	if (!stands(s, g))
		return false;
	to->since_ns = word(g, s->layout.g_waitsince);
	if (to->state == STATE_WAITING)
		to->reason = (uint8_t)word(g, s->layout.g_waitreason);
	if (to->state == STATE_SYSCALL)
		thread_of(s, g, &to->tid);
	snapshot_walk(s, &s->batch->window[i], word(g, s->layout.g_sched_pc),
		      word(g, s->layout.g_startpc), to);
	return last || !(to->flags & STACK_UNREADABLE);
}

/* One that changed is looked at by itself, where less time goes by. */
static int again(struct snapshot *s, uint32_t index, snapshot_fn *tell, void *ctx)
{
	struct snapshot_batch *b = s->batch;
	bool understood = false;
	int err = 0;

	b->n = 1;
	b->index[0] = index;
	b->g_pieces[0] = (struct iovec){ (void *)(uintptr_t)s->list[index], s->g_bytes };
	for (int i = 0; i < TRIES && !understood && !err; i++) {
		err = read_batch(s);
		understood = !err && understand(s, 0, i == TRIES - 1, &b->told);
	}
	if (err)
		return err;
	if (!understood) {
		s->torn++;
		b->told.state = 0;
		b->told.n = 0;
	}
	if (!understood || b->told.state)
		tell(ctx, &b->told);
	return 0;
}

static int tell_batch(struct snapshot *s, snapshot_fn *tell, void *ctx)
{
	struct snapshot_batch *b = s->batch;
	uint32_t changed[BATCH];
	size_t n_changed = 0;
	int err = b->n ? read_batch(s) : 0;

	for (size_t i = 0; i < b->n && !err; i++) {
		if (!understand(s, i, false, &b->told))
			changed[n_changed++] = b->index[i];
		else if (b->told.state)
			tell(ctx, &b->told);
	}
	for (size_t i = 0; i < n_changed && !err; i++)
		err = again(s, changed[i], tell, ctx);
	b->n = 0;
	return err;
}

int snapshot_take(struct snapshot *s, const uint32_t *which, size_t n, snapshot_fn *tell, void *ctx)
{
	struct snapshot_batch *b = s->batch;
	int err = 0;

	if (!b)
		b = s->batch = new_batch(s->g_bytes);
	if (!b)
		return -ENOMEM;
	b->n = 0;
	for (size_t i = 0; i < n && !err; i++) {
		const uint64_t g = s->list[which[i]];

		if (!g) /* being appended */
			continue;
		b->index[b->n] = which[i];
		b->g_pieces[b->n++] = (struct iovec){ (void *)(uintptr_t)g, s->g_bytes };
		if (b->n == BATCH)
			err = tell_batch(s, tell, ctx);
	}
	return err ? err : tell_batch(s, tell, ctx);
}

void snapshot_close(struct snapshot *s)
{
	if (s->batch)
		free(s->batch->before);
	free(s->batch);
	free(s->list);
	free(s->runtime);
	gostack_free(&s->rows);
	*s = (struct snapshot){ 0 };
}
