// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/calls/probe_cost.h"

#include <math.h>
#include <string.h>

#include "base/text_format.h"
#include "trace/keys.h"

/* As core/attach/costs.h has them. */
static const struct {
	const char *cost, *events, *words;
	bool always; /* named even where it was not measured */
} kinds[] = {
	{ KEY_COST_INLINE_NS, KEY_END_EVENTS_INLINE, "by a stub itself", false },
	{ KEY_COST_EMULATED_NS, KEY_END_EVENTS_EMULATED, "emulated", true },
	{ KEY_COST_JUMP_NS, KEY_END_EVENTS_JUMP, "in a stub", false },
	{ KEY_COST_NOP_NS, KEY_END_EVENTS_NOP, "in a stub's nop", false },
	{ KEY_COST_RET_NS, KEY_END_EVENTS_RET, "RET performed", false },
	{ KEY_COST_STEP_NS, KEY_END_EVENTS_STEP, "single-stepped", true },
};
#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

/* Of events with values: a trap, which is taken for an emulated one, and the reading. */
static bool add_values_ns(const struct trace_info *info, uint64_t *ns, bool *any)
{
	uint64_t events = trace_info_u64(info, KEY_END_EVENTS_VALUES, 0),
		 trap_ns = trace_info_u64(info, KEY_COST_EMULATED_NS, 0), all_ns;

	if (!events)
		return true;
	*any = true;
	return trap_ns && !__builtin_mul_overflow(events, trap_ns, &all_ns) &&
	       !__builtin_add_overflow(*ns, all_ns, ns) &&
	       !__builtin_add_overflow(*ns, trace_info_u64(info, KEY_END_VALUES_NS, 0), ns);
}

bool probe_cost_ns(const struct trace_info *info, uint64_t *ns)
{
	bool any = false;

	*ns = 0;
	for (size_t i = 0; i < KINDS; i++) {
		uint64_t events = trace_info_u64(info, kinds[i].events, 0);
		uint64_t each_ns = trace_info_u64(info, kinds[i].cost, 0), all_ns;

		if (!events)
			continue;
		if (!each_ns || __builtin_mul_overflow(events, each_ns, &all_ns) ||
		    __builtin_add_overflow(*ns, all_ns, ns))
			return false;
		any = true;
	}
	return add_values_ns(info, ns, &any) && any;
}

/* ---- the program as a whole */

/*
 * A trap is the kernel's time but for its ends, in which interrupts are off and a tick falls to
 * the program. Seen on Linux 6.18 of 20 million traps in three programs.
 */
#define TRAP_USER 0.135
#define STEP_USER 0.05
/* What is left of the user time is at least this part of it. */
#define LEFT_MIN 0.1
/* Inside the program traps cost a little more than in a bare loop. */
#define IN_PROGRAM 1.12
/* Stubs more so: a loop of one has its code and its ring at hand, and nothing that waits for it.
 * Seen of 5 to 24 million events in esbuild, gofumpt, hugo, misspell and an HTTP server: 1.4 to 2.9
 * times, least where there are most (results/real-programs, processor time with stubs and without).
 */
#define STUB_IN_PROGRAM 1.4
/* Where the kernel's time is mostly the traps', a program's own is at most this part of its user
 * time. */
#define OWN_SYSTEM 0.3

/*
 * A probe's own time is seen by samples; that the program is slower behind it, with cold caches and
 * predictors, is not. The more of its code and data a program touches between two probes, the more
 * of it is cold: behind traps its instructions take 1.4 to 5 times as long as untraced, up to what
 * one trap can evict. So what is taken off is in proportion to what samples say is the program's,
 * and at most this part of what probes cost in a bare loop. Seen of 2 to 24 million events in
 * esbuild, gofumpt, hugo, misspell and caddy: 3 to 6 ns behind a stub, 23 to 250 behind a trap, 37
 * to 430 where every second one is a single step, most where the data fit a cache that the kernel
 * needs, too (experiments/real-programs/README.md).
 */
#define STUB_COLD 0.3
#define TRAP_COLD 0.13
#define STEP_COLD 0.05
/*
 * Of what samples say is the program's, at least this part is: behind stubs alone, and behind
 * traps of which none and all are single steps. Those programs had 0.6 to 1 of it behind stubs,
 * 0.27 to 0.51 in springboards, 0.24 to 0.30 where every second trap is a single step, and 0.10 to
 * 0.18 where all are (results/real-programs, processor time untraced by what samples left).
 */
