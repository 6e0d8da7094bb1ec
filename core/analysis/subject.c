// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/subject.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/calls/callback.h"
#include "analysis/calls/fold_waits.h"
#include "analysis/stat_columns.h"
#include "analysis/trace_names.h"
#include "analysis/calls/wait_class.h"
#include "analysis/calls/wait_rows.h"

#define REQUESTS_MIN 10 /* calls */
#define BODY_PARTS   4  /* it lasts for one of so many parts of the recording */
#define LOOPS        5  /* calls in each call, with so much of the time: */
#define LOOPS_PCT    95
#define IDLE_PCT     90 /* of the time of what only waits */
#define WORK_PART    10 /* of the work of the busiest, for what only waits, */
#define WEIGHT_PART  10 /* and of all time that is no waiting, for any subject */
#define SERVED_PART  20 /* of the time of waiting for calls: these take at least */

/* Sums of a node and of those below it on its goroutine; self_* are its own. */
struct look {
	uint64_t idle_ns;                  /* waits for others to give it something to do */
	uint64_t self_idle_ns, self_idles; /* in itself, and how many */
	uint64_t group_ns;                 /* waits for others to be done */
	uint64_t net_ns, cond_ns;          /* waits for the network, or for a condition */
	uint64_t work_ns;                  /* it ran, or was in system calls */
	uint64_t called;                   /* calls that its calls make */
	bool body;
};

/* A function that may be the subject: sums of its calls. */
struct candidate {
	uint64_t calls, ns, idle_ns, work_ns, net_ns, cond_ns;
};

struct looking {
	const struct loaded_trace *t;
	const struct path_node *nodes;
	size_t n;
	struct look *looks;
	struct candidate *of; /* by function */
	struct wait_classes classes;
	uint64_t span_ns;
	uint64_t busy_ns; /* time of all that is not idle */
};

static bool is_first(const struct path_node *node)
{
	return !node->parent || node->go_edge;
}

static bool plain(const struct looking *l, const struct path_node *node)
{
	return node->func < l->t->n_funcs;
}

static bool is_idle(const struct looking *l, uint32_t reason)
{
	const enum wait_class c = wait_class_of(&l->classes, reason);

	return c == CLASS_NET || c == CLASS_SLEEP || wait_for_work(l->t->info, &l->classes, reason);
}

static void look_at_waits(struct looking *l)
{
	size_t n;
	const struct path_waits *w = model_waits(l->t->model, &n);

	wait_classes_fill(&l->classes, l->t->info);
	for (size_t i = 0; i < n; i++) {
		struct look *look = &l->looks[w[i].path];

		if (w[i].held)
			continue;
		const enum wait_class is = wait_class_of(&l->classes, w[i].reason);

		look->group_ns += is == CLASS_GROUP ? w[i].ns : 0;
		look->net_ns += is == CLASS_NET ? w[i].ns : 0;
		look->cond_ns += is == CLASS_COND ? w[i].ns : 0;
		if (!is_idle(l, w[i].reason))
			continue;
		look->idle_ns += w[i].ns;
		look->self_idle_ns += w[i].ns;
		look->self_idles += w[i].n;
	}
}

/* Sums, from the innermost calls up. */
static void sum_up(struct looking *l)
{
	for (size_t i = l->n; i-- > 1;) {
		const struct path_node *node = &l->nodes[i];
		struct look *look = &l->looks[i], *above = &l->looks[node->parent];

		look->work_ns += stat_run_ns(&node->stats) + node->stats.off_self.syscall_ns;
		l->busy_ns += node->stats.self_ns > look->self_idle_ns
				      ? node->stats.self_ns - look->self_idle_ns
				      : 0;
		if (is_first(node))
			continue;
		above->idle_ns += look->idle_ns;
		above->group_ns += look->group_ns;
		above->net_ns += look->net_ns;
		above->cond_ns += look->cond_ns;
		above->work_ns += look->work_ns;
		above->called += node->stats.calls;
	}
}

/* The compiler wraps the call of a go statement in such a function. */
static bool is_wrapper(const struct looking *l, const struct path_node *node)
{
	return plain(l, node) && strstr(trace_name_func(l->t->info, node->func), ".gowrap");
}

