// SPDX-License-Identifier: BSD-2-Clause
/* What tracing did to the program as a whole: sentences from known numbers. */
#include <stdio.h>
#include <string.h>

#include "base/test_fixture.h"
#include "analysis/calls/probe_cost.h"
#include "trace/keys.h"

static struct trace_info info;

static void set(const char *key, const char *value)
{
	assert_int_equal(trace_info_set(&info, key, value), 0);
}

/* Two processors, ten seconds; the program had `cpu`, half of which were its probes', and gotrace
 * `own`. */
static void run(const char *cpu, const char *probe_events, const char *own)
{
	trace_info_free(&info);
	info = (struct trace_info){ 0 };
	set(KEY_HOST_CPUS, "2");
	set(KEY_END_TARGET_WALL_NS, "10000000000");
	set(KEY_END_TARGET_CPU_NS, cpu);
	/* 1.4 times what a bare loop of them takes */
	set(KEY_COST_INLINE_NS, "1000");
	set(KEY_END_EVENTS_INLINE, probe_events);
	if (own)
		set(KEY_END_OWN_CPU_NS, own);
}

static struct probe_overhead found(void)
{
	struct probe_overhead o;

	assert_true(probe_overhead_find(&info, &o));
	return o;
}

static void expect_times(double got, double want)
{
	if (got < want - 0.01 || got > want + 0.01)
		fail_msg("%g times, not %g", got, want);
}

FIXTURE(teardown)
{
	trace_info_free(&info);
	info = (struct trace_info){ 0 };
	return 0;
}

/* There was room for gotrace: what it took slowed nothing down. */
TEST(test_room)
{
	run("10000000000", "3571429", "4000000000"); /* 14 of 20 s */
	expect_times(found().cpu_times, 2);
	expect_times(found().wall_times, 2);
	assert_int_equal(found().taken_ns, 0);
}

/* Both processors were busy all the time: what gotrace took the program would have had. */
TEST(test_full)
{
	char say[PROBE_OVERHEAD_BYTES];

	run("12000000000", "4285714", "8000000000"); /* 20 of 20 s */
	assert_int_equal(found().taken_ns, 8000000000);
	expect_times(found().cpu_times, 2);
	expect_times(found().wall_times, 2 * 20.0 / 12);
	assert_string_equal(
		probe_overhead_say(&info, say),
		"about 2.0x the processor time of an untraced run; with no processor free, about "
		"3.3x the time or that many times fewer requests (probes 6.00s of 12.0s of "
		"processor time; gotrace itself took 8.00s)");
}

/* The kernel tells how much of that the program would have had. */
TEST(test_told)
{
	run("10000000000", "3571429", "8000000000"); /* 18 of 20 s */
	assert_int_equal(trace_info_set(&info, KEY_END_OFF_CPU_GOTRACE_NS, "2000000000"), 0);
	assert_int_equal(found().taken_ns, 2000000000);
	expect_times(found().cpu_times, 2);
	expect_times(found().wall_times, 2 * 12.0 / 10);
	assert_int_equal(trace_info_set(&info, KEY_END_OFF_CPU_GOTRACE_NS, "0"), 0);
	assert_int_equal(found().taken_ns, 0);
	assert_int_equal(trace_info_set(&info, KEY_END_OFF_CPU_GOTRACE_NS, "90000000000"), 0);
	assert_int_equal(found().taken_ns, 10000000000); /* no more than there is */
}

/* Nearly so: a part of it. */
TEST(test_nearly_full)
{
	run("10000000000", "3571429", "7500000000"); /* 17.5 of 20 s */
	assert_int_equal(found().taken_ns, 3750000000);
	expect_times(found().wall_times, 2 * 13.75 / 10);
}

/* More than the machine has cannot be, and a share of the machine is not seen: never less. */
TEST(test_bounds)
{
	run("19000000000", "6785714", "18446744073709551615");
	assert_true(found().taken_ns <= 20000000000 - 19000000000);
	run("25000000000", "8928571", "5000000000");
	assert_int_equal(found().taken_ns, 0);
	expect_times(found().wall_times, 2);
}

/* A trace of before does not say it. */
TEST(test_not_known)
{
	char say[PROBE_OVERHEAD_BYTES];

	run("12000000000", "4285714", NULL);
	assert_int_equal(found().taken_ns, 0);
	expect_times(found().wall_times, 2);
	assert_string_equal(
		probe_overhead_say(&info, say),
		"about 2.0x the processor time of an untraced run, and as many times as long "
		"(probes 6.00s of 12.0s of processor time)");
}

/* Where little is left of the program, the number is called what it is. */
TEST(test_rough)
{
	char say[PROBE_OVERHEAD_BYTES];

	run("12000000000", "7200000", NULL);
	assert_true(found().probe_ns > 9000000000);
	assert_non_null(strstr(probe_overhead_say(&info, say), "very roughly "));
}

