// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/parked.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/calls/callback.h"
#include "analysis/calls/wait_class.h"
#include "analysis/calls/wait_rows.h"
#include "analysis/parked_rule.h"
#include "analysis/trace_names.h"
#include "base/hash_index.h"
#include "base/vec.h"
#include "model/holds.h"

#define LEFT_PCT 90 /* of the waits of a place that nobody has left */
#define LOOPS    4  /* waits of a call that is a loop */

struct parked {
	const struct trace_info *info;
	struct wait_classes classes;
	struct parked_place *places;
	size_t n, cap;
	struct hash_index index;
	struct later {
		struct parked_place place;
		uint64_t life_ns;
		bool often; /* woken often: parked in a loop, or where others meet a condition */
	} * later;          /* who may be parked: decided when the trace has ended */
	size_t n_later, cap_later;
	int err;
};

struct parked *parked_new(const struct trace_info *info)
{
	struct parked *p = calloc(1, sizeof(*p));

	if (p) {
		p->info = info;
		wait_classes_fill(&p->classes, info);
	}
	return p;
}

struct parked *parked_copy(const struct parked *p)
{
	struct parked *to = parked_new(p->info);

	if (!to || vec_reserve(&to->later, &to->cap_later, p->n_later + 1)) {
		parked_free(to);
		return NULL;
	}
	for (size_t i = 0; i < p->n_later; i++)
		to->later[i] = p->later[i];
	to->n_later = p->n_later;
	to->err = p->err;
	return to;
}

void parked_free(struct parked *p)
{
	if (!p)
		return;
	free(p->places);
	free(p->later);
	hash_index_free(&p->index);
	free(p);
}

const struct parked_place *parked_places(const struct parked *p, size_t *n)
{
	*n = p ? p->n : 0;
	return *n ? p->places : NULL;
}

uint64_t parked_ns(const struct parked *p)
{
	uint64_t ns = 0;

	for (size_t i = 0; p && i < p->n; i++)
		ns += p->places[i].ns;
	return ns;
}

/* ---- as goroutines end */

static int add_place(struct parked *p, const struct parked_place *what)
{
	uint32_t hash = hash_u64_pair((uint64_t)what->path << 32 | what->func, what->reason);
	size_t at;

	for (uint32_t i = hash_index_first(&p->index, hash, &at); i != HASH_NONE;
	     i = hash_index_next(&p->index, hash, &at)) {
		struct parked_place *x = &p->places[i];

		if (x->path != what->path || x->func != what->func || x->reason != what->reason)
			continue;
		x->goroutines += what->goroutines;
		x->ns += what->ns;
		x->n += what->n;
		x->young += what->young;
		x->young_ns += what->young_ns;
		x->young_n += what->young_n;
		return 0;
	}
	int err = vec_reserve(&p->places, &p->cap, p->n + 1);

	if (!err)
		err = hash_index_put(&p->index, hash, (uint32_t)p->n);
	if (!err)
		p->places[p->n++] = *what;
	return err;
}

/* It waits for the network, and starts a goroutine for what comes: connections, datagrams. */
static bool accepts(const struct parked *p, const struct goroutine_place *place)
{
	char name[WAIT_REASON_BYTES];

	return place->g->started >= place->n / 2 &&
	       !strcmp(wait_reason(p->info, place->reason, name), "IO wait");
}

void parked_add(void *parked, const struct goroutine_place *place)
{
	struct parked *p = parked;

	struct parked_life life = { .life_ns = place->g->life_ns,
				    .there_ns = place->ns,
				    .waits = accepts(p, place) ? 0 : place->n,
				    .lock = wait_for_lock(p->info, &p->classes, place->reason) };
	const bool often = !parked_rule(&life);

	life.own_loop = wait_for_work(p->info, &p->classes, place->reason);
	if (!place->there || p->err || !parked_rule(&life))
		return;
	p->err = vec_reserve(&p->later, &p->cap_later, p->n_later + 1);
	if (!p->err)
		p->later[p->n_later++] = (struct later){ .place = { .path = place->path,
								    .func = place->func,
								    .reason = place->reason,
								    .goroutines = 1,
								    .ns = place->ns,
								    .n = place->n },
							 .life_ns = place->g->life_ns,
							 .often = often };
}

/* ---- at the end */

static uint32_t outermost(const struct path_node *nodes, uint32_t path)
{
	while (nodes[path].parent && !nodes[path].go_edge)
		path = nodes[path].parent;
	return path;
}

/* It waits in a callback, which has something to do already. A callback that reads may be a
 * connection's, which waits for its next request. */
static bool in_request(const struct parked *p, const struct model *m, const struct parked_place *x)
{
	size_t n;
	const struct path_node *nodes = model_paths(m, &n);

	return wait_class_of(&p->classes, x->reason) != CLASS_NET &&
	       is_callback(&nodes[outermost(nodes, x->path)]);
}

/* The outermost call of a goroutine that waits again and again, but not main's. */
static bool own_loop(const struct parked *p, const struct model *m, const struct parked_place *x)
{
	size_t n;
	const struct path_node *node = &model_paths(m, &n)[x->path];
	const struct path_waits wait = { x->path, x->func, x->reason, false, 0, 0 };

	return (!node->parent || node->go_edge) && node->func == x->func &&
	       strcmp(trace_name_func(p->info, node->func), "main.main") != 0 &&
	       model_wait_count(m, &wait) >= LOOPS * node->stats.calls;
}

/* Marks the functions that run in a call of node `top`, on its goroutine. Nodes stand behind their
 * parents. in_call has room for all nodes, and is false. */