/* A goroutine's own function that does nothing but call another one again and again. */
static bool only_loops(const struct looking *l, size_t i)
{
	const struct path_node *node = &l->nodes[i];

	if (!node->go_edge && !(node->parent && is_wrapper(l, &l->nodes[node->parent])))
		return false;
	for (uint32_t k = node->first_child; k; k = l->nodes[k].next_sibling)
		if (!l->nodes[k].go_edge && l->nodes[k].stats.calls >= LOOPS * node->stats.calls &&
		    l->nodes[k].stats.total_ns / LOOPS_PCT >= node->stats.total_ns / 100)
			return true;
	return false;
}

/* Calls that a goroutine makes again and again, however long they last. */
static bool is_repeated(const struct looking *l, const struct path_node *node)
{
	if (node->stats.calls < REQUESTS_MIN)
		return false;
	return is_first(node) ? is_callback(node)
			      : node->stats.calls >= 2 * l->nodes[node->parent].stats.calls;
}

static bool is_body(const struct looking *l, size_t i)
{
	const struct call_stats *st = &l->nodes[i].stats;
	const struct look *look = &l->looks[i];

	if (!st->calls)
		return false;
	if ((st->total_ns + st->left_out_ns) / st->calls >= l->span_ns / BODY_PARTS &&
	    !is_repeated(l, &l->nodes[i]))
		return true;
	if (look->called >= 2 * st->calls && 2 * look->self_idle_ns >= st->total_ns)
		return true;
	return look->called && (is_wrapper(l, &l->nodes[i]) || only_loops(l, i));
}

static bool only_waits(uint64_t idle_ns, uint64_t ns)
{
	return idle_ns / IDLE_PCT >= ns / 100 && idle_ns;
}

/* Node i only waits: for the next request? Then its caller does not wait itself, and a call of
 * another function follows each of its calls. One goroutine alone that does so is a loop of the
 * program's own. */
static bool awaits_work(const struct looking *l, size_t i)
{
	const uint32_t caller = l->nodes[i].parent;
	const uint64_t calls = l->nodes[i].stats.calls;

	if (l->looks[caller].self_idles >= calls / 2)
		return false;
	if (l->nodes[caller].stats.calls < 2)
		return true;
	for (uint32_t k = l->nodes[caller].first_child; k; k = l->nodes[k].next_sibling)
		if (k != i && !l->nodes[k].go_edge && l->nodes[k].stats.calls >= calls / 2 &&
		    !only_waits(l->looks[k].idle_ns, l->nodes[k].stats.total_ns))
			return true;
	return false;
}

/* Node i only waits, and whose wait it is, is not recorded: a connection's for its next request,
 * say. Package net/http reads in a goroutine of its own meanwhile. */
static bool waits_for_nobody(const struct looking *l, size_t i)
{
	const struct path_node *node = &l->nodes[i];
	const char *name = trace_name_func(l->t->info, node->func);

	return only_waits(l->looks[i].idle_ns, node->stats.total_ns) &&
	       ((is_first(node) && fold_waits_func(name)) ||
		!strcmp(name, "net/http.(*connReader).backgroundRead"));
}

/* Finds candidates; returns the node of main.main, 0: there is none. */
static size_t look_at_all(struct looking *l)
{
	size_t main = 0;

	for (size_t i = 1; i < l->n; i++) {
		const struct path_node *node = &l->nodes[i];
		struct look *look = &l->looks[i];

		if (!plain(l, node) || !(is_first(node) || l->looks[node->parent].body))
			continue;
		if (!node->parent && !strcmp(trace_name_func(l->t->info, node->func), "main.main"))
			main = i;
		look->body = is_body(l, i);
		if (look->body || node->stats.calls < REQUESTS_MIN || waits_for_nobody(l, i) ||
		    (!is_first(node) && only_waits(look->idle_ns, node->stats.total_ns) &&
		     awaits_work(l, i)))
			continue;
		struct candidate *c = &l->of[node->func];

		c->calls += node->stats.calls;
		c->ns += node->stats.total_ns;
		/* A callback has something to do already, but it may read from a queue or a peer.
		 */
		c->idle_ns += is_callback(node) ? look->net_ns + look->cond_ns : look->idle_ns;
		c->work_ns += look->work_ns;
		c->net_ns += look->net_ns;
		c->cond_ns += look->cond_ns;
	}
	return main;
}

static bool is_worker(const struct candidate *c)
{
	return only_waits(c->idle_ns, c->ns);
}

