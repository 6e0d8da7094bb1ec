// SPDX-License-Identifier: BSD-2-Clause
#include <string.h>

#include "base/test_fixture.h"
#include "attach/probe_load.h"

static struct plan_func funcs[] = {
	{ .name = "main.fib" },
	{ .name = "main.(*Tree[...]).Walk" },
	{ .name = "main.main" },
};
/* An entry and an exit of each, then a site in the runtime. */
static struct plan_site sites[] = {
	{ .func = 0 },
	{ .func = 0 },
	{ .func = 1 },
	{ .func = 1 },
	{ .func = 2 },
	{ .func = 2 },
	{ .func = PLAN_NO_FUNC },
};
static const struct plan plan = { .funcs = funcs, .n_funcs = 3, .sites = sites, .n_sites = 7 };
#define INLINE_NS 20

static struct probe_load find(const struct site_events *events, const struct site_cost *costs)
{
	struct probe_load l;

	assert_int_equal(probe_load_find(&l, &plan, events, costs, INLINE_NS), 0);
	return l;
}

static const struct site_cost jumps[7] = { { 1000, false }, { 1000, false }, { 1000, false },
					   { 1000, false }, { 1000, false }, { 1000, false },
					   { 1000, false } };

TEST(test_heavy)
{
	const struct site_events events[7] = { { 3000, 0 }, { 3000, 0 }, { 900, 0 }, { 900, 0 },
					       { 1, 0 },    { 1, 0 },    { 98, 0 } };
	struct probe_load l = find(events, jumps);
	char text[LOAD_TEXT_BYTES];

	assert_int_equal(l.events, 7900);
	assert_int_equal(l.ns, 7900 * 1000);
	assert_int_equal(probe_load_heavy(&l, 10000000), 0);
	assert_string_equal(probe_load_heavy_text(&l, 0, 10000000, text),
			    "main.fib makes 76% of all events, and its probes take about 60% of "
			    "the program's processor time: leave it out with -x main.fib");
	/* An estimate may be above what there was. */
	assert_non_null(strstr(probe_load_heavy_text(&l, 0, 5000000, text), "about 100%"));
	/* Many events, but a program of which they are no part that matters. */
	assert_int_equal(probe_load_heavy(&l, 6000000 * 5 + 1), PLAN_NO_FUNC);
	/* All cost the same: none is left at a high cost. */
	assert_null(probe_load_costly_text(&l, 10000000, text));
	probe_load_free(&l);
}

TEST(test_no_function_makes_half)
{
	const struct site_events events[7] = { { 2000, 0 }, { 2000, 0 }, { 2000, 0 }, { 2000, 0 },
					       { 0, 0 },    { 0, 0 },    { 10, 0 } };
	struct probe_load l = find(events, jumps);

	assert_int_equal(probe_load_heavy(&l, 1), PLAN_NO_FUNC);
	probe_load_free(&l);
}

/* Inline stubs everywhere but for an exit that is stepped; one inline site trapped now and then. */
TEST(test_costly)
{
	const struct site_cost costs[7] = { { 1000, true },   { 1000, true },  { 1000, true },
					    { 15000, false }, { 1000, false }, { 1000, true },
					    { 1000, false } };
	struct site_events events[7] = { { 50, 100000 }, { 0, 100000 }, { 0, 1000 }, { 1000, 0 },
					 { 10, 0 },      { 0, 10 },     { 10, 0 } };
	struct probe_load l = find(events, costs);
	char text[LOAD_TEXT_BYTES];

	assert_int_equal(l.inline_trapped, 50);
	assert_string_equal(
		probe_load_costly_text(&l, 100000000, text),
		"79% of the time that probing took went into sites that could not be probed as "
		"cheaply as others: main.(*Tree[...]).Walk (1000 events of about 15.0us); to leave it "
		"out: -x 'main.(*Tree[...]).Walk'");
	/* Not felt in a program that took a second. */
	assert_null(probe_load_costly_text(&l, 1000000000, text));
	probe_load_free(&l);

	/* Two are named when one is not nearly all. */
	events[4].trapped = 10000;
	l = find(events, costs);
	assert_non_null(
		strstr(probe_load_costly_text(&l, 100000000, text),
		       "; to leave these functions out: -x 'main.(*Tree[...]).Walk' -x main.main"));
	probe_load_free(&l);

	/* What inline stubs trap for is not a matter of one function. */
	events[3].trapped = events[4].trapped = 0;
	events[0].trapped = 100000;
	l = find(events, costs);
	assert_null(probe_load_costly_text(&l, 100000000, text));
	probe_load_free(&l);
}

TEST(test_nothing)
{
	const struct site_events events[7] = { { 0, 0 } };
	struct probe_load l = find(events, jumps);
	char text[LOAD_TEXT_BYTES];

	assert_int_equal(probe_load_heavy(&l, 0), PLAN_NO_FUNC);
	assert_null(probe_load_costly_text(&l, 0, text));
	probe_load_free(&l);
}

TESTS(test_heavy, test_no_function_makes_half, test_costly, test_nothing)
