// SPDX-License-Identifier: BSD-2-Clause
/* What may be there at one time is less than all. */

#include "base/test_fixture.h"
#include "agent/bounds.h"

TEST(test_sums)
{
	for (uint64_t memory = AGENT_MEMORY_MIN; memory < 4ull << 30; memory += 37ull << 20) {
		const struct agent_bounds b = agent_bounds(memory, 64);
		const uint64_t always = b.processes + b.members + 64 * 128 * b.goroutines;

		assert_true(always + b.stretch + b.hold / 2 + b.binary < memory - (48 << 20));
		assert_true(always + b.stretch + b.hold < memory - (48 << 20));
		assert_true(always + 6 * b.stretch + b.hold / 2 < memory - (48 << 20));
		assert_true(b.goroutines > 0 && b.rows > 0);
		/* With tables and a ring: what MemoryMax of the unit has besides. */
		assert_true(b.mapped > 1000);
		assert_true(2 * b.rows * 8 + b.mapped * 2176ull + (8 << 20) <
			    memory / 4 + (8 << 20));
	}
	/* Less than can be is the least. */
	assert_int_equal(agent_bounds(1, 1).hold, agent_bounds(AGENT_MEMORY_MIN, 1).hold);
}

TESTS(test_sums)
