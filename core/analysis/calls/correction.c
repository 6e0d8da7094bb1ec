// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/calls/correction.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/calls/scales.h"
#include "analysis/stat_columns.h"
#include "base/log.h"
#include "trace/keys.h"

#define MISSING_MOST 0.05 /* of the samples, and of what they stand for */

/* Part of what the events of a function cost that is one family's, to tell of that family. */
#define PURE 0.8

/* What probes took of the running time of a path's, or a function's, calls, ns, and its standard
 * error. */
struct taken {
	double ns, error_ns;
};

struct estimate {
	double run_ns; /* as measured */
	struct taken by_events, by_samples, best;
	bool of_samples;               /* best is by_samples */
	double given_square_ns2;       /* of the error of what a released function was given */
	double lacks_ns;               /* what the program's samples stand for, beyond run_ns */
	double delayed_ns;             /* that probes may have made it wait for a processor */
	double longest_ns;             /* time in which it may have waited at once, at most */
	double own_ns;                 /* what its own events cost, wherever that is charged */
	double charged[COST_FAMILIES]; /* what events cost in it */
	double alone[COST_FAMILIES];   /* as they were measured, before the program started */
	double near[COST_FAMILIES];    /* likewise, whole events: those in it and just before */
	/* samples: what they stand for, in all and in the program; the sum of the squares */
	double sampled_ns, program_ns, squares;
	uint64_t n;
};

/* The running time of all functions that is left, and what is not certain of it. */
struct whole {
	double left_ns;
	double square_ns2; /* of two standard errors, by chance */
	double bound_ns;   /* what no number of samples shows, of all functions in one direction */
	double apart_ns;   /* by how much it differs from what the program's samples stand for */
};

struct correcting {
	struct charges charges;
	struct path_sampled *sampled; /* by path */
	struct estimate *paths, *funcs;
	struct cost_scale scale[COST_FAMILIES];
	/* running time that a ns of samples stands for; 0: time as measured is running time */
	double normal;
	double scale_samples; /* processor time that a ns of samples stands for */
	bool any_sample;
	bool complete; /* samples stand for the processor time: next to none is missing */
	enum correct_by by;
	/* Part of the time beyond samples in which threads waited for a processor, where no state
	 * tells it; 0: or not known */
	double waits;
	double a_wait; /* their mean time without a processor, ns; 0: not known */
	double probes; /* their share of the program's processor time, 0 to 1; 0: or not known */
	bool waits_are_probes; /* see make_waits */
	/* What a trap, and a step, may have cost the code behind it, for each ns of its own. */
	double after_trap, after_step;
	struct whole whole;
};

/* ---- by samples */

/* The standard error of the time that all samples stand for. */
static double chance_of(const struct estimate *e, double scale)
{
	const double a_sample = e->squares / e->sampled_ns;

	return scale * a_sample * sqrt(e->sampled_ns / a_sample + 1);
}

/* Do they stand for another time than was measured, and chance does not explain it? If samples
 * stood for the measured time, their number would vary as much as that time has samples. The number
 * seen says too little of that, where it is small by chance. */
static bool contradict(const struct estimate *e, double scale)
{
	const double a_sample = scale * e->squares / e->sampled_ns,
		     expected_ns = a_sample * sqrt(e->run_ns / a_sample + 1);

	return fabs(e->run_ns - scale * e->sampled_ns) > 3 * fmax(chance_of(e, scale), expected_ns);
}

/*
 * If samples stand for the measured time, but for chance, the probes' share of samples is their
 * share of the time. Its error is that of a binomial share. Two more samples, one of each, keep the
 * error above zero where all samples are alike (Agresti and Coull, The American Statistician 52,
 * 1998). Else the time that the program's samples stand
 * for is its own: the prologue of a call is in its caller's time as measured, and the clock says
 * that it is the function's. Without states the time as measured has waiting in it, of which there
 * are no samples.
 */
