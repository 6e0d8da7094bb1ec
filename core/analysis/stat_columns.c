// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/stat_columns.h"

#include "analysis/calls/doubt.h"

#define GETTER(of, type, name)                            \
	static uint64_t of##_##name(const struct type *x) \
	{                                                 \
		return x->name;                           \
	}
#define FIELD(name)           GETTER(get, call_stats, name)
#define GOROUTINE_FIELD(name) GETTER(goroutine, goroutine_info, name)

FIELD(calls)
FIELD(probe_ns)
FIELD(cost_ns)
FIELD(uncertainty_ns)
FIELD(min_ns)
FIELD(max_ns)
FIELD(morestack_ns)
FIELD(preempt_ns)
FIELD(unfinished)
FIELD(unwound)
FIELD(suspect)
FIELD(suspect_ns)
FIELD(morestack_count)
FIELD(preempt_count)
FIELD(declined_count)

bool stat_any(const struct call_stats *st)
{
	return st->calls || st->total_ns || st->morestack_ns || st->preempt_ns;
}

/* As measured, probes included. */
static uint64_t get_total_ns(const struct call_stats *st)
{
	return st->total_ns + st->inside_ns;
}

static uint64_t get_self_ns(const struct call_stats *st)
{
	return st->self_ns + st->probe_ns;
}

static uint64_t get_total_corrected_ns(const struct call_stats *st)
{
	return st->total_ns;
}

static uint64_t get_self_corrected_ns(const struct call_stats *st)
{
	return st->self_ns;
}

bool stat_has(const struct stat_column *c, const struct call_stats *st)
{
	return (!c->of_finished || call_stats_timed(st)) && (!c->of_correction || st->corrected);
}

static uint64_t get_mean_ns(const struct call_stats *st)
{
	return st->finished ? st->sum_ns / st->finished : 0;
}

uint64_t stat_quantile(const struct call_stats *st, double q)
{
	uint64_t ns = hist_quantile(&st->hist, q);

	return ns < st->min_ns ? st->min_ns : ns > st->max_ns ? st->max_ns : ns;
}

static uint64_t get_p50_ns(const struct call_stats *st)
{
	return stat_quantile(st, 0.50);
}

static uint64_t get_p90_ns(const struct call_stats *st)
{
	return stat_quantile(st, 0.90);
}

static uint64_t get_p99_ns(const struct call_stats *st)
{
	return stat_quantile(st, 0.99);
}

#define OFF(of, name)                                            \
	static uint64_t of##_##name(const struct call_stats *st) \
	{                                                        \
		return st->off_##of.name;                        \
	}
OFF(self, runnable_ns)
OFF(self, wait_ns)
OFF(self, syscall_ns)
OFF(self, unknown_ns)
OFF(self, off_cpu_ns)
OFF(total, runnable_ns)
OFF(total, wait_ns)
OFF(total, syscall_ns)
OFF(total, unknown_ns)
OFF(total, off_cpu_ns)

static uint64_t get_run_ns(const struct call_stats *st)
{
	return stat_run_ns(st) + stat_run_probe_ns(st);
}

uint64_t stat_total_run_ns(const struct call_stats *st)
{
	return st->total_ns - off_times_sum(&st->off_total);
}

static uint64_t total_run_ns(const struct call_stats *st)
{
	return stat_total_run_ns(st) + st->inside_ns - st->off_inside_ns - st->ready_inside_ns;
}

static uint64_t raw_off_cpu_ns(const struct call_stats *st)
{
	return st->off_self.off_cpu_ns + st->off_probe_ns;
}

static uint64_t raw_total_off_cpu_ns(const struct call_stats *st)
{
	return st->off_total.off_cpu_ns + st->off_inside_ns;
}

static uint64_t raw_runnable_ns(const struct call_stats *st)
{
	return st->off_self.runnable_ns + st->ready_probe_ns;
}

static uint64_t raw_total_runnable_ns(const struct call_stats *st)
{
	return st->off_total.runnable_ns + st->ready_inside_ns;
}

static uint64_t get_doubtful(const struct call_stats *st)
{
	return correction_doubtful(st);
}

