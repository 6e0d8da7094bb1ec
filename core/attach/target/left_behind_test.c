// SPDX-License-Identifier: BSD-2-Clause
/* Which bytes of a text a gotrace that was killed has changed. */
#include "base/test_fixture.h"
#include "attach/target/left_behind.h"

#include <string.h>

#define AT    0x401000ull
#define STUBS 0x600000ull
#define N     64

static uint8_t is[N], file[N], back[N];

static const char *find(void)
{
	struct left_text t = { .is = is,
			       .file = file,
			       .n = N,
			       .at = AT,
			       .stubs = STUBS,
			       .stubs_bytes = 0x1000,
			       .code = AT + 48,
			       .code_bytes = 8,
			       .back = back };

	return left_behind_find(&t);
}

/* Code of nops, padding from 32 on. */
static void begin(void)
{
	memset(file, 0x90, N);
	memset(file + 32, 0xcc, 16);
	memcpy(is, file, N);
}

static void jump(size_t i, uint64_t to)
{
	const int32_t distance = (int32_t)(to - (AT + i + 5));

	is[i] = 0xe9;
	memcpy(is + i + 1, &distance, 4);
}

/* Compares how many bytes of each kind were found. */
static void expect(size_t windows, size_t padding, size_t code)
{
	size_t n[4] = { 0 };

	assert_null(find());
	for (size_t i = 0; i < N; i++)
		n[back[i]]++;
	assert_int_equal(n[LEFT_WINDOW], windows);
	assert_int_equal(n[LEFT_PADDING], padding);
	assert_int_equal(n[LEFT_CODE], code);
	for (size_t i = 0; i < N; i++) /* put back, it is the file's, but for breakpoints */
		assert_true(back[i] || is[i] == file[i] || is[i] == 0xcc);
}

TEST(nothing)
{
	begin();
	expect(0, 0, 0);
}

TEST(windows)
{
	begin();
	jump(4, STUBS + 64);
	memset(is + 9, 0xcc, 3);
	expect(8, 0, 0);
	/* at the ends of what is read */
	begin();
	jump(0, STUBS);
	jump(N - 5, STUBS + 0xfff);
	expect(10, 0, 0);
}

/* A jump of two bytes goes to one in padding: that is put back after it. */
TEST(short_windows)
{
	begin();
	is[20] = 0xeb;
	is[21] = 34 - 22;
	is[22] = 0xcc;
	jump(34, STUBS + 8);
	expect(3, 5, 0);
}

/* The jump of five bytes stands in code that was moved for it: all of that goes last. */
TEST(rooms)
{
	begin();
	is[2] = 0xeb;
	is[3] = 19 - 4;
	jump(14, STUBS + 32);
	jump(19, STUBS + 8);
	is[24] = 0xcc;
	expect(2, 11, 0);
}

TEST(branches)
{
	const int32_t distance = (int32_t)(STUBS + 16 - (AT + 16));

	begin();
	file[10] = is[10] = 0x0f;
	file[11] = is[11] = 0x84;
	memset(file + 12, 0, 4);
	memcpy(is + 12, &distance, 4);
	expect(4, 0, 0);
	begin();
	file[10] = is[10] = 0x74;
	file[11] = 0;
	is[11] = 34 - 12;
	jump(34, STUBS + 8);
	expect(1, 5, 0);
}

/* A uprobe's breakpoint stays, also where it is over a jump to a stub. */
TEST(breakpoints)
{
	begin();
	is[7] = 0xcc;
	expect(0, 0, 0);
	jump(20, STUBS + 64);
	is[20] = 0xcc;
	expect(4, 0, 0);
}

/* The code that made system calls. */
TEST(code)
{
	begin();
	memset(is + 48, 0x41, 8);
	expect(0, 0, 8);
}

/* Changes that are no gotrace's stay, and nothing at all is put back. */
TEST(strangers)
{
	begin();
	is[7] = 0x41;
	assert_non_null(find());
	begin();
	jump(4, STUBS + 0x1000); /* behind the stubs */
	assert_non_null(find());
	begin();
	is[20] = 0xeb; /* to where no jump to a stub is */
	is[21] = 34 - 22;
	assert_non_null(find());
	begin();
	memset(is + 47, 0x41, 8);
	assert_non_null(find());
}

TESTS(nothing, rooms, windows, branches, short_windows, code, breakpoints, strangers)
