// SPDX-License-Identifier: BSD-2-Clause
/*
 * Corrected times where the trace has samples of the processor time: a simulated program whose
 * events cost twenty times what was measured, and a clock that interrupts it.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/test_fixture.h"
#include "analysis/stat_columns.h"
#include "analysis/calls/correction_fixture.h"

/* ---- the program */

struct program {
	FILE *out;
	uint64_t ns, next_ns, last_ns; /* now; the clock's next interruption and its last */
	uint64_t seed;
	bool no_samples;
};

static uint64_t drawn(struct program *p, uint64_t below)
{
	p->seed = p->seed * 6364136223846793005u + 1442695040888963407u;
	return (p->seed >> 33) % below;
}

/* Time passes, samples of which say where, while rsp is at `depth`; in code of function number
 * func - 1 where that is not 0. */
static void pass_of(struct program *p, uint64_t ns, unsigned where, unsigned depth, unsigned func)
{
	uint64_t end_ns = p->ns + ns;

	while (p->next_ns < end_ns) {
		if (!p->no_samples)
			fprintf(p->out,
				"1 sample - %u %" PRIu64 " arg0=%" PRIu64 " arg1=%d arg2=%u\n",
				depth, p->next_ns, p->next_ns - p->last_ns, where, func);
		p->last_ns = p->next_ns;
		p->next_ns += 95000 + drawn(p, 10000);
	}
	p->ns = end_ns;
}

static void pass_in(struct program *p, uint64_t ns, unsigned where, unsigned depth)
{
	pass_of(p, ns, where, depth, 0);
}

/* A call of main.work by stubs, each of which takes stub_ns before its event and after it. */
static void call_work(struct program *p, uint64_t stub_ns, uint64_t ns)
{
	pass_in(p, stub_ns, SAMPLED_STUB, 208);
	fprintf(p->out, "1 entry main.work 200 %" PRIu64 " how=inline\n", p->ns);
	pass_in(p, stub_ns, SAMPLED_STUB, 208);
	pass_in(p, ns, SAMPLED_PROGRAM, 250);
	pass_in(p, stub_ns, SAMPLED_STUB, 208);
	fprintf(p->out, "1 exit main.work 200 %" PRIu64 " how=inline\n", p->ns);
	pass_in(p, stub_ns, SAMPLED_STUB, 208);
}

/* Likewise in the program's code, or in a trap. */
static void pass(struct program *p, uint64_t ns, bool trap, unsigned depth)
{
	pass_in(p, ns, trap ? SAMPLED_TRAP : SAMPLED_PROGRAM, depth);
}

static void event(struct program *p, const char *kind, const char *func, unsigned depth)
{
	pass(p, 12000, true, depth + 8);
	fprintf(p->out, "1 %s main.%s %u %" PRIu64 " how=emulated\n", kind, func, depth, p->ns);
	pass(p, 8000, true, depth + 8);
}

/* main.all calls main.work, 10 us of its own, which calls main.tiny, 500 ns, so many times. */
static char *run(struct program *p, const char *keys, unsigned times, bool traps_in_tiny)
{
	char *text = NULL;
	size_t size;

	p->out = open_memstream(&text, &size);
	assert_non_null(p->out);
	p->seed = 7;
	p->ns = 1000;
	p->next_ns = 50000;
	fprintf(p->out, "@set cost.emulated_ns 1000\n@set cost.before_ns 600\n@set host.cpus 1\n%s",
		keys);
	event(p, "entry", "all", 100);
	for (unsigned i = 0; i < times; i++) {
		event(p, "entry", "work", 200);
		pass(p, 10000, false, 250);
		event(p, "entry", "tiny", 300);
		pass(p, 500, traps_in_tiny, 350);
		event(p, "exit", "tiny", 300);
		event(p, "exit", "work", 200);
	}
	event(p, "exit", "all", 100);
	fclose(p->out);
	return text;
}

#define STATES "@set states 1\n@set states.off_cpu told\n"

static void near(const char *func, uint64_t truth_ns)
{
	const struct call_stats *st = of(func);
	uint64_t run_ns = stat_run_ns(st),
		 off = run_ns > truth_ns ? run_ns - truth_ns : truth_ns - run_ns;

	if (off > st->uncertainty_ns)
		fail_msg("%s ran for %" PRIu64 " +- %" PRIu64 " ns, not %" PRIu64, func, run_ns,
			 st->uncertainty_ns, truth_ns);
}

