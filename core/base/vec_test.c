// SPDX-License-Identifier: BSD-2-Clause
/* Arrays that grow, and that give room back. */
#include <stdint.h>
#include <stdlib.h>

#include "base/test_fixture.h"
#include "base/vec.h"

TEST(trimmed_and_grown_again)
{
	uint64_t *a = NULL;
	size_t cap = 0;

	assert_int_equal(vec_reserve(&a, &cap, 1000), 0);
	for (size_t i = 0; i < 1000; i++)
		a[i] = i + 1;
	vec_trim(&a, &cap, 600);
	assert_int_equal(cap, 600);
	assert_int_equal(vec_reserve(&a, &cap, 700), 0);
	for (size_t i = 0; i < 700; i++)
		assert_int_equal(a[i], i < 600 ? i + 1 : 0);
	free(a);
}

TEST(nothing_to_trim)
{
	int *a = NULL;
	size_t cap = 0;

	vec_trim(&a, &cap, 0);
	assert_null(a);
	assert_int_equal(vec_reserve(&a, &cap, 3), 0);
	const size_t had = cap;

	vec_trim(&a, &cap, 0); /* an array with room stays one */
	vec_trim(&a, &cap, had + 1);
	assert_non_null(a);
	assert_int_equal(cap, had);
	free(a);
}

TESTS(trimmed_and_grown_again, nothing_to_trim)
