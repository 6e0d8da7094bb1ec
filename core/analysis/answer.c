// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/answer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/answer_scan.h"
#include "analysis/calls/correction.h"
#include "analysis/stat_columns.h"
#include "analysis/trace_names.h"
#include "analysis/calls/wrappers.h"
#include "base/log.h"
#include "base/text_format.h"
#include "base/units.h"
#include "trace/keys.h"

static const struct explained nothing = {
	.func = SUBJECT_NONE, .in = SUBJECT_NONE, .most = SUBJECT_NONE, .many = SUBJECT_NONE
};

static int largest_first(const void *a, const void *b)
{
	const struct answer_part *x = a, *y = b;

	return x->ns != y->ns ? (x->ns < y->ns ? 1 : -1) : (int)x->is - (int)y->is;
}

/* ---- who ended waits, and who held locks */

/* How long all functions that wait for the reason in the subject do, anywhere. */
static uint64_t waits_of(const struct scan *s, uint32_t reason)
{
	size_t n;
	const struct path_waits *w = model_waits(s->t->model, &n);
	uint64_t ns = 0;

	for (size_t i = 0; i < n; i++)
		if (w[i].reason == reason && !w[i].held &&
		    scan_waits_in(s, s->nodes[w[i].path].func, reason))
			ns += w[i].ns;
	return ns;
}

/* Adds to wakers by function, as the report by reason does: of the first part's longest reason, of
 * functions that wait for it in the subject. It is not known of all waits who ended them. */
static void find_wakers(const struct scan *s, struct explained *e)
{
	size_t n;
	const struct func_wakes *w = model_wakes(s->t->model, &n);
	uint64_t special[2] = { 0 }, via_ns[CLASSES] = { 0 };

	memset(s->by_func, 0, (s->t->n_funcs + 1) * sizeof(*s->by_func));
	for (size_t i = 0; i < n; i++) {
		if (w[i].reason != e->reason || !scan_waits_in(s, w[i].func, w[i].reason))
			continue;
		e->wakers_ns += w[i].ns;
		via_ns[wait_class_of(&s->classes, w[i].via)] += w[i].via_ns;
		if (w[i].by < s->t->n_funcs)
			s->by_func[scan_acts_for(s, w[i].by)] += w[i].ns;
		else if (w[i].by == WAKE_RUNTIME || w[i].by == WAKE_NO_CALL)
			special[w[i].by == WAKE_NO_CALL] += w[i].ns;
	}
	e->via = CLASS_OTHER;
	for (int c = CLASS_LOCK; c < CLASSES && e->wakers_ns; c++)
		if (2 * via_ns[c] >= e->wakers_ns)
			e->via = (enum wait_class)c;
	const uint64_t waits_ns = waits_of(s, e->reason);

	e->wakers_ns = waits_ns > e->wakers_ns ? waits_ns : e->wakers_ns;
	for (size_t k = 0; k < ANSWER_WAKERS; k++) {
		struct answer_waker best = { WAKE_NONE, 0 };

		for (uint32_t f = 0; f < s->t->n_funcs; f++)
			if (s->by_func[f] > best.ns)
				best = (struct answer_waker){ f, s->by_func[f] };
		for (int i = 0; i < 2; i++)
			if (special[i] > best.ns)
				best = (struct answer_waker){ i ? WAKE_NO_CALL : WAKE_RUNTIME,
							      special[i] };
		if (!best.ns)
			return;
		e->wakers[e->n_wakers++] = best;
		if (best.by < s->t->n_funcs)
			s->by_func[best.by] = 0;
		else
			special[best.by == WAKE_NO_CALL] = 0;
	}
}

static void find_holder(const struct scan *s, struct explained *e)
{
	size_t n;
	const struct hold *h = model_holds(s->t->model, &n);

	for (size_t i = 0; i < n; i++) {
		if (!scan_waits_in(s, h[i].func, h[i].reason))
			continue;
		e->held_ns += h[i].ns;
		if (h[i].ns > e->held.ns)
			e->held = h[i];
	}
}

/* Timers, the network and the collector end waits that are no goroutine's. */
static bool waits_for_others(enum wait_class is)
{
	return is == CLASS_LOCK || is == CLASS_GROUP || is == CLASS_COND || is == CLASS_CHAN;
}

/* Time of the garbage collector's goroutines (runtime/mgc.go), which have no recorded call:
 * workers, the sweeper and the scavenger. false: some goroutines began before the recording and are
 * not known. */
static bool collector_ns(const struct loaded_trace *t, uint64_t *ns)
{
	size_t n;
	static const char *const starts[] = { "runtime.gcBgMark", "runtime.gcenable",
					      "runtime.bgsweep", "runtime.bgscavenge" };
	const struct idlers *all = model_idlers(t->model, &n);
	bool known = n < IDLERS_MAX;

	*ns = 0;
	for (size_t i = 0; i < n; i++) {
		const char *start = trace_name_at(t->info, all[i].start_pc);

		known &= *start || !all[i].run_ns;
		for (size_t k = 0; k < sizeof(starts) / sizeof(starts[0]); k++)
			if (!strncmp(start, starts[k], strlen(starts[k])))
				*ns += all[i].run_ns;
	}
	return known;
}