static struct taken by_samples(const struct estimate *e, double normal, double scale)
{
	if (!e->n || e->squares <= 0) /* a damaged trace may have samples of no time */
		return (struct taken){ 0, e->run_ns };
	double a_sample = e->squares / e->sampled_ns;
	double n = e->sampled_ns / a_sample; /* as many as if they were alike */
	double program = e->program_ns / e->sampled_ns, share = (n * program + 1) / (n + 2);
	double sampled = scale * e->sampled_ns;

	if (!contradict(e, scale))
		return (struct taken){ e->run_ns * (1 - program),
				       e->run_ns * sqrt(share * (1 - share) / (n + 2)) };
	if (normal > 0 && e->run_ns > sampled)
		return (struct taken){ sampled * (1 - program),
				       sampled * sqrt(share * (1 - share) / (n + 2)) };
	return (struct taken){ fmax(e->run_ns - scale * e->program_ns, 0),
			       scale * a_sample * sqrt(n * program + 1) };
}

/* ---- by events */

static void add_events(const struct correcting *c, size_t path, struct estimate *e)
{
	const struct path_charge *x = &c->charges.paths[path];

	for (int f = 0; f < COST_FAMILIES; f++) {
		e->charged[f] += x->ns[f] * c->scale[f].by;
		e->alone[f] += x->ns[f];
		e->near[f] += fmax(2 * x->ns[f], x->own[f]); /* an event's two sides */
		e->own_ns += x->own[f] * c->scale[f].by;
	}
}

static struct taken by_events(const struct estimate *e,
			      const struct cost_scale scale[COST_FAMILIES])
{
	struct taken t = { 0 };

	for (int f = 0; f < COST_FAMILIES; f++) {
		t.ns += e->charged[f];
		t.error_ns += e->charged[f] * scale[f].off;
	}
	return t;
}

/*
 * Measures how far events are off, beyond what chance makes of so few samples. Functions count that
 * have nearly all of their cost from one family. The variance between both estimates is that of
 * DerSimonian and Laird (Meta-analysis in clinical trials, Controlled Clinical Trials 7, 1986) with
 * a known mean. The variance that chance may hide is added.
 */
static void find_spreads(struct correcting *c)
{
	for (int f = 0; f < COST_FAMILIES; f++) {
		double q = 0, weight = 0, n = 0;

		for (size_t i = 0; i < c->charges.n_funcs; i++) {
			const struct estimate *e = &c->funcs[i];
			double said = e->by_events.ns, error = e->by_samples.error_ns;
			double off = said - e->by_samples.ns;

			if (!e->n || said <= 0 || error <= 0 || e->charged[f] < PURE * said)
				continue;
			q += off * off / (error * error);
			weight += said * said / (error * error);
			n++;
		}
		if (weight > 0)
			c->scale[f].off += sqrt((fmax(q - n, 0) + sqrt(2 * n)) / weight);
	}
}

/* ---- the better one */

/* No more than there is. */
static struct taken at_most(struct taken t, double run_ns)
{
	return (struct taken){ fmin(t.ns, run_ns), fmin(t.error_ns, run_ns) };
}

/* The share of waits that are as short as the row's longest call. Their lengths are taken to be
 * exponential. A call of a microsecond did not wait for a processor for milliseconds. */
static double as_short(const struct correcting *c, const struct estimate *e)
{
	return c->a_wait > 0 ? -expm1(-fmin(e->longest_ns, e->run_ns) / c->a_wait) : 1;
}

/* The share of probes in the row's samples. The whole program's share counts as one more sample, so
 * it decides where the row has few. Probes of any row use up the time of a thread. */
static double in_probes(const struct correcting *c, const struct estimate *e)
{
	const double n = (double)e->n;

	return (n * (e->n ? 1 - e->program_ns / e->sampled_ns : 0) + c->probes) / (n + 1);
}

/*
 * Finds the part of the row's time that probes caused by taking the processor. Without states, the
 * time without a processor is known for the whole program only. The row's samples then tell how
 * long it ran, so the error of their number is added to the row's. If the row's time is its
 * measured time times the samples' share, that share has removed the part already.
 */