#define STUB_WARM_MIN 0.8
#define TRAP_WARM_MIN 0.38
#define STEP_WARM_MIN 0.12
/* Fewer samples than that, of all or of the program, tell too little. */
#define SAMPLES_ENOUGH 30
#define SAMPLES_OWN    20
/* The number is said to be rough where more than this part of what is the program's was taken off.
 */
#define COLD_ROUGH 0.1

static double kind_ns(const struct trace_info *info, const char *cost, const char *events)
{
	return (double)trace_info_u64(info, cost, 0) * (double)trace_info_u64(info, events, 0);
}

/* Where by their costs probes take more than this part of the processor time, what is left of the
 * program is within the error of the costs: the number was up to seven times too low then, and
 * within 1.5 below (results/real-programs/20261122T235813Z-correction). */
#define ROUGH_FROM 0.75

/* By what probes cost in a bare loop, and the kernel's part of the processor time. */
static double own_by_costs(const struct trace_info *info, double cpu_ns, double trap_ns,
			   double step_ns, double stubs_ns)
{
	double system_ns = (double)trace_info_u64(info, KEY_END_TARGET_SYSTEM_NS, 0);
	double in_user_ns = TRAP_USER * trap_ns + STEP_USER * step_ns;
	double in_kernel_ns = IN_PROGRAM * (trap_ns + step_ns - in_user_ns);
	double user_ns = cpu_ns - system_ns, own_system_ns = fmax(system_ns - in_kernel_ns, 0);

	stubs_ns *= STUB_IN_PROGRAM;
	if (system_ns <= 0 || user_ns <= 0)
		return fmax(cpu_ns - IN_PROGRAM * (trap_ns + step_ns) - stubs_ns,
			    LEFT_MIN * LEFT_MIN * cpu_ns);
	user_ns = fmax(user_ns - in_user_ns - stubs_ns, LEFT_MIN * user_ns);
	if (2 * in_kernel_ns > system_ns)
		own_system_ns = fmin(own_system_ns, OWN_SYSTEM * user_ns);
	return fmin(user_ns + own_system_ns, cpu_ns);
}

static double events_of(const struct trace_info *info, const char *key)
{
	return (double)trace_info_u64(info, key, 0);
}

/* At least that part is the program's of what samples leave behind traps. */
static double trap_warm_min(const struct trace_info *info)
{
	double steps = events_of(info, KEY_END_EVENTS_STEP);
	double others = events_of(info, KEY_END_EVENTS_EMULATED) +
			events_of(info, KEY_END_EVENTS_JUMP) + events_of(info, KEY_END_EVENTS_NOP) +
			events_of(info, KEY_END_EVENTS_RET);

	return TRAP_WARM_MIN - (TRAP_WARM_MIN - STEP_WARM_MIN) * steps / fmax(steps + others, 1);
}

/*
 * Processor time of the program itself, without its probes: by samples where there are enough, else
 * by costs. *rough: how well it is known.
 */
static double own_ns(const struct trace_info *info, double cpu_ns, double all_probe_ns,
		     enum overhead_rough *rough)
{
	double n = (double)trace_info_u64(info, KEY_END_CPU_SAMPLES, 0);
	double own_n = n - (double)trace_info_u64(info, KEY_END_CPU_SAMPLES_PROBES, 0);
	double all_ns = (double)trace_info_u64(info, KEY_END_CPU_SAMPLES_NS, 0);
	double probes_ns = (double)trace_info_u64(info, KEY_END_CPU_SAMPLES_PROBES_NS, 0);
	double stubs_ns = kind_ns(info, KEY_COST_INLINE_NS, KEY_END_EVENTS_INLINE);
	double step_ns = kind_ns(info, KEY_COST_STEP_NS, KEY_END_EVENTS_STEP);
	double trap_ns = fmax(all_probe_ns - stubs_ns - step_ns, 0), own;

	if (n < SAMPLES_ENOUGH || own_n < 0) {
		own = own_by_costs(info, cpu_ns, trap_ns, step_ns, stubs_ns);
		*rough = cpu_ns - own > ROUGH_FROM * cpu_ns ? OVERHEAD_VERY_ROUGH : OVERHEAD_KNOWN;
		return own;
	}
	/* Older traces have samples that all stand for equal times. */
	double seen_ns = fmax(own_n, 1) / n * cpu_ns;

