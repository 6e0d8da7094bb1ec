// SPDX-License-Identifier: BSD-2-Clause
/* Time of functions that were released while samples were taken: of a leaf that traps, whose calls
 * end in the middle of the recording, and whose code goes on to run in its caller's. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/test_fixture.h"
#include "analysis/calls/correction_fixture.h"
#include "analysis/stat_columns.h"

#define TURNS     20000
#define LEAF_NS   30000
#define WORK_NS   10000
#define SAMPLE_NS 100000

struct program {
	FILE *out;
	uint64_t ns, next_ns;
	bool samples;
};

/* Time in the code of function `func`, from 1 on. */
static void pass(struct program *p, uint64_t ns, unsigned func, unsigned depth)
{
	for (p->ns += ns; p->next_ns < p->ns; p->next_ns += SAMPLE_NS + p->next_ns % 1009)
		if (p->samples)
			fprintf(p->out, "1 sample - %u %" PRIu64 " arg0=%d arg1=%d arg2=%u\n",
				depth, p->next_ns, SAMPLE_NS, SAMPLED_PROGRAM, func);
}

static void event(struct program *p, const char *kind, const char *func, unsigned depth)
{
	p->ns += 10;
	fprintf(p->out, "1 %s main.%s %u %" PRIu64 " how=inline\n", kind, func, depth, p->ns);
}

/* main.all calls main.work, which calls main.leaf, until the turn in which main.leaf is released.
 */
static void run(unsigned released_at, bool samples)
{
	struct program p = { .ns = 1000, .next_ns = 50000, .samples = samples };
	char *text = NULL;
	size_t size;

	p.out = open_memstream(&text, &size);
	assert_non_null(p.out);
	fputs("@func main.all\n@func main.work\n@func main.leaf\n"
	      "@set states 1\n@set states.off_cpu told\n",
	      p.out);
	event(&p, "entry", "all", 100);
	for (unsigned i = 0; i < TURNS; i++) {
		event(&p, "entry", "work", 200);
		pass(&p, WORK_NS, 2, 250);
		if (i == released_at)
			fprintf(p.out, "1 released main.leaf 0 %" PRIu64 "\n", ++p.ns);
		if (i < released_at)
			event(&p, "entry", "leaf", 300);
		pass(&p, LEAF_NS, 3, 350);
		if (i < released_at)
			event(&p, "exit", "leaf", 300);
		event(&p, "exit", "work", 200);
	}
	event(&p, "exit", "all", 100);
	fclose(p.out);
	load(text);
	free(text);
}

static void near(const char *func, uint64_t truth_ns)
{
	const struct call_stats *st = of(func);
	uint64_t run_ns = stat_run_ns(st),
		 off = run_ns > truth_ns ? run_ns - truth_ns : truth_ns - run_ns;

	if (off > st->uncertainty_ns + truth_ns / 100)
		fail_msg("%s ran for %" PRIu64 " +- %" PRIu64 " ns, not %" PRIu64, func, run_ns,
			 st->uncertainty_ns, truth_ns);
}

TEST(its_time_is_its_own)
{
	static const unsigned at[] = { 100, TURNS / 2, TURNS };

	for (size_t i = 0; i < sizeof(at) / sizeof(*at); i++) {
		run(at[i], true);
		near("main.leaf", (uint64_t)TURNS * LEAF_NS);
		near("main.work", (uint64_t)TURNS * WORK_NS);
		assert_int_equal(of("main.leaf")->calls, at[i]);
		assert_int_equal(of("main.leaf")->sampled_ns > 0, at[i] < TURNS);
		assert_true(of("main.leaf")->total_ns == of("main.leaf")->self_ns);
		assert_int_equal(of("main.all")->self_ns + of("main.work")->self_ns +
					 of("main.leaf")->self_ns,
				 trace.totals->root_ns);
		unload();
	}
}

/* Its caller did not call it before. */
TEST(not_called_before)
{
	run(0, true);
	near("main.leaf", (uint64_t)TURNS * LEAF_NS);
	near("main.work", (uint64_t)TURNS * WORK_NS);
	assert_int_equal(of("main.leaf")->calls, 0);
	unload();
}

/* Without samples nobody knows. */
TEST(without_samples)
{
	run(100, false);
	near("main.leaf", 100ull * LEAF_NS);
	assert_int_equal(of("main.leaf")->sampled_ns, 0);
	unload();
}

TESTS(its_time_is_its_own, not_called_before, without_samples)
