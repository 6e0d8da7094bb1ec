// SPDX-License-Identifier: BSD-2-Clause
/* What is taken out of which calls, and when nothing is. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/test_fixture.h"
#include "analysis/calls/correction_fixture.h"

#define COSTS                          \
	"@set cost.emulated_ns 1000\n" \
	"@set cost.step_ns 10000\n"    \
	"@set cost.before_ns 600\n"    \
	"@set cost.inline_ns 20\n"

/* Too few events to tell a scale: what was measured counts. main.a makes one call of main.b. */
TEST(test_parts)
{
	load(COSTS "1 entry main.a 100 0 how=emulated\n"
		   "1 entry main.b 200 50000 how=emulated\n"
		   "1 exit main.b 200 60000 how=step\n"
		   "1 exit main.a 100 100000 how=step\n");
	assert_true(trace.corrected);
	/* b: what is after its entry's stamp, 400, and before its exit's, 600 */
	assert_int_equal(of("main.b")->probe_ns, 1000);
	assert_int_equal(of("main.b")->self_ns, 9000);
	assert_int_equal(of("main.b")->total_ns, 9000);
	/* a: the same of its own, and before b's entry 600, after b's exit 9400 */
	assert_int_equal(of("main.a")->probe_ns, 1000 + 600 + 9400);
	assert_int_equal(of("main.a")->self_ns, 90000 - 11000);
	assert_int_equal(of("main.a")->total_ns, 100000 - 12000);
	assert_int_equal(of("main.a")->inside_ns, 12000);
	assert_int_equal(trace.totals->root_ns, 88000);
	assert_int_equal(trace.totals->probe_ns, 12000);
	/* what tracing b cost, a's part included */
	assert_int_equal(of("main.b")->cost_ns, 11000);
	assert_int_equal(of("main.a")->cost_ns, 11000);
	/* half of it, as the trace itself does not tell how much it was */
	assert_int_equal(of("main.b")->uncertainty_ns, 500);
	unload();
}

/* Reading arguments is in the caller's time, whichever end of the call they belong to. */
TEST(test_values)
{
	load(COSTS "@set end.events_values 2\n@set end.values_ns 6000\n"
		   "1 entry main.a 100 0 how=emulated\n"
		   "1 entry main.b 200 50000 how=values\n"
		   "1 exit main.b 200 60000 how=values\n"
		   "1 exit main.a 100 100000 how=emulated\n");
	assert_int_equal(of("main.b")->probe_ns, 1000);
	assert_int_equal(of("main.a")->probe_ns, 1000 + 600 + 400 + 6000);
	assert_int_equal(of("main.a")->self_ns, 90000 - 8000);
	unload();
}

/* A leaf of one event costs its caller all of it, and nothing itself; so do goroutines created. */
TEST(test_leaf)
{
	load(COSTS "1 entry main.a 100 0 how=emulated\n"
		   "1 entry-exit main.leaf 200 20000 how=step\n"
		   "1 create - 0 50000 arg0=7 arg1=0x401000 how=emulated\n"
		   "1 exit main.a 100 100000 how=emulated\n");
	assert_int_equal(of("main.leaf")->probe_ns, 0);
	assert_int_equal(of("main.a")->probe_ns, 1000 + 10000 + 1000);
	assert_int_equal(of("main.a")->self_ns, 88000);
	unload();
}

/* What a goroutine's first call costs is in no time of the call that started it. */
TEST(test_started)
{
	load(COSTS "1 entry main.a 100 0 how=emulated\n"
		   "1 create main.a 0 50000 arg0=7 arg1=0x401000 how=emulated\n"
		   "7 entry main.b 100 60000 how=emulated\n"
		   "7 exit main.b 100 70000 how=emulated\n"
		   "1 exit main.a 100 100000 how=emulated\n");
	assert_int_equal(of("main.b")->probe_ns, 1000);
	assert_int_equal(of("main.b")->cost_ns, 2000);
	assert_int_equal(of("main.a")->probe_ns, 1000 + 1000);
	assert_int_equal(of("main.a")->self_ns, 98000);
	unload();
}