static void mark_below(const struct path_node *nodes, size_t n, uint32_t top, bool *in_call,
		       bool *funcs, size_t n_funcs)
{
	for (size_t i = top; i < n; i++) {
		const struct path_node *node = &nodes[i];

		in_call[i] = i == top || (node->parent && !node->go_edge && in_call[node->parent]);
		if (in_call[i] && node->func < n_funcs)
			funcs[node->func] = true;
	}
}

/* Sets *others if it waits for a condition that other goroutines meet, as for the next element of a
 * queue. Requests that wait for one another's end meet it themselves. Half of the waits is the
 * least; one WebSocket server was looked at for that. 0 or -ENOMEM. */
static int waits_for_others(const struct parked *p, const struct model *m,
			    const struct parked_place *x, bool *others)
{
	size_t n, n_wakes;
	const struct path_node *nodes = model_paths(m, &n);
	const struct func_wakes *w = model_wakes(m, &n_wakes);
	uint64_t all_ns = 0, others_ns = 0;

	*others = false;
	if (wait_class_of(&p->classes, x->reason) != CLASS_COND)
		return 0;
	bool *in_call = calloc(n + p->info->n_funcs + 1, sizeof(*in_call));

	if (!in_call)
		return -ENOMEM;
	bool *own = in_call + n; /* by function */

	mark_below(nodes, n, outermost(nodes, x->path), in_call, own, p->info->n_funcs);
	for (size_t i = 0; i < n_wakes; i++) {
		if (w[i].func != x->func || w[i].reason != x->reason)
			continue;
		all_ns += w[i].ns;
		if (w[i].by < p->info->n_funcs && !own[w[i].by])
			others_ns += w[i].ns;
	}
	free(in_call);
	*others = others_ns && 2 * others_ns >= all_ns;
	return 0;
}

/* Many goroutines have the same place. */
#define DECIDED_MAX 64
struct decided {
	struct parked_place place;
	bool others;
};

/* waits_for_others, once for each place. After many places it is false, as it looks at all paths.
 */
static int decide(const struct parked *p, const struct model *m, const struct parked_place *x,
		  struct decided *all, size_t *n, bool *others)
{
	size_t i = 0;
	int err = 0;

	while (i < *n && (all[i].place.path != x->path || all[i].place.func != x->func ||
			  all[i].place.reason != x->reason))
		i++;
	if (i == *n && i < DECIDED_MAX) {
		all[i].place = *x;
		err = waits_for_others(p, m, x, &all[i].others);
		*n += !err;
	}
	*others = i < *n && all[i].others;
	return err;
}

static int gather(struct parked *p, const struct model *m, uint64_t span_ns)
{
	struct decided decided[DECIDED_MAX];
	size_t n_decided = 0;
	int err = 0;

	for (size_t i = 0; i < p->n_later && !err; i++) {
		struct parked_place place = p->later[i].place;

		if (in_request(p, m, &place))
			continue;
		if (p->later[i].often && !own_loop(p, m, &place)) {
			bool others;

			err = decide(p, m, &place, decided, &n_decided, &others);
			if (err || !others)
				continue;
		}
		if (2 * p->later[i].life_ns < span_ns) {
			place.young = 1;
			place.young_ns = place.ns;
			place.young_n = place.n;
		}
		err = add_place(p, &place);
	}
	return err;
}

static bool leaks(const struct parked_place *x, const struct model *m)
{
	const struct path_waits wait = { x->path, x->func, x->reason, false, 0, 0 };

	return x->goroutines - x->young >= x->young / 2 &&
	       x->n * 100 >= model_wait_count(m, &wait) * LEFT_PCT;
}

/* The young are requests, unless they are a leak's. */
static uint64_t drop_young(struct parked *p, const struct model *m)
{
	uint64_t ns = 0;
	size_t n = 0;

	for (size_t i = 0; i < p->n; i++) {
		struct parked_place x = p->places[i];

		if (x.young && !leaks(&x, m)) {
			x.goroutines -= x.young;
			x.ns -= x.young_ns;
			x.n -= x.young_n;
		}
		ns += x.ns;
		if (x.goroutines)
			p->places[n++] = x;
	}
	p->n = n;
	return ns;
}

static int longest_first(const void *a, const void *b)
{
	const struct parked_place *x = a, *y = b;

	return x->ns != y->ns ? (x->ns < y->ns ? 1 : -1)
			      : (x->path > y->path) - (x->path < y->path);
}

static uint64_t rest_of(const struct model *m, uint64_t ns)
{
	const uint64_t all_ns = model_totals(m)->root_ns;

	return all_ns > ns ? all_ns - ns : 0;
}

int parked_leave_out(struct parked *p, struct model *m, uint64_t span_ns)
{
	int err = p->err ? p->err : gather(p, m, span_ns);
	uint64_t ns = err ? 0 : drop_young(p, m);
	size_t n = 0;

	if (err || parked_rule_keeps_all(rest_of(m, ns), span_ns))
		p->n = 0;
	if (p->n)
		qsort(p->places, p->n, sizeof(*p->places), longest_first);
	for (size_t i = 0; i < p->n; i++) {
		struct parked_place *x = &p->places[i];

		x->ns = model_leave_out(m, &(struct path_waits){ .path = x->path,
								 .func = x->func,
								 .reason = x->reason,
								 .ns = x->ns,
								 .n = x->n });
		if (x->ns)
			p->places[n++] = *x;
	}
	p->n = n;
	return err;
}