static void find_delay(const struct correcting *c, bool samples, struct estimate *e)
{
	const bool any = e->n && e->squares > 0; /* a damaged trace may have samples of no time */
	const double ns = any ? c->scale_samples * e->sampled_ns : 0,
		     delay = c->waits * as_short(c, e) * (any || !e->n ? in_probes(c, e) : 0);

	if (any)
		e->best.error_ns = hypot(e->best.error_ns, delay * chance_of(e, c->scale_samples));
	if (e->run_ns > ns && !(samples && any && !contradict(e, c->scale_samples)))
		e->delayed_ns = fmin(delay * (e->run_ns - ns), e->run_ns - e->best.ns);
	e->best.ns += e->delayed_ns;
}

static void weigh(const struct correcting *c, struct estimate *e)
{
	e->by_events = at_most(by_events(e, c->scale), e->run_ns);
	const struct taken sampled = by_samples(e, c->normal, c->scale_samples);

	e->by_samples = at_most(sampled, e->run_ns);
	bool samples = e->n && e->by_samples.error_ns < e->by_events.error_ns;

	/* A processor executes ahead of what it has finished, and stamps events then: while a call
	 * waits for memory, its end is over by its stamp, and the wait is another's. It is given no
	 * more than was measured. */
	if (e->n && e->squares > 0 && c->normal <= 0 && c->by != CORRECT_BY_EVENTS &&
	    (c->complete || c->scale_samples * e->sampled_ns > e->run_ns) &&
	    contradict(e, c->scale_samples)) {
		samples = true;
		e->lacks_ns = fmax(
			c->scale_samples * e->program_ns + 2 * sampled.error_ns - e->run_ns, 0);
	}
	if (c->by != CORRECT_BY_BETTER)
		samples = c->by == CORRECT_BY_SAMPLES;
	e->of_samples = samples;
	e->best = samples ? e->by_samples : e->by_events;
	find_delay(c, samples, e);
}

/* A wait is in one call. */
static double longest_of(const struct call_stats *st)
{
	return (double)(st->finished < st->calls ? st->self_ns : st->max_ns);
}

static void add_path(const struct correcting *c, size_t path, struct estimate *e)
{
	const struct path_sampled *s = &c->sampled[path];

	e->run_ns += (double)stat_run_ns(&c->charges.nodes[path].stats);
	e->longest_ns = fmax(e->longest_ns, longest_of(&c->charges.nodes[path].stats));
	e->n += s->n + s->probe_n;
	e->program_ns += (double)s->ns;
	e->sampled_ns += (double)s->ns + (double)s->probe_ns;
	e->squares += ((double)s->squares + (double)s->probe_squares) * 1e6;
	add_events(c, path, e);
}

static struct estimate *func_of(const struct correcting *c, size_t path)
{
	uint32_t func = c->charges.nodes[path].func;

	return func < c->charges.n_funcs ? &c->funcs[func] : NULL;
}

/*
 * A function has more samples than each of its paths. Its paths keep their own estimates, and share
 * the rest of the function's in proportion to their room for it. 0 or -ENOMEM
 */
static int share(struct correcting *c)
{
	double *own = calloc(2 * c->charges.n_funcs + 2, sizeof(*own));
	double *room = own ? own + c->charges.n_funcs + 1 : NULL;

	if (!own)
		return -ENOMEM;

	for (size_t i = 1; i < c->charges.n; i++) {
		uint32_t func = c->charges.nodes[i].func;

		if (func >= c->charges.n_funcs)
			continue;
		own[func] += c->paths[i].best.ns;
		room[func] += c->paths[i].run_ns - c->paths[i].best.ns;
	}
	for (size_t i = 1; i < c->charges.n; i++) {
		uint32_t func = c->charges.nodes[i].func;
		struct estimate *e = &c->paths[i];

		if (func >= c->charges.n_funcs)
			continue;
		double more = c->funcs[func].best.ns - own[func];

		if (more > 0 && room[func] > 0)
			e->best.ns += (e->run_ns - e->best.ns) * fmin(more / room[func], 1);
		else if (more < 0)
			e->best.ns *= c->funcs[func].best.ns / own[func];
	}
	free(own);
	return 0;
}

