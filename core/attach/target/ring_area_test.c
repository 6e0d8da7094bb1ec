// SPDX-License-Identifier: BSD-2-Clause
#include "base/test_fixture.h"
#include "attach/target/ring_area.h"

#include <errno.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define SIZE (1u << 16)

TEST(memory_of_each_ring)
{
	struct ring_area a;

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

static uint64_t allocated(const struct ring_area *a)
{
	struct stat st;

	assert_int_equal(fstat(a->fd, &st), 0);
	assert_int_equal(st.st_size, a->bytes);
	return (uint64_t)st.st_blocks * 512;
}

static void written(struct ring_area *a, unsigned i, uint64_t head)
{
	((struct ring_head *)a->memory[i].at)->head = head;
	ring_area_grow(a);
}

/* Memory comes before it is written, and only then. */
TEST(memory_as_it_is_needed)
{
	const uint64_t all = 8 * RING_AREA_FIRST, heads = RING_AREA_SIGNALS + 2 * RING_DATA;
	struct ring_area a;

	assert_int_equal(ring_area_make(&a, 2, (uint32_t)all), 0);
	assert_int_equal(allocated(&a), heads + 2 * RING_AREA_FIRST);
	assert_int_equal(ring_area_there(&a, 1), RING_DATA + RING_AREA_FIRST);
	written(&a, 0, RING_AREA_FIRST / 2 - RING_SLOT);
	assert_int_equal(allocated(&a), heads + 2 * RING_AREA_FIRST);
	written(&a, 1, RING_AREA_FIRST / 2);
	assert_int_equal(allocated(&a), heads + 3 * RING_AREA_FIRST);
	assert_int_equal(ring_area_there(&a, 0), RING_DATA + RING_AREA_FIRST);
	assert_int_equal(ring_area_there(&a, 1), RING_DATA + 2 * RING_AREA_FIRST);
	written(&a, 1, UINT64_MAX); /* a program may write anything there */
	assert_int_equal(allocated(&a), heads + RING_AREA_FIRST + all);
	written(&a, 0, all / 4 - RING_SLOT);
	assert_int_equal(allocated(&a), heads + all / 2 + all);
	written(&a, 0, all * 3);
	assert_int_equal(allocated(&a), heads + 2 * all);
	written(&a, 0, all * 4);
	assert_int_equal(allocated(&a), heads + 2 * all);
	ring_area_close(&a);
}

/* A stub may be faster: what it writes is there. */
TEST(a_fast_stub)
{
	const uint32_t all = 4 * RING_AREA_FIRST;
	struct ring_area a;

	assert_int_equal(ring_area_make(&a, 1, all), 0);
	uint8_t *end = (uint8_t *)a.memory[0].at + RING_DATA + all - 1;
	*end = 42;
	written(&a, 0, all);
	assert_int_equal(*end, 42);
	ring_area_close(&a);
}

/* Rings are no file that a user would limit: there is no signal that kills. */
TEST(a_limit_of_files)
{
	struct rlimit old, low, now;
	struct ring_area a;

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
TEST(a_hard_limit_of_files)
{
	const struct rlimit low = { 3 * SIZE, 3 * SIZE };
	struct ring_area a;
	pid_t pid = fork();
	int status;

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

TESTS(memory_of_each_ring, memory_as_it_is_needed, a_fast_stub, a_limit_of_files,
      a_hard_limit_of_files)
