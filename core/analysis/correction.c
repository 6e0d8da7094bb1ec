// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/correction.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/event_costs.h"
#include "analysis/stat_columns.h"
#include "base/log.h"
#include "trace/keys.h"

/* What makes one of these cost more need not touch the others: traps up to where the kernel
 * executes the instruction, single steps, inline stubs, reading of values. */
enum family { TRAPS, STEPS, STUBS, READING, FAMILIES };

/* What events cost in the calls of a path at the measured cost of each, ns. */
struct charge {
	double ns[FAMILIES];
	double own[FAMILIES]; /* of its own events, its callers' part included */
	uint64_t events;
};

struct correcting {
	struct event_cost costs[HOW_MAX + 1];
	const struct path_node *nodes;
	size_t n;
	const struct call_stats *funcs;
	size_t n_funcs;
	/* calls of a path by others than its parent, those of path i from first_fold[i] on; NULL:
	 * there are none */
	struct path_fold *folds;
	uint32_t *first_fold;
	struct charge *charges; /* by path */
	bool any;               /* event whose cost is known */
};

/* ---- what events cost */

/* The cost of one event, or a part of it, by family. */
struct part {
	double ns[FAMILIES];
};

static struct part before(const struct correcting *c, unsigned how)
{
	struct part p = { { 0 } };

	p.ns[how == HOW_INLINE ? STUBS : TRAPS] = c->costs[how].before;
	return p;
}

static struct part after(const struct correcting *c, unsigned how)
{
	struct part p = { { 0 } };

	p.ns[how == HOW_INLINE ? STUBS : how == HOW_STEP ? STEPS : TRAPS] = c->costs[how].after;
	return p;
}

/* Measured in each event: not scaled with the traps. */
static struct part outside(const struct correcting *c, unsigned how)
{
	return (struct part){ .ns[READING] = c->costs[how].outside };
}

static void add(double to[FAMILIES], struct part p, double n)
{
	for (int f = 0; f < FAMILIES; f++)
		to[f] += n * p.ns[f];
}

static void charge(struct correcting *c, uint32_t path, struct part p, double n)
{
	add(c->charges[path].ns, p, n);
	c->charges[path].events += (uint64_t)n;
}

/* Charges what is in the time of the callers of a path: for recursive calls, the path itself. */
static void charge_callers(struct correcting *c, uint32_t path, struct part p, double n)
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
static int take_folds(struct correcting *c, const struct model *m)
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
	struct correcting *c = ctx;
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
	add(c->charges[e->path].own, first, n);
	add(c->charges[e->path].own, then, n);
	add(c->charges[e->path].own, reading, n);
}

/* ---- the scale */

struct scale {
	double by;  /* times the measured cost */
	double off; /* may be off by so much of it */
};

/* What tells the scale: what it was charged, and its self time and that of a typical call of it in
 * charges. */
struct witness {
	double weight, mean, typical;
};

static int by_typical(const void *x, const void *y)
{
	double a = ((const struct witness *)x)->typical, b = ((const struct witness *)y)->typical;

	return (a > b) - (a < b);
}

#define ENOUGH_EVENTS 200  /* of a witness, so that single interruptions do not count */
#define PURE          0.8  /* of a witness's charge is of the one family */
#define LEAST         0.05 /* of all weight: witnesses below have too short a time by accident */
#define ALIKE         1.25 /* ratios up to so many times the least are of those with little code */
#define SCALE_MAX     4.0  /* above that, all have much code: they tell nothing */
#define ENOUGH        8    /* witnesses, for one of them to have next to no code of its own */
#define OFF_MIN       0.05
#define OFF_UNTOLD    0.5
#define STUBS_UNTOLD  1.2  /* real programs: 1 on one processor, 1.5 on another */
#define OFF_STUBS     2.0  /* what follows a stub waits for its stores: up to 3.6 */
#define OFF_WAITING   0.25 /* where the program mostly waited for a processor */

static bool may_tell(const struct charge *x, enum family f, double *all_ns)
{
	*all_ns = 0;
	for (int k = 0; k < FAMILIES; k++)
		*all_ns += x->ns[k];
	return x->events >= ENOUGH_EVENTS && *all_ns > 0 && x->ns[f] >= PURE * *all_ns;
}

/* Whether a function waits, or may: of its calls a typical one takes as long as it has to, whatever
 * its events cost. What --waits selects is among these. */