/* See struct correcting. */
static double find_waits(const struct correcting *c, const struct trace_info *info)
{
	const double delay_ns = (double)trace_info_u64(info, KEY_END_TARGET_RUN_DELAY_NS, 0);
	double rest_ns = 0;

	for (size_t i = 1; i < c->charges.n; i++)
		rest_ns += fmax(c->paths[i].run_ns - c->scale_samples * c->paths[i].sampled_ns, 0);
	return c->any_sample && c->normal > 0 && rest_ns > 0 ? fmin(delay_ns / rest_ns, 1) : 0;
}

/* 0 or -ENOMEM */
static int estimate(struct correcting *c, const struct trace_info *info)
{
	for (size_t i = 1; i < c->charges.n; i++) {
		struct estimate *func = func_of(c, i);

		add_path(c, i, &c->paths[i]);
		if (func)
			add_path(c, i, func);
	}
	c->waits = find_waits(c, info);
	for (size_t i = 0; i < c->charges.n_funcs; i++)
		weigh(c, &c->funcs[i]);
	if (c->any_sample)
		find_spreads(c);
	for (size_t i = 0; i < c->charges.n_funcs; i++)
		weigh(c, &c->funcs[i]);
	for (size_t i = 1; i < c->charges.n; i++)
		weigh(c, &c->paths[i]);
	return c->any_sample ? share(c) : 0;
}

/* ---- released functions */

/* A trace may say that an event costs a thousand years. */
static uint64_t whole(double ns)
{
	return ns < (double)(UINT64_MAX >> 20) ? (uint64_t)ns : UINT64_MAX >> 20;
}

/*
 * A released function's calls are not seen any more: the time is its caller's as measured. But the
 * clock names the function whose code it interrupted. Its samples stand for more time than its
 * recorded calls took: this returns the rest, or 0 where chance explains it.
 */
static double unseen_ns(const struct correcting *c, size_t path)
{
	const struct path_sampled *s = &c->sampled[path];
	const double n = (double)(s->n + s->probe_n);
	const double ns = c->scale_samples * ((double)s->ns + (double)s->probe_ns),
		     more = ns - (double)stat_run_ns(&c->charges.nodes[path].stats);

	return n > 0 && more > 3 * ns / n * sqrt(n + 1) ? more : 0;
}

/* A caller may be such a function, too: it comes before those that it calls. */
static void give_released(struct correcting *c, struct model *m)
{
	for (size_t i = 1; i < c->charges.n; i++) {
		const struct path_node *node = &c->charges.nodes[i];
		const struct path_sampled *s = &c->sampled[i];
		const double scale = c->scale_samples;

		if (!model_released_ns(m, node->func) ||
		    !model_give(m, (uint32_t)i, whole(unseen_ns(c, i))))
			continue;
		const double square_ns2 = scale * scale * 1e6 *
					  ((double)s->squares + (double)s->probe_squares);
		const size_t both[] = { i, node->parent };

		for (size_t k = 0; k < 2; k++) {
			struct estimate *func = func_of(c, both[k]);

			c->paths[both[k]].given_square_ns2 += square_ns2;
			if (func)
				func->given_square_ns2 += square_ns2;
		}
	}
}

/* ---- all of it */

/*
 * What more samples would not make smaller. A processor executes many instructions at a time: part
 * of what the program waits for is seen in the stub behind it, and part of what the stub leaves to
 * do in the program. How much of either is not known; the difference to what a stub takes alone
 * bounds it. Behind a trap the program's own code is slower, as much as code can be that had a
 * whole cache in use. The caller's code between a trap and the call may be too short to bear that.
 */
