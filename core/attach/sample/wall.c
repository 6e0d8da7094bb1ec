// SPDX-License-Identifier: BSD-2-Clause
#include "attach/sample/wall.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "attach/sample/system_calls.h"
#include "base/clock.h"
#include "base/vec.h"
#include "trace/keys.h"

#define TICK_NS (1000000000ull / WALL_HZ)

/* What was seen of a goroutine, and is not in the trace yet. */
struct seen {
	uint64_t goid, weight_ns, ts_ns;
	uint32_t stack, tid;
	uint8_t state, reason;
};

struct wall_process {
	struct snapshot s;
	bool open, over; /* over: nothing more is to be had of it */
	uint32_t pid, number;
	uint64_t last_ns;  /* the snapshot before */
	struct seen *seen; /* by place in the list of goroutines */
	size_t cap_seen;
	uint32_t *held; /* places with something to be written */
	size_t n_held, cap_held;
	uint8_t reason_of[WAIT_REASONS_MAX]; /* number in the trace, 0: none yet */
};

/* ---- what goes into the trace */

static int put(struct wall *w, const struct wall_process *p, struct seen *x)
{
	const struct sample s = { .ts_ns = x->ts_ns,
				  .goid = x->goid,
				  .weight_ns = x->weight_ns,
				  .process = p->number,
				  .tid = x->tid,
				  .stack = x->stack,
				  .state = x->state,
				  .reason = x->reason };
	int err = x->weight_ns ? trace_writer_sample(w->writer, &s) : 0;

	w->samples += x->weight_ns && !err;
	x->weight_ns = 0;
	return err;
}

int wall_flush(struct wall *w)
{
	int err = 0;

	for (size_t i = 0; i < w->n; i++) {
		struct wall_process *p = &w->all[i];

		for (size_t k = 0; k < p->n_held && !err; k++)
			err = put(w, p, &p->seen[p->held[k]]);
		p->n_held = 0;
	}
	return err;
}

/* The number of a text, 0: there are too many. */
static uint8_t number_of(struct wall *w, const char *text)
{
	for (unsigned i = 1; i <= w->n_reasons; i++)
		if (!strcmp(w->reason[i], text))
			return (uint8_t)i;
	if (w->n_reasons + 1 >= WALL_REASONS)
		return 0;
	w->reason[w->n_reasons + 1] = strdup(text);
	return w->reason[w->n_reasons + 1] ? (uint8_t)++w->n_reasons : 0;
}

static uint8_t wait_reason(struct wall *w, struct wall_process *p, uint8_t reason)
{
	char number[32];

	if (reason >= WAIT_REASONS_MAX)
		return 0;
	if (!p->reason_of[reason]) {
		const char *text = reason < p->s.reasons.n ? p->s.reasons.text[reason] : number;

		snprintf(number, sizeof(number), "reason %u", reason);
		p->reason_of[reason] = number_of(w, *text ? text : "no reason");
	}
	return p->reason_of[reason];
}

struct taking {
	struct wall *w;
	struct wall_process *p;
	uint64_t weight_ns, now_ns;
	int err;
};

static void hold(struct taking *t, const struct snapshot_goroutine *g, const struct seen *now)
{
	struct wall_process *p = t->p;
	struct seen *x = &p->seen[g->index];

	if (x->weight_ns && x->goid == now->goid && x->stack == now->stack &&
	    x->state == now->state && x->reason == now->reason && x->tid == now->tid) {
		x->weight_ns += now->weight_ns;
		x->ts_ns = now->ts_ns;
		return;
	}
	const bool is_held = x->weight_ns;
	t->err = put(t->w, p, x);
	*x = *now;
	if (is_held || t->err)
		return;
	t->err = vec_reserve(&p->held, &p->cap_held, p->n_held + 1);
	if (!t->err)
		p->held[p->n_held++] = g->index;
}

/* Whether a thread that is in a system call, as Go sees it, waits there. */
static bool in_call(struct taking *t, const struct snapshot_goroutine *g, struct seen *x)
{
	char name[SYSTEM_CALL_NAME];

	if (!g->tid)
		return true;
	if (!system_call_of(t->p->pid, g->tid, name))
		return false;
	x->reason = *name ? number_of(t->w, name) : 0;
	return true;
}

static void take(void *ctx, const struct snapshot_goroutine *g)
{
	struct taking *t = ctx;
	struct wall *w = t->w;
	struct seen now = { .goid = g->goid,
			    .weight_ns = t->weight_ns,
			    .ts_ns = t->now_ns,
			    .tid = g->tid,
			    .state = g->state ? g->state : SAMPLE_STATE_UNKNOWN };
	const struct sample_stack stack = {
		.process = t->p->number, .n = g->n, .pcs = g->pcs, .flags = g->flags
	};

	if (t->err)
		return;
	if (g->state == STATE_RUNNING || (g->state == STATE_SYSCALL && !in_call(t, g, &now))) {
		w->running_ns += t->weight_ns;
		return;
	}
	if (g->runtime) {
		w->idle_ns += t->weight_ns;
		return;
	}
	if (g->state == STATE_WAITING)
		now.reason = wait_reason(w, t->p, g->reason);
	w->cut += !!(g->flags & STACK_CUT);
	w->unreadable += !!(g->flags & STACK_UNREADABLE);
	t->err = trace_writer_stack(w->writer, &stack, &now.stack);
	if (!t->err)
		hold(t, g, &now);
	if (t->err == -E2BIG || t->err == -EINVAL) { /* refused alone */
		w->torn++;
		t->err = 0;
	}
}

/* ---- a process */