/* By how much the function's share of all running time that is left differs from the truth, over
 * what its stated error allows. */
static double share_off(const char *func, double truth)
{
	double all_ns = 0;

	for (size_t i = 0; i < trace.n_funcs; i++)
		all_ns += (double)stat_run_ns(&trace.funcs[i]);
	return fabs((double)stat_run_ns(of(func)) - truth * all_ns) /
	       fmax((double)of(func)->uncertainty_ns, 1);
}

static void near_share(const char *func, double truth)
{
	const double off = share_off(func, truth);

	if (off > 1)
		fail_msg("the share of %s is off by %.2f of its stated error", func, off);
}

/* Whatever events cost, samples tell; all parts add up to what was measured. */
TEST(test_traps)
{
	const unsigned n = 20000;
	struct program p = { 0 };
	char *text = run(&p, STATES, n, false);

	load(text);
	assert_true(trace.corrected);
	near("main.work", n * 10000ull);
	near("main.tiny", n * 500ull);
	assert_true(of("main.work")->uncertainty_ns < n * 10000ull / 10);
	assert_true(of("main.tiny")->self_ns < of("main.work")->self_ns / 4);
	assert_int_equal(trace.totals->root_ns + trace.totals->probe_ns, p.ns - 8000 - 13000);
	assert_int_equal(of("main.all")->self_ns + of("main.work")->self_ns +
				 of("main.tiny")->self_ns,
			 trace.totals->root_ns);
	unload();
	free(text);
}

/* Stubs that take 40 ns. Each is seen to take 80, as the program's loads are waited for in it: how
 * much of that is the program's is within the stated error. Code behind a trap is slower. */
TEST(test_overlap)
{
	const unsigned n = 200000;
	struct program p = { .seed = 7, .ns = 1000, .next_ns = 50000 };
	char *text = NULL;
	size_t size;

	p.out = open_memstream(&text, &size);
	assert_non_null(p.out);
	fputs(STATES "@set cost.inline_ns 40\n@set host.cpus 1\n"
		     "1 entry main.all 100 1000 how=inline\n",
	      p.out);
	for (unsigned i = 0; i < n; i++)
		call_work(&p, 40, 100);
	fprintf(p.out, "1 exit main.all 100 %" PRIu64 " how=inline\n", p.ns);
	fclose(p.out);
	load(text);
	near("main.work", n * 100ull);
	near("main.work", n * 130ull); /* 30 of the 80 are the program's */
	assert_true(of("main.work")->uncertainty_ns < n * 60ull);
	unload();
	free(text);
}

/* Of the program's 100 ns a call the stubs hide nothing, but 40 ns of their own are seen in it.
 * main.long has next to no event: its time is exact, and its share is not. */
TEST(test_whole)
{
	const unsigned n = 200000;
	struct program p = { .seed = 7, .ns = 1000, .next_ns = 50000 };
	char *text = NULL;
	size_t size;

	p.out = open_memstream(&text, &size);
	assert_non_null(p.out);
	fputs(STATES "@set cost.inline_ns 40\n@set host.cpus 1\n"
		     "1 entry main.all 100 1000 how=inline\n"
		     "1 entry main.long 200 1000 how=inline\n",
	      p.out);
	pass_in(&p, n * 100ull, SAMPLED_PROGRAM, 250);
	fprintf(p.out, "1 exit main.long 200 %" PRIu64 " how=inline\n", p.ns);
	for (unsigned i = 0; i < n; i++)
		call_work(&p, 10, 140);
	fprintf(p.out, "1 exit main.all 100 %" PRIu64 " how=inline\n", p.ns);
	fclose(p.out);
	load(text);
	near("main.long", n * 100ull);
	near_share("main.long", 0.5);
	near_share("main.work", 0.5);
	assert_false(correction_doubtful(of("main.long")));
	assert_true(of("main.long")->uncertainty_ns < n * 60ull);
	unload();
	free(text);
}

/* Programs of five functions that take what chance gives them: one is called once, four by turns.
 * Nineteen of twenty errors that are two standard errors hold the truth.
 */