static double never_seen(const struct correcting *c, const struct estimate *e)
{
	return fabs(e->charged[COST_STUBS] - e->alone[COST_STUBS]) +
	       e->near[COST_TRAPS] * c->after_trap + e->near[COST_STEPS] * c->after_step;
}

static double left_of(const struct estimate *e)
{
	return e->run_ns - e->best.ns;
}

/* Two standard errors, squared: about 95 % of such intervals hold the truth. */
static double by_chance(const struct estimate *e)
{
	return 4 * (e->best.error_ns * e->best.error_ns + e->given_square_ns2);
}

/* The part that samples cannot show is at most the measured time. */
static double bound_of(const struct correcting *c, const struct estimate *e)
{
	return fmin(never_seen(c, e), e->run_ns) + e->lacks_ns;
}

static void find_whole(struct correcting *c)
{
	struct whole *w = &c->whole;
	double program_ns = 0;

	for (size_t i = 0; i < c->charges.n_funcs; i++) {
		const struct estimate *e = &c->funcs[i];

		w->left_ns += left_of(e);
		w->square_ns2 += by_chance(e);
		w->bound_ns += bound_of(c, e);
		program_ns += c->scale_samples * e->program_ns;
	}
	/* time as measured has waiting in it where there are no states */
	if (c->normal <= 0 && c->complete)
		w->apart_ns = fabs(program_ns - w->left_ns);
}

/*
 * The error of the other functions' sum, as an error of this function's share. Errors by chance of
 * the functions are independent, so they add up as squares. The part that samples cannot show has
 * one cause in all functions, so it adds up as it is. It is at least apart_ns. The others may have
 * more time by the error, or less, down to none. Returns the larger change, in ns.
 */
static double of_whole(const struct whole *w, double left_ns, double square_ns2, double bound_ns)
{
	const double by_chance_ns2 = fmax(w->square_ns2 - square_ns2, 0),
		     never_seen_ns = fmax(fmax(w->bound_ns - bound_ns, 0), w->apart_ns),
		     more_ns = sqrt(by_chance_ns2 + never_seen_ns * never_seen_ns),
		     less_ns = fmin(more_ns, w->left_ns - left_ns);

	return fmax(left_ns * more_ns / (w->left_ns + more_ns),
		    left_ns * less_ns / (w->left_ns - less_ns));
}

/* Nothing is certain of a row that mostly did not run, where probes may have made most of that. */
static bool waited_for_probes(const struct correcting *c, const struct estimate *e)
{
	return c->waits_are_probes && c->normal > 0 && c->complete &&
	       e->run_ns - c->scale_samples * e->sampled_ns > e->run_ns / 2;
}

/* Without samples, the scales' `off` is as much as two standard errors already. The error of the
 * whole makes no row doubtful: the result is then no larger than what is left. */
static double uncertainty_of(const struct correcting *c, const struct estimate *e)
{
	const double left_ns = left_of(e), square_ns2 = by_chance(e), bound_ns = bound_of(c, e);

	if (!c->any_sample)
		return fmin(e->best.error_ns, e->run_ns);
	const double own_ns = fmin(hypot(sqrt(square_ns2), never_seen(c, e)), e->run_ns) +
			      e->lacks_ns + e->delayed_ns;

	if (own_ns >= left_ns)
		return own_ns;
	if (waited_for_probes(c, e))
		return e->run_ns;
	return fmin(hypot(own_ns, of_whole(&c->whole, left_ns, square_ns2, bound_ns)), left_ns);
}

/* How far events are off is a matter of the code around them. Another recording of that code is off
 * by as much. */
static struct correction_errors errors_of(const struct correcting *c, const struct estimate *e)
{
	const double given_ns2 = 4 * e->given_square_ns2,
		     chance_ns = sqrt(e->of_samples ? by_chance(e) : given_ns2),
		     events_ns = (c->any_sample ? 2 : 1) * e->best.error_ns,
		     bias_ns = hypot(e->of_samples ? 0 : events_ns,
				     c->any_sample ? never_seen(c, e) : 0) +
			       e->lacks_ns + e->delayed_ns;