/* Part i goes first. */
static void put_first(struct explained *e, size_t i)
{
	const struct answer_part first = e->parts[i];

	for (; i; i--)
		e->parts[i] = e->parts[i - 1];
	e->parts[0] = first;
}

/* The first part that waits for others, if it has two thirds of the largest; else 0. */
static size_t causes(const struct explained *e)
{
	for (size_t i = 0; i < CLASSES; i++)
		if (waits_for_others(e->parts[i].is))
			return 3 * e->parts[i].ns >= 2 * e->parts[0].ns ? i : 0;
	return 0;
}

static int explain_class(struct scan *s, struct explained *e)
{
	e->n_wakers = 0;
	e->wakers_ns = e->held_ns = 0;
	e->held = (struct hold){ 0 };
	e->via = CLASS_OTHER;
	int err = scan_class(s, e->parts[0].is);

	e->reason = scan_reason(s);
	e->reason_ns = e->reason <= REASON_PREEMPTED ? s->reason_ns[e->reason] : 0;
	if (err || !waits_for_others(e->parts[0].is))
		return err;
	find_wakers(s, e);
	if (e->parts[0].is == CLASS_LOCK)
		find_holder(s, e);
	return 0;
}

static bool waker_known(const struct scan *s, const struct explained *e)
{
	return e->n_wakers && e->wakers[0].by < s->t->n_funcs &&
	       2 * e->wakers[0].ns >= e->wakers_ns;
}

static void find_doubt(const struct scan *s, struct explained *e)
{
	e->doubtful = e->parts[0].is == CLASS_RUN && e->most != SUBJECT_NONE &&
		      correction_doubtful(&s->t->funcs[e->most]);
}

/* but: waits of these classes are left out, a bit each. */
static int explain(struct scan *s, uint32_t func, unsigned but, struct explained *e)
{
	*e = nothing;
	int err = scan_begin(s, func);

	for (int c = 0; c < CLASSES && !err; c++)
		if (but >> c & 1) {
			e->but_ns += s->class_ns[c];
			s->total_ns -= s->class_ns[c];
			s->class_ns[c] = 0;
		}
	if (err || !s->calls || !s->total_ns)
		return err;
	e->func = func;
	e->calls = s->calls;
	e->total_ns = s->total_ns;
	for (int c = 0; c < CLASSES; c++)
		e->parts[c] = (struct answer_part){ (enum wait_class)c, s->class_ns[c] };
	qsort(e->parts, CLASSES, sizeof(e->parts[0]), largest_first);
	const size_t cause = causes(e);

	put_first(e, cause);
	err = explain_class(s, e);
	/* A cause that is not known leads nowhere. */
	if (!err && cause && e->parts[0].is != CLASS_LOCK && !waker_known(s, e)) {
		qsort(e->parts, CLASSES, sizeof(e->parts[0]), largest_first);
		err = explain_class(s, e);
	}
	if (!err)
		scan_place(s, e);
	find_doubt(s, e);
	return err;
}

#define CALLS_PCT 10 /* of the time: less is not named before the wait for a processor */

/* Many calls wait for a processor many times, where others have it. So their number is the cause,
 * and what they do themselves goes first. */
static int name_calls_first(struct scan *s, struct explained *e)
{
	size_t i = 1;

	while (i < CLASSES && e->parts[i].is == CLASS_UNKNOWN)
		i++;
	if (!e->calls || e->parts[0].is != CLASS_CPU || e->many == SUBJECT_NONE || i == CLASSES ||
	    share_pct(e->parts[i].ns, e->total_ns) < CALLS_PCT)
		return 0;
	put_first(e, i);
	e->in = e->most = e->many = SUBJECT_NONE;
	e->in_ns = e->most_ns = 0;
	int err = explain_class(s, e);

	if (!err)
		scan_place(s, e);
	find_doubt(s, e);
	return err;
}

/* Explains the calls that a->why waits for. */
static int explain_next(struct scan *s, struct answer *a)
{
	const struct explained *e = &a->why;
	uint32_t func = SUBJECT_NONE;

	if (e->parts[0].is == CLASS_LOCK && e->held.n) {
		a->holds_itself = e->held.did == e->held.by;
		func = e->held.did;
	} else if (waits_for_others(e->parts[0].is) && e->parts[0].is != CLASS_LOCK) {
		func = waker_known(s, e) ? e->wakers[0].by : scan_started(s);
		a->started = !waker_known(s, e);
		a->awaits_work = !a->started && e->via != CLASS_CHAN && e->via != CLASS_COND;
	}
	return func == SUBJECT_NONE || (func == e->func && !a->holds_itself)
		       ? 0
		       : explain(s, func,
				 a->holds_itself  ? 1u << CLASS_LOCK
				 : a->awaits_work ? 1u << CLASS_CHAN | 1u << CLASS_COND
						  : 0,
				 &a->next);
}

