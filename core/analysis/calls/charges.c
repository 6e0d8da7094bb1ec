// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/calls/charges.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* ---- what events cost */

/* The cost of one event, or a part of it, by family. */
struct part {
	double ns[COST_FAMILIES];
};

static struct part before(const struct charges *c, unsigned how)
{
	struct part p = { { 0 } };

	p.ns[how == HOW_INLINE ? COST_STUBS : COST_TRAPS] = c->costs[how].before;
	return p;
}

static struct part after(const struct charges *c, unsigned how)
{
	struct part p = { { 0 } };

	p.ns[how == HOW_INLINE ? COST_STUBS
	     : how == HOW_STEP ? COST_STEPS
			       : COST_TRAPS] = c->costs[how].after;
	return p;
}

/* Measured in each event: not scaled with the traps. */
static struct part outside(const struct charges *c, unsigned how)
{
	return (struct part){ .ns[COST_READING] = c->costs[how].outside };
}

static void add(double to[COST_FAMILIES], struct part p, double n)
{
	for (int f = 0; f < COST_FAMILIES; f++)
		to[f] += n * p.ns[f];
}

static void charge(struct charges *c, uint32_t path, struct part p, double n)
{
	add(c->paths[path].ns, p, n);
	c->paths[path].events += (uint64_t)n;
}

/* Charges what is in the time of the callers of a path: for recursive calls, the path itself. */
static void charge_callers(struct charges *c, uint32_t path, struct part p, double n)
{
	const struct path_node *node = &c->nodes[path];
	double calls = (double)node->stats.calls,
	       own = calls > 0 ? (double)node->recursive / calls : 0, others = 1 - own;

	charge(c, path, p, own * n);
	for (uint32_t i = c->folds ? c->first_fold[path] : 0;
	     c->folds && i < c->first_fold[path + 1]; i++) {
		double share = calls > 0 ? fmin((double)c->folds[i].calls / calls, others) : 0;

		charge(c, c->folds[i].from, p, share * n);
		others -= share;
	}
	if (node->parent && !node->go_edge)
		charge(c, node->parent, p, others * n);
}

/* Sorts the folds of m by where they lead. 0 or -ENOMEM. */
static int take_folds(struct charges *c, const struct model *m)
{
	size_t n;
	const struct path_fold *folds = model_path_folds(m, &n);

	if (!n)
		return 0;
	c->folds = calloc(n, sizeof(*c->folds));
	c->first_fold = calloc(c->n + 2, sizeof(*c->first_fold));
	if (!c->folds || !c->first_fold)
		return -ENOMEM;
	/* Counted two places on, so that they are in place when each has moved on by its own. */
	for (size_t i = 0; i < n; i++)
		c->first_fold[folds[i].to + 2]++;
	for (size_t i = 2; i < c->n + 2; i++)
		c->first_fold[i] += c->first_fold[i - 1];
	for (size_t i = 0; i < n; i++)
		c->folds[c->first_fold[folds[i].to + 1]++] = folds[i];
	return 0;
}

static void charge_events(void *ctx, const struct path_events *e)
{
	struct charges *c = ctx;
	struct part first = before(c, e->how), then = after(c, e->how),
		    reading = outside(c, e->how);
	double n = (double)e->n;

	c->any |= c->costs[e->how].before + c->costs[e->how].after > 0;
	if (e->role == ROLE_EXIT || e->role == ROLE_INSIDE)
		charge(c, e->path, first, n);
	else
		charge_callers(c, e->path, first, n);
	if (e->role == ROLE_ENTRY || e->role == ROLE_INSIDE)
		charge(c, e->path, then, n);
	else
		charge_callers(c, e->path, then, n);
	if (e->how == HOW_VALUES)
		charge_callers(c, e->path, reading, n);
	if (e->role == ROLE_INSIDE)
		return;
	add(c->paths[e->path].own, first, n);
	add(c->paths[e->path].own, then, n);
	add(c->paths[e->path].own, reading, n);
}

/* ---- all of them */

void charges_free(struct charges *c)
{
	free(c->paths);
	free(c->folds);
	free(c->first_fold);
}

int charges_take(struct charges *c, const struct model *m, const struct trace_info *info)
{
	*c = (struct charges){ 0 };
	c->nodes = model_paths(m, &c->n);
	c->funcs = model_funcs(m, &c->n_funcs);
	c->paths = calloc(c->n, sizeof(*c->paths));
	int err = c->paths ? take_folds(c, m) : -ENOMEM;

	if (err)
		return err;
	event_costs_read(info, c->costs);
	model_path_events(m, charge_events, c);
	return 0;
}
