// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/answer_scan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/stat_columns.h"

#define MOST_PCT   60 /* of a class: in that function */
#define MANY       5  /* calls in one call */
#define MANY_PCT   50 /* of the time */
#define INSIDE     1
#define IS_SUBJECT 2

int scan_new(struct scan *s, const struct loaded_trace *t)
{
	size_t n_folds;

	*s = (struct scan){ .t = t };
	s->nodes = model_paths(t->model, &s->n);
	s->in = calloc(s->n + 1, 1);
	s->sum_ns = calloc(s->n + 1, sizeof(*s->sum_ns));
	s->folded = calloc(s->n + 1, sizeof(*s->folded));
	const struct path_fold *folds = model_path_folds(t->model, &n_folds);
	for (size_t i = 0; i < n_folds && s->folded; i++)
		s->folded[folds[i].to] += folds[i].calls;
	s->by_func = calloc(t->n_funcs + 1, sizeof(*s->by_func));
	s->funcs = calloc(t->n_funcs + 1, sizeof(*s->funcs));
	wait_classes_fill(&s->classes, t->info);
	return s->in && s->sum_ns && s->folded && s->by_func && s->funcs ? 0 : -ENOMEM;
}

void scan_free(struct scan *s)
{
	free(s->in);
	free(s->sum_ns);
	free(s->folded);
	free(s->by_func);
	free(s->funcs);
	*s = (struct scan){ 0 };
}

uint32_t scan_acts_for(const struct scan *s, uint32_t func)
{
	const struct lock_rules *r = s->t->locks;

	return r && func < r->rules.n_funcs ? r->acts_for[func] : func;
}

/* A node's self time in a class that is no wait. */
static uint64_t self_of(const struct call_stats *st, enum wait_class is)
{
	switch (is) {
	case CLASS_RUN:
		return stat_run_ns(st);
	case CLASS_CPU:
		return st->off_self.runnable_ns + st->off_self.off_cpu_ns;
	case CLASS_SYSCALL:
		return st->off_self.syscall_ns;
	case CLASS_UNKNOWN:
		return st->off_self.unknown_ns;
	default:
		return 0;
	}
}

static enum wait_class class_of(const struct scan *s, uint32_t reason)
{
	return wait_class_of(&s->classes, reason);
}

static uint64_t own_sum(const struct scan *s, uint32_t i);

/* Does the call wait itself, for the class? */
static bool waits_itself(const struct scan *s, uint32_t i)
{
	return s->in[i] && own_sum(s, i);
}

uint32_t scan_started(const struct scan *s)
{
	uint32_t best = SUBJECT_NONE;

	memset(s->by_func, 0, (s->t->n_funcs + 1) * sizeof(*s->by_func));
	for (size_t i = 1; i < s->n; i++) {
		const struct path_node *node = &s->nodes[i];

		if (!node->go_edge || node->func >= s->t->n_funcs ||
		    !(waits_itself(s, node->parent) ||
		      waits_itself(s, s->nodes[node->parent].parent)))
			continue;
		s->by_func[node->func] += node->stats.total_ns;
		if (best == SUBJECT_NONE || s->by_func[node->func] > s->by_func[best])
			best = node->func;
	}
	return best;
}

int scan_begin(struct scan *s, uint32_t func)
{
	size_t n_waits;
	const struct path_waits *w = model_waits(s->t->model, &n_waits);

	s->subject = func;
	s->calls = s->total_ns = 0;
	memset(s->class_ns, 0, sizeof(s->class_ns));
	memset(s->reason_ns, 0, sizeof(s->reason_ns));
	for (size_t i = 1; i < s->n; i++) {
		const struct path_node *node = &s->nodes[i];
		const bool below = node->parent && !node->go_edge && s->in[node->parent];

		s->in[i] = below ? INSIDE : node->func == func ? IS_SUBJECT : 0;
		if (!s->in[i])
			continue;
		s->calls += s->in[i] == IS_SUBJECT ? node->stats.calls : 0;
		s->total_ns += node->stats.self_ns;
		for (int c = 0; c < CLASS_LOCK; c++)
			s->class_ns[c] += self_of(&node->stats, (enum wait_class)c);
	}
	for (size_t i = 0; i < n_waits; i++)
		if (s->in[w[i].path] && !w[i].held) {
			s->class_ns[class_of(s, w[i].reason)] += w[i].ns;
			if (w[i].reason <= REASON_PREEMPTED)
				s->reason_ns[w[i].reason] += w[i].ns;
		}
	return 0;
}

/* ---- one class */

static bool acts_for_caller(const struct scan *s, uint32_t func)
{
	const struct lock_rules *r = s->t->locks;

	return r && func < r->rules.n_funcs && r->rules.for_caller[func];
}

/* Whose the self time of node i is: package sync, say, waits for its callers. */
static struct scan_func *own_of(struct scan *s, uint32_t i)
{
	uint32_t own = i;

