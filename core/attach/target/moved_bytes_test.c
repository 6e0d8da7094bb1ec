// SPDX-License-Identifier: BSD-2-Clause
#include "base/test_fixture.h"
#include "attach/target/moved_bytes.h"

/* push %rbp; mov %rsp,%rbp; sub $0x18,%rsp; lea (%rax,%rbx),%rax */
static const unsigned char file[] = { 0x55, 0x48, 0x89, 0xe5, 0x48, 0x83,
				      0xec, 0x18, 0x48, 0x8d, 0x04, 0x18 };
#define N sizeof(file)

static void moved_are(const unsigned char *is, size_t from, size_t to)
{
	for (size_t at = 0; at < N; at++)
		assert_int_equal(moved_bytes_at(is, file, N, at), at >= from && at < to);
}

TEST(test_windows)
{
	moved_are(file, 0, 0);
	/* a jump of five bytes, and one int3 after it */
	const unsigned char five[] = { 0x55, 0x48, 0x89, 0xe5, 0xe9, 1, 2, 3, 4, 0xcc, 0x04, 0x18 };
	moved_are(five, 4, 10);
	/* one of two bytes */
	const unsigned char two[] = { 0x55, 0x48, 0x89, 0xe5, 0xeb, 0x70,
				      0xcc, 0xcc, 0x48, 0x8d, 0x04, 0x18 };
	moved_are(two, 4, 8);
	/* a uprobe moves nothing */
	const unsigned char probe[] = { 0xcc, 0x48, 0x89, 0xe5, 0x48, 0x83,
					0xec, 0x18, 0x48, 0x8d, 0x04, 0x18 };
	moved_are(probe, 0, 0);
}

TEST(test_jumps_of_the_file)
{
	const unsigned char jump[] = { 0xe9, 1, 2, 3, 4, 0xcc };
	for (size_t at = 0; at < sizeof(jump); at++)
		assert_false(moved_bytes_at(jump, jump, sizeof(jump), at));
}

TESTS(test_windows, test_jumps_of_the_file)