	return (struct correction_errors){
		.uncertainty_ns = whole(uncertainty_of(c, e)),
		.run_chance_ns = whole(fmin(chance_ns, e->run_ns)),
		.run_bias_ns = whole(waited_for_probes(c, e) ? e->run_ns
							     : fmin(bias_ns, e->run_ns)),
	};
}

static struct path_correction correction_of(const struct correcting *c, size_t path)
{
	const struct estimate *e = &c->paths[path];
	const struct off_times *off = &c->charges.nodes[path].stats.off_self;
	double part = e->run_ns > 0 ? e->best.ns / e->run_ns : 0;

	return (struct path_correction){
		.probe_ns = whole(e->best.ns),
		.errors = errors_of(c, e),
		.cost_ns = whole(e->own_ns),
		.off_cpu_ns = c->any_sample ? whole((double)off->off_cpu_ns * part) : 0,
		.runnable_ns = whole((double)off->runnable_ns * c->probes),
	};
}

static void end(struct correcting *c)
{
	charges_free(&c->charges);
	free(c->sampled);
	free(c->paths);
	free(c->funcs);
}

/* end() in any case. 0 or -ENOMEM */
static int begin(struct correcting *c, const struct model *m, const struct trace_info *info)
{
	int err = charges_take(&c->charges, m, info);

	if (err)
		return err;
	c->any_sample = model_totals(m)->sampled.n > 0;
	c->sampled = samples_by_path(m, c->charges.n);
	c->paths = calloc(c->charges.n + 1, sizeof(*c->paths));
	c->funcs = calloc(c->charges.n_funcs + 1, sizeof(*c->funcs));
	return c->sampled && c->paths && c->funcs ? 0 : -ENOMEM;
}

/* See struct correcting: the processor time that the kernel counted, over what all samples stand
 * for. */
static double find_scale(const struct trace_info *info)
{
	double cpu_ns = (double)trace_info_u64(info, KEY_END_TARGET_CPU_NS, 0),
	       sampled_ns = (double)trace_info_u64(info, KEY_END_CPU_SAMPLES_NS, 0);

	return cpu_ns > 0 && sampled_ns > 0 ? cpu_ns / sampled_ns : 1;
}

static double find_normal(const struct loaded_trace *t)
{
	const char *off_cpu = trace_info_get(t->info, KEY_STATES_OFF_CPU);

	return t->totals->states && off_cpu && !strcmp(off_cpu, OFF_CPU_TOLD) ? 0
									      : find_scale(t->info);
}

/* Where many are missing, that a call has few says nothing. */
static bool are_complete(const struct trace_info *info)
{
	const double lost = (double)trace_info_u64(info, KEY_END_CPU_SAMPLES_LOST, 0),
		     n = (double)trace_info_u64(info, KEY_END_CPU_SAMPLES, 0),
		     cpu_ns = (double)trace_info_u64(info, KEY_END_TARGET_CPU_NS, 0),
		     ns = (double)trace_info_u64(info, KEY_END_CPU_SAMPLES_NS, 0);

	return lost <= n * MISSING_MOST && (cpu_ns <= 0 || ns >= cpu_ns * (1 - MISSING_MOST));
}

/* A runnable goroutine waits for others, whose probes are part of what they do meanwhile. */
static double probes_of_all(const struct trace_info *info)
{
	const double ns = (double)trace_info_u64(info, KEY_END_CPU_SAMPLES_NS, 0),
		     probes_ns = (double)trace_info_u64(info, KEY_END_CPU_SAMPLES_PROBES_NS, 0);

	return ns > 0 ? fmin(probes_ns / ns, 1) : 0;
}

/*
 * Who waits for others does so for as much longer as their probes take. Returns whether that may be
 * most of a wait. Probes are then most of what the program did, and they delayed it for most of the
 * recording, by running or by waiting for a processor. Time spent on nothing is no matter of
 * probes.
 */