/* The first ten are fixed: programs read them by number. New ones go to the end. */
const struct stat_column stat_columns[] = {
	{ .name = "calls", .get = get_calls },
	{ .name = "total_ns", .get = get_total_ns, .shown = get_total_corrected_ns },
	{ .name = "self_ns", .get = get_self_ns, .shown = get_self_corrected_ns },
	{ .name = "min_ns", .get = get_min_ns, .of_finished = true },
	{ .name = "max_ns", .get = get_max_ns, .of_finished = true },
	{ .name = "morestack_ns", .get = get_morestack_ns },
	{ .name = "preempt_ns", .get = get_preempt_ns },
	{ .name = "unfinished", .get = get_unfinished },
	{ .name = "unwound", .get = get_unwound },
	{ .name = "suspect", .get = get_suspect },
	{ .name = "mean_ns", .get = get_mean_ns, .of_finished = true },
	{ .name = "p50_ns", .get = get_p50_ns, .of_finished = true, .of_hist = true },
	{ .name = "p90_ns", .get = get_p90_ns, .of_finished = true, .of_hist = true },
	{ .name = "p99_ns", .get = get_p99_ns, .of_finished = true, .of_hist = true },
	{ .name = "suspect_ns", .get = get_suspect_ns },
	{ .name = "morestack_count", .get = get_morestack_count },
	{ .name = "preempt_count", .get = get_preempt_count },
	{ .name = "declined_count", .get = get_declined_count },
	{ .name = "total_corrected_ns", .get = get_total_corrected_ns, .of_correction = true },
	{ .name = "self_corrected_ns", .get = get_self_corrected_ns, .of_correction = true },
	{ .name = "uncertainty_ns", .get = get_uncertainty_ns, .of_correction = true },
	{ .name = "probe_ns", .get = get_probe_ns, .of_correction = true },
	{ .name = "cost_ns", .get = get_cost_ns, .of_correction = true },
	{ .name = "run_ns", .get = get_run_ns, .shown = stat_run_ns, .of_states = true },
	{ .name = "runnable_ns",
	  .get = raw_runnable_ns,
	  .shown = self_runnable_ns,
	  .of_states = true },
	{ .name = "wait_ns", .get = self_wait_ns, .of_states = true },
	{ .name = "syscall_ns", .get = self_syscall_ns, .of_states = true },
	{ .name = "unknown_ns", .get = self_unknown_ns, .of_states = true },
	{ .name = "total_run_ns",
	  .get = total_run_ns,
	  .shown = stat_total_run_ns,
	  .of_states = true },
	{ .name = "total_runnable_ns",
	  .get = raw_total_runnable_ns,
	  .shown = total_runnable_ns,
	  .of_states = true },
	{ .name = "total_wait_ns", .get = total_wait_ns, .of_states = true },
	{ .name = "total_syscall_ns", .get = total_syscall_ns, .of_states = true },
	{ .name = "total_unknown_ns", .get = total_unknown_ns, .of_states = true },
	{ .name = "off_cpu_ns",
	  .get = raw_off_cpu_ns,
	  .shown = self_off_cpu_ns,
	  .of_states = true,
	  .of_events = true },
	{ .name = "total_off_cpu_ns",
	  .get = raw_total_off_cpu_ns,
	  .shown = total_off_cpu_ns,
	  .of_states = true,
	  .of_events = true },
	{ .name = "run_corrected_ns",
	  .get = stat_run_ns,
	  .of_states = true,
	  .of_events = true,
	  .of_correction = true },
	{ .name = "total_run_corrected_ns",
	  .get = stat_total_run_ns,
	  .of_states = true,
	  .of_events = true,
	  .of_correction = true },
	{ .name = "off_cpu_corrected_ns",
	  .get = self_off_cpu_ns,
	  .of_states = true,
	  .of_events = true,
	  .of_correction = true },
	{ .name = "total_off_cpu_corrected_ns",
	  .get = total_off_cpu_ns,
	  .of_states = true,
	  .of_events = true,
	  .of_correction = true },
	{ .name = "runnable_corrected_ns",
	  .get = self_runnable_ns,
	  .of_states = true,
	  .of_events = true,
	  .of_correction = true },
	{ .name = "total_runnable_corrected_ns",
	  .get = total_runnable_ns,
	  .of_states = true,
	  .of_events = true,
	  .of_correction = true },
	{ .name = "doubtful", .get = get_doubtful, .of_events = true, .of_correction = true },
	{ 0 },
};

GOROUTINE_FIELD(calls)
GOROUTINE_FIELD(total_ns)
GOROUTINE_FIELD(self_ns)
GOROUTINE_FIELD(morestack_ns)
GOROUTINE_FIELD(preempt_ns)

#define GOROUTINE_OFF(name)                                              \
	static uint64_t goroutine_##name(const struct goroutine_info *g) \
	{                                                                \
		return g->off.name;                                      \
	}
GOROUTINE_OFF(runnable_ns)
GOROUTINE_OFF(wait_ns)
GOROUTINE_OFF(syscall_ns)
GOROUTINE_OFF(unknown_ns)
GOROUTINE_OFF(off_cpu_ns)

uint64_t goroutine_run_ns(const struct goroutine_info *g)
{
	return g->life_ns - off_times_sum(&g->off);
}

const struct goroutine_column goroutine_columns[] = {
	{ "calls", goroutine_calls, false },
	{ "total_ns", goroutine_total_ns, false },
	{ "self_ns", goroutine_self_ns, false },
	{ "morestack_ns", goroutine_morestack_ns, false },
	{ "preempt_ns", goroutine_preempt_ns, false },
	{ "run_ns", goroutine_run_ns, true },
	{ "runnable_ns", goroutine_runnable_ns, true },
	{ "wait_ns", goroutine_wait_ns, true },
	{ "syscall_ns", goroutine_syscall_ns, true },
	{ "unknown_ns", goroutine_unknown_ns, true },
	{ "off_cpu_ns", goroutine_off_cpu_ns, true },
	{ 0 },
};

const char *call_end_name(enum call_end end)
{
	static const char *const names[] = {
		[CALL_FINISHED] = "finished",     [CALL_UNWOUND] = "unwound",
		[CALL_UNFINISHED] = "unfinished", [CALL_TAIL] = "tail",
		[CALL_INFERRED] = "inferred",
	};

	return names[end];
}
