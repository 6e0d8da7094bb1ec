// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/subject.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/trace_names.h"
#include "analysis/wait_class.h"

#define REQUESTS_MIN 10 /* calls */
#define BODY_PARTS   4  /* it lasts for one of so many parts of the recording */
#define IDLE_PCT     90 /* of the time of what only waits */

/* Of a node. */
struct look {
	uint64_t idle_ns, idle_self_ns; /* waits for others to give it something to do */
	uint64_t group_ns;              /* for others to be done */
	uint64_t called;                /* calls that its calls make */
	bool body;
};

struct looking {
	const struct loaded_trace *t;
	const struct path_node *nodes;
	size_t n;
	struct look *looks;
	uint64_t *requests_ns; /* by function */
	uint64_t span_ns;
};

static bool is_first(const struct path_node *node)
{
	return !node->parent || node->go_edge;
}

static bool plain(const struct looking *l, const struct path_node *node)
{
	return node->func < l->t->n_funcs;
}

static void add_idle(struct looking *l)
{
	struct wait_classes classes;
	size_t n;
	const struct path_waits *w = model_waits(l->t->model, &n);

	wait_classes_fill(&classes, l->t->info);
	for (size_t i = 0; i < n; i++) {
		enum wait_class c = wait_class_of(&classes, w[i].reason);

		if (!w[i].held && c == CLASS_GROUP)
			l->looks[w[i].path].group_ns += w[i].ns;
		if (w[i].held ||
		    (c != CLASS_CHAN && c != CLASS_NET && c != CLASS_COND && c != CLASS_SLEEP))
			continue;
		l->looks[w[i].path].idle_ns += w[i].ns;
		l->looks[w[i].path].idle_self_ns += w[i].ns;
	}
	for (size_t i = l->n; i-- > 1;) {
		const struct path_node *node = &l->nodes[i];

		if (is_first(node))
			continue;
		l->looks[node->parent].idle_ns += l->looks[i].idle_ns;
		l->looks[node->parent].group_ns += l->looks[i].group_ns;
		l->looks[node->parent].called += node->stats.calls;
	}
}

static bool is_body(const struct looking *l, size_t i)
{
	const struct call_stats *st = &l->nodes[i].stats;
	const struct look *look = &l->looks[i];

	if (!st->calls || !look->called)
		return false;
	if ((st->total_ns + st->left_out_ns) / st->calls >= l->span_ns / BODY_PARTS)
		return true;
	return look->called >= 2 * st->calls && 2 * look->idle_self_ns >= st->total_ns;
}

static bool only_waits(const struct looking *l, size_t i)
{
	return l->looks[i].idle_ns / IDLE_PCT >= l->nodes[i].stats.total_ns / 100 &&
	       l->looks[i].idle_ns;
}

/* Node i only waits: for the next request? Then a call of another function follows each of its
 * calls. One goroutine alone that does so is a loop of the program's own. */
static bool awaits_work(const struct looking *l, size_t i)
{
	const uint64_t calls = l->nodes[i].stats.calls;

	if (l->nodes[l->nodes[i].parent].stats.calls < 2)
		return true;

	for (uint32_t k = l->nodes[l->nodes[i].parent].first_child; k; k = l->nodes[k].next_sibling)
		if (k != i && !l->nodes[k].go_edge && l->nodes[k].stats.calls >= calls / 2 &&
		    !only_waits(l, k))
			return true;
	return false;
}

/* Sets requests_ns; returns the node of main.main, 0: there is none. */
static size_t look_at_all(struct looking *l)
{
	size_t main = 0;

	for (size_t i = 1; i < l->n; i++) {
		const struct path_node *node = &l->nodes[i];

		if (!plain(l, node) || !(is_first(node) || l->looks[node->parent].body))
			continue;
		if (!node->parent && !strcmp(trace_name_func(l->t->info, node->func), "main.main"))
			main = i;
		l->looks[i].body = is_body(l, i);
		if (l->looks[i].body || node->stats.calls < REQUESTS_MIN ||
		    (!is_first(node) && only_waits(l, i) && awaits_work(l, i)))
			continue;
		l->requests_ns[node->func] += node->stats.total_ns;
	}
	return main;
}

static uint32_t most(const struct looking *l)
{
	uint32_t best = SUBJECT_NONE;

	for (size_t i = 0; i < l->t->n_funcs; i++)
		if (l->requests_ns[i] &&
		    (best == SUBJECT_NONE || l->requests_ns[i] > l->requests_ns[best]))
			best = (uint32_t)i;
	return best;
}

/* Most of its time it waits for what other goroutines do: these are of interest. */
static bool leaves_it_to_others(const struct looking *l, size_t i)
{
	return l->looks[i].idle_ns + l->looks[i].group_ns >= l->nodes[i].stats.total_ns / 2;
}

uint32_t subject_find(const struct loaded_trace *t, uint64_t span_ns, int *err)
{
	struct looking l = { .t = t, .span_ns = span_ns };
	uint32_t found = SUBJECT_NONE;

	l.nodes = model_paths(t->model, &l.n);
	l.looks = calloc(l.n + 1, sizeof(*l.looks));
	l.requests_ns = calloc(t->n_funcs + 1, sizeof(*l.requests_ns));
	*err = l.looks && l.requests_ns ? 0 : -ENOMEM;
	if (!*err) {
		add_idle(&l);
		const size_t main = look_at_all(&l);
		const struct call_stats *st = main ? &l.nodes[main].stats : NULL;

		found = most(&l);
		if (main && st->total_ns >= span_ns / 100 &&
		    (found == SUBJECT_NONE || (st->finished && !leaves_it_to_others(&l, main))))
			found = l.nodes[main].func;
	}
	free(l.looks);
	free(l.requests_ns);
	return found;
}