/* A call below itself, of a stub whose ring was full once. */
TEST(test_recursion)
{
	load(COSTS "1 entry main.r 100 0 how=inline\n"
		   "1 entry main.r 200 50000 how=emulated\n"
		   "1 exit main.r 200 60000 how=inline\n"
		   "1 exit main.r 100 100000 how=inline\n");
	/* Inside: of the stub's entry 12, a fifth more than measured as nothing tells, of its two
	 * exits 12 each, of the trap 400. Which of the calls was the inner one is not kept: of what
	 * their callers have, a half is taken. */
	assert_int_equal(of("main.r")->probe_ns, 12 + 24 + 400 + (12 + 24 + 600) / 2);
	/* Half of the trap, twice what was taken for the stubs. */
	assert_int_equal(of("main.r")->uncertainty_ns, (400 + 300) / 2 + 2 * (12 + 24 + 18));
	assert_int_equal(of("main.r")->total_ns + of("main.r")->inside_ns, 100000);
	unload();
}

/* Calls that count as a path above their caller's: what is in their caller's time is taken out
 * there, not out of that path's parent, which was over in no time. */
TEST(test_cycle)
{
	load(COSTS "1 entry main.a 100 0 how=emulated\n"
		   "1 entry main.b 200 10 how=emulated\n"
		   "1 entry main.a 300 100000 how=emulated\n"
		   "1 entry main.b 400 200000 how=emulated\n"
		   "1 exit main.b 400 300000 how=emulated\n"
		   "1 exit main.a 300 400000 how=emulated\n"
		   "1 exit main.b 200 500000 how=emulated\n"
		   "1 exit main.a 100 500010 how=emulated\n");
	/* the first call: all of its self time; the second: its own events' part and the second
	 * b's */
	assert_int_equal(of("main.a")->probe_ns, 20 + 1000 + 1000);
	assert_int_equal(of("main.b")->probe_ns, 2 * 1000 + 1000);
	assert_int_equal(trace.totals->probe_ns, 2020 + 3000);
	unload();
}

/* Never below zero, and what is not there is not taken from callers. */
TEST(test_never_below_zero)
{
	load(COSTS "1 entry main.a 100 0 how=emulated\n"
		   "1 entry main.b 200 100 how=emulated\n"
		   "1 exit main.b 200 150 how=step\n"
		   "1 exit main.a 100 300 how=step\n");
	assert_int_equal(of("main.b")->self_ns, 0);
	assert_int_equal(of("main.b")->probe_ns, 50);
	assert_int_equal(of("main.a")->self_ns, 0);
	assert_int_equal(of("main.a")->total_ns, 0);
	assert_int_equal(trace.totals->root_ns, 0);
	assert_int_equal(trace.totals->probe_ns, 300);
	assert_true(correction_unsure(of("main.a")) && correction_unsure(of("main.b")));
	unload();
}

/* Without costs, or without a word on how events came about, times stay as they are. */
TEST(test_not_known)
{
	static const char *const traces[] = {
		"1 entry main.a 100 0 how=emulated\n1 exit main.a 100 5000 how=step\n",
		"@set cost.emulated_ns 0\n@set cost.step_ns 0\n"
		"1 entry main.a 100 0 how=emulated\n1 exit main.a 100 5000 how=step\n",
		COSTS "1 entry main.a 100 0\n1 exit main.a 100 5000\n",
		COSTS,
	};

	for (size_t i = 0; i < sizeof(traces) / sizeof(*traces); i++) {
		load(traces[i]);
		assert_false(trace.corrected);
		for (size_t f = 0; f < trace.n_funcs; f++) {
			assert_int_equal(trace.funcs[f].self_ns, 5000);
			assert_int_equal(trace.funcs[f].probe_ns, 0);
			assert_false(trace.funcs[f].corrected);
		}
		unload();
	}
}

