// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/correction.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/log.h"
#include "trace/keys.h"

/* Inline stubs and traps are apart: what makes one cost more does not touch the other. */
enum family { TRAPS, STUBS, FAMILIES };

struct cost {
	double before, after; /* the time stamp, ns */
};

/* What events cost in the calls of a path at the measured cost of each, ns. */
struct charge {
	double ns[FAMILIES];
	double own[FAMILIES]; /* of its own events, its callers' part included */
	uint64_t events;
};

struct correcting {
	struct cost costs[HOW_MAX + 1];
	const struct path_node *nodes;
	size_t n;
	struct charge *charges; /* by path */
	bool any;               /* event whose cost is known */
};

static enum family family_of(unsigned how)
{
	return how == HOW_INLINE ? STUBS : TRAPS;
}

/* ---- what events cost */

static void read_costs(const struct trace_info *info, struct cost costs[HOW_MAX + 1])
{
	static const char *const keys[] = {
		[HOW_EMULATED] = KEY_COST_EMULATED_NS, [HOW_JUMP] = KEY_COST_JUMP_NS,
		[HOW_NOP] = KEY_COST_NOP_NS,           [HOW_RET] = KEY_COST_RET_NS,
		[HOW_STEP] = KEY_COST_STEP_NS,         [HOW_INLINE] = KEY_COST_INLINE_NS,
	};
	/* Of traps that were not told apart: about two thirds, as measured where they were. */
	uint64_t emulated_ns = trace_info_u64(info, KEY_COST_EMULATED_NS, 0),
		 before_ns = trace_info_u64(info, KEY_COST_BEFORE_NS, 2 * emulated_ns / 3);

	for (unsigned how = 1; how <= HOW_MAX; how++) {
		double ns = (double)trace_info_u64(info, keys[how], 0);
		double before = how == HOW_INLINE ? ns / 2 : fmin((double)before_ns, ns);

		costs[how] = (struct cost){ before, ns - before };
	}
}

static void charge(struct correcting *c, uint32_t path, unsigned how, double ns, double events)
{
	c->charges[path].ns[family_of(how)] += ns;
	c->charges[path].events += (uint64_t)events;
}

/* Charges what is in the time of the callers of a path: for recursive calls, the path itself. */
static void charge_callers(struct correcting *c, uint32_t path, unsigned how, double ns,
			   double events)
{
	const struct path_node *n = &c->nodes[path];
	double own = n->stats.calls ? (double)n->recursive / (double)n->stats.calls : 0;

	charge(c, path, how, own * ns, own * events);
	if (n->parent && !n->go_edge)
		charge(c, n->parent, how, (1 - own) * ns, (1 - own) * events);
}

static void charge_events(void *ctx, const struct path_events *e)
{
	struct correcting *c = ctx;
	struct cost cost = c->costs[e->how];
	double n = (double)e->n;

	c->any |= cost.before + cost.after > 0;
	if (e->role != ROLE_INSIDE)
		c->charges[e->path].own[family_of(e->how)] += n * (cost.before + cost.after);
	switch (e->role) {
	case ROLE_ENTRY:
		charge(c, e->path, e->how, n * cost.after, n);
		charge_callers(c, e->path, e->how, n * cost.before, n);
		break;
	case ROLE_EXIT:
		charge(c, e->path, e->how, n * cost.before, n);
		charge_callers(c, e->path, e->how, n * cost.after, n);
		break;
	case ROLE_BOTH:
		charge_callers(c, e->path, e->how, n * (cost.before + cost.after), n);
		break;
	default:
		charge(c, e->path, e->how, n * (cost.before + cost.after), n);
	}
}

/* ---- the scale */

struct scale {
	double by;  /* times the measured cost */
	double off; /* may be off by so much of it */
};

/* A path as a witness: self time over charge, and the charge as its weight. */
struct witness {
	double ratio, weight;
};

static int by_ratio(const void *x, const void *y)
{
	double a = ((const struct witness *)x)->ratio, b = ((const struct witness *)y)->ratio;

	return (a > b) - (a < b);
}

