// SPDX-License-Identifier: BSD-2-Clause
/* Which functions a picture shows. */

#include "base/test_fixture.h"
#include "export/html/sankey.h"

static bool is_shown(const struct sankey *s, uint32_t func)
{
	for (size_t i = 0; i < s->n_nodes; i++)
		if (s->nodes[i].kind == SANKEY_FUNC && s->nodes[i].func == func)
			return true;
	return false;
}

/* Callers fill a picture of few functions; those that have the time themselves are in it. */
TEST(test_heaviest_are_shown)
{
	struct sankey_calls c = { 0 };
	struct sankey s;

	for (uint32_t f = 0; f < 20; f++) /* a chain without self time, to leaves that have it */
		assert_int_equal(sankey_add(&c,
					    &(struct sankey_edge){ .from = f ? f - 1 : SANKEY_NONE,
								   .to = f,
								   .weight = { 1000, 0, 1, 0 } }),
				 0);
	for (uint32_t f = 0; f < 6; f++)
		assert_int_equal(sankey_add(&c, &(struct sankey_edge){ .from = 19,
								       .to = 100 + f,
								       .weight = { 200 - f, 200 - f,
										   1, 0 } }),
				 0);
	for (enum sankey_by by = 0; by <= SANKEY_CALLS; by++) {
		assert_int_equal(sankey_layout(&s, &c,
					       &(struct sankey_options){ .by = by,
									 .max_nodes = 8,
									 .min_share = 1000 }),
				 0);
		for (uint32_t f = 0; f < SANKEY_ALWAYS; f++)
			assert_true(is_shown(&s, 100 + f));
		sankey_free(&s);
	}
	sankey_calls_free(&c);
}

TESTS(test_heaviest_are_shown)
