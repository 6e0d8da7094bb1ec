// SPDX-License-Identifier: BSD-2-Clause
#include <stdlib.h>
#include <string.h>

#include "base/test_fixture.h"
#include "attach/collect/duplicate_hits.h"

/* Records of two threads, a letter each: o, O by the old link at sites 1 and 2, n, N by the new
 * one; those after '|' are the other thread's. What is kept of it. */
static void keeps(const char *records, const char *kept)
{
	struct duplicate_hits d = { 0 };
	char got[64] = "";

	for (size_t i = 0, n = 0, tid = 7; records[i]; i++) {
		char c = records[i];

		if (c == '|') {
			tid = tid == 7 ? 8 : 7;
			continue;
		}
		const struct event ev = { .tid = (uint32_t)tid,
					  .site = c == 'o' || c == 'n' ? 1 : 2 };
		int second = duplicate_hits_second(&d, &ev, c == 'o' || c == 'O');

		assert_true(second == 0 || second == 1);
		if (!second)
			got[n++] = c;
	}
	assert_string_equal(got, kept);
	duplicate_hits_free(&d);
}

/* Each hit is recorded by the old link alone, then by both, then by the new one alone. */
TEST(test_one_thread)
{
	keeps("oono", "oon");
	keeps("onon", "onn"); /* one by the old link, then both, then the new one */
	keeps("nonono", "nnn");
	keeps("nonnn", "nnnn");
	keeps("oOnoNOnN", "oOnNnN");
	keeps("nO", "nO"); /* another site is another hit */
	keeps("noo", "no");
	keeps("nOo", "nOo");
}

TEST(test_threads_interleave)
{
	keeps("n|n|o|o", "nn");
	keeps("n|o|o|", "no");
	keeps("o|n|n|o|o|n", "onnn");
}

TEST(test_many_threads)
{
	struct duplicate_hits d = { 0 };

	for (unsigned old = 0; old < 2; old++)
		for (uint32_t tid = 1; tid < 5000; tid++)
			assert_int_equal(duplicate_hits_second(
						 &d, &(struct event){ .tid = tid, .site = 3 }, old),
					 old);
	duplicate_hits_free(&d);
}

TESTS(test_one_thread, test_threads_interleave, test_many_threads)
