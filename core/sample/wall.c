// SPDX-License-Identifier: BSD-2-Clause
#include "sample/wall.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sample/looks.h"
#include "sample/processes_room.h"
#include "sample/snapshot.h"
#include "attach/host/system_calls.h"
#include "sample/wall_threads.h"
#include "base/clock.h"
#include "base/log.h"
#include "attach/process_memory.h"
#include "base/vec.h"
#include "trace/keys.h"

#define SETTLE_NS 250000000ull  /* from then on a process is what it is */
#define LATE_MOST 10            /* such looks, until it is given up */
#define LOOK_NS   2000000000ull /* a process's memory has to answer all of a look */

struct wall_process {
	struct snapshot s;
	bool open, over; /* of goroutines; over: nothing more is to be had of it */
	uint32_t pid;
	uint64_t start_ns;
	uint64_t last_ns;            /* the snapshot before */
	struct pending_samples seen; /* goroutines, by place in the runtime's list */
	struct looks looks;          /* likewise */
	unsigned late;               /* looks one after the other that took too long */
	struct wall_threads threads;
	uint8_t reason_of[WAIT_REASONS_MAX]; /* number in the trace, 0: none yet */
};

int wall_flush(struct wall *w)
{
	int err = 0;

	for (size_t i = 0; i < w->n && !err; i++) {
		err = pending_samples_flush(&w->all[i].seen);
		if (!err)
			err = pending_samples_flush(&w->all[i].threads.seen);
	}
	return err;
}

uint64_t wall_samples(const struct wall *w)
{
	uint64_t n = w->written;

	for (size_t i = 0; i < w->n; i++)
		n += w->all[i].seen.written + w->all[i].threads.seen.written;
	return n;
}

static uint8_t wait_reason(struct wall *w, struct wall_process *p, uint8_t reason)
{
	char number[32];

	if (reason >= WAIT_REASONS_MAX)
		return 0;
	if (!p->reason_of[reason]) {
		const char *text = reason < p->s.reasons.n ? p->s.reasons.text[reason] : number;

		snprintf(number, sizeof(number), "reason %u", reason);
		p->reason_of[reason] = wall_reason(w, *text ? text : "no reason");
	}
	return p->reason_of[reason];
}

struct taking {
	struct wall *w;
	struct wall_process *p;
	uint64_t since_ns, now_ns; /* since_ns: after the snapshot before */
	float drawn;               /* how many goroutines each of the list stands for */
	int err;
};

/* Whether a thread that is in a system call, as Go sees it, waits there. */
static bool in_call(struct taking *t, const struct snapshot_goroutine *g, struct pending_sample *x)
{
	char name[SYSTEM_CALL_NAME];

	if (!g->tid)
		return true;
	if (!system_call_of(t->p->pid, g->tid, name))
		return false;
	x->reason = *name ? wall_reason(t->w, name) : 0;
	return true;
}

static void take(void *ctx, const struct snapshot_goroutine *g)
{
	struct taking *t = ctx;
	struct wall *w = t->w;
	const float stands_for = t->p->looks.at[g->index].stands_for * t->drawn;
	const uint64_t weight_ns = (uint64_t)((double)t->since_ns * stands_for);
	struct pending_sample now = { .goid = g->goid,
				      .weight_ns = weight_ns,
				      .stands_for = stands_for,
				      .ts_ns = t->now_ns,
				      .tid = g->tid,
				      .state = g->state ? g->state : SAMPLE_STATE_UNKNOWN };
	const struct sample_stack stack = {
		.process = t->p->seen.process, .n = g->n, .pcs = g->pcs, .flags = g->flags
	};

	now.mark = looks_mark(&t->p->looks, g->index);
	if (t->err)
		return;
	if (g->state == STATE_RUNNING || (g->state == STATE_SYSCALL && !in_call(t, g, &now))) {
		w->running_ns += weight_ns;
		return;
	}
	if (g->runtime || g->signals) {
		w->idle_ns += weight_ns;
		return;
	}
	if (g->state == STATE_WAITING)
		now.reason = wait_reason(w, t->p, g->reason);
	w->cut += !!(g->flags & STACK_CUT);
	w->unreadable += !!(g->flags & STACK_UNREADABLE);
	t->err = trace_writer_stack(w->writer, &stack, &now.stack);
	if (!t->err)
		t->err = pending_samples_hold(&t->p->seen, g->index, &now);
	if (t->err == -E2BIG || t->err == -EINVAL) { /* refused alone */
		w->torn++;
		t->err = 0;
	}
}

/* ---- a process */

static int marks(void *ctx, const uint32_t *which, size_t n, uint64_t *to)
{
	struct taking *t = ctx;

	return snapshot_marks(&t->p->s, which, n, to);
}

static double chance(void *ctx)
{
	return wall_chance(((struct taking *)ctx)->w);
}

/* Nothing more is to be had of it. */
static void end(struct wall_process *p)
{
	p->over = true;
	wall_threads_close(&p->threads);
}