static bool may_wait(const struct trace_info *info, uint32_t func)
{
	static const char *const packages[] = { "runtime.", "syscall.", "sync.", "internal/",
						"time.Sleep" };

	for (size_t i = 0; func < info->n_funcs && i < sizeof(packages) / sizeof(*packages); i++)
		if (!strncmp(info->funcs[func].name, packages[i], strlen(packages[i])))
			return true;
	return false;
}

/* Functions that call no other: of these the typical call is known as well as the mean. */
static size_t find_leaves(const struct correcting *c, const struct trace_info *info, enum family f,
			  struct witness *to)
{
	struct charge *sums = calloc(c->n_funcs + 1, sizeof(*sums));
	bool *calls = calloc(c->n_funcs + 1, sizeof(*calls));
	size_t n = 0;

	for (size_t i = 1; sums && calls && i < c->n; i++) {
		const struct path_node *x = &c->nodes[i];
		uint32_t up = c->nodes[x->parent].func;

		if (x->func < c->n_funcs) {
			for (int k = 0; k < FAMILIES; k++)
				sums[x->func].ns[k] += c->charges[i].ns[k];
			sums[x->func].events += c->charges[i].events;
			calls[x->func] |= x->recursive != 0;
		}
		if (x->parent && !x->go_edge && up < c->n_funcs)
			calls[up] = true;
	}
	for (size_t i = 0; sums && calls && i < c->n_funcs; i++) {
		const struct call_stats *st = &c->funcs[i];
		double ns;

		if (calls[i] || !st->finished || may_wait(info, (uint32_t)i) ||
		    !may_tell(&sums[i], f, &ns))
			continue;
		to[n++] = (struct witness){ ns, (double)stat_run_ns(st) / ns,
					    (double)stat_quantile(st, 0.5) * (double)st->calls /
						    ns };
	}
	free(sums);
	free(calls);
	return n;
}

/* Paths, of which only the mean is known. */
static size_t find_paths(const struct correcting *c, const struct trace_info *info, enum family f,
			 struct witness *to)
{
	size_t n = 0;

	for (size_t i = 1; i < c->n; i++) {
		double ns, ratio;

		if (may_wait(info, c->nodes[i].func) || !may_tell(&c->charges[i], f, &ns))
			continue;
		ratio = (double)stat_run_ns(&c->nodes[i].stats) / ns;
		to[n++] = (struct witness){ ns, ratio, ratio };
	}
	return n;
}

static int by_waiting(const void *x, const void *y)
{
	const struct witness *a = x, *b = y;
	double wa = a->mean / a->typical, wb = b->mean / b->typical;

	return (wa > wb) - (wa < wb);
}

/* Where w, in order, has its share of the weight. */
static const struct witness *at_share(const struct witness *w, size_t n, double share)
{
	double weight = 0, below = 0;
	size_t i = 0;

	for (size_t k = 0; k < n; k++)
		weight += w[k].weight;
	for (below = w[0].weight; i + 1 < n && below < share * weight; i++)
		below += w[i + 1].weight;
	return &w[i];
}

/*
 * How many times its measured cost an event costs in this program: as in the typical calls of the
 * witnesses that have least besides their events, times how much longer their mean is. In the mean
 * is what happens while events are recorded: waiting for a processor above all, of which there is
 * at most `most_waiting`. Where even these have several times the cost (`most`), they do not tell
 * it from their own code. A few witnesses may all have much code of their own: they only tell what
 * it is at most, of what it may be when nothing tells it.
 */
static struct scale weigh(struct witness *w, size_t n, double most, double most_waiting,
			  struct scale untold)
{
	double alike = 0, sum = 0, squares = 0;

	if (!n)
		return untold;
	qsort(w, n, sizeof(*w), by_typical);
	double least = at_share(w, n, LEAST)->typical;

	if (least > most || least <= 0)
		return untold;
	size_t like = 0;

	for (; like < n && w[like].typical <= ALIKE * least; like++) {
		alike += w[like].weight;
		sum += w[like].weight * w[like].typical;
		squares += w[like].weight * w[like].typical * w[like].typical;
	}
	double by = sum / alike, spread = sqrt(fmax(squares / alike - by * by, 0));

	if (by <= 0)
		return untold;
	while (like && w->typical <= 0) /* shorter than the clock's step */
		w++, like--;
	qsort(w, like, sizeof(*w), by_waiting);
	const struct witness *middle = like ? at_share(w, like, 0.5) : NULL;
	double waiting = middle ? middle->mean / middle->typical : 1;

	waiting = fmin(fmax(waiting, 1), most_waiting);
	double off = fmax(2 * spread / by, OFF_MIN) + OFF_WAITING * (1 - 1 / waiting);