	if (all_ns > 0 && probes_ns <= all_ns)
		seen_ns = fmax(1 - probes_ns / all_ns, 1 / n) * cpu_ns;
	double cold_ns = STUB_COLD * stubs_ns + TRAP_COLD * trap_ns + STEP_COLD * step_ns;
	double left_ns = fmax(seen_ns - STUB_COLD * stubs_ns, STUB_WARM_MIN * seen_ns);

	own = fmax(left_ns - TRAP_COLD * trap_ns - STEP_COLD * step_ns,
		   trap_warm_min(info) * left_ns);
	if (own_n < SAMPLES_OWN || own > seen_ns - cold_ns)
		*rough = OVERHEAD_VERY_ROUGH;
	else
		*rough = cold_ns > COLD_ROUGH * seen_ns ? OVERHEAD_ROUGH : OVERHEAD_KNOWN;
	return own;
}

/* From where on of the machine's time used, and from where on surely, nothing was free to gotrace:
 * programs are not busy in each moment of theirs. */
#define FULL_FROM 0.8
#define FULL_AT   0.95
/* No processor was free to the program, where the kernel told how long they had nothing to do. */
#define NONE_FREE 0.9

/* Who had the machine's processors while the program was recorded. */
struct machine {
	double used;     /* part of their time, 0 to 1; 0: not known */
	double own_ns;   /* gotrace itself */
	double other_ns; /* programs other than it and gotrace; 0 where that is not known */
	bool told;       /* by the kernel; else supposed from the program's and gotrace's time */
};

/* host.cpus counts the processors of the machine. A program may be allowed fewer: then only the
 * kernel can tell that none was free. */
static struct machine machine_find(const struct trace_info *info, double cpu_ns, double wall_ns)
{
	double all_ns = wall_ns * (double)trace_info_u64(info, KEY_HOST_CPUS, 0);
	double busy_ns = (double)trace_info_u64(info, KEY_END_HOST_BUSY_NS, 0);
	struct machine m = { .own_ns = (double)trace_info_u64(info, KEY_END_OWN_CPU_NS, 0) };

	if (busy_ns > 0 && trace_info_get(info, KEY_END_HOST_IDLE_NS)) {
		m.told = true;
		m.used = busy_ns /
			 (busy_ns + (double)trace_info_u64(info, KEY_END_HOST_IDLE_NS, 0));
		m.other_ns = fmax(busy_ns - cpu_ns - m.own_ns, 0);
	} else if (all_ns > cpu_ns) {
		m.used = fmin((cpu_ns + m.own_ns) / all_ns, 1);
	}
	return m;
}

/*
 * What the program did not get because gotrace had it. Where the processors are all busy, what one
 * of them does another thread waits for: for how long, traces with states tell. Of others it is
 * supposed from how busy they are; and it is not more than what the program's threads waited, of
 * which gotrace has its part of what else ran. Had gotrace not been there, other programs would
 * have got their part of it.
 */
static double taken_ns(const struct trace_info *info, const struct machine *m, double cpu_ns,
		       double wall_ns)
{
	double all_ns = wall_ns * (double)trace_info_u64(info, KEY_HOST_CPUS, 0);
	double full = fmin(fmax((m->used - FULL_FROM) / (FULL_AT - FULL_FROM), 0), 1);
	double taken = full * m->own_ns;

	if (all_ns <= 0 || cpu_ns >= all_ns)
		return 0;
	if (trace_info_get(info, KEY_END_OFF_CPU_GOTRACE_NS))
		taken = (double)trace_info_u64(info, KEY_END_OFF_CPU_GOTRACE_NS, 0);
	else if (trace_info_get(info, KEY_END_TARGET_RUN_DELAY_NS) && m->own_ns > 0)
		taken = fmin(taken, (double)trace_info_u64(info, KEY_END_TARGET_RUN_DELAY_NS, 0) *
					    m->own_ns / (m->own_ns + m->other_ns));
	return fmin(taken, all_ns - cpu_ns) * cpu_ns / (cpu_ns + m->other_ns);
}

static enum overhead_wall wall_kind(const struct probe_overhead *o, const struct machine *m)
{
	if (!o->wall_ns)
		return OVERHEAD_WALL_UNKNOWN;
	/* A thread that waits for a processor does not idle. */
	if (2 * ((double)o->cpu_ns + (double)o->delay_ns) <= (double)o->wall_ns)
		return OVERHEAD_WALL_IDLE;
	return m->used >= (m->told ? NONE_FREE : FULL_FROM) ? OVERHEAD_WALL_FULL
							    : OVERHEAD_WALL_BUSY;
}