TEST(test_random)
{
	static const char *const names[] = { "main.a", "main.b", "main.c", "main.d", "main.e" };
	unsigned held = 0, of_all = 0;

	for (unsigned seed = 1; seed <= 60; seed++) {
		struct program p = { .seed = seed, .ns = 1000, .next_ns = 50000 };
		uint64_t own_ns[5], event_ns, all_ns = 0;
		char *text = NULL;
		size_t size;

		p.out = open_memstream(&text, &size);
		assert_non_null(p.out);
		const unsigned n = 100 + (unsigned)drawn(&p, 400);

		event_ns = 1000 + drawn(&p, 20000);
		for (int f = 0; f < 5; f++)
			all_ns += own_ns[f] = 1000 + drawn(&p, f ? 10000 : 30000);
		fputs(STATES "@set cost.emulated_ns 1000\n@set cost.before_ns 500\n", p.out);
		fprintf(p.out, "1 entry main.all 100 %" PRIu64 " how=emulated\n", p.ns);
		fprintf(p.out, "1 entry main.a 200 %" PRIu64 " how=emulated\n", p.ns);
		pass(&p, own_ns[0] * n, false, 250);
		fprintf(p.out, "1 exit main.a 200 %" PRIu64 " how=emulated\n", p.ns);
		for (unsigned i = 0; i < 4 * n; i++) {
			const unsigned f = 1 + i % 4;

			pass(&p, event_ns / 2, true, 208);
			fprintf(p.out, "1 entry %s 200 %" PRIu64 " how=emulated\n", names[f], p.ns);
			pass(&p, event_ns / 2, true, 208);
			pass(&p, own_ns[f], false, 250);
			pass(&p, event_ns / 2, true, 208);
			fprintf(p.out, "1 exit %s 200 %" PRIu64 " how=emulated\n", names[f], p.ns);
			pass(&p, event_ns / 2, true, 208);
		}
		fprintf(p.out, "1 exit main.all 100 %" PRIu64 " how=emulated\n", p.ns);
		fclose(p.out);
		load(text);
		for (int f = 0; f < 5; f++) {
			held += share_off(names[f], (double)own_ns[f] / (double)all_ns) <= 1;
			of_all++;
		}
		unload();
		free(text);
	}
	if (held * 10 < of_all * 9)
		fail_msg("%u of %u stated errors hold the truth", held, of_all);
}

/* main.tiny waits 500 ns for memory. Its exit is stamped before, so main.work has the time as
 * measured; samples are of main.tiny (arg2: its index plus 1). */
TEST(test_ahead)
{
	const unsigned n = 20000;
	struct program p = { .seed = 7, .ns = 1000, .next_ns = 50000 };
	char *text = NULL;
	size_t size;

	p.out = open_memstream(&text, &size);
	assert_non_null(p.out);
	fputs(STATES "@set cost.inline_ns 10\n@set host.cpus 1\n"
		     "@func main.all\n@func main.work\n@func main.tiny\n"
		     "1 entry main.all 100 1000 how=inline\n",
	      p.out);
	for (unsigned i = 0; i < n; i++) {
		fprintf(p.out, "1 entry main.work 200 %" PRIu64 " how=inline\n", p.ns);
		pass_in(&p, 2000, SAMPLED_PROGRAM, 250);
		fprintf(p.out, "1 entry main.tiny 300 %" PRIu64 " how=inline\n", p.ns);
		p.ns += 20;
		fprintf(p.out, "1 exit main.tiny 300 %" PRIu64 " how=inline\n", p.ns);
		pass_of(&p, 500, SAMPLED_PROGRAM, 310, 3);
		fprintf(p.out, "1 exit main.work 200 %" PRIu64 " how=inline\n", p.ns);
	}
	fprintf(p.out, "1 exit main.all 100 %" PRIu64 " how=inline\n", p.ns);
	fclose(p.out);
	load(text);
	near("main.work", n * 2000ull);
	near("main.tiny", n * 500ull);
	near_share("main.work", 0.8); /* the whole lacks what main.tiny does */
	near_share("main.tiny", 0.2);
	assert_true(of("main.work")->uncertainty_ns < n * 600ull);
	unload();
	free(text);
}