static double chance(struct wall *w)
{
	w->random ^= w->random >> 12;
	w->random ^= w->random << 25;
	w->random ^= w->random >> 27;
	return (double)(w->random * 0x2545f4914f6cdd1dull >> 11) / (double)(1ull << 53);
}

/* All, or one at random of each of as many equal parts as may be looked at. */
static size_t draw(struct wall *w, size_t of, uint32_t which[WALL_GOROUTINES])
{
	const size_t n = of < WALL_GOROUTINES ? of : WALL_GOROUTINES;

	for (size_t i = 0; i < n; i++) {
		double at = n == of ? (double)i : ((double)i + chance(w)) * (double)of / (double)n;

		which[i] = at < (double)of ? (uint32_t)at : (uint32_t)of - 1;
	}
	return n;
}

/* 0, or -errno of the trace. */
static int look_at(struct wall *w, struct wall_process *p)
{
	uint32_t which[WALL_GOROUTINES];
	int err = snapshot_list(&p->s);
	const uint64_t now = clock_monotonic_ns();
	struct taking t = { .w = w, .p = p, .now_ns = now };

	if (!err && p->s.n > p->cap_seen && vec_reserve(&p->seen, &p->cap_seen, p->s.n))
		return -ENOMEM;
	size_t n = err ? 0 : draw(w, p->s.n, which);
	if (n) {
		/* The part of one that is drawn stands for a part of the goroutines. */
		t.weight_ns = (uint64_t)((double)(now - p->last_ns) * (double)p->s.n / (double)n);
		err = snapshot_take(&p->s, which, n, take, &t);
	}
	if (t.err)
		return t.err;
	p->over = err && err != -EBADMSG;
	if (err)
		return 0; /* the next one stands for this one's time, too */
	w->gap_ns = now - p->last_ns > w->gap_ns ? now - p->last_ns : w->gap_ns;
	p->last_ns = now;
	w->snapshots++;
	w->drawn += n;
	w->listed += p->s.n;
	return 0;
}

static void try_open(struct wall *w, struct wall_process *p)
{
	int err = snapshot_open(&p->s, (pid_t)p->pid);

	p->open = !err;
	p->over = err;
	w->not_go += err == -ENOTSUP;
}

/* Processes that have begun, or execute another image, since the last time. */
static int find_new(struct wall *w)
{
	const struct processes *all = w->processes;

	for (; w->seen < all->n; w->seen++) {
		const struct process *one = &all->all[w->seen];

		for (size_t i = 0; i < w->n; i++)
			if (w->all[i].pid == one->pid)
				w->all[i].over = true;
		if (vec_reserve(&w->all, &w->cap, w->n + 1))
			return -ENOMEM;
		w->all[w->n++] = (struct wall_process){ .pid = one->pid,
							.number = TRACE_NONE,
							.last_ns = one->start_ns };
	}
	return 0;
}

int wall_take(struct wall *w, uint64_t now_ns, bool in_any_case)
{
	int err;

	if (!w->on || (now_ns < w->next_ns && !in_any_case))
		return 0;
	w->last_ns = now_ns;
	/* at random moments, for what is in step with a clock */
	w->next_ns = now_ns + (uint64_t)((0.7 + 0.6 * chance(w)) * (double)TICK_NS);
	err = find_new(w);
	for (size_t i = 0; i < w->n && !err; i++) {
		struct wall_process *p = &w->all[i];

		if (p->over)
			continue;
		if (p->number == TRACE_NONE)
			p->number = processes_known(w->processes, p->pid, now_ns);
		if (p->number == TRACE_NONE)
			continue;
		if (!p->open)
			try_open(w, p);
		if (p->open)
			err = look_at(w, p);
	}
	return err;
}

/* ---- the whole */

void wall_begin(struct wall *w, struct processes *p, struct trace_writer *writer, uint64_t now_ns)
{
	w->processes = p;
	w->writer = writer;
	w->begin_ns = w->last_ns = now_ns;
	w->random = (now_ns ^ (uint64_t)(uintptr_t)w << 16) | 1;
}

int wall_describe(const struct wall *w, struct trace_info *end)
{
	const struct {
		const char *key;
		uint64_t n;
	} counts[] = {
		{ KEY_END_SNAPSHOTS, w->snapshots },
		{ KEY_END_SNAPSHOTS_DRAWN, w->drawn },
		{ KEY_END_SNAPSHOTS_LISTED, w->listed },
		{ KEY_END_SNAPSHOTS_TORN, w->torn },
		{ KEY_END_SNAPSHOTS_RUNNING_NS, w->running_ns },
		{ KEY_END_SNAPSHOTS_IDLE_NS, w->idle_ns },
		{ KEY_END_SNAPSHOTS_NS, w->last_ns - w->begin_ns },
		{ KEY_END_SNAPSHOTS_GAP_NS, w->gap_ns },
		{ KEY_END_SNAPSHOTS_NOT_GO, w->not_go },
	};
	int err = 0;

	for (size_t i = 0; i < sizeof(counts) / sizeof(*counts) && !err; i++)
		err = trace_info_setf(end, counts[i].key, "%" PRIu64, counts[i].n);
	for (unsigned i = 1; i <= w->n_reasons && !err; i++) {
		char key[48];

		snprintf(key, sizeof(key), KEY_STATES_REASON ".%u", i);
		err = trace_info_set(end, key, w->reason[i]);
	}
	return err;
}

void wall_free(struct wall *w)
{
	for (size_t i = 0; i < w->n; i++) {
		if (w->all[i].open)
			snapshot_close(&w->all[i].s);
		free(w->all[i].seen);
		free(w->all[i].held);
	}
	for (unsigned i = 1; i <= w->n_reasons; i++)
		free(w->reason[i]);
	free(w->all);
	*w = (struct wall){ 0 };
}