/* By how much the wall time was longer, from processor time; `own` of cpu_ns is the program's. */
static void find_wall_times(struct probe_overhead *o, const struct machine *m, double own)
{
	double cpu_ns = (double)o->cpu_ns, wall_ns = (double)o->wall_ns;
	double taken = (double)o->taken_ns, delay_ns = fmax((double)o->delay_ns - taken, 0);

	if (o->wall == OVERHEAD_WALL_IDLE) {
		/* Waiting for other programs' processors becomes less, too. */
		double less_ns = cpu_ns + taken - own + delay_ns * (1 - own / cpu_ns);

		o->wall_times = wall_ns / fmax(wall_ns - less_ns, own);
		o->wall_times_least = o->wall_times;
		return;
	}
	/* On several processors at once the probes take as much less of the wall time. Of what
	 * gotrace had, untraced threads of the program make use. */
	o->wall_times = o->wall_times_least = (cpu_ns + taken) / own;
	if (o->wall == OVERHEAD_WALL_FULL)
		o->wall_times_least = (cpu_ns + taken + m->other_ns) / (own + m->other_ns);
}

bool probe_overhead_find(const struct trace_info *info, struct probe_overhead *o)
{
	uint64_t start_ns = trace_info_u64(info, KEY_CLOCK_MONOTONIC_NS, 0);
	uint64_t end_ns = trace_info_u64(info, KEY_END_TIME_NS, 0), probe_ns;

	*o = (struct probe_overhead){ .cpu_ns = trace_info_u64(info, KEY_END_TARGET_CPU_NS, 0) };
	o->wall_ns = trace_info_u64(info, KEY_END_TARGET_WALL_NS,
				    start_ns && end_ns > start_ns ? end_ns - start_ns : 0);
	if (!o->cpu_ns || !probe_cost_ns(info, &probe_ns))
		return false;
	double cpu_ns = (double)o->cpu_ns, wall_ns = (double)o->wall_ns;
	double own = fmax(own_ns(info, cpu_ns, (double)probe_ns, &o->rough), 1);
	struct machine m = machine_find(info, cpu_ns, wall_ns);

	o->delay_ns = trace_info_u64(info, KEY_END_TARGET_RUN_DELAY_NS, 0);
	o->probe_ns = o->cpu_ns - (uint64_t)fmin(own, cpu_ns);
	o->taken_ns = (uint64_t)taken_ns(info, &m, cpu_ns, wall_ns);
	o->other_ns = (uint64_t)m.other_ns;
	o->cpu_times = fmax(cpu_ns / own, 1);
	o->wall = wall_kind(o, &m);
	if (o->wall != OVERHEAD_WALL_UNKNOWN)
		find_wall_times(o, &m, own);
	return true;
}

/* Less than that is hardly more, and that much more is worth a warning. */
#define HARDLY 1.05
#define MUCH   1.25
/* The sentence has two numbers where the larger is more than so many times the smaller. */
#define APART 1.3

/* "1.3x", "24x": two digits, as it is not known better. Beyond, next to nothing of what was
 * measured is the program's own. */
static const char *times(double n, char buf[16])
{
	if (n >= 99.5)
		return "more than 99x";
	snprintf(buf, 16, n < 9.95 ? "%.1fx" : "%.0fx", n);
	return buf;
}

/* "about 24x", "more than 99x" */
static void put_about(FILE *out, double n, enum overhead_rough rough)
{
	static const char *const about[] = { "about ", "roughly ", "very roughly " };
	char buf[16];

	fprintf(out, "%s%s", n >= 99.5 ? "" : about[rough], times(n, buf));
}

/*
 * No processor was free: a program takes as many times longer as there is more to do, and a server
 * answers as many times fewer requests. If clients ran beside it, they had less to do then.
 */
static void put_full(FILE *out, const struct probe_overhead *o)
{
	char least[16], most[16];

	fputs("; with no processor free, ", out);
	put_about(out, o->wall_times, o->rough);
	if (o->wall_times <= APART * o->wall_times_least)
		fputs(" the time or that many times fewer requests", out);
	else if (o->other_ns <= o->cpu_ns)
		fprintf(out, " the time, or %s to %s fewer requests",
			times(o->wall_times_least, least), times(o->wall_times, most));
	else /* these were hardly its clients all of them */
		fputs(" the time or up to that many times fewer requests", out);
}

