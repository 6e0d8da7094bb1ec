// SPDX-License-Identifier: BSD-2-Clause
#include "attach/target/whereabouts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/clock.h"
#include "attach/host/regs.h"
#include "attach/process_memory.h"
#include "base/vec.h"

/* What has to be read of a stack, from sp up: all frames of the handlers that may run on it. Go's
 * signal stacks have 32 KB. */
#define STACK_WORDS  8192
#define ANSWER_NS    1000000000 /* its memory has to answer all of a look */
#define NESTED_MAX   8          /* signal frames on one thread */
#define PREEMPT_NEAR 128 /* words from sp up to asyncPreempt's frame, and in it: all registers */

/* ---- what matters */

static int keep(struct whereabouts *w, uint64_t pc)
{
	if (vec_reserve(&w->at, &w->cap, w->n + 1))
		return -ENOMEM;
	w->at[w->n++] = pc;
	return 0;
}

static int note(struct whereabouts *w, const struct whereabouts_options *opt, uint64_t pc)
{
	uint64_t bit = pc - opt->text;

	if (pc - opt->stubs < opt->stubs_bytes ||
	    (bit < opt->text_bytes && (opt->inside[bit / 8] >> bit % 8 & 1)))
		return keep(w, pc);
	return 0;
}

/*
 * A goroutine that Go preempts by a signal calls runtime.asyncPreempt, as it were, which goes on to
 * asyncPreempt2. Its return address is where the goroutine will go on: one of the words of its
 * frame, `stack` from sp up.
 */
static int look_at_preempted(struct whereabouts *w, const struct whereabouts_options *opt,
			     uint64_t pc, const uint64_t *stack, size_t n)
{
	const struct code_range *in = &opt->preempt;
	size_t i = 0, end;
	int err = 0;

	if (pc - in->start >= in->bytes) /* it is further up, if it is there */
		while (i < n && i < PREEMPT_NEAR && stack[i] - in->start >= in->bytes)
			i++;
	if (i == PREEMPT_NEAR)
		return 0;
	end = i + PREEMPT_NEAR < n ? i + PREEMPT_NEAR : n;
	for (; i < end && !err; i++)
		err = note(w, opt, stack[i]);
	return err;
}

/* ---- threads */

static int look_at_stack(struct whereabouts *w, const struct whereabouts_options *opt, uint64_t pc,
			 uint64_t sp, int nested)
{
	int err = note(w, opt, pc);
	size_t n_handlers = 0; /* words of their frames */

	if (err || nested == NESTED_MAX)
		return err;
	uint64_t *stack = malloc(STACK_WORDS * 8);
	if (!stack)
		return -ENOMEM;
	sp &= ~7ull;
	/* Less, where it ends before: a stack that is not there has nothing on it. */
	const struct iovec piece = { (void *)sp, STACK_WORDS * 8 };
	ssize_t got = process_memory_read(w->pid, stack, &piece, 1, w->until_ns);
	size_t n = got > 0 ? (size_t)got / 8 : 0;
	if (got < 0 && got != -EFAULT) {
		free(stack);
		return (int)got;
	}
	err = look_at_preempted(w, opt, pc, stack, n);
	for (size_t i = 0; i < n && !err; i++) {
		uint64_t at_pc, at_sp;

		if (!host_signal_frame(stack, i, sp + 8 * i, sp, &at_pc, &at_sp))
			continue;
		err = look_at_stack(w, opt, at_pc, at_sp, nested + 1);
		n_handlers = i;
	}
	/* The hook's own: it calls the handler and keeps on the stack where the thread goes on. */
	for (size_t i = 0; i < n_handlers && !err; i++)
		if (stack[i] - opt->stubs < opt->stubs_bytes)
			err = keep(w, stack[i]);
	free(stack);
	return err;
}

static int look_at_threads(struct whereabouts *w, const struct threads *t,
			   const struct whereabouts_options *opt)
{
	int err = 0;

	for (size_t i = 0; i < t->n && !err; i++) {
		struct host_regs r;

		if (t->at[i].gone)
			continue;
		err = host_regs_get(t->at[i].tid, &r);
		if (err == -ESRCH) { /* killed */
			err = 0;
			continue;
		}
		if (!err)
			err = look_at_stack(w, opt, host_regs_pc(&r), host_regs_sp(&r), 0);
	}
	return err;
}

/* ---- goroutines */

