// SPDX-License-Identifier: BSD-2-Clause
#include <string.h>

#include "base/test_fixture.h"
#include "analysis/calls/call_spool.h"

#define CALLS 500000 /* several times what is kept in memory */

/* Calls end soon, some after very many others have begun, some never. */
static bool ends_late(size_t i)
{
	return i % 1000 == 7;
}

static bool never(size_t i)
{
	return i % 77 == 3;
}

static struct call call_of(size_t i, bool ended)
{
	return (struct call){ .order = i,
			      .start_ns = 10 * i,
			      .end_ns = ended ? 10 * i + 5 : 0,
			      .func = (uint32_t)i };
}

static void fill(struct call_spool *f)
{
	assert_int_equal(call_spool_open(f), 0);
	for (size_t i = 0; i < CALLS; i++) {
		struct call c = call_of(i, false);

		assert_int_equal(call_spool_put(f, &c), 0);
		size_t k = i / 3 * 3; /* ends a little later, and may begin again before */
		c = call_of(k, true);
		if (i % 3 == 2 && !ends_late(k) && !never(k))
			assert_int_equal(call_spool_put(f, &c), 0);
		c = call_of(i, true);
		if (i % 3 && !ends_late(i) && !never(i))
			assert_int_equal(call_spool_put(f, &c), 0);
	}
	for (size_t i = CALLS; i-- > 0;) {
		struct call c = call_of(i, true);

		if (!never(i) && (ends_late(i) || (i % 3 == 0 && i + 2 >= CALLS)))
			assert_int_equal(call_spool_put(f, &c), 0);
	}
}

TEST(test_get)
{
	struct call_spool f;
	const struct call *c;

	fill(&f);
	assert_int_equal(f.n, CALLS);
	for (size_t i = 0; i < CALLS; i++) {
		assert_int_equal(call_spool_get(&f, i, &c), 0);
		if (never(i)) {
			assert_null(c);
			continue;
		}
		assert_non_null(c);
		assert_int_equal(c->order, i);
		assert_int_equal(c->end_ns, 10 * i + 5);
	}
	assert_int_equal(call_spool_get(&f, 0, &c), 0); /* back */
	assert_int_equal(c->end_ns, 5);
	call_spool_close(&f);
}

TEST(test_map)
{
	struct call_spool f;

	fill(&f);
	assert_int_equal(call_spool_map(&f), 0);
	for (size_t i = 0; i < CALLS; i++)
		assert_int_equal(f.slots[i].end_ns, never(i) ? 0 : 10 * i + 5);
	call_spool_close(&f);
}

TEST(test_empty)
{
	struct call_spool f;

	assert_int_equal(call_spool_open(&f), 0);
	assert_int_equal(call_spool_map(&f), 0);
	assert_int_equal(f.n, 0);
	call_spool_close(&f);
}

TESTS(test_get, test_map, test_empty)