/* Twenty calls of 100 us, and a sample of 100 us in some of them. */
static uint64_t run_with_samples(unsigned samples)
{
	char *text = NULL;
	size_t size;
	uint64_t ns = 1000;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	fputs(STATES "@set cost.inline_ns 10\n@set host.cpus 1\n", out);
	for (unsigned i = 0; i < 20; i++) {
		fprintf(out, "1 entry main.work 200 %" PRIu64 " how=inline\n", ns);
		if (i < samples)
			fprintf(out, "1 sample - 250 %" PRIu64 " arg0=100000 arg1=%d\n", ns + 50000,
				SAMPLED_PROGRAM);
		ns += 100000;
		fprintf(out, "1 exit main.work 200 %" PRIu64 " how=inline\n", ns);
	}
	fclose(out);
	load(text);
	const uint64_t run_ns = stat_run_ns(of("main.work"));

	unload();
	free(text);
	return run_ns;
}

/* One of a thousand functions with twenty samples has nine by chance; four are too few for that. */
TEST(test_few_by_chance)
{
	assert_in_range(run_with_samples(9), 1990000, 2000000);
	assert_in_range(run_with_samples(4), 400000, 1200000);
}

TEST(test_behind_traps)
{
	const unsigned n = 20000;
	struct program p = { 0 };
	char *text = run(&p, STATES, n, false);

	load(text);
	uint64_t by_chance_ns = of("main.tiny")->uncertainty_ns;

	assert_true(of("main.tiny")->run_chance_ns > 0);
	assert_int_equal(of("main.tiny")->run_bias_ns, 0);
	/* The error of a share has the error of all others in it, RUN has not. */
	assert_true(of("main.work")->run_chance_ns < of("main.work")->uncertainty_ns);
	unload();
	free(text);
	p = (struct program){ 0 };
	text = run(&p, STATES "@set cost.after_ns 500\n", n, false);
	load(text);
	/* each call has its entry's trap, and may bear what is left of the one before */
	assert_true(of("main.tiny")->uncertainty_ns > n * 1000ull);
	assert_true(of("main.tiny")->uncertainty_ns < n * 1000ull + by_chance_ns);
	/* no chance, so two recordings have it in common */
	assert_in_range(of("main.tiny")->run_bias_ns, n * 900, n * 1100);
	assert_true(of("main.tiny")->run_chance_ns <= by_chance_ns);
	unload();
	free(text);
}

/* Without states it is not known whether it waited: here it did not. */
TEST(test_no_states)
{
	const unsigned n = 20000;
	struct program p = { 0 };
	char *text = run(&p, "", n, false);

	load(text);
	near("main.work", n * 10000ull);
	near("main.tiny", n * 500ull);
	unload();
	free(text);
}

/* No samples: the costs as measured leave nearly all of the traps in. */
TEST(test_no_samples)
{
	const unsigned n = 2000;
	struct program p = { .no_samples = true };
	char *text = run(&p, STATES, n, false);

	load(text);
	assert_true(of("main.work")->self_ns > n * 30000ull);
	unload();
	free(text);
}

/* A short run: nothing is known better than the run is long. */
TEST(test_short)
{
	struct program p = { 0 };
	char *text = run(&p, STATES, 3, false);

	load(text);
	assert_true(of("main.work")->uncertainty_ns >= of("main.work")->self_ns / 2);
	unload();
	free(text);
}

/* Samples say that main.tiny's time is a trap's, events say that it is not. Each estimate can be
 * had alone. */
TEST(test_asked_for)
{
	const unsigned n = 20000;
	struct program p = { 0 };
	char *text = run(&p, STATES, n, true);

	load_by(text, CORRECT_BY_SAMPLES);
	uint64_t by_samples_ns = stat_run_ns(of("main.tiny"));

	unload();
	load_by(text, CORRECT_BY_EVENTS);
	uint64_t by_events_ns = stat_run_ns(of("main.tiny"));

	unload();
	load(text);
	assert_true(by_samples_ns < n * 500ull / 10);
	assert_true(by_events_ns > n * 500ull / 2);
	assert_int_equal(stat_run_ns(of("main.tiny")), by_samples_ns);
	unload();
	free(text);
}

/* The share that probes have of the running time is theirs of the time without a processor, too: it
 * is over sooner for a program that has less to do. */