static bool make_waits(const struct correcting *c, const struct loaded_trace *t)
{
	const double ns = (double)trace_info_u64(t->info, KEY_END_CPU_SAMPLES_PROBES_NS, 0),
		     delay_ns = (double)trace_info_u64(t->info, KEY_END_TARGET_RUN_DELAY_NS, 0);

	return c->probes > 0.5 &&
	       c->scale_samples * ns + c->probes * delay_ns > (double)loaded_trace_span_ns(t) / 2;
}

/* One of two costs for each ns of the other; 0: it was not measured. */
static double part_of(const struct trace_info *info, const char *cost, const char *of)
{
	uint64_t ns = trace_info_u64(info, of, 0);

	return ns ? (double)trace_info_u64(info, cost, 0) / (double)ns : 0;
}

/* all: of the whole trace, which tells the scale. */
static int correct(struct correcting *c, const struct correcting *all, const struct loaded_trace *t)
{
	struct path_correction *of = calloc(c->charges.n, sizeof(*of));
	struct correction_errors *errors = calloc(c->charges.n_funcs + 1, sizeof(*errors));
	int err = of && errors ? 0 : -ENOMEM;

	if (!err && !scales_by_samples(&all->charges, all->sampled, c->scale))
		err = scales_by_calls(&all->charges, t->info, c->scale);
	if (!err) {
		c->normal = find_normal(t);
		c->complete = are_complete(t->info);
		c->scale_samples = find_scale(t->info);
		c->by = t->correct_by;
		c->a_wait = part_of(t->info, KEY_END_TARGET_RUN_DELAY_NS,
				    KEY_END_TARGET_RUN_DELAYS);
		c->probes = c->any_sample ? probes_of_all(t->info) : 0;
		c->waits_are_probes = make_waits(c, t);
		c->after_trap = part_of(t->info, KEY_COST_AFTER_NS, KEY_COST_EMULATED_NS);
		c->after_step = part_of(t->info, KEY_COST_AFTER_STEP_NS, KEY_COST_STEP_NS);
		if (c->any_sample)
			give_released(c, t->model);
		err = estimate(c, t->info);
	}
	if (!err) {
		find_whole(c);
		for (size_t i = 1; i < c->charges.n; i++)
			of[i] = correction_of(c, i);
		for (size_t i = 0; i < c->charges.n_funcs; i++)
			errors[i] = errors_of(c, &c->funcs[i]);
		err = model_correct(t->model, of, errors);
	}
	free(of);
	free(errors);
	return err;
}

/* ---- doubt */

bool correction_any_sure(const struct loaded_trace *t)
{
	const struct call_stats *first = NULL;
	uint64_t all_ns = 0, above_ns = 0;
	bool doubtful = false;

	for (size_t i = 0; i < t->n_funcs; i++) {
		const struct call_stats *st = &t->funcs[i];

		all_ns += st->self_ns;
		if (correction_doubtful(st))
			doubtful = true;
		else if (st->total_ns && (!first || st->self_ns > first->self_ns))
			first = st;
	}
	for (size_t i = 0; first && i < t->n_funcs; i++)
		if (t->funcs[i].self_ns > first->self_ns)
			above_ns += t->funcs[i].self_ns;
	return first ? !correction_hides(above_ns, first->self_ns, all_ns) : !doubtful;
}

int correction_apply(struct loaded_trace *t)
{
	struct correcting c = { 0 }, all = { 0 };
	int err = begin(&c, t->model, t->info);

	t->correction_tried = true;
	if (!err && t->whole)
		err = begin(&all, t->whole, t->info);
	t->corrected = c.charges.any || all.charges.any || c.any_sample;
	if (!err && t->corrected)
		err = correct(&c, t->whole ? &all : &c, t);
	end(&c);
	end(&all);
	if (err)
		log_no_memory("no memory to correct the times of %zu paths", c.charges.n);
	return err;
}