/* Keeps candidates with enough time. One that only waits has some work to do, too. */
static void drop_light(struct looking *l)
{
	uint64_t busiest_ns = 0;

	for (size_t i = 0; i < l->t->n_funcs; i++)
		busiest_ns = l->of[i].work_ns > busiest_ns ? l->of[i].work_ns : busiest_ns;
	for (size_t i = 0; i < l->t->n_funcs; i++) {
		struct candidate *c = &l->of[i];

		if (c->ns < l->busy_ns / WEIGHT_PART ||
		    (is_worker(c) && c->work_ns < busiest_ns / WORK_PART))
			*c = (struct candidate){ 0 };
	}
}

static uint32_t longest(const struct looking *l)
{
	uint32_t best = SUBJECT_NONE;

	for (uint32_t i = 0; i < l->t->n_funcs; i++)
		if (l->of[i].ns && (best == SUBJECT_NONE || l->of[i].ns > l->of[best].ns))
			best = i;
	return best;
}

/* Sets in[f], for each function f, to the candidate whose calls make most calls of f, or to
 * SUBJECT_NONE. */
static void find_callers(const struct looking *l, uint32_t *in, uint64_t *calls, uint32_t *of_node)
{
	for (size_t i = 0; i < l->t->n_funcs; i++)
		in[i] = SUBJECT_NONE;
	of_node[0] = SUBJECT_NONE;
	for (size_t i = 1; i < l->n; i++) {
		const struct path_node *node = &l->nodes[i];
		const bool below = !is_first(node) && of_node[node->parent] != SUBJECT_NONE;
		const bool root = plain(l, node) && l->of[node->func].ns && !l->looks[i].body &&
				  (is_first(node) || l->looks[node->parent].body);

		of_node[i] = below ? of_node[node->parent] : root ? node->func : SUBJECT_NONE;
		if (of_node[i] == SUBJECT_NONE || !plain(l, node) ||
		    node->stats.calls <= calls[node->func])
			continue;
		calls[node->func] = node->stats.calls;
		in[node->func] = of_node[i];
	}
}

/* Sets by_ns[d] to the waits for a condition in calls of `worker` that candidate d ended. Returns
 * the sum with those that others ended. */
static uint64_t conditions_met(const struct looking *l, uint32_t worker, const uint32_t *in,
			       uint64_t *by_ns)
{
	size_t n;
	const struct func_wakes *w = model_wakes(l->t->model, &n);
	uint64_t all_ns = 0;

	memset(by_ns, 0, (l->t->n_funcs + 1) * sizeof(*by_ns));
	for (size_t i = 0; i < n; i++) {
		if (w[i].func >= l->t->n_funcs || in[w[i].func] != worker ||
		    wait_class_of(&l->classes, w[i].reason) != CLASS_COND)
			continue;
		all_ns += w[i].ns;
		if (w[i].by < l->t->n_funcs && in[w[i].by] != SUBJECT_NONE)
			by_ns[in[w[i].by]] += w[i].ns;
	}
	return all_ns;
}

/* Returns whether candidate `c` only waits for a call of d, or of the caller of d, to begin. The
 * half here, and SERVED_PART, were chosen by looking at one WebSocket server. */
static bool waits_for_calls(const struct candidate *c, const struct candidate *d, uint64_t by_ns,
			    uint64_t met_ns)
{
	if (only_waits(c->cond_ns, c->ns))
		return by_ns && 2 * by_ns >= met_ns;
	return only_waits(c->net_ns, c->ns) && d->calls >= c->calls / 2 && c->calls >= d->calls / 2;
}

/* Returns whether `worker` gives way to another candidate. */
static bool gives_way(const struct looking *l, uint32_t worker, const uint32_t *in, uint64_t *by_ns)
{
	const struct candidate *c = &l->of[worker];
	const uint64_t met_ns = conditions_met(l, worker, in, by_ns);

	for (uint32_t i = 0; i < l->t->n_funcs; i++) {
		const struct candidate *d = &l->of[i];

		if (d->ns && !is_worker(d) && 2 * (d->ns - d->idle_ns) >= l->busy_ns &&
		    d->ns >= c->ns / SERVED_PART && waits_for_calls(c, d, by_ns[i], met_ns))
			return true;
	}
	return false;
}