#define ENOUGH_EVENTS 200  /* of a path, so that single interruptions do not count */
#define PURE          0.8  /* of a witness's charge is of the one family */
#define LEAST         0.05 /* of all weight: paths below have too short a self time by accident */
#define ALIKE         1.25 /* ratios up to so many times the least are of paths with little code */
#define SCALE_MAX     4.0  /* above that, all paths have much code: they tell nothing */
#define OFF_MIN       0.05
#define OFF_UNTOLD    0.5

static size_t find_witnesses(const struct correcting *c, enum family f, struct witness *to,
			     double *weight)
{
	size_t n = 0;

	*weight = 0;
	for (size_t i = 1; i < c->n; i++) {
		const struct charge *x = &c->charges[i];
		double ns = x->ns[TRAPS] + x->ns[STUBS];

		if (x->events < ENOUGH_EVENTS || x->ns[f] < PURE * ns || ns <= 0)
			continue;
		to[n++] = (struct witness){ (double)c->nodes[i].stats.self_ns / ns, ns };
		*weight += ns;
	}
	return n;
}

/*
 * How many times its measured cost an event costs in this program: the mean of the paths that are
 * alike and have least besides. Where these have several times the cost, they do not tell it from
 * their own code.
 */
static struct scale find_scale(const struct correcting *c, enum family f, struct witness *room)
{
	double weight, sum = 0, squares = 0, alike = 0;
	size_t n = find_witnesses(c, f, room, &weight), i = 0;
	const struct scale untold = { 1, OFF_UNTOLD };

	if (!n)
		return untold;
	qsort(room, n, sizeof(*room), by_ratio);
	for (double below = room[0].weight; i + 1 < n && below < LEAST * weight; i++)
		below += room[i + 1].weight;
	double least = room[i].ratio;

	if (least > SCALE_MAX)
		return untold;
	for (i = 0; i < n && room[i].ratio <= ALIKE * least; i++) {
		alike += room[i].weight;
		sum += room[i].weight * room[i].ratio;
		squares += room[i].weight * room[i].ratio * room[i].ratio;
	}
	double by = sum / alike, variance = fmax(squares / alike - by * by, 0);

	if (by <= 0)
		return untold;
	return (struct scale){ by, fmax(2 * sqrt(variance) / by, OFF_MIN) };
}

/* ---- all of it */

/* A trace may say that an event costs a thousand years. */
static uint64_t at_most(double ns, uint64_t most)
{
	return ns < (double)most ? (uint64_t)ns : most;
}

static struct path_correction correction_of(const struct correcting *c, size_t path,
					    const struct scale scale[FAMILIES])
{
	uint64_t self_ns = c->nodes[path].stats.self_ns;
	double ns = 0, off_ns = 0, own_ns = 0;

	for (int f = 0; f < FAMILIES; f++) {
		double of_family = c->charges[path].ns[f] * scale[f].by;

		ns += of_family;
		off_ns += of_family * scale[f].off;
		own_ns += c->charges[path].own[f] * scale[f].by;
	}
	return (struct path_correction){
		.probe_ns = at_most(ns, self_ns),
		.uncertainty_ns = at_most(off_ns, self_ns),
		.cost_ns = at_most(own_ns, UINT64_MAX >> 20), /* a million paths add up */
	};
}

static int correct(struct correcting *c, struct model *m)
{
	struct path_correction *of = calloc(c->n, sizeof(*of));
	struct witness *room = calloc(c->n, sizeof(*room));
	int err = of && room ? 0 : -ENOMEM;

	if (!err) {
		struct scale scale[FAMILIES] = { find_scale(c, TRAPS, room),
						 find_scale(c, STUBS, room) };

		for (size_t i = 1; i < c->n; i++)
			of[i] = correction_of(c, i, scale);
		err = model_correct(m, of);
	}
	free(of);
	free(room);
	return err;
}

int correction_apply(struct loaded_trace *t)
{
	struct correcting c = { 0 };
	int err = 0;

	t->correction_tried = true;
	c.nodes = model_paths(t->model, &c.n);
	c.charges = calloc(c.n, sizeof(*c.charges));
	if (c.charges) {
		read_costs(t->info, c.costs);
		model_path_events(t->model, charge_events, &c);
		t->corrected = c.any;
		if (t->corrected)
			err = correct(&c, t->model);
	} else {
		err = -ENOMEM;
	}
	free(c.charges);
	if (err)
		log_error("no memory to correct the times of %zu paths", c.n);
	return err;
}
