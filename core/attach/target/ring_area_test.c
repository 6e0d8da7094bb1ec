// SPDX-License-Identifier: BSD-2-Clause
#include "attach/target/ring_area.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
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

/* One that cannot be raised: in a child, which gives up its privileges. */
static void a_hard_limit_of_files(void **state)
{
	const struct rlimit low = { 3 * SIZE, 3 * SIZE };
	struct ring_area a;
	pid_t pid = fork();
	int status;

	(void)state;
	assert_true(pid >= 0);
	if (!pid) {
		bool fine = !setrlimit(RLIMIT_FSIZE, &low) && (geteuid() || !setuid(65534));

		fine = fine && ring_area_obstacle(4, SIZE) && !ring_area_obstacle(2, SIZE);
		fine = fine && ring_area_make(&a, 4, SIZE) == -EFBIG;
		ring_area_close(&a);
		_exit(fine && !ring_area_make(&a, 2, SIZE) ? 0 : 1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(memory_of_each_ring),
		cmocka_unit_test(a_limit_of_files),
		cmocka_unit_test(a_hard_limit_of_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