/* The candidate with the most time, but not a worker of another one. */
static int most(struct looking *l, uint32_t *found)
{
	const size_t n = l->t->n_funcs;

	drop_light(l);
	*found = longest(l);
	if (*found == SUBJECT_NONE || !is_worker(&l->of[*found]))
		return 0;
	uint32_t *in = calloc(n + 1, sizeof(*in)), *of_node = calloc(l->n + 1, sizeof(*of_node));
	uint64_t *ns = calloc(n + 1, sizeof(*ns));
	const int err = in && of_node && ns ? 0 : -ENOMEM;

	if (!err)
		find_callers(l, in, ns, of_node);
	while (!err && is_worker(&l->of[*found]) && gives_way(l, *found, in, ns)) {
		l->of[*found] = (struct candidate){ 0 };
		*found = longest(l); /* there is that other one */
	}
	free(in);
	free(of_node);
	free(ns);
	return err;
}

/* The outermost call with the most time that is no waiting for something to do. */
static uint32_t busiest_first(const struct looking *l)
{
	uint32_t best = SUBJECT_NONE;
	uint64_t best_ns = 0;

	for (size_t i = 1; i < l->n; i++) {
		const uint64_t ns = l->nodes[i].stats.total_ns, idle_ns = l->looks[i].idle_ns;

		if (!is_first(&l->nodes[i]) || !plain(l, &l->nodes[i]) || ns <= idle_ns ||
		    ns - idle_ns <= best_ns || ns - idle_ns < l->busy_ns / WEIGHT_PART)
			continue;
		if (2 * idle_ns >= ns)
			continue;
		best = l->nodes[i].func;
		best_ns = ns - idle_ns;
	}
	return best;
}

/* Most of its time it waits for what other goroutines do: these are of interest. */
static bool leaves_it_to_others(const struct looking *l, size_t i)
{
	return l->looks[i].idle_ns + l->looks[i].group_ns >= l->nodes[i].stats.total_ns / 2;
}

/* --request names functions: finds the one whose outermost calls take most time. */
static int asked_for(const struct looking *l, uint32_t *found)
{
	const struct loaded_trace *t = l->t;
	uint8_t *wanted = calloc(t->info->n_funcs + 1, 1), *in = calloc(l->n + 1, 1);
	int err = wanted && in ? loaded_trace_mark(t, "--request", &t->request, 1, wanted)
			       : -ENOMEM;

	for (size_t i = 1; !err && i < l->n; i++) {
		const struct path_node *node = &l->nodes[i];
		const bool below = !is_first(node) && in[node->parent];

		in[i] = below || (node->func < t->info->n_funcs && wanted[node->func]);
		if (in[i] && !below)
			l->of[node->func].ns += node->stats.total_ns;
	}
	for (uint32_t i = 0; !err && i < t->n_funcs; i++)
		if (l->of[i].ns && (*found == SUBJECT_NONE || l->of[i].ns > l->of[*found].ns))
			*found = i;
	free(wanted);
	free(in);
	return err;
}

/* Finds the function that is called again and again, or main. */
static int found_out(struct looking *l, uint32_t *found)
{
	look_at_waits(l);
	sum_up(l);
	const size_t main = look_at_all(l);
	const struct call_stats *st = main ? &l->nodes[main].stats : NULL;
	int err = most(l, found);

	if (main && st->total_ns >= l->busy_ns / WEIGHT_PART &&
	    (*found == SUBJECT_NONE || (st->finished && !leaves_it_to_others(l, main))))
		*found = l->nodes[main].func;
	if (*found == SUBJECT_NONE)
		*found = busiest_first(l);
	return err;
}

uint32_t subject_find(const struct loaded_trace *t, uint64_t span_ns, int *err)
{
	struct looking l = { .t = t, .span_ns = span_ns };
	uint32_t found = SUBJECT_NONE;

	l.nodes = model_paths(t->model, &l.n);
	l.looks = calloc(l.n + 1, sizeof(*l.looks));
	l.of = calloc(t->n_funcs + 1, sizeof(*l.of));
	*err = l.looks && l.of ? 0 : -ENOMEM;
	if (!*err && t->request)
		*err = asked_for(&l, &found);
	else if (!*err)
		*err = found_out(&l, &found);
	free(l.looks);
	free(l.of);
	return found;
}
