// SPDX-License-Identifier: BSD-2-Clause
#include "sample/wall_threads.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "attach/host/system_calls.h"
#include "sample/wall_state.h"
#include "base/clock.h"
#include "base/vec.h"

/* Threads that have ended are forgotten, once there are so many more than live. */
#define FORGOTTEN 1024
/* Of a processor's time, looking at a process takes one part of so many at most: with 10,000
 * threads it is looked at less often. */
#define PART 20

/* Nothing of what was told before is of use any more. */
static void begin_anew(struct wall_threads *t, struct wall *w)
{
	t->generation = ++w->waits.generation; /* the kernel's is 0 */
}

bool wall_threads_open(struct wall_threads *t, struct wall *w, uint32_t pid, uint64_t since_ns)
{
	t->pid = pid;
	t->last_ns = since_ns;
	begin_anew(t, w);
	t->of = w->waits.bpf->waits ? thread_waits_open(&w->waits, pid) : NULL;
	return t->of;
}

/* A thread's number in `seen`; HASH_NONE: no memory. */
static uint32_t number_of(struct wall_threads *t, uint32_t tid)
{
	const uint32_t hash = hash_u64(tid);
	size_t at;

	for (uint32_t i = hash_index_first(&t->by_tid, hash, &at); i != HASH_NONE;
	     i = hash_index_next(&t->by_tid, hash, &at))
		if (t->seen.at[i].tid == tid)
			return i;
	if (pending_samples_reserve(&t->seen, t->n + 1) ||
	    vec_reserve(&t->delays, &t->cap_delays, t->n + 1) ||
	    hash_index_put(&t->by_tid, hash, t->n))
		return HASH_NONE;
	t->seen.at[t->n].tid = tid;
	t->delays[t->n] = (struct thread_delay){ .known_ns = WAITS_NO_DELAY };
	return t->n++;
}

static int forget(struct wall_threads *t, struct wall *w)
{
	if (t->n <= 4 * t->listed + FORGOTTEN)
		return 0;
	int err = pending_samples_flush(&t->seen);

	memset(t->seen.at, 0, t->n * sizeof(*t->seen.at));
	hash_index_free(&t->by_tid);
	t->n = 0;
	begin_anew(t, w);
	return err;
}

/* What it does, as traces have it. */
static void name_state(struct wall *w, const struct waits_thread *t, struct pending_sample *to)
{
	char name[SYSTEM_CALL_NAME];

	if (t->flags & WAITS_CHANGING) {
		to->state = SAMPLE_STATE_UNKNOWN;
	} else if (t->state == WAITS_READY) {
		to->state = STATE_RUNNABLE;
	} else if (t->state != WAITS_STOP && t->call >= 0) {
		to->state = STATE_SYSCALL;
		if (t->compat)
			snprintf(name, sizeof(name), "32-bit call %d", t->call);
		else
			system_call_name(t->call, name);
		to->reason = wall_reason(w, name);
	} else {
		to->state = STATE_WAITING;
		to->reason = wall_reason(w, t->state == WAITS_STOP    ? "stopped"
					    : t->state == WAITS_BLOCK ? "page fault"
								      : "trap");
	}
}

/*
 * How much of the time that a snapshot stands for the thread was runnable, when it is seen so: no
 * more than it had no processor by the kernel's account. Threads that are woken all the time are
 * about to run, or make room for gotrace, when it looks, more often than at other times. Of the
 * first snapshot's threads nobody knows when they had what they had.
 */
static uint64_t runnable_ns(struct thread_delay *d, const struct waits_thread *x,
			    uint64_t weight_ns, bool first)
{
	if (x->delay_ns == WAITS_NO_DELAY)
		return weight_ns;
	if (d->known_ns == WAITS_NO_DELAY)
		d->known_ns = first || x->delay_ns > weight_ns ? x->delay_ns : 0;
	else if (x->delay_ns + weight_ns < d->known_ns) /* the number is another thread's now */
		*d = (struct thread_delay){ 0 };
	/* It may be a little less than before: what it queues for is an estimate until it runs. */
	if (x->delay_ns > d->known_ns) {
		d->owed_ns += x->delay_ns - d->known_ns;
		d->known_ns = x->delay_ns;
	}
	if (x->state != WAITS_READY || x->flags & WAITS_CHANGING)
		return 0;
	const uint64_t ns = d->owed_ns < weight_ns ? d->owed_ns : weight_ns;

	d->owed_ns -= ns;
	return ns;
}

