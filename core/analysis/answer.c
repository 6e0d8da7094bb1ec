// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/answer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/answer_scan.h"
#include "analysis/trace_names.h"
#include "base/log.h"

static const struct explained nothing = {
	.func = SUBJECT_NONE, .in = SUBJECT_NONE, .most = SUBJECT_NONE, .many = SUBJECT_NONE
};

static int largest_first(const void *a, const void *b)
{
	const struct answer_part *x = a, *y = b;

	return x->ns != y->ns ? (x->ns < y->ns ? 1 : -1) : (int)x->is - (int)y->is;
}

/* ---- who ended waits, and who held locks */

/* Adds to wakers by function; of functions that have waits of the class in the subject. */
static void find_wakers(const struct scan *s, struct explained *e)
{
	size_t n;
	const struct func_wakes *w = model_wakes(s->t->model, &n);
	uint64_t special[2] = { 0 };

	memset(s->by_func, 0, (s->t->n_funcs + 1) * sizeof(*s->by_func));
	for (size_t i = 0; i < n; i++) {
		if (!scan_waits_in(s, w[i].func, w[i].reason))
			continue;
		e->wakers_ns += w[i].ns;
		if (w[i].by < s->t->n_funcs)
			s->by_func[scan_acts_for(s, w[i].by)] += w[i].ns;
		else if (w[i].by == WAKE_RUNTIME || w[i].by == WAKE_NO_CALL)
			special[w[i].by == WAKE_NO_CALL] += w[i].ns;
	}
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

/* Waits for others have a cause that can be told: they go first if there are nearly as many. */
static void lead_on(struct explained *e)
{
	size_t i = 0;

	while (i < CLASSES && !waits_for_others(e->parts[i].is))
		i++;
	if (i == CLASSES || 3 * e->parts[i].ns < 2 * e->parts[0].ns)
		return;
	const struct answer_part first = e->parts[i];

	for (; i; i--)
		e->parts[i] = e->parts[i - 1];
	e->parts[0] = first;
}

static int explain(struct scan *s, uint32_t func, struct explained *e)
{
	*e = nothing;
	int err = scan_begin(s, func);

	if (err || !s->calls || !s->total_ns)
		return err;
	e->func = func;
	e->calls = s->calls;
	e->total_ns = s->total_ns;
	for (int c = 0; c < CLASSES; c++)
		e->parts[c] = (struct answer_part){ (enum wait_class)c, s->class_ns[c] };
	qsort(e->parts, CLASSES, sizeof(e->parts[0]), largest_first);
	lead_on(e);
	err = scan_class(s, e->parts[0].is);
	if (err)
		return err;
	scan_place(s, e);
	if (waits_for_others(e->parts[0].is)) {
		find_wakers(s, e);
		if (e->parts[0].is == CLASS_LOCK)
			find_holder(s, e);
	}
	return 0;
}

/* What the waits of the first are waiting for. */
static uint32_t next_of(const struct scan *s, const struct explained *e)
{
	const enum wait_class is = e->parts[0].is;

	if (is == CLASS_LOCK)
		return e->held.n ? e->held.did : SUBJECT_NONE;
	if (is != CLASS_GROUP && is != CLASS_COND && is != CLASS_CHAN)
		return SUBJECT_NONE;
	return e->n_wakers && e->wakers[0].by < s->t->n_funcs && 2 * e->wakers[0].ns >= e->wakers_ns
		       ? e->wakers[0].by
		       : SUBJECT_NONE;
}

/* Of goroutines of the garbage collector (runtime/mgc.go): their workers, and who sweeps and gives
 * memory back. They have no recorded call. */
static uint64_t collector_ns(const struct loaded_trace *t)
{
	size_t n;
	static const char *const starts[] = { "runtime.gcBgMark", "runtime.gcenable",
					      "runtime.bgsweep", "runtime.bgscavenge" };
	const struct idlers *all = model_idlers(t->model, &n);
	uint64_t ns = 0;

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < sizeof(starts) / sizeof(starts[0]); k++)
			if (!strncmp(trace_name_at(t->info, all[i].start_pc), starts[k],
				     strlen(starts[k])))
				ns += all[i].run_ns;
	return ns;
}

int answer_find(struct answer *a, const struct loaded_trace *t)
{
	const struct model_totals *all = t->totals;
	const uint64_t span_ns = loaded_trace_span_ns(t);
	struct scan s;
	int err = 0;

	*a = (struct answer){ .why = nothing, .next = nothing };
	if (!all->states || t->samples || t->summary || !span_ns)
		return 0;
	err = scan_new(&s, t);
	uint32_t func = err ? SUBJECT_NONE : subject_find(t, span_ns, &err);

	if (!err && func != SUBJECT_NONE)
		err = explain(&s, func, &a->why);
	func = a->why.calls && !err ? next_of(&s, &a->why) : SUBJECT_NONE;
	if (!err && func != SUBJECT_NONE && func != a->why.func)
		err = explain(&s, func, &a->next);
	a->ran = (uint64_t)((double)(all->life_ns - off_times_sum(&all->off)) * 1000 /
			    (double)span_ns);
	a->ready = (uint64_t)((double)(all->off.runnable_ns + all->off.off_cpu_ns) * 1000 /
			      (double)span_ns);
	a->run_ns = all->life_ns - off_times_sum(&all->off);
	a->collector_ns = collector_ns(t);
	scan_free(&s);
	if (err)
		log_no_memory("no memory for the answer");
	return err;
}