/* Samples say what is the program's, whatever a probe cost in a bare loop; less what is slower
 * behind a stub, here 30 % of 1,000 ns each. */
TEST(test_samples)
{
	run("10000000000", "1000000", NULL);
	set(KEY_END_CPU_SAMPLES, "1000");
	set(KEY_END_CPU_SAMPLES_PROBES, "600");
	expect_times(found().cpu_times, 10 / (4 - 0.3));
	assert_int_equal(found().rough, OVERHEAD_KNOWN);
	set(KEY_END_EVENTS_INLINE, "2000000");
	expect_times(found().cpu_times, 10 / (4 - 0.6));
	assert_int_equal(found().rough, OVERHEAD_ROUGH);
	set(KEY_END_EVENTS_INLINE, "5000000"); /* a fifth of it at most */
	expect_times(found().cpu_times, 10 / (4 - 0.8));
	assert_int_equal(found().rough, OVERHEAD_VERY_ROUGH);
	set(KEY_END_EVENTS_INLINE, "1000000");
	/* Too few: the costs, 1.4 times 1 s. */
	set(KEY_END_CPU_SAMPLES, "10");
	set(KEY_END_CPU_SAMPLES_PROBES, "6");
	expect_times(found().cpu_times, 10 / (10 - 1.4));
}

/* All but nothing was the probes': what is left cannot be told, and is never nothing. */
TEST(test_samples_rough)
{
	char say[PROBE_OVERHEAD_BYTES];

	run("10000000000", "6000000", NULL);
	set(KEY_END_CPU_SAMPLES, "5000");
	set(KEY_END_CPU_SAMPLES_PROBES, "4500");
	expect_times(found().cpu_times, 10 / 0.8);
	assert_int_equal(found().rough, OVERHEAD_VERY_ROUGH);
	assert_non_null(
		strstr(probe_overhead_say(&info, say), "very roughly 12x the processor time"));
	set(KEY_END_CPU_SAMPLES_PROBES, "5000");
	assert_true(found().rough == OVERHEAD_VERY_ROUGH && found().cpu_times > 1000);
	/* More than all is no number of samples. */
	set(KEY_END_CPU_SAMPLES_PROBES, "5001");
	assert_true(found().cpu_times < 10);
}

/* Behind traps more of it may be cold than behind stubs, and most where they are single steps. */
TEST(test_samples_traps)
{
	run("10000000000", "0", NULL);
	set(KEY_END_CPU_SAMPLES, "5000");
	set(KEY_END_CPU_SAMPLES_PROBES, "4500");
	set(KEY_COST_JUMP_NS, "1000");
	set(KEY_END_EVENTS_JUMP, "9000000");
	expect_times(found().cpu_times, 10 / 0.38);
	set(KEY_COST_STEP_NS, "9000");
	set(KEY_END_EVENTS_STEP, "9000000");
	expect_times(found().cpu_times, 10 / 0.25);
	set(KEY_END_EVENTS_JUMP, "0");
	expect_times(found().cpu_times, 10 / 0.12);
	/* What is little is taken off as it is: 5 % of 900 ms. */
	set(KEY_END_EVENTS_STEP, "100000");
	expect_times(found().cpu_times, 10 / (1 - 0.045));
}

/* ---- processor time first, then what follows of it */

static void expect_say(const char *want)
{
	char say[PROBE_OVERHEAD_BYTES];

	assert_string_equal(probe_overhead_say(&info, say), want);
}

/* Of `all` samples of the processor time, so many were in probes. */
static void samples(const char *all, const char *probes)
{
	set(KEY_END_CPU_SAMPLES, all);
	set(KEY_END_CPU_SAMPLES_PROBES, probes);
}

static void host(const char *busy, const char *idle)
{
	set(KEY_END_HOST_BUSY_NS, busy);
	set(KEY_END_HOST_IDLE_NS, idle);
}

/* A server takes 15 times its processor time, and its client has the rest: it answered 7 to 12
 * times fewer requests. */