#define STRAY_PCT 1  /* of the time: switches that two events of one moment make */
#define MOST_PCT  50 /* of the time: a processor in a system call executes nothing, but is taken */

/*
 * Go's scheduler starts a processor for a goroutine that becomes runnable, where it has an idle one
 * (runtime/proc.go, ready and wakep). So while goroutines are runnable all of its processors are
 * taken: as many as execute for most of that time, where next to never more do. 0: not known, or as
 * many as the machine has. On a machine without a free processor a thread that looks for goroutines
 * waits for one itself. So the number is not known where goroutines wait longer for the machine's
 * processors than for the scheduler's.
 */
static uint64_t go_processors(const struct loaded_trace *t)
{
	size_t n, k;
	uint64_t all_ns = 0, above_ns = 0;
	const uint64_t *ns = model_levels(t->model, &n);

	if (t->totals->off.off_cpu_ns > t->totals->off.runnable_ns)
		return 0;
	for (size_t i = 0; i < n; i++)
		all_ns += ns[i];
	for (k = n - 1; k && share_pct(above_ns + ns[k], all_ns) < STRAY_PCT; k--)
		above_ns += ns[k];
	return k + 1 < n && k < trace_info_u64(t->info, KEY_HOST_CPUS, 0) &&
			       share_pct(ns[k], all_ns) >= MOST_PCT
		       ? k
		       : 0;
}

/* Fills in the numbers of the whole recording. */
static void measure(struct answer *a, const struct loaded_trace *t, uint64_t span_ns)
{
	const struct model_totals *all = t->totals;
	const double span = (double)span_ns / 1000;

	a->span_ns = span_ns;
	a->run_ns = all->life_ns - off_times_sum(&all->off);
	/* A summary has neither. */
	a->collector_known = !t->summary && collector_ns(t, &a->collector_ns);
	a->ran = whole_number((double)a->run_ns / span);
	a->in_calls = whole_number((double)all->off.syscall_ns / span);
	a->ready = whole_number((double)all->off.runnable_ns / span);
	a->off_cpu = whole_number((double)all->off.off_cpu_ns / span);
	a->go_processors = t->summary ? 0 : go_processors(t);
	a->ran_most = SUBJECT_NONE;
	for (uint32_t f = 0; f < t->n_funcs; f++)
		if (stat_run_ns(&t->funcs[f]) &&
		    (a->ran_most == SUBJECT_NONE ||
		     stat_run_ns(&t->funcs[f]) > stat_run_ns(&t->funcs[a->ran_most])))
			a->ran_most = f;
}

/* The sentence has a number of calls: they are all that there are of the function. */
static bool calls_are_all(const struct loaded_trace *t, uint32_t func, uint64_t calls)
{
	return func < t->n_funcs && t->funcs[func].calls == calls;
}

/* Names the function that a wrapper of the compiler calls instead of the wrapper. */
static void unwrap(struct answer *a, const struct loaded_trace *t)
{
	struct explained *both[] = { &a->why, &a->next };
	const uint32_t why = wrapper_stands_for(t, a->why.func);

	if (calls_are_all(t, why, a->why.calls))
		a->why.func = why;
	a->next.func = wrapper_stands_for(t, a->next.func);
	a->ran_most = wrapper_stands_for(t, a->ran_most);
	for (int i = 0; i < 2; i++) {
		struct explained *e = both[i];
		uint32_t *const named[] = { &e->in, &e->most, &e->many, &e->held.by, &e->held.did };

		for (size_t k = 0; k < sizeof(named) / sizeof(named[0]); k++)
			*named[k] = wrapper_stands_for(t, *named[k]);
		for (size_t k = 0; k < e->n_wakers; k++)
			e->wakers[k].by = wrapper_stands_for(t, e->wakers[k].by);
	}
}

int answer_find(struct answer *a, const struct loaded_trace *t)
{
	const uint64_t span_ns = loaded_trace_span_ns(t);
	struct scan s;
	int err = 0;

	*a = (struct answer){ .why = nothing, .next = nothing };
	if (!t->totals->states || t->samples || !span_ns) {
		if (t->request)
			log_error(
				"--request: this trace has no states of goroutines; record with --states");
		return t->request ? -ENOTSUP : 0;
	}
	measure(a, t, span_ns);
	err = scan_new(&s, t);
	uint32_t func = err ? SUBJECT_NONE : subject_find(t, span_ns, &err);

	if (!err && func != SUBJECT_NONE)
		err = explain(&s, func, 0, &a->why);
	if (!err)
		err = name_calls_first(&s, &a->why);
	if (!err && a->why.calls)
		err = explain_next(&s, a);
	if (!err)
		unwrap(a, t);
	scan_free(&s);
	if (err == -ENOMEM)
		log_no_memory("no memory for the answer");
	return err;
}