TEST(test_off_cpu)
{
	char *text = NULL;
	size_t size;
	uint64_t ns = 1000;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	fprintf(out, STATES "@set cost.emulated_ns 1000\n@set cost.before_ns 500\n"
			    "1 state - 1 1000\n1 entry main.a 100 1000 how=emulated\n");
	for (unsigned i = 0; i < 1000; i++) {
		ns += 200000;
		fprintf(out, "1 sample - 150 %" PRIu64 " arg0=200000 arg1=%d\n", ns,
			i % 4 ? SAMPLED_TRAP : SAMPLED_PROGRAM);
	}
	fprintf(out, "1 state - 6 %" PRIu64 "\n1 state - 257 %" PRIu64 "\n", ns, ns + 100000000);
	fprintf(out, "1 exit main.a 100 %" PRIu64 " how=emulated\n", ns + 100000000);
	fclose(out);
	load(text);
	const struct call_stats *a = of("main.a");

	assert_in_range(stat_run_ns(a), 48000000, 52000000);
	assert_in_range(a->off_self.off_cpu_ns, 24000000, 26000000);
	assert_int_equal(a->off_total.off_cpu_ns, a->off_self.off_cpu_ns);
	assert_int_equal(a->self_ns + a->probe_ns, 300000000);
	assert_int_equal(a->total_ns + a->inside_ns, 300000000);
	/* As measured in CSV and JSON, all parts of it. */
	for (const struct stat_column *c = stat_columns; c->name; c++) {
		if (!strcmp(c->name, "run_ns") || !strcmp(c->name, "total_run_ns"))
			assert_int_equal(c->get(a), 200000000);
		if (!strcmp(c->name, "off_cpu_ns") || !strcmp(c->name, "total_off_cpu_ns"))
			assert_int_equal(c->get(a), 100000000);
	}
	unload();
	free(text);
}

/* Without states the kernel tells how long threads had no processor, not where. */
TEST(test_delayed)
{
	static const char *const delay[] = { "", "@set end.target_run_delay_ns 100000000\n" };

	for (int told = 0; told < 2; told++) {
		char *text = NULL;
		size_t size;
		uint64_t ns = 1000;
		FILE *out = open_memstream(&text, &size);

		assert_non_null(out);
		fprintf(out,
			"%s@set cost.emulated_ns 1000\n@set cost.before_ns 500\n"
			"1 entry main.a 100 1000 how=emulated\n",
			delay[told]);
		for (unsigned i = 0; i < 1000; i++) {
			ns += 200000;
			fprintf(out, "1 sample - 150 %" PRIu64 " arg0=200000 arg1=%d\n", ns,
				i % 4 ? SAMPLED_TRAP : SAMPLED_PROGRAM);
		}
		fprintf(out, "1 exit main.a 100 %" PRIu64 " how=emulated\n", ns + 100000000);
		fclose(out);
		load(text);
		near("main.a", told ? 75000000 : 150000000);
		/* nobody knows whether it waited for a processor */
		assert_true(of("main.a")->uncertainty_ns > (told ? 75000000 : 0));
		assert_true(of("main.a")->uncertainty_ns < (told ? 90000000 : 15000000));
		unload();
		free(text);
	}
}

/* main.often's probes take next to all of the processor's time. Then main.once has no processor for
 * 8 ms. The clock interrupts it `samples` times, in a trap, or once in the program. */
static char *one_wait(const char *keys, unsigned samples, unsigned where, unsigned wait_ns)
{
	char *text = NULL;
	size_t size;
	uint64_t ns = 1000;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	fprintf(out,
		"%s@set cost.emulated_ns 2000000\n@set cost.before_ns 1000000\n"
		"@set end.cpu_samples_ns 200000000\n@set end.cpu_samples_probes_ns 196000000\n"
		"1 entry main.all 100 1000 how=emulated\n",
		keys);
	for (unsigned i = 0; i < 100; i++) {
		ns += 2000000;
		fprintf(out, "1 sample - 250 %" PRIu64 " arg0=2000000 arg1=%d\n", ns - 500000,
			i % 50 != 1 ? SAMPLED_TRAP : SAMPLED_PROGRAM);
		fprintf(out, "1 %s main.often 200 %" PRIu64 " how=emulated\n",
			i % 2 ? "exit" : "entry", ns);
	}
	ns += 1000000;
	fprintf(out, "1 entry main.once 200 %" PRIu64 " how=emulated\n", ns);
	for (unsigned i = 0; i < samples; i++)
		fprintf(out, "1 sample - 250 %" PRIu64 " arg0=2000000 arg1=%u\n", ns += 2000000,
			where);
	ns += samples ? 8000000 : wait_ns;
	fprintf(out, "1 exit main.once 200 %" PRIu64 " how=emulated\n", ns);
	fprintf(out, "1 exit main.all 100 %" PRIu64 " how=emulated\n", ns);
	fclose(out);
	return text;
}