static void end_of_look(struct wall *w, struct wall_process *p, int err)
{
	if (err == -ETIMEDOUT || err == -EAGAIN || err == -EPERM) {
		log_warn("process %u: its memory %s; its goroutines are not looked at from now on",
			 p->pid,
			 err == -EPERM ? "may not be read" : "does not answer (userfaultfd, FUSE)");
		w->silent += err != -EPERM;
	}
	end(p);
}

/* 0, or -errno of the trace. */
static int look_at(struct wall *w, struct wall_process *p)
{
	p->s.until_ns = clock_monotonic_ns() + LOOK_NS;
	int err = snapshot_list(&p->s);
	const uint64_t now = clock_monotonic_ns();
	struct taking t = { .w = w,
			    .p = p,
			    .since_ns = now - p->last_ns,
			    .now_ns = now,
			    .drawn = p->s.n ? (float)((double)p->s.claimed / (double)p->s.n) : 1 };
	const struct looks_source from = { marks, chance, &t };

	if (!err && pending_samples_reserve(&p->seen, p->s.n))
		return -ENOMEM;
	if (!err)
		err = looks_choose(&p->looks, p->s.n, now, &from);
	if (err == -ENOMEM)
		return err;
	if (!err)
		looks_ask(&p->looks, &from);
	if (!err)
		err = snapshot_take(&p->s, p->looks.chosen, p->looks.n_chosen, take, &t);
	if (t.err)
		return t.err;
	p->late = err == -EAGAIN ? p->late + 1 : 0;
	if (err == -EAGAIN &&
	    p->late < LATE_MOST) { /* part of it may be told of: the rest is lost */
		p->last_ns = now;
		w->torn++;
		return 0;
	}
	if (err && err != -EBADMSG)
		end_of_look(w, p, err);
	if (err)
		return 0; /* the next one stands for this one's time, too */
	wall_gap(w, now - p->last_ns);
	p->last_ns = now;
	w->snapshots++;
	w->drawn += p->looks.n_chosen;
	w->listed += p->s.claimed;
	return 0;
}

static void try_open(struct wall *w, struct wall_process *p)
{
	int err = snapshot_open(&p->s, (pid_t)p->pid, w->most_binary);

	p->open = !err;
	if (w->most_goroutines && w->most_goroutines < SNAPSHOT_MOST)
		p->s.most = w->most_goroutines;
	/* Its own threads, besides Go's, where it is a Go program. */
	if (err == -EFBIG)
		log_warn("process %u: gotrace skips its goroutines: reading its program takes more "
			 "memory than the limit",
			 p->pid);
	if (!err || err == -ENOTSUP || err == -EFBIG)
		wall_threads_open(&p->threads, w, p->pid, p->last_ns);
	if (!p->open && !p->threads.of)
		end(p);
	w->not_go += (err == -ENOTSUP || err == -EFBIG) && !p->threads.of;
}

/* 0, or -errno of the trace. */
static int look_at_threads(struct wall *w, struct wall_process *p, bool in_any_case)
{
	int err = wall_threads_look(
		&p->threads, w, processes_images(w->processes, p->pid, p->start_ns), in_any_case);

	if (err != -ESRCH)
		return err;
	/* What is known of goroutines says when a Go program has ended. */
	if (!p->open)
		end(p);
	return 0;
}

/* Whether it is looked at from now on. */
static bool is_wanted(struct wall *w, struct process *one)
{
	bool known = one->looked_at;

	for (size_t i = 0; i < w->n; i++) {
		known |= w->all[i].pid == one->pid && w->all[i].start_ns == one->start_ns;
		/* It executes another image now. */
		if (w->all[i].pid == one->pid && w->all[i].start_ns < one->start_ns)
			end(&w->all[i]);
	}
	if (known || !w->wants)
		return !known;
	if (one->ended || !w->wants(w->wants_ctx, one))
		return false;
	w->left_out += wall_processes(w) >= w->most;
	return wall_processes(w) < w->most;
}

/* Processes that have begun, or execute another image, since the last time. */
static int find_new(struct wall *w, uint64_t now_ns)
{
	const struct processes *all = w->processes;

	if (w->moved != all->moved) /* their places are others now */
		w->seen = w->left_out = 0;
	w->moved = all->moved;
	for (; w->seen < all->n; w->seen++) {
		struct process *one = &all->all[w->seen];

		if (w->wants && now_ns < one->start_ns + SETTLE_NS)
			break; /* those after it are younger still */
		if (!is_wanted(w, one))
			continue;
		if (vec_reserve(&w->all, &w->cap, w->n + 1))
			return -ENOMEM;
		w->all[w->n++] = (struct wall_process){
			.pid = one->pid,
			.start_ns = one->start_ns,
			.last_ns = w->wants ? now_ns : one->start_ns,
			.seen = { .process = TRACE_NONE, .to = w->writer },
			.threads.seen = { .process = TRACE_NONE, .to = w->writer }
		};
	}
	return 0;
}