	while (s->in[own] != IS_SUBJECT && acts_for_caller(s, s->nodes[own].func))
		own = s->nodes[own].parent;
	return &s->funcs[s->nodes[own].func < s->t->n_funcs ? s->nodes[own].func : s->t->n_funcs];
}

/* Calls of node i that are not made below another one of it. */
static uint64_t from_outside(const struct scan *s, uint32_t i)
{
	const uint64_t inside = s->nodes[i].recursive + s->folded[i],
		       calls = s->nodes[i].stats.calls;

	return calls > inside ? calls - inside : 0;
}

static void enter(struct scan *s, uint32_t i, uint32_t depth, uint64_t self_ns)
{
	const struct path_node *node = &s->nodes[i];
	struct scan_func *f = node->func < s->t->n_funcs ? &s->funcs[node->func] : NULL;

	own_of(s, i)->self_ns += self_ns;
	if (!f || f->open++) /* calls of itself are no calls of it by others */
		return;
	f->calls += from_outside(s, i);
	f->class_ns += s->sum_ns[i];
	f->total_ns += node->stats.total_ns;
	f->depth = !f->depth || depth < f->depth ? depth : f->depth;
}

static void leave(struct scan *s, uint32_t i)
{
	if (s->nodes[i].func < s->t->n_funcs)
		s->funcs[s->nodes[i].func].open--;
}

/* The next child of the same goroutine from `child` on; 0: none. */
static uint32_t called(const struct scan *s, uint32_t child)
{
	while (child && s->nodes[child].go_edge)
		child = s->nodes[child].next_sibling;
	return child;
}

static uint64_t own_sum(const struct scan *s, uint32_t i)
{
	uint64_t ns = s->sum_ns[i];

	for (uint32_t k = called(s, s->nodes[i].first_child); k;
	     k = called(s, s->nodes[k].next_sibling))
		ns -= s->sum_ns[k];
	return ns;
}

/* Every node below `from`, each function once on its way. */
static void walk(struct scan *s, uint32_t from)
{
	uint32_t i = from, depth = 1;

	for (;;) {
		enter(s, i, depth, own_sum(s, i));
		uint32_t next = called(s, s->nodes[i].first_child);

		if (next) {
			depth++;
			i = next;
			continue;
		}
		for (;;) {
			leave(s, i);
			if (i == from)
				return;
			next = called(s, s->nodes[i].next_sibling);
			if (next)
				break;
			i = s->nodes[i].parent;
			depth--;
		}
		i = next;
	}
}

int scan_class(struct scan *s, enum wait_class is)
{
	size_t n_waits;
	const struct path_waits *w = model_waits(s->t->model, &n_waits);

	s->is = is;
	memset(s->funcs, 0, (s->t->n_funcs + 1) * sizeof(*s->funcs));
	for (size_t i = 0; i < s->n; i++)
		s->sum_ns[i] = s->in[i] ? self_of(&s->nodes[i].stats, is) : 0;
	for (size_t i = 0; i < n_waits; i++)
		if (s->in[w[i].path] && !w[i].held && class_of(s, w[i].reason) == is)
			s->sum_ns[w[i].path] += w[i].ns;
	for (size_t i = s->n; i-- > 1;)
		if (s->in[i] == INSIDE)
			s->sum_ns[s->nodes[i].parent] += s->sum_ns[i];
	for (size_t i = 1; i < s->n; i++)
		if (s->in[i] == IS_SUBJECT)
			walk(s, (uint32_t)i);
	return 0;
}

uint32_t scan_reason(const struct scan *s)
{
	uint32_t reason = 0;

	for (uint32_t i = 0; i <= REASON_PREEMPTED; i++)
		if (class_of(s, i) == s->is &&
		    (!s->reason_ns[reason] || class_of(s, reason) != s->is ||
		     s->reason_ns[i] > s->reason_ns[reason]))
			reason = i;
	return reason;
}

void scan_place(const struct scan *s, struct explained *e)
{
	const uint64_t class_ns = s->class_ns[s->is];

	for (uint32_t i = 0; i < s->t->n_funcs; i++) {
		const struct scan_func *f = &s->funcs[i];

		if (f->self_ns > e->most_ns) {
			e->most = i;
			e->most_ns = f->self_ns;
		}
		if (i == s->subject || acts_for_caller(s, i))
			continue;
		if (f->class_ns / MOST_PCT >= class_ns / 100 && f->class_ns &&
		    (e->in == SUBJECT_NONE || f->depth > s->funcs[e->in].depth)) {
			e->in = i;
			e->in_ns = f->class_ns;
		}
		if (f->calls / MANY >= s->calls && f->total_ns / MANY_PCT >= s->total_ns / 100 &&
		    (e->many == SUBJECT_NONE || f->depth < s->funcs[e->many].depth)) {
			e->many = i;
			e->many_calls = f->calls;
		}
	}
}

bool scan_waits_in(const struct scan *s, uint32_t func, uint32_t reason)
{
	return class_of(s, reason) == s->is && func < s->t->n_funcs && s->funcs[func].class_ns;
}