static int by_address(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static int read_at(const struct whereabouts *w, uint64_t at, void *to, size_t n)
{
	return process_memory_read_all(w->pid, at, to, n, w->until_ns);
}

#define GOROUTINES_MAX (16u << 20)

/* Goroutines are appended to the list and never leave it: what was read before still holds. */
static int list_goroutines(struct whereabouts *w, const struct whereabouts_options *opt)
{
	uint64_t slice[2]; /* array, length */
	size_t before = w->n_goroutines;

	int err = read_at(w, opt->allgs, slice, sizeof(slice));

	if (err)
		return err;
	if (slice[1] > GOROUTINES_MAX || slice[1] < before)
		return -EBADMSG;
	if (vec_reserve(&w->goroutines, &w->cap_goroutines, slice[1] + 1))
		return -ENOMEM;
	w->n_goroutines = slice[1];
	return read_at(w, slice[0] + 8 * before, w->goroutines + before, 8 * (slice[1] - before));
}

static void begin(struct whereabouts *w, pid_t pid)
{
	w->pid = pid;
	w->until_ns = clock_monotonic_ns() + ANSWER_NS;
}

int whereabouts_prepare(struct whereabouts *w, pid_t pid, const struct whereabouts_options *opt)
{
	int err;

	begin(w, pid);
	w->n_goroutines = 0;
	err = list_goroutines(w, opt);
	if (!err)
		qsort(w->goroutines, w->n_goroutines, sizeof(uint64_t), by_address);
	return err;
}

static uint64_t word_of(const uint8_t *g, int32_t off)
{
	uint64_t v;

	memcpy(&v, g + off, sizeof(v));
	return v;
}

/* It stopped in asyncPreempt2. */
static int look_at_goroutine(struct whereabouts *w, const struct whereabouts_options *opt,
			     const uint8_t *g)
{
	const uint64_t pc = word_of(g, opt->layout->g_sched_pc),
		       sp = word_of(g, opt->layout->g_sched_sp),
		       hi = word_of(g, opt->layout->g_stack_hi);
	uint64_t stack[2 * PREEMPT_NEAR];
	size_t bytes = hi - sp < sizeof(stack) ? hi - sp : sizeof(stack);

	if (!sp || sp >= hi || sp % 8) /* it runs again */
		return 0;
	int err = read_at(w, sp, stack, bytes);

	return err ? err : look_at_preempted(w, opt, pc, stack, bytes / 8);
}

/* How much of each g is needed. */
static size_t bytes_of_g(const struct golayout *l)
{
	int32_t end = l->g_sched_sp > l->g_sched_pc ? l->g_sched_sp : l->g_sched_pc;

	return (size_t)(end > l->g_stack_hi ? end : l->g_stack_hi) + 8;
}

#define BATCH     512         /* pieces of memory read at once */
#define PIECE_GAP 1024        /* a hole that is read with its surroundings */
#define PIECE_MAX (64u << 10) /* bytes of one piece */

/* Goroutines [from, to), of which those that lie together are read together. */
struct batch {
	struct iovec pieces[BATCH];
	int n;
	size_t bytes;
};

/* Fills the batch from goroutine number `from` on and returns the number of the first left out. */
static size_t gather(struct batch *b, const struct whereabouts *w, size_t from, size_t g_bytes)
{
	size_t i = from;

	b->n = 0;
	b->bytes = 0;
	for (; i < w->n_goroutines; i++) {
		const uint64_t g = w->goroutines[i];

		if (!g) /* being appended: it has not run yet */
			continue;
		struct iovec *last = b->n ? &b->pieces[b->n - 1] : NULL;
		uint64_t start = last ? (uint64_t)last->iov_base : 0,
			 end = last ? start + last->iov_len : 0;

		if (last && g >= start && g <= end + PIECE_GAP &&
		    g + g_bytes - start <= PIECE_MAX) {
			size_t longer = g + g_bytes > end ? g + g_bytes - end : 0;

			last->iov_len += longer;
			b->bytes += longer;
			continue;
		}
		if (b->n == BATCH || b->bytes + PIECE_MAX > PROCESS_MEMORY_BYTES)
			break;
		b->pieces[b->n++] = (struct iovec){ .iov_base = (void *)g, .iov_len = g_bytes };
		b->bytes += g_bytes;
	}
	return i;
}

static bool holds(const struct iovec *piece, uint64_t g, size_t g_bytes)
{
	uint64_t start = (uint64_t)piece->iov_base;

	return g >= start && g - start + g_bytes <= piece->iov_len;
}

static int look_at_batch(struct whereabouts *w, const struct batch *b,
			 const struct whereabouts_options *opt, size_t from, size_t to)
{
	const size_t g_bytes = bytes_of_g(opt->layout);
	size_t at = 0;
	int piece = 0, err = 0;

	for (size_t i = from; i < to && !err; i++) {
		const uint64_t g = w->goroutines[i];

		if (!g)
			continue;
		while (!holds(&b->pieces[piece], g, g_bytes))
			at += b->pieces[piece++].iov_len;
		const uint8_t *bytes = w->bytes + at + (g - (uint64_t)b->pieces[piece].iov_base);
		uint64_t pc = word_of(bytes, opt->layout->g_sched_pc);
		if (pc - opt->preempt2.start < opt->preempt2.bytes)
			err = look_at_goroutine(w, opt, bytes);
	}
	return err;
}

static int look_at_goroutines(struct whereabouts *w, const struct whereabouts_options *opt)
{
	const size_t g_bytes = bytes_of_g(opt->layout);
	struct batch *b = malloc(sizeof(*b));
	int err = b ? list_goroutines(w, opt) : -ENOMEM;

	for (size_t from = 0, to; from < w->n_goroutines && !err; from = to) {
		to = gather(b, w, from, g_bytes);
		if (vec_reserve(&w->bytes, &w->cap_bytes, b->bytes)) {
			err = -ENOMEM;
			break;
		}
		ssize_t got = process_memory_read(w->pid, w->bytes, b->pieces, (size_t)b->n,
						  w->until_ns);
		err = got < 0                   ? (int)got
		      : (size_t)got != b->bytes ? -EIO
						: look_at_batch(w, b, opt, from, to);
	}
	free(b);
	return err;
}

/* ---- all */

int whereabouts_find(struct whereabouts *w, const struct threads *t,
		     const struct whereabouts_options *opt)
{
	begin(w, t->pid);
	w->n = 0;
	int err = look_at_threads(w, t, opt);

	if (!err && opt->allgs)
		err = look_at_goroutines(w, opt);
	if (!err && w->n)
		qsort(w->at, w->n, sizeof(uint64_t), by_address);
	return err;
}

bool whereabouts_between(const struct whereabouts *w, uint64_t from, uint64_t to)
{
	size_t lo = 0, hi = w->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (w->at[mid] < from)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < w->n && w->at[lo] < to;
}

void whereabouts_free(struct whereabouts *w)
{
	free(w->at);
	free(w->goroutines);
	free(w->bytes);
	*w = (struct whereabouts){ 0 };
}
