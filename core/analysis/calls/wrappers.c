// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/calls/wrappers.h"

#include <string.h>

#include "analysis/trace_names.h"
#include "model/holds.h"

#define OWN_PART 20 /* of its time: what a wrapper takes itself is less */
#define NESTED   4  /* wrappers of wrappers */
#define BOUND    "-fm"

#define NONE UINT32_MAX

static bool is_bound(const char *name)
{
	const size_t n = strlen(name), suffix = strlen(BOUND);

	return n > suffix && !strcmp(name + n - suffix, BOUND);
}

/* "main.f.gowrap1", "main.(*T).Run-fm" */
static bool is_wrapper(const char *name)
{
	static const char *const stems[] = { "gowrap", "deferwrap" };
	const char *last = strrchr(name, '.');

	for (size_t i = 0; last && i < sizeof(stems) / sizeof(stems[0]); i++) {
		const size_t n = strlen(stems[i]);

		if (!strncmp(last + 1, stems[i], n) && last[1 + n] &&
		    strspn(last + 1 + n, "0123456789") == strlen(last + 1 + n))
			return true;
	}
	return is_bound(name);
}

/* Code of another function is in it: it makes goroutines runnable, or releases locks. */
static bool ends_waits(const struct loaded_trace *t, uint32_t func)
{
	size_t n_wakes, n_holds;
	const struct func_wakes *w = model_wakes(t->model, &n_wakes);
	const struct hold *h = model_holds(t->model, &n_holds);

	for (size_t i = 0; i < n_wakes; i++)
		if (w[i].by == func)
			return true;
	for (size_t i = 0; i < n_holds; i++)
		if (h[i].by == func)
			return true;
	return false;
}

struct wrapped {
	uint32_t callee; /* NONE: there is none */
	uint64_t calls;  /* of it */
	bool others;     /* it calls or starts something else, too */
};

static void look_below(const struct path_node *nodes, size_t i, struct wrapped *to)
{
	for (uint32_t k = nodes[i].first_child; k; k = nodes[k].next_sibling) {
		to->others |= nodes[k].go_edge ||
			      (to->callee != NONE && to->callee != nodes[k].func);
		to->callee = nodes[k].func;
		to->calls += nodes[k].stats.calls - nodes[k].recursive;
	}
}

static uint32_t only_callee(const struct loaded_trace *t, uint32_t func)
{
	size_t n;
	const struct path_node *nodes = model_paths(t->model, &n);
	struct wrapped all = { .callee = NONE };
	struct call_stats st = { 0 };

	for (size_t i = 1; i < n; i++) {
		if (nodes[i].func != func)
			continue;
		look_below(nodes, i, &all);
		call_stats_add(&st, &nodes[i].stats);
	}
	/* one that is open may not have come to its call */
	if (all.others || all.callee >= t->n_funcs || all.calls > st.calls ||
	    all.calls + st.unfinished < st.calls)
		return NONE;
	if (st.off_self.wait_ns || st.self_ns >= (st.total_ns + st.left_out_ns) / OWN_PART ||
	    ends_waits(t, func))
		return NONE;
	return all.callee;
}

static uint32_t method(const struct trace_info *info, const char *bound)
{
	const size_t n = strlen(bound) - strlen(BOUND);

	for (uint32_t i = 0; i < info->n_funcs; i++)
		if (!strncmp(info->funcs[i].name, bound, n) && !info->funcs[i].name[n])
			return i;
	return NONE;
}

uint32_t wrapper_stands_for(const struct loaded_trace *t, uint32_t func)
{
	for (int i = 0; i < NESTED && func < t->n_funcs; i++) {
		const char *name = trace_name_func(t->info, func);
		uint32_t callee = is_wrapper(name) ? only_callee(t, func) : NONE;

		if (callee == NONE && is_bound(name))
			callee = method(t->info, name);
		if (callee == NONE)
			break;
		func = callee;
	}
	return func;
}