TEST(test_server)
{
	run("15000000000", "100", "200000000");
	set(KEY_END_TARGET_WALL_NS, "8300000000");
	samples("7500", "7000");
	set(KEY_END_TARGET_RUN_DELAY_NS, "9000000000");
	host("16500000000", "100000000");
	assert_int_equal(found().wall, OVERHEAD_WALL_FULL);
	expect_times(found().cpu_times, 15);
	expect_say("about 15x the processor time of an untraced run; with no processor free, "
		   "about 15x the time, or 7.2x to 15x fewer requests (probes 14.0s of 15.0s of "
		   "processor time)");
	/* Its client took little. */
	host("15250000000", "100000000");
	expect_say("about 15x the processor time of an untraced run; with no processor free, "
		   "about 15x the time or that many times fewer requests (probes 14.0s of 15.0s of "
		   "processor time)");
	/* Others took so much that they hardly were its clients. */
	host("40000000000", "100000000");
	expect_say("about 15x the processor time of an untraced run; with no processor free, "
		   "about 15x the time or up to that many times fewer requests (probes 14.0s of "
		   "15.0s of processor time)");
	/* A processor was free some of the time. */
	host("16500000000", "4100000000");
	assert_int_equal(found().wall, OVERHEAD_WALL_BUSY);
}

/* A program takes 350 times as long. Others had the processors most of the time. */
TEST(test_delayed)
{
	run("1700000000", "100", "100000000");
	samples("3500", "3490");
	assert_int_equal(found().wall, OVERHEAD_WALL_IDLE);
	set(KEY_END_TARGET_RUN_DELAY_NS, "8000000000");
	assert_int_equal(found().wall, OVERHEAD_WALL_BUSY);
	assert_true(found().wall_times > 300);
	expect_say("more than 99x the processor time of an untraced run, and as many times as long "
		   "(probes 1.70s of 1.70s of processor time)");
	assert_non_null(strstr(probe_overhead_warn(&info), "ran slower"));
	set(KEY_PROBE_STRATEGY, "springboard");
	set(KEY_PROBE_WHY, PROBE_WHY_ASKED);
	assert_non_null(strstr(probe_overhead_warn(&info), "or try --probe=inline"));
	/* It was tried. */
	set(KEY_PROBE_WHY, "files may not be as large as the rings in memory");
	assert_null(strstr(probe_overhead_warn(&info), "--probe=inline"));
}

/* A program that waits for something else loses little wall time: the warning says so, too. */
TEST(test_idle)
{
	run("150000000", "100", "0");
	samples("750", "700");
	set(KEY_END_TARGET_RUN_DELAY_NS, "1000000");
	expect_say("about 15x the processor time of an untraced run, and hardly longer (probes "
		   "140ms of 150ms of processor time)");
	assert_non_null(strstr(probe_overhead_warn(&info), "more processor time"));
	assert_null(strstr(probe_overhead_warn(&info), "slower"));
	run("3000000000", "100", "0");
	samples("1500", "1400");
	expect_say("about 15x the processor time of an untraced run, and at least 1.4x the time "
		   "(probes 2.80s of 3.00s of processor time)");
	run("3000000000", "100", "0");
	samples("1500", "10");
	expect_say("hardly slower than untraced (probes 20.0ms of 3.00s of processor time)");
	assert_null(probe_overhead_warn(&info));
}

/* Both processors were used, and the program waited for none: gotrace took nothing from it. */
TEST(test_no_delay)
{
	run("10000000000", "100", "9900000000");
	samples("5000", "2500");
	assert_int_equal(found().taken_ns, 9900000000);
	set(KEY_END_TARGET_RUN_DELAY_NS, "500000000");
	assert_int_equal(found().taken_ns, 500000000);
	/* A third of what ran beside it was gotrace: so much of its waiting was for gotrace.
	 * Others would have had their part of that. */
	run("10000000000", "100", "3000000000");
	samples("5000", "2500");
	set(KEY_END_TARGET_RUN_DELAY_NS, "1500000000");
	host("19000000000", "0");
	assert_int_equal(found().taken_ns, 312500000);
}

/* Probes took little, and gotrace had a processor for which the program waited. */
TEST(test_taken)
{
	run("10000000000", "100", "9900000000");
	samples("5000", "50");
	expect_say("hardly more processor time than an untraced run; with no processor free, about "
		   "2.0x the time or that many times fewer requests (probes 100ms of 10.0s of "
		   "processor time; gotrace itself took 9.90s)");
	assert_non_null(strstr(probe_overhead_warn(&info), "ran slower"));
}

/* A sum in which one kind's cost is missing is no sum. */
TEST(test_unmeasured)
{
	uint64_t ns;

	run("10000000000", "1000000", NULL);
	assert_true(probe_cost_ns(&info, &ns));
	set(KEY_END_EVENTS_STEP, "5");
	assert_false(probe_cost_ns(&info, &ns));
	set(KEY_COST_STEP_NS, "9000");
	assert_true(probe_cost_ns(&info, &ns));
}

TESTS_EACH(NULL, teardown, test_room, test_full, test_told, test_nearly_full, test_bounds,
	   test_not_known, test_rough, test_samples, test_samples_rough, test_samples_traps,
	   test_server, test_delayed, test_idle, test_no_delay, test_taken, test_unmeasured)
