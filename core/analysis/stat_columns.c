// SPDX-License-Identifier: BSD-2-Clause
#include "analysis/stat_columns.h"

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
	return (!c->of_finished || st->finished) && (!c->of_correction || st->corrected);
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
	{ 0 },
};

GOROUTINE_FIELD(calls)
GOROUTINE_FIELD(total_ns)
GOROUTINE_FIELD(self_ns)
GOROUTINE_FIELD(morestack_ns)
GOROUTINE_FIELD(preempt_ns)

const struct goroutine_column goroutine_columns[] = {
	{ "calls", goroutine_calls },           { "total_ns", goroutine_total_ns },
	{ "self_ns", goroutine_self_ns },       { "morestack_ns", goroutine_morestack_ns },
	{ "preempt_ns", goroutine_preempt_ns }, { 0 },
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
