// SPDX-License-Identifier: BSD-2-Clause
#include <string.h>

#include "base/test_fixture.h"
#include "stats/random.h"

/* As other implementations of SplitMix64 have them for this seed. */
TEST(published)
{
	static const uint64_t want[] = { 6457827717110365317u, 3203168211198807973u,
					 9817491932198370423u, 4593380528125082431u,
					 16408922859458223821u };
	struct random_stream d = random_from(1234567, NULL);

	for (size_t i = 0; i < sizeof(want) / sizeof(*want); i++)
		assert_true(random_next(&d) == want[i]);
}

TEST(streams)
{
	struct random_stream a = random_from(7, "a"), again = random_from(7, "a"),
			     b = random_from(7, "b"), other = random_from(8, "a");

	for (int i = 0; i < 100; i++) {
		uint64_t v = random_next(&a);

		assert_true(v == random_next(&again));
		assert_true(v != random_next(&b));
		assert_true(v != random_next(&other));
	}
}

/* Each of n as often as the others, within five standard deviations. */
TEST(below)
{
	struct random_stream d = random_from(1, NULL);

	for (int i = 0; i < 100; i++)
		assert_int_equal(random_below(&d, 1), 0);
	for (uint64_t n = 2; n <= 7; n++) {
		unsigned seen[7] = { 0 };

		for (int i = 0; i < 70000; i++) {
			uint64_t v = random_below(&d, n);

			assert_true(v < n);
			seen[v]++;
		}
		for (uint64_t i = 0; i < n; i++) {
			double off = seen[i] - 70000. / n;

			assert_true(off * off < 25 * 70000. / n);
		}
	}
	/* Almost half of the numbers are of no use: none of them gets out. */
	for (int i = 0; i < 1000; i++)
		assert_true(random_below(&d, (1ull << 63) + 1) <= 1ull << 63);
}

/* All six orders of three, each as often as the others. */
TEST(orders)
{
	struct random_stream d = random_from(3, NULL);
	unsigned seen[27] = { 0 };

	for (int i = 0; i < 60000; i++) {
		size_t o[3];

		random_order(&d, o, 3);
		assert_int_equal((1 << o[0]) | (1 << o[1]) | (1 << o[2]), 7);
		seen[o[0] * 9 + o[1] * 3 + o[2]]++;
	}
	for (size_t i = 0; i < 27; i++)
		if (seen[i])
			assert_in_range(seen[i], 10000 - 500, 10000 + 500);
	random_order(&d, NULL, 0);
}

TESTS(published, streams, below, orders)
