// SPDX-License-Identifier: BSD-2-Clause
#include "model/audit_fixture.h"

/* Notes the first fault, by what should have held. */
#define MUST(a, cond)                       \
	do {                                \
		if (!(a)->fault && !(cond)) \
			(a)->fault = #cond; \
	} while (0)

static void on_entry(void *ctx, const struct call *c)
{
	struct audit *a = ctx;

	MUST(a, c->order <= a->entries);
	a->entries += c->order == a->entries; /* else one whose prologue was stopped */
}

static void on_call(void *ctx, const struct call *c)
{
	struct audit *a = ctx;

	MUST(a, c->func < a->n_funcs && c->path > 0);
	MUST(a, c->order < a->entries);
	MUST(a, c->end <= CALL_INFERRED);
	MUST(a, c->end_ns >= c->start_ns);
	MUST(a, c->self_ns <= c->end_ns - c->start_ns);
	MUST(a, c->end != CALL_INFERRED || c->suspect);
	a->calls++;
	a->by_end[c->end]++;
	a->suspect_calls += c->suspect;
	a->suspect_ns += c->suspect ? c->self_ns : 0;
	a->self_ns += c->self_ns;
}

static void on_prologue_stop(void *ctx, const struct prologue_stop_time *t)
{
	struct audit *a = ctx;

	a->stops_by_path += audit_weigh(t->path, t->morestack_ns, t->preempt_ns);
	a->stops_by_stack += audit_weigh(t->goid << 1 | t->system, t->morestack_ns, t->preempt_ns);
}

static void on_goroutine(void *ctx, const struct goroutine_info *g)
{
	struct audit *a = ctx;

	if (a->in_order) {
		MUST(a, g->total_ns == g->self_ns + g->morestack_ns + g->preempt_ns);
		MUST(a, g->last_ns >= g->first_ns);
	}
	a->stacks++;
	a->goroutines += !g->system;
	a->stack_calls += g->calls;
	a->total_ns += g->total_ns;
	a->morestack_ns += g->morestack_ns;
	a->preempt_ns += g->preempt_ns;
	a->stack_stops += audit_weigh(g->goid << 1 | g->system, g->morestack_ns, g->preempt_ns);
}

struct model_options audit_options(struct audit *a, const struct trace_info *info, bool in_order)
{
	*a = (struct audit){ .in_order = in_order, .n_funcs = (uint32_t)info->n_funcs };
	return (struct model_options){ .on_entry = on_entry,
				       .on_call = on_call,
				       .on_prologue_stop = on_prologue_stop,
				       .on_goroutine = on_goroutine,
				       .ctx = a };
}

/* One function's or node's figures. */
static void look_at(struct audit *a, const struct call_stats *st, uint64_t span_ns)
{
	MUST(a, st->calls >= st->finished + st->unwound + st->unfinished);
	MUST(a, st->suspect <= st->calls);
	MUST(a, !st->finished || st->min_ns <= st->max_ns);
	MUST(a, st->finished || st->sum_ns == 0);
	MUST(a, st->morestack_count || !st->morestack_ns);
	MUST(a, st->preempt_count || st->declined_count || !st->preempt_ns);
	if (a->in_order) { /* else sums may wrap */
		MUST(a, st->suspect_ns <= st->total_ns);
		MUST(a, !st->finished || st->max_ns <= st->sum_ns);
		MUST(a, st->self_ns <= st->total_ns);
		MUST(a, st->max_ns <= span_ns);
		MUST(a, st->total_ns <= span_ns * a->stacks);
	}
}

static void look_at_sum(struct audit *a, const struct call_stats *sum, const struct model_totals *t)
{
	MUST(a, sum->calls == t->calls);
	MUST(a, sum->finished == a->by_end[CALL_FINISHED] + a->by_end[CALL_TAIL]);
	MUST(a, sum->unwound == a->by_end[CALL_UNWOUND]);
	MUST(a, sum->unfinished == a->by_end[CALL_UNFINISHED]);
	MUST(a, sum->suspect == a->suspect_calls);
	MUST(a, sum->self_ns == a->self_ns);
	MUST(a, sum->morestack_ns == a->morestack_ns);
	MUST(a, sum->preempt_ns == a->preempt_ns);
}

/* Every node but the root is the child of its parent, once. */
static void look_at_tree(struct audit *a, const struct path_node *nodes, size_t n)
{
	size_t listed = 0;

	for (size_t i = 0; i < n && !a->fault; i++)
		for (uint32_t c = nodes[i].first_child; c && !a->fault; c = nodes[c].next_sibling) {
			listed++;
			MUST(a, c < n && listed < n);
			MUST(a, nodes[c].parent == i && c > i);
			MUST(a, nodes[c].max_recursion >= 1);
		}
	MUST(a, listed == n - 1);
}

const char *audit_finish(struct audit *a, const struct model *m)
{
	const struct model_totals *t = model_totals(m);
	uint64_t span_ns = t->last_ns > t->first_ns ? t->last_ns - t->first_ns : 0;
	struct call_stats by_func = { 0 }, by_path = { 0 };
	size_t n;
	const struct call_stats *funcs = model_funcs(m, &n);

	for (size_t i = 0; i < n; i++) {
		look_at(a, &funcs[i], span_ns);
		MUST(a, funcs[i].hist.count == funcs[i].finished);
		call_stats_add(&by_func, &funcs[i]);
	}
	const struct path_node *nodes = model_paths(m, &n);
	uint64_t path_stops = 0;

	for (size_t i = 0; i < n; i++) {
		look_at(a, &nodes[i].stats, span_ns);
		call_stats_add(&by_path, &nodes[i].stats);
		path_stops += audit_weigh(i, nodes[i].stats.morestack_ns,
					  nodes[i].stats.preempt_ns);
	}
	look_at_sum(a, &by_func, t);
	look_at_sum(a, &by_path, t);
	look_at_tree(a, nodes, n);
	MUST(a, t->calls == a->calls && t->calls == a->stack_calls);
	MUST(a, t->calls <= a->entries);
	MUST(a, t->goroutines == a->goroutines);
	MUST(a, t->suspect_calls == a->suspect_calls && t->suspect_ns == a->suspect_ns);
	MUST(a, t->root_ns == a->total_ns);
	MUST(a, a->stops_by_path == path_stops);
	MUST(a, a->stops_by_stack == a->stack_stops);
	return a->fault;
}