/* 0, or -errno of the trace. */
static int take(struct wall_threads *t, struct wall *w, const struct waits_thread *x, bool first,
		struct pending_sample *now)
{
	const struct sample_stack stack = { .process = t->seen.process,
					    .n = x->n,
					    .pcs = thread_waits_pcs(x),
					    .flags = x->flags & STACK_FLAGS };
	uint32_t i = number_of(t, x->tid);
	int err = 0;

	if (i == HASH_NONE)
		return -ENOMEM;
	const uint64_t ready_ns = runnable_ns(&t->delays[i], x, now->weight_ns, first);

	/* The rest counts as running: it executes as soon as gotrace has looked. */
	if (x->state == WAITS_READY && !(x->flags & WAITS_CHANGING)) {
		w->threads.running_ns += now->weight_ns - ready_ns;
		now->weight_ns = ready_ns;
	}
	if (x->state == WAITS_RUNS) {
		w->threads.running_ns += now->weight_ns;
		return 0;
	}
	now->tid = x->tid;
	now->stack = t->seen.at[i].stack;
	name_state(w, x, now);
	w->threads.torn += !!(x->flags & WAITS_CHANGING);
	if (!(x->flags & WAITS_SAME))
		err = trace_writer_stack(w->writer, &stack, &now->stack);
	if (!err)
		err = pending_samples_hold(&t->seen, i, now);
	if (err == -E2BIG || err == -EINVAL) { /* refused alone */
		w->threads.torn++;
		begin_anew(t, w); /* it has not been told of */
		return 0;
	}
	if (err)
		return err;
	const uint32_t flags = trace_writer_tables(w->writer)->stacks[now->stack].flags;

	w->cut += !!(flags & STACK_CUT);
	w->unreadable += !!(flags & STACK_UNREADABLE);
	return 0;
}

/* Asks for as many as may be looked at of those that there are, which is known afterwards only. */
static int ask(struct wall_threads *t, struct wall *w)
{
	uint32_t every;
	int err;

	do {
		every = t->listed / WAITS_THREADS + (t->listed % WAITS_THREADS != 0);
		every = every ? every : 1;
		const struct waits_state question = {
			.pid = t->pid,
			.every = every,
			.pick = (uint32_t)(wall_chance(w) * every),
			.generation = t->generation,
		};
		err = thread_waits_ask(&w->waits, t->of, &question);
		t->listed = w->waits.listed;
		if (err || t->listed > every * WAITS_THREADS)
			begin_anew(t, w); /* what was told now is not taken */
	} while (!err && t->listed > every * WAITS_THREADS);
	return err;
}

static uint64_t cpu_ns(void)
{
	struct timespec now = { 0 };

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* What was answered. 0, or -errno of the trace. */
static int take_all(struct wall_threads *t, struct wall *w, uint64_t now)
{
	const struct waits_thread *x;
	/* The part of one that is drawn stands for a part of the threads. */
	const double each = (double)w->waits.listed / w->waits.drawn,
		     ns = (double)(now - t->last_ns) * each;
	size_t at = 0;
	const uint32_t told = w->waits.drawn - w->waits.go;
	const bool first = !t->n;
	int err = 0;

	while (!err && (x = thread_waits_next(&w->waits, &at)))
		err = take(t, w, x, first,
			   &(struct pending_sample){ .weight_ns = (uint64_t)ns,
						     .stands_for = (float)each,
						     .ts_ns = now });
	if (told)
		wall_gap(w, now - t->last_ns);
	t->last_ns = now;
	w->threads.snapshots += told > 0;
	w->threads.drawn += told;
	w->threads.listed += (uint64_t)w->waits.listed * told / w->waits.drawn;
	return err;
}

int wall_threads_look(struct wall_threads *t, struct wall *w, size_t n_images, bool in_any_case)
{
	const uint64_t now = clock_monotonic_ns(), before = cpu_ns();

	if (now < t->next_ns && !in_any_case)
		return 0;
	if (n_images != t->n_images)
		begin_anew(t, w);
	t->n_images = n_images;
	int err = forget(t, w);
	if (err)
		return err;
	if (ask(t, w))
		return 0; /* the next one stands for this one's time, too */
	if (!w->waits.listed)
		return -ESRCH;
	if (w->waits.drawn)
		err = take_all(t, w, now);
	t->next_ns = now + PART * (cpu_ns() - before);
	return err;
}

void wall_threads_again(struct wall_threads *t, struct wall *w, struct trace_writer *next)
{
	pending_samples_again(&t->seen, next);
	hash_index_free(&t->by_tid);
	t->n = 0;
	begin_anew(t, w);
}

void wall_threads_close(struct wall_threads *t)
{
	thread_waits_close(t->of);
	hash_index_free(&t->by_tid);
	free(t->delays);
	t->delays = NULL;
	t->cap_delays = 0;
	t->of = NULL;
}
