// SPDX-License-Identifier: BSD-2-Clause
#include "attach/target/ring_area.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>
#include <cmocka.h>

#define SIZE (1u << 16)

static void memory_of_each_ring(void **state)
{
	struct ring_area a;

	(void)state;
	assert_int_equal(ring_area_make(&a, 3, SIZE), 0);
	for (unsigned i = 0; i < a.n; i++) {
		assert_ptr_equal(a.memory[i].at, a.at + ring_area_offset(&a, i));
		assert_int_equal(a.memory[i].size, SIZE);
		memset(a.memory[i].at, (int)i, RING_DATA + SIZE);
	}
	assert_int_equal(ring_area_signals(&a)->faults, 0);
	ring_area_close(&a);
	assert_int_equal(a.fd, -1);
}

/* Rings are no file that a user would limit: there is no signal that kills. */
static void a_limit_of_files(void **state)
{
	struct rlimit old, low, now;
	struct ring_area a;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	low = (struct rlimit){ 4096, old.rlim_max };
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &low), 0);
	int err = ring_area_make(&a, 2, SIZE);
	getrlimit(RLIMIT_FSIZE, &now);
	setrlimit(RLIMIT_FSIZE, &old);
	assert_int_equal(err, 0);
	assert_int_equal(now.rlim_cur, low.rlim_cur);
	assert_int_equal(now.rlim_max, low.rlim_max);
	ring_area_close(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(memory_of_each_ring),
		cmocka_unit_test(a_limit_of_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
