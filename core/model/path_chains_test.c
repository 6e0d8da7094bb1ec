// SPDX-License-Identifier: BSD-2-Clause
/* What is above a node, against looking at all that is. */
#include <stdlib.h>

#include "base/test_fixture.h"
#include "model/path_chains.h"

static uint32_t draw(uint64_t *seed, uint32_t below)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*seed >> 33) % below;
}

/* On its goroutine. */
static bool look_up(const struct paths *t, uint32_t node, uint32_t func)
{
	for (;; node = t->nodes[node].parent) {
		if (!node || t->nodes[node].func == func)
			return node;
		if (t->nodes[node].go_edge)
			return false;
	}
}

static uint32_t look_up_go(const struct paths *t, uint32_t node, uint32_t func, uint64_t pc)
{
	for (; node; node = t->nodes[node].parent)
		if (t->nodes[node].go_edge && t->nodes[node].func == func &&
		    t->nodes[node].go_pc == pc)
			break;
	return node;
}

/* Trees of few functions and of many, deep ones and flat ones. */
TEST(test_random)
{
	uint64_t seed = 12;

	for (unsigned round = 0; round < 60; round++) {
		const uint32_t funcs = 2 + draw(&seed, round % 2 ? 20 : 2000);
		const uint32_t near = 1 + draw(&seed, round % 3 ? 3 : 1000);
		struct paths t;

		assert_int_equal(paths_init(&t, 0, false), 0);
		for (unsigned i = 0; i < 3000; i++) {
			const uint32_t back = draw(&seed, near), func = draw(&seed, funcs);
			const uint32_t parent = back < t.n ? (uint32_t)t.n - 1 - back : 0;
			const uint64_t pc = draw(&seed, 3);
			const bool go = !draw(&seed, 10), again = look_up(&t, parent, func);
			const uint32_t above = look_up_go(&t, parent, func, pc);
			const size_t n = t.n;
			uint32_t node;

			assert_int_equal(path_chains_has(&t, parent, func), again);
			assert_int_equal(path_chains_find_go(&t, parent, func, pc), above);
			if (parent && t.nodes[parent].func == func && !go)
				continue;
			assert_int_equal(go ? paths_go(&t, parent, func, pc, &node)
					    : paths_call(&t, parent, func, &node),
					 0);
			if (t.n > n)
				assert_int_equal(t.hot[node].outermost, go || !again);
		}
		paths_free(&t);
	}
}

TESTS(test_random)
