// SPDX-License-Identifier: BSD-2-Clause
/* Files of images that are removed, overwritten, and let go. */
#include "base/test_fixture.h"
#include "sample/kept_files.h"

#include "base/foreign_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#define BYTES 65536

static char path[] = "/tmp/gotrace-kept.XXXXXX";

/* A copy of this program's beginning, mapped by this process. */
static struct sample_image map_copy(void)
{
	static uint8_t bytes[BYTES];
	int from = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	assert_int_equal(read(from, bytes, sizeof(bytes)), sizeof(bytes));
	close(from);
	strcpy(path, "/tmp/gotrace-kept.XXXXXX");
	int fd = mkstemp(path);

	assert_int_equal(write(fd, bytes, sizeof(bytes)), sizeof(bytes));
	void *at = mmap(NULL, BYTES, PROT_READ, MAP_PRIVATE, fd, 0);

	assert_ptr_not_equal(at, MAP_FAILED);
	close(fd);
	const uint64_t start = (uint64_t)(uintptr_t)at;

	return (struct sample_image){ .start = start, .end = start + BYTES, .path = path };
}

static void unmap(const struct sample_image *i)
{
	munmap((void *)(uintptr_t)i->start, BYTES);
}

TEST(removed)
{
	struct kept_list a = { 0 }, b = { 0 };
	struct kept_files k = { 0 };
	struct sample_image i = map_copy();
	uint8_t first[4];

	assert_true(kept_files_take(&k, &a, (uint32_t)getpid(), false, &i));
	assert_true(i.build_id_len); /* found in the file */
	kept_files_copy(&k, &b, &a);
	unlink(path);
	unmap(&i);
	kept_files_drop(&k, &a);
	assert_int_equal(kept_files_open(&k, &a, &i), -ENOENT);
	int fd = kept_files_open(&k, &b, &i);

	assert_true(fd >= 0);
	assert_int_equal(pread(fd, first, 4, 0), 4);
	assert_memory_equal(first, "\177ELF", 4);
	close(fd);
	assert_int_equal(k.n_open, 1);
	const int kept = k.files[0].fd;

	kept_files_drop(&k, &b);
	assert_int_equal(k.n_open, 0);
	assert_int_equal(fcntl(kept, F_GETFD), -1); /* its file system may go */
	kept_files_free(&k);
}

TEST(overwritten)
{
	struct kept_list l = { 0 };
	struct kept_files k = { 0 };
	struct sample_image i = map_copy();

	assert_true(kept_files_take(&k, &l, (uint32_t)getpid(), false, &i));
	/* The same size and inode, as cp leaves it. */
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	usleep(20000);
	assert_int_equal(pwrite(fd, "x", 1, 2000), 1);
	close(fd);
	assert_int_equal(kept_files_open(&k, &l, &i), -ESTALE);
	unlink(path);
	unmap(&i);
	kept_files_drop(&k, &l);
	kept_files_free(&k);
}

TEST(bounded)
{
	struct rlimit old, few;
	struct kept_list l = { 0 };
	struct kept_files k = { 0 };
	struct sample_image i = map_copy();

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &old), 0);
	few = old;
	few.rlim_cur = 40; /* 10 of them */
	k.n_open = 10;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
	assert_false(kept_files_take(&k, &l, (uint32_t)getpid(), false, &i));
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &old), 0);
	assert_int_equal(k.no_room, 1);
	struct trace_info end = { 0 };

	assert_int_equal(kept_files_describe(&k, &end), 0);
	assert_int_equal(end.n_kvs, 1);
	trace_info_free(&end);
	unlink(path);
	unmap(&i);
	kept_files_free(&k);
}

/* A copy of the file at the path, mapped by this process. The build ID is the same. */
TEST(chosen_build_id)
{
	struct kept_list l = { 0 };
	struct kept_files k = { 0 };
	struct sample_image a = map_copy(), again = a;
	char first[sizeof(path)];

	strcpy(first, path);
	a.path = again.path = first;
	struct sample_image b = map_copy();

	assert_true(kept_files_take(&k, &l, (uint32_t)getpid(), false, &a));
	assert_true(kept_files_take(&k, &l, (uint32_t)getpid(), false, &again));
	assert_true(kept_files_take(&k, &l, (uint32_t)getpid(), false, &b));
	assert_memory_equal(a.build_id, b.build_id, sizeof(a.build_id));
	assert_true(a.file && b.file && a.file != b.file);
	assert_true(again.file == a.file && again.build_id_len == a.build_id_len);
	assert_int_equal(k.n_open, 2);
	unlink(first);
	unlink(path);
	unmap(&a);
	unmap(&b);
	kept_files_drop(&k, &l);
	kept_files_free(&k);
}

#define ENDED (5u << 22) /* no process has such a number (PID_MAX_LIMIT) */

/* A process has ended before anybody looked. It has the file that others had at its path, if they
 * saw the same files there. */
TEST(ended)
{
	struct kept_list l = { 0 };
	struct kept_files k = { 0 };
	struct sample_image a = map_copy();

	assert_true(kept_files_take(&k, &l, (uint32_t)getpid(), false, &a));
	unlink(path);
	struct sample_image same = a, elsewhere = a, unseen = a;

	same.view = foreign_file_view((uint32_t)getpid());
	same.file = 0;
	unseen.view = same.view ^ 2;
	elsewhere.view = same.view;
	elsewhere.path = "/tmp/another";
	assert_true(kept_files_take(&k, &l, ENDED, false, &same));
	assert_true(same.file == a.file);
	assert_false(kept_files_take(&k, &l, ENDED, false, &unseen));
	assert_false(kept_files_take(&k, &l, ENDED, false, &elsewhere));
	unmap(&a);
	kept_files_drop(&k, &l);
	kept_files_free(&k);
}

TESTS(removed, overwritten, bounded, chosen_build_id, ended)