/* Nothing but its length tells of the call's wait, or next to nothing. If no thread waited for a
 * processor, the call may have waited for others, which probes made slow. */
TEST(test_delayed_few_samples)
{
	static const struct {
		unsigned samples, where;
	} waits[] = { { 0, 0 }, { 1, SAMPLED_TRAP }, { 2, SAMPLED_TRAP }, { 1, SAMPLED_PROGRAM } };
	char *text;

	for (size_t i = 0; i < sizeof(waits) / sizeof(*waits); i++) {
		text = one_wait("@set end.target_run_delay_ns 8000000\n"
				"@set end.target_run_delays 4\n",
				waits[i].samples, waits[i].where, 10000000);
		load(text);
		near("main.once", 1000);
		assert_true(correction_doubtful(of("main.once")));
		unload();
		free(text);
	}
	/* no wait is so short */
	text = one_wait("@set end.target_run_delay_ns 8000000000\n@set end.target_run_delays 10\n",
			0, 0, 10000000);
	load(text);
	near("main.once", 8000000);
	assert_true(correction_doubtful(of("main.once")));
	unload();
	free(text);
	/* no thread waited */
	text = one_wait("", 0, 0, 10000000);
	load(text);
	near("main.once", 8000000);
	assert_true(correction_doubtful(of("main.once")));
	unload();
	free(text);
	/* probes cannot have made a wait that is much longer than all that they took */
	text = one_wait("", 0, 0, 800000000);
	load(text);
	near("main.once", 800000000);
	assert_false(correction_doubtful(of("main.once")));
	unload();
	free(text);
}

/* A runnable goroutine waits for those that run: probes' share of what all of them do is over
 * sooner without them. main.idle has no probe in it. */
TEST(test_runnable)
{
	load(STATES "@set cost.emulated_ns 1000\n@set cost.before_ns 500\n"
		    "@set end.cpu_samples_ns 200000000\n@set end.cpu_samples_probes_ns 150000000\n"
		    "1 state - 1 1000\n1 entry main.all 100 1000 how=emulated\n"
		    "1 entry main.idle 200 2000 how=emulated\n1 state - 2 1002000\n"
		    "1 sample - 250 1002000 arg0=1000000 arg1=0\n"
		    "1 state - 1 101002000\n1 exit main.idle 200 102002000 how=emulated\n"
		    "1 sample - 250 102002000 arg0=1000000 arg1=0\n"
		    "1 exit main.all 100 102003000 how=emulated\n");
	const struct call_stats *idle = of("main.idle"), *all = of("main.all");

	assert_int_equal(idle->off_self.runnable_ns, 25000000);
	assert_int_equal(idle->off_total.runnable_ns, 25000000);
	assert_int_equal(all->off_self.runnable_ns, 0);
	assert_int_equal(all->off_total.runnable_ns, 25000000);
	assert_int_equal(idle->self_ns + idle->probe_ns, 102000000);
	assert_int_equal(all->total_ns + all->inside_ns, 102002000);
	assert_int_equal(trace.totals->root_ns + trace.totals->probe_ns, 102002000);
	/* As measured in CSV and JSON, all parts of it. */
	for (const struct stat_column *c = stat_columns; c->name; c++) {
		if (!strcmp(c->name, "run_ns"))
			assert_int_equal(c->get(idle), 2000000);
		if (!strcmp(c->name, "runnable_ns"))
			assert_int_equal(c->get(idle), 100000000);
		if (!strcmp(c->name, "total_run_ns"))
			assert_int_equal(c->get(all), 2002000);
		if (!strcmp(c->name, "total_runnable_ns"))
			assert_int_equal(c->get(all), 100000000);
	}
	unload();
}

TESTS(test_traps, test_no_states, test_no_samples, test_short, test_off_cpu, test_asked_for,
      test_overlap, test_behind_traps, test_ahead, test_delayed, test_runnable, test_whole,
      test_few_by_chance, test_random, test_delayed_few_samples)