/* Costs that nobody measured. */
TEST(test_absurd_costs)
{
	load("@set cost.emulated_ns 18446744073709551615\n@set cost.before_ns 18446744073709551615\n"
	     "1 entry main.a 100 0 how=emulated\n"
	     "1 exit main.a 100 5000 how=emulated\n");
	assert_int_equal(of("main.a")->self_ns, 0);
	assert_int_equal(of("main.a")->probe_ns, 5000);
	unload();
}

/* main.a calls main.busy and functions that are nothing but their events by turns, tight_ns long.
 */
static uint64_t put_calls(char *p, unsigned n, unsigned functions, unsigned busy_ns,
			  unsigned (*tight_ns)(unsigned i))
{
	uint64_t ns = 0;

	p += sprintf(p, "1 entry main.a 100 0 how=emulated\n");
	for (unsigned i = 0; i < n; i++) {
		char name[16];

		snprintf(name, sizeof(name), i % 2 ? "tight%u" : "busy", i / 2 % functions);
		p += sprintf(p, "1 entry main.%s 200 %lu how=emulated\n", name, ns += 2000);
		p += sprintf(p, "1 exit main.%s 200 %lu how=emulated\n", name,
			     ns += i % 2 ? tight_ns(i / 2) : busy_ns);
	}
	sprintf(p, "1 exit main.a 100 %lu how=emulated\n", ns += 2000);
	return ns;
}

static unsigned twice(unsigned i)
{
	(void)i;
	return 2000;
}

/* Many functions show what an event costs in this program: twice what was measured. What has code
 * of its own keeps it. */
TEST(test_scale)
{
	const unsigned n = 4000;
	char *text = malloc(n * 200);

	uint64_t ns = put_calls(
		text + sprintf(text, "@set cost.emulated_ns 1000\n@set cost.before_ns 500\n"), n, 8,
		9000, twice);

	load(text);
	assert_true(of("main.tight0")->self_ns < n / 16 * 20);
	assert_true(correction_unsure(of("main.tight0")));
	assert_true(of("main.busy")->self_ns > n / 2 * 6900);
	assert_true(of("main.busy")->self_ns < n / 2 * 7100);
	assert_false(correction_unsure(of("main.busy")));
	assert_true(correction_unsure(of("main.a")));
	assert_int_equal(trace.totals->root_ns + trace.totals->probe_ns, ns);
	unload();
	free(text);
}

/* Two functions do not: their calls may as well have a microsecond of code each. The measured cost
 * counts, and may be off by half. */
TEST(test_few)
{
	const unsigned n = 2000;
	char *text = malloc(n * 200);

	put_calls(text + sprintf(text, "@set cost.emulated_ns 1000\n@set cost.before_ns 500\n"), n,
		  1, 9000, twice);
	load(text);
	const struct call_stats *tight = of("main.tight0"), *busy = of("main.busy");

	assert_in_range(tight->self_ns, n / 2 * 999, n / 2 * 1001);
	assert_in_range(tight->uncertainty_ns, n / 2 * 500, n / 2 * 600);
	assert_in_range(busy->self_ns, n / 2 * 7999, n / 2 * 8001);
	assert_in_range(busy->uncertainty_ns, n / 2 * 500, n / 2 * 600);
	unload();
	free(text);
}

static unsigned sometimes_waits(unsigned i)
{
	return i % 9 == 0 ? 11000 : 1000;
}

/* Every ninth call of what is nothing but its events waits for a processor: so do the events of
 * other functions, on the average, and how much is less sure. */
TEST(test_waiting)
{
	const unsigned n = 4000;
	char *text = malloc(n * 200);

	put_calls(
		text + sprintf(text,
			       "@set cost.emulated_ns 1000\n@set cost.before_ns 500\n@set host.cpus 2\n"
			       "@set end.target_cpu_ns 1000\n@set end.target_wall_ns 1000\n"),
		n, 8, 9000, sometimes_waits);
	load(text);
	assert_true(of("main.tight0")->self_ns < n / 16 * 200);
	assert_true(correction_unsure(of("main.tight0")));
	assert_true(of("main.busy")->self_ns > n / 2 * 6700);
	assert_true(of("main.busy")->self_ns < n / 2 * 7050);
	assert_true(of("main.busy")->uncertainty_ns > n / 2 * 200);
	unload();
	free(text);
}

