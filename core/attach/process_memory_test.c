// SPDX-License-Identifier: BSD-2-Clause
#include "base/test_fixture.h"
#include "attach/process_memory.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"

#define LONG_BYTES (PROCESS_MEMORY_BYTES * 2 + 77)
#define ENOUGH_NS  60000000000ull

static uint8_t *good; /* of LONG_BYTES, in both processes */
static uint8_t *silent;
static pid_t target;

static uint64_t in(uint64_t ns)
{
	return clock_monotonic_ns() + ns;
}

/* From now on nobody fills the page. False: this may not be done here. */
static bool make_silent(void *page)
{
	int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register range = { .range = { (uintptr_t)page, 4096 },
					 .mode = UFFDIO_REGISTER_MODE_MISSING };

	return fd >= 0 && !ioctl(fd, UFFDIO_API, &api) && !ioctl(fd, UFFDIO_REGISTER, &range);
}

/* A process with both; the pipe says whether it has. */
FIXTURE(begin)
{
	int ready[2];
	bool can = false;

	good = mmap(NULL, LONG_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	silent = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (good == MAP_FAILED || silent == MAP_FAILED || pipe(ready))
		return -1;
	for (size_t i = 0; i < LONG_BYTES; i++)
		good[i] = (uint8_t)(i * 7);
	target = fork();
	if (!target) {
		prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY); /* of no effect without Yama */
		can = make_silent(silent);
		if (write(ready[1], &can, 1) == 1)
			pause();
		_exit(1);
	}
	if (target < 0 || read(ready[0], &can, 1) != 1)
		return -1;
	if (!can)
		silent = NULL;
	close(ready[0]);
	close(ready[1]);
	return 0;
}

FIXTURE(finish)
{
	kill(target, SIGKILL);
	waitpid(target, NULL, 0);
	process_memory_end();
	return 0;
}

TEST(reads_pieces)
{
	const struct iovec pieces[] = { { good + 5, 3 }, { good + 4000, 200 } };
	static uint8_t to[203], much[LONG_BYTES];

	assert_int_equal(process_memory_read(target, to, pieces, 2, in(ENOUGH_NS)), 203);
	assert_memory_equal(to, good + 5, 3);
	assert_memory_equal(to + 3, good + 4000, 200);
	assert_int_equal(process_memory_read_all(target, (uintptr_t)good, much, LONG_BYTES,
						 in(ENOUGH_NS)),
			 0);
	assert_memory_equal(much, good, LONG_BYTES);
}

TEST(says_what_is_not_there)
{
	const struct iovec pieces[] = { { good, 8 }, { NULL, 8 } }, most[] = { { good, SIZE_MAX } };
	uint8_t to[16];

	assert_int_equal(process_memory_read(target, to, pieces, 2, in(ENOUGH_NS)), 8);
	assert_int_equal(process_memory_read(target, to, pieces + 1, 1, in(ENOUGH_NS)), -EFAULT);
	assert_int_equal(process_memory_read(target, to, most, 1, in(ENOUGH_NS)), -E2BIG);
	assert_int_equal(process_memory_read(target, to, pieces, 0, in(ENOUGH_NS)), 0);
	assert_int_equal(process_memory_read(target, to, pieces, 1, clock_monotonic_ns()), -EAGAIN);
	assert_int_equal(process_memory_read_all(target, 8, to, 16, in(ENOUGH_NS)), -EFAULT);
}

TEST(gives_up_what_does_not_answer)
{
	uint8_t to[16];

	if (!silent)
		skip();
	for (int i = 0; i < 2; i++) {
		assert_int_equal(process_memory_read_all(target, (uintptr_t)silent, to, 16,
							 in(ENOUGH_NS)),
				 -ETIMEDOUT);
		assert_int_equal(
			process_memory_read_all(target, (uintptr_t)good, to, 16, in(ENOUGH_NS)), 0);
		assert_memory_equal(to, good, 16);
	}
}

/* The child that is not the target. */
static pid_t reader(void)
{
	char path[64], line[64] = "", *rest = line;
	pid_t found = 0;

	snprintf(path, sizeof(path), "/proc/self/task/%d/children", getpid());
	FILE *f = fopen(path, "r");
	if (f && fgets(line, sizeof(line), f))
		for (long pid; (pid = strtol(rest, &rest, 10));)
			found = pid == target ? found : (pid_t)pid;
	if (f)
		fclose(f);
	return found;
}

/* The thread that forked the reader may end, and the reader with it. */
TEST(begins_again)
{
	uint8_t to[16];

	assert_int_equal(process_memory_begin(), 0);
	pid_t one = reader();
	if (!one)
		skip(); /* a kernel without CONFIG_PROC_CHILDREN */
	assert_int_equal(kill(one, SIGKILL), 0);
	assert_int_equal(process_memory_read_all(target, (uintptr_t)good, to, 16, in(ENOUGH_NS)),
			 0);
	assert_memory_equal(to, good, 16);
	assert_int_not_equal(reader(), one);
}

TESTS_BETWEEN(begin, finish, reads_pieces, says_what_is_not_there, gives_up_what_does_not_answer,
	      begins_again)