static void close_process(struct wall_process *p)
{
	if (p->open)
		snapshot_close(&p->s);
	looks_free(&p->looks);
	pending_samples_free(&p->seen);
	pending_samples_free(&p->threads.seen);
	wall_threads_close(&p->threads);
}

static void mark(struct wall *w, const struct wall_process *p)
{
	struct process *one = process_find(w->processes, p->pid, p->start_ns);

	if (one && one->start_ns == p->start_ns)
		one->looked_at = true;
}

/* Places of those of which nothing more is to be had. 0, or -errno of the trace. */
static int leave_places(struct wall *w)
{
	size_t n = 0;
	int err = 0;

	for (size_t i = 0; i < w->n; i++) {
		struct wall_process *p = &w->all[i];

		if (!p->over) {
			w->all[n++] = *p;
			continue;
		}
		if (!err)
			err = pending_samples_flush(&p->seen);
		if (!err)
			err = pending_samples_flush(&p->threads.seen);
		w->written += p->seen.written + p->threads.seen.written;
		mark(w, p);
		close_process(p);
	}
	w->n = n;
	return err;
}

int wall_take(struct wall *w, uint64_t now_ns, bool in_any_case)
{
	int err;

	if (!w->on || (now_ns < w->next_ns && !in_any_case))
		return 0;
	w->last_ns = now_ns;
	/* at random moments, for what is in step with a clock */
	w->next_ns = now_ns + (uint64_t)((0.7 + 0.6 * wall_chance(w)) * 1e9 / w->hz);
	err = find_new(w, now_ns);
	for (size_t i = 0; i < w->n && !err; i++) {
		struct wall_process *p = &w->all[i];

		if (p->over)
			continue;
		if (p->seen.process == TRACE_NONE)
			p->seen.process = p->threads.seen.process = processes_known(w->processes,
										    p->pid, now_ns);
		if (p->seen.process == TRACE_NONE) {
			end(p); /* it is forgotten, and told of anew if it comes again */
			continue;
		}
		if (!p->open && !p->threads.of)
			try_open(w, p);
		if (p->open)
			err = look_at(w, p);
		if (!err && p->threads.of)
			err = look_at_threads(w, p, in_any_case);
	}
	const int left = leave_places(w);

	return err ? err : left;
}

/* ---- the whole */

void wall_begin(struct wall *w, struct processes *p, struct sample_bpf *bpf,
		struct trace_writer *writer, uint64_t now_ns)
{
	int err = w->on ? process_memory_begin() : 0;

	if (err)
		log_warn("gotrace cannot look at goroutines, because no child can read memory: %s",
			 strerror(-err));
	w->hz = w->hz ? w->hz : WALL_HZ;
	w->processes = p;
	w->waits.bpf = bpf;
	w->writer = writer;
	w->begin_ns = w->last_ns = now_ns;
	w->random = (now_ns ^ (uint64_t)(uintptr_t)w << 16) | 1;
}

static void forget_counts(struct wall *w, uint64_t now_ns)
{
	w->begin_ns = w->last_ns = now_ns;
	w->snapshots = w->gap_ns = w->drawn = w->listed = w->running_ns = w->idle_ns = 0;
	w->torn = w->cut = w->unreadable = w->not_go = w->silent = w->left_out = 0;
	w->written = 0;
	memset(&w->threads, 0, sizeof(w->threads));
}

/* Those that were given up, too, may be looked at again. */
static void look_anew(struct wall *w)
{
	for (size_t i = 0; i < w->processes->n; i++)
		w->processes->all[i].looked_at = false;
	w->seen = 0; /* their places are others now */
}

void wall_again(struct wall *w, struct trace_writer *next, uint64_t now_ns)
{
	size_t n = 0;

	w->writer = next;
	for (size_t i = 0; i < w->n; i++) {
		struct wall_process *p = &w->all[i];

		if (p->over) {
			close_process(p);
			continue;
		}
		pending_samples_again(&p->seen, next);
		wall_threads_again(&p->threads, w, next);
		w->all[n++] = *p;
	}
	w->n = n;
	look_anew(w);
	forget_counts(w, now_ns);
}

void wall_ask_again(struct wall *w)
{
	for (size_t i = 0; i < w->n; i++)
		close_process(&w->all[i]);
	w->n = 0;
	look_anew(w);
}

size_t wall_processes(const struct wall *w)
{
	size_t n = 0;

	for (size_t i = 0; i < w->n; i++)
		n += !w->all[i].over;
	return n;
}

void wall_free(struct wall *w)
{
	for (size_t i = 0; i < w->n; i++)
		close_process(&w->all[i]);
	thread_waits_free(&w->waits);
	for (unsigned i = 1; i <= w->n_reasons; i++)
		free(w->reason[i]);
	free(w->all);
	process_memory_end();
	*w = (struct wall){ 0 };
}