/* What follows for the wall time. */
static void put_wall(FILE *out, const struct probe_overhead *o)
{
	char buf[16];

	if (o->wall == OVERHEAD_WALL_FULL) {
		put_full(out, o);
	} else if (o->wall == OVERHEAD_WALL_IDLE && o->wall_times < HARDLY) {
		fputs(", and hardly longer", out);
	} else if (o->wall == OVERHEAD_WALL_IDLE) {
		fprintf(out, ", and at least %s the time", times(o->wall_times, buf));
	} else if (o->wall_times > HARDLY * o->cpu_times) {
		fputs(", and ", out);
		put_about(out, o->wall_times, o->rough);
		fputs(" the time", out);
	} else {
		fputs(", and as many times as long", out);
	}
}

static void put_overhead(FILE *out, const struct probe_overhead *o)
{
	if (fmax(o->cpu_times, o->wall_times) < HARDLY) {
		fputs("hardly slower than untraced", out);
	} else {
		if (o->cpu_times < HARDLY)
			fputs("hardly more", out);
		else
			put_about(out, o->cpu_times, o->rough);
		fputs(o->cpu_times < HARDLY ? " processor time than an untraced run"
					    : " the processor time of an untraced run",
		      out);
		if (o->wall != OVERHEAD_WALL_UNKNOWN)
			put_wall(out, o);
	}
	fprintf(out, " (probes %s of %s of processor time", HUMAN(o->probe_ns), HUMAN(o->cpu_ns));
	if (o->taken_ns > o->cpu_ns / 20)
		fprintf(out, "; gotrace itself took %s%s", HUMAN(o->taken_ns),
			o->wall == OVERHEAD_WALL_FULL ? "" : " while no processor was free");
	fputs(")", out);
}

const char *probe_overhead_say(const struct trace_info *info, char buf[PROBE_OVERHEAD_BYTES])
{
	struct probe_overhead o;
	FILE *out;

	if (!probe_overhead_find(info, &o))
		return NULL;
	out = fmemopen(buf, PROBE_OVERHEAD_BYTES, "w");
	if (!out)
		return NULL;
	put_overhead(out, &o);
	fclose(out);
	return buf;
}

#define TO_LOWER_THAT "untraced: to lower that, leave functions out (-x)"
#define WITH_STUBS    TO_LOWER_THAT " or select packages (-p)"
#define WITH_TRAPS \
	TO_LOWER_THAT ", select packages (-p), or try --probe=inline, which takes no traps"

const char *probe_overhead_warn(const struct trace_info *info)
{
	const char *strategy = trace_info_get(info, KEY_PROBE_STRATEGY);
	const char *why = trace_info_get(info, KEY_PROBE_WHY);
	/* Where traps were not asked for, inline was not to be had: why says so. */
	bool stubs = (strategy && !strcmp(strategy, "inline")) ||
		     (why && strcmp(why, PROBE_WHY_ASKED));
	struct probe_overhead o;

	if (!probe_overhead_find(info, &o) || fmax(o.cpu_times, o.wall_times) < MUCH)
		return NULL;
	if (o.wall_times >= MUCH)
		return stubs ? "the program ran slower than it does " WITH_STUBS
			     : "the program ran slower than it does " WITH_TRAPS;
	return stubs ? "the program took more processor time than it does " WITH_STUBS
		     : "the program took more processor time than it does " WITH_TRAPS;
}

/* ---- an event */

bool probe_costs_print(const struct trace_info *info, FILE *out)
{
	bool any = false, first = true;

	for (size_t i = 0; i < KINDS; i++)
		any |= trace_info_u64(info, kinds[i].cost, 0) != 0;
	for (size_t i = 0; any && i < KINDS; i++) {
		uint64_t ns = trace_info_u64(info, kinds[i].cost, 0);

		if (!ns && !kinds[i].always)
			continue;
		fprintf(out, "%s%s %s", first ? "" : ", ", ns ? HUMAN(ns) : "?", kinds[i].words);
		first = false;
	}
	uint64_t values = trace_info_u64(info, KEY_END_EVENTS_VALUES, 0);
	if (any && values)
		fprintf(out, ", %s more where values are read",
			HUMAN(trace_info_u64(info, KEY_END_VALUES_NS, 0) / values));
	return any;
}