/* All have much time of their own: they do not tell, and the measured cost counts. */
TEST(test_untold)
{
	const unsigned n = 300;
	char *text = malloc(n * 200), *p = text;
	uint64_t ns = 0;

	p += sprintf(p, "@set cost.emulated_ns 1000\n@set cost.before_ns 500\n");
	for (unsigned i = 0; i < n; i++) {
		p += sprintf(p, "1 entry main.slow 200 %lu how=emulated\n", ns += 2000);
		p += sprintf(p, "1 exit main.slow 200 %lu how=emulated\n", ns += 50000);
	}
	load(text);
	assert_int_equal(of("main.slow")->probe_ns, n * 1000);
	assert_int_equal(of("main.slow")->uncertainty_ns, n * 500);
	assert_int_equal(of("main.slow")->run_chance_ns, 0);
	assert_int_equal(of("main.slow")->run_bias_ns, n * 500);
	unload();
	free(text);
}

/* System calls take what they take: they do not tell what an event costs. */
TEST(test_system_calls)
{
	const unsigned n = 1000;
	char *text = malloc(n * 200), *p = text;
	uint64_t ns = 0;

	p += sprintf(p, "@set cost.emulated_ns 1000\n@set cost.before_ns 500\n");
	p += sprintf(p, "1 entry main.a 100 0 how=emulated\n");
	for (unsigned i = 0; i < n; i++) {
		p += sprintf(p, "1 entry syscall.Syscall 200 %lu how=emulated\n", ns += 4000);
		p += sprintf(p, "1 exit syscall.Syscall 200 %lu how=emulated\n", ns += 3000);
	}
	sprintf(p, "1 exit main.a 100 %lu how=emulated\n", ns + 2000);
	load(text);
	assert_int_equal(of("main.a")->probe_ns, 1000 + n * 1000);
	assert_int_equal(of("syscall.Syscall")->probe_ns, n * 1000);
	unload();
	free(text);
}

/* Rows of one program whose every RET traps: ms of what is left, of its error, and of what was
 * taken. */
TEST(test_doubtful)
{
	static const struct {
		const char *why;
		uint64_t self, off_cpu, ready, wait, error, probes, off_probes;
		bool doubtful;
	} rows[] = {
		{ "certain", 17, 0, 0, 0, 3, 10, 0, false },
		{ "less is left than its error", 17, 0, 0, 0, 18, 10, 0, true },
		{ "probes took more than is left", 17, 0, 0, 0, 3, 18, 0, true },
		{ "it ran for less than its error", 17, 4, 0, 0, 15, 10, 2, true },
		{ "probes took more of what it ran", 17, 16, 0, 0, 0, 3, 1, true },
		{ "no processor, and it is certain how long it ran", 17, 12, 0, 0, 2, 3, 1, false },
		{ "it waited", 100, 1, 0, 95, 5, 10, 2, false },
		{ "it waited for other goroutines", 100, 1, 95, 0, 5, 10, 2, false },
		{ "it waited, but that is less", 100, 30, 0, 45, 30, 10, 2, true },
		{ "nothing", 0, 0, 0, 0, 0, 0, 0, false },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct call_stats st = { .self_ns = rows[i].self,
					       .off_self = { .off_cpu_ns = rows[i].off_cpu,
							     .runnable_ns = rows[i].ready,
							     .wait_ns = rows[i].wait },
					       .uncertainty_ns = rows[i].error,
					       .probe_ns = rows[i].probes,
					       .off_probe_ns = rows[i].off_probes };

		if (correction_doubtful(&st) != rows[i].doubtful)
			fail_msg("%s: not %s", rows[i].why,
				 rows[i].doubtful ? "doubtful" : "certain");
	}
}

TESTS(test_parts, test_values, test_leaf, test_recursion, test_started, test_cycle,
      test_never_below_zero, test_not_known, test_absurd_costs, test_scale, test_few, test_waiting,
      test_untold, test_system_calls, test_doubtful)