	if (n < ENOUGH) {
		double from = (1 - OFF_UNTOLD) * fmin(by, 1), to = fmin(by, 1 + OFF_UNTOLD);

		off += (to - from) / (to + from);
		by = (to + from) / 2;
	}
	return (struct scale){ by * waiting, fmin(off, 1) };
}

/* Wall time of the program's processors over the time that it had them: so many times longer
 * may all take that waits for one. */
static double most_waiting(const struct trace_info *info)
{
	double cpus = (double)trace_info_u64(info, KEY_HOST_CPUS, 1),
	       wall_ns = (double)trace_info_u64(info, KEY_END_TARGET_WALL_NS, 0),
	       cpu_ns = (double)trace_info_u64(info, KEY_END_TARGET_CPU_NS, 0);

	return wall_ns > 0 && cpu_ns > 0 ? fmax(cpus * wall_ns / cpu_ns, 1) : 1;
}

static void find_scales(const struct correcting *c, const struct trace_info *info,
			struct scale scale[FAMILIES], struct witness *room)
{
	scale[READING] = (struct scale){ 1, OFF_MIN };
	for (int f = 0; f < READING; f++) {
		size_t n = f == STEPS ? 0 : find_leaves(c, info, f, room);
		/* What keeps traps waiting keeps single steps waiting. */
		struct scale other = f == STEPS   ? scale[TRAPS]
				     : f == STUBS ? (struct scale){ STUBS_UNTOLD, OFF_STUBS }
						  : (struct scale){ 1, OFF_UNTOLD };
		/* Stubs are over too fast for their functions' mean to say anything. */
		double waiting = f == STUBS ? 1 : most_waiting(info);

		if (n) {
			scale[f] = weigh(room, n, SCALE_MAX, waiting, other);
		} else {
			n = find_paths(c, info, f, room);
			if (n < ENOUGH)
				n = 0;
			scale[f] = weigh(room, n, SCALE_MAX * fmax(other.by, 1), 1, other);
		}
	}
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
	/* events are made by code that runs */
	uint64_t run_ns = stat_run_ns(&c->nodes[path].stats);
	double ns = 0, off_ns = 0, own_ns = 0;

	for (int f = 0; f < FAMILIES; f++) {
		double of_family = c->charges[path].ns[f] * scale[f].by;

		ns += of_family;
		off_ns += of_family * scale[f].off;
		own_ns += c->charges[path].own[f] * scale[f].by;
	}
	return (struct path_correction){
		.probe_ns = at_most(ns, run_ns),
		.uncertainty_ns = at_most(off_ns, run_ns),
		.cost_ns = at_most(own_ns, UINT64_MAX >> 20), /* a million paths add up */
	};
}

static void end(struct correcting *c)
{
	free(c->charges);
	free(c->folds);
	free(c->first_fold);
}

/* What the events of a model cost, as its paths tell. 0 or -ENOMEM; end() in any case. */
static int begin(struct correcting *c, const struct model *m, const struct trace_info *info)
{
	*c = (struct correcting){ 0 };
	c->nodes = model_paths(m, &c->n);
	c->funcs = model_funcs(m, &c->n_funcs);
	c->charges = calloc(c->n, sizeof(*c->charges));
	int err = c->charges ? take_folds(c, m) : -ENOMEM;

	if (err)
		return err;
	event_costs_read(info, c->costs);
	model_path_events(m, charge_events, c);
	return 0;
}

/* all: of the whole trace, which tells the scale. */
static int correct(struct correcting *c, const struct correcting *all, const struct loaded_trace *t)
{
	struct path_correction *of = calloc(c->n, sizeof(*of));
	struct witness *room = calloc(all->n + all->n_funcs, sizeof(*room));
	int err = of && room ? 0 : -ENOMEM;

	if (!err) {
		struct scale scale[FAMILIES];

		find_scales(all, t->info, scale, room);
		for (size_t i = 1; i < c->n; i++)
			of[i] = correction_of(c, i, scale);
		err = model_correct(t->model, of);
	}
	free(of);
	free(room);
	return err;
}

int correction_apply(struct loaded_trace *t)
{
	struct correcting c = { 0 }, whole = { 0 };
	int err = begin(&c, t->model, t->info);

	t->correction_tried = true;
	if (!err && t->whole)
		err = begin(&whole, t->whole, t->info);
	t->corrected = c.any || whole.any;
	if (!err && t->corrected)
		err = correct(&c, t->whole ? &whole : &c, t);
	end(&c);
	end(&whole);
	if (err)
		log_no_memory("no memory to correct the times of %zu paths", c.n);
	return err;
}
