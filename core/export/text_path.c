// SPDX-License-Identifier: BSD-2-Clause
/*
 * The tree of paths, indented. A node's share is its time and that of all that
 * stands below it, goroutines it created included: what stands below a node
 * never has a larger share, so the heaviest nodes are a tree by themselves.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/vec.h"
#include "export/report.h"

static int by_share(const void *x, const void *y, void *ctx)
{
	const struct report *rep = ctx;
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;

	if (rep->below_ns[a] != rep->below_ns[b])
		return rep->below_ns[a] < rep->below_ns[b] ? 1 : -1;
	return (rep->place[a] > rep->place[b]) - (rep->place[a] < rep->place[b]);
}

struct walk {
	const struct report *rep;
	FILE *out;
	bool *shown;
	struct step { uint32_t node, level; } *stack;
	uint32_t *children;
	size_t n_stack, cap_stack, cap_children;
};

/* Marks the nodes that the limit leaves. 0 or -ENOMEM. */
static int choose(struct walk *w, size_t *n_shown)
{
	const struct report *rep = w->rep;
	size_t n = rep->tree.n, limit = rep->opt->limit;
	uint32_t *all = calloc(n, sizeof(*all));

	w->shown = calloc(n, sizeof(*w->shown));
	if (!all || !w->shown) {
		free(all);
		return -ENOMEM;
	}
	for (size_t i = 1; i < n; i++)
		all[i - 1] = (uint32_t)i;
	if (n > 2)
		qsort_r(all, n - 1, sizeof(*all), by_share, (void *)rep);
	*n_shown = limit && limit < n - 1 ? limit : n - 1;
	for (size_t i = 0; i < *n_shown; i++)
		w->shown[all[i]] = true;
	free(all);
	return 0;
}

static int push_children(struct walk *w, uint32_t node, uint32_t level)
{
	const struct path_node *nodes = w->rep->tree.nodes;
	size_t n = 0;

	for (uint32_t c = nodes[node].first_child; c; c = nodes[c].next_sibling) {
		if (!w->shown[c])
			continue;
		if (vec_reserve(&w->children, &w->cap_children, n + 1))
			return -ENOMEM;
		w->children[n++] = c;
	}
	if (!n)
		return 0;
	qsort_r(w->children, n, sizeof(*w->children), by_share, (void *)w->rep);
	if (vec_reserve(&w->stack, &w->cap_stack, w->n_stack + n))
		return -ENOMEM;
	while (n--)
		w->stack[w->n_stack++] = (struct step){ w->children[n], level };
	return 0;
}

static void line(const struct walk *w, struct step s)
{
	const struct path_node *n = &w->rep->tree.nodes[s.node];

	fprintf(w->out, "%5.1f%% %8s %8s %9" PRIu64 "  %*s%s%s", share_pct(w->rep->below_ns[s.node], w->rep->below_ns[0]),
		HUMAN(n->stats.total_ns), HUMAN(n->stats.self_ns), n->stats.calls, (int)(2 * s.level), "",
		n->go_edge ? "go " : "", report_name(w->rep, n->func));
	if (n->max_recursion > 1)
		fprintf(w->out, "  (recursion, %u deep)", n->max_recursion);
	fputc('\n', w->out);
}

static void said(const struct walk *w, size_t n_shown)
{
	uint64_t hidden_ns = 0;

	if (n_shown == w->rep->tree.n - 1)
		return;
	for (size_t i = 1; i < w->rep->tree.n; i++)
		if (!w->shown[i]) {
			const struct call_stats *st = &w->rep->tree.nodes[i].stats;

			hidden_ns += st->self_ns + st->morestack_ns + st->preempt_ns;
		}
	fprintf(w->out, "%zu more paths, %.1f%% of the time (-n 0 shows all)\n", w->rep->tree.n - 1 - n_shown,
		share_pct(hidden_ns, w->rep->below_ns[0]));
}

int text_paths(const struct report *rep, FILE *out)
{
	struct walk w = { .rep = rep, .out = out };
	size_t n_shown = 0;
	int err = choose(&w, &n_shown);

	text_heading(rep, out, "%6s %8s %8s %9s  PATH", "SHARE", "TOTAL", "SELF", "CALLS");
	if (!err)
		err = push_children(&w, 0, 0);
	while (!err && w.n_stack) {
		struct step s = w.stack[--w.n_stack];

		line(&w, s);
		err = push_children(&w, s.node, s.level + 1);
	}
	if (err)
		log_error("no memory to print %zu paths", rep->tree.n - 1);
	else
		said(&w, n_shown);
	free(w.shown);
	free(w.stack);
	free(w.children);
	return err;
}
