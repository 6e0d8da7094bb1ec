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
FIELD(total_ns)
FIELD(self_ns)
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
	return st->calls || st->morestack_ns || st->preempt_ns;
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
	{ "calls", get_calls, false, false },
	{ "total_ns", get_total_ns, false, false },
	{ "self_ns", get_self_ns, false, false },
	{ "min_ns", get_min_ns, true, false },
	{ "max_ns", get_max_ns, true, false },
	{ "morestack_ns", get_morestack_ns, false, false },
	{ "preempt_ns", get_preempt_ns, false, false },
	{ "unfinished", get_unfinished, false, false },
	{ "unwound", get_unwound, false, false },
	{ "suspect", get_suspect, false, false },
	{ "mean_ns", get_mean_ns, true, false },
	{ "p50_ns", get_p50_ns, true, true },
	{ "p90_ns", get_p90_ns, true, true },
	{ "p99_ns", get_p99_ns, true, true },
	{ "suspect_ns", get_suspect_ns, false, false },
	{ "morestack_count", get_morestack_count, false, false },
	{ "preempt_count", get_preempt_count, false, false },
	{ "declined_count", get_declined_count, false, false },
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
