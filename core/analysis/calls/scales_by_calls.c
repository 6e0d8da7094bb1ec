// SPDX-License-Identifier: BSD-2-Clause
/*
 * By how much events cost more inside the program, where no sample tells it: no call can take less
 * than its events cost, so those that have little else show the scale.
 */
#include "analysis/calls/scales.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/stat_columns.h"
#include "trace/keys.h"

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

static bool may_tell(const struct path_charge *x, enum cost_family f, double *all_ns)
{
	*all_ns = 0;
	for (int k = 0; k < COST_FAMILIES; k++)
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
static size_t find_leaves(const struct charges *c, const struct trace_info *info,
			  enum cost_family f, struct witness *to)
{
	struct path_charge *sums = calloc(c->n_funcs + 1, sizeof(*sums));
	bool *calls = calloc(c->n_funcs + 1, sizeof(*calls));
	size_t n = 0;

	for (size_t i = 1; sums && calls && i < c->n; i++) {
		const struct path_node *x = &c->nodes[i];
		uint32_t up = c->nodes[x->parent].func;

		if (x->func < c->n_funcs) {
			for (int k = 0; k < COST_FAMILIES; k++)
				sums[x->func].ns[k] += c->paths[i].ns[k];
			sums[x->func].events += c->paths[i].events;
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
static size_t find_paths(const struct charges *c, const struct trace_info *info, enum cost_family f,
			 struct witness *to)
{
	size_t n = 0;

	for (size_t i = 1; i < c->n; i++) {
		double ns, ratio;

		if (may_wait(info, c->nodes[i].func) || !may_tell(&c->paths[i], f, &ns))
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
static struct cost_scale weigh(struct witness *w, size_t n, double most, double most_waiting,
			       struct cost_scale untold)
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
	return (struct cost_scale){ by * waiting, fmin(off, 1) };
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

int scales_by_calls(const struct charges *c, const struct trace_info *info,
		    struct cost_scale scale[COST_FAMILIES])
{
	struct witness *room = calloc(c->n + c->n_funcs, sizeof(*room));

	if (!room)
		return -ENOMEM;
	scale[COST_READING] = (struct cost_scale){ 1, OFF_MIN };
	for (int f = 0; f < COST_READING; f++) {
		size_t n = f == COST_STEPS ? 0 : find_leaves(c, info, f, room);
		/* What keeps traps waiting keeps single steps waiting. */
		struct cost_scale other = f == COST_STEPS ? scale[COST_TRAPS]
					  : f == COST_STUBS
						  ? (struct cost_scale){ STUBS_UNTOLD, OFF_STUBS }
						  : (struct cost_scale){ 1, OFF_UNTOLD };
		/* Stubs are over too fast for their functions' mean to say anything. */
		double waiting = f == COST_STUBS ? 1 : most_waiting(info);

		if (n) {
			scale[f] = weigh(room, n, SCALE_MAX, waiting, other);
		} else {
			n = find_paths(c, info, f, room);
			if (n < ENOUGH)
				n = 0;
			scale[f] = weigh(room, n, SCALE_MAX * fmax(other.by, 1), 1, other);
		}
	}
	free(room);
	return 0;
}
