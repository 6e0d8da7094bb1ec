// SPDX-License-Identifier: BSD-2-Clause
/* Which bytes of a text a gotrace has changed: jumps to stubs, what fills their windows, distances
 * of branches. */
#include <stdbool.h>
#include <string.h>

#include "attach/target/left_behind.h"

#define JMP_BYTES   5
#define SHORT_BYTES 2
#define INT3        0xcc
#define JMP         0xe9
#define JMP_SHORT   0xeb

static bool in_stubs(const struct left_text *t, uint64_t at)
{
	return at - t->stubs < t->stubs_bytes;
}

/* The distance of `size` bytes at i leads from behind it to this address. */
static uint64_t goes_to(const struct left_text *t, size_t i, size_t size)
{
	int64_t distance = (int8_t)t->is[i];

	if (size == 4) {
		int32_t four;

		memcpy(&four, t->is + i, sizeof(four));
		distance = four;
	}
	return t->at + i + size + (uint64_t)distance;
}

/* A jump to a stub at i; a uprobe may have its breakpoint over the first byte. */
static bool is_jump(const struct left_text *t, size_t i)
{
	return i + JMP_BYTES <= t->n && (t->is[i] == JMP || t->is[i] == INT3) &&
	       in_stubs(t, goes_to(t, i + 1, 4));
}

/* The address has a jump to a stub in padding, or is in a stub. */
static bool leads_to_stub(const struct left_text *t, uint64_t to)
{
	return in_stubs(t, to) || (to - t->at < t->n && is_jump(t, to - t->at));
}

static void mark(struct left_text *t, size_t from, size_t n, uint8_t as)
{
	memset(t->back + from, as,
	       n); /* bytes that are the file's as well: it is written at once */
}

/* The window whose jump of n bytes begins at i, and the breakpoints that fill it. */
static void mark_window(struct left_text *t, size_t i, size_t n)
{
	size_t end = i + n;
	bool padding = n == JMP_BYTES;

	for (size_t k = 0; k < n; k++)
		padding &= t->file[i + k] == INT3;
	while (end < t->n && t->is[end] == INT3 && t->file[end] != INT3)
		end++;
	mark(t, i, end - i, padding ? LEFT_PADDING : LEFT_WINDOW);
	if (t->is[i] == INT3) /* a uprobe's, which the kernel takes away */
		t->back[i] = LEFT_ALONE;
}

static bool find_window(struct left_text *t, size_t i)
{
	for (size_t back = 0; back < JMP_BYTES && back <= i; back++)
		if (is_jump(t, i - back)) {
			mark_window(t, i - back, JMP_BYTES);
			return true;
		}
	for (size_t back = 0; back < SHORT_BYTES && back <= i; back++) {
		const size_t at = i - back;

		if (at + SHORT_BYTES > t->n || t->is[at] != JMP_SHORT)
			continue;
		const uint64_t to = goes_to(t, at + 1, 1);

		if (!in_stubs(t, to) && leads_to_stub(t, to)) {
			mark_window(t, at, SHORT_BYTES);
			return true;
		}
	}
	return false;
}

static bool same(const struct left_text *t, size_t i)
{
	return t->is[i] == t->file[i];
}

/* A branch of the file whose distance was changed: its first bytes are the file's. */
static bool find_branch(struct left_text *t, size_t i)
{
	if (i && same(t, i - 1) && (t->is[i - 1] == JMP_SHORT || (t->is[i - 1] & 0xf0) == 0x70) &&
	    leads_to_stub(t, goes_to(t, i, 1))) {
		mark(t, i, 1, LEFT_WINDOW);
		return true;
	}
	for (size_t back = 0; back < 4 && back + 1 <= i; back++) {
		const size_t at = i - back;
		const bool jump = t->is[at - 1] == JMP, branch = at >= 2 && t->is[at - 2] == 0x0f &&
								 (t->is[at - 1] & 0xf0) == 0x80 &&
								 same(t, at - 2);

		if (at + 4 > t->n || !same(t, at - 1) || (!jump && !branch) ||
		    !leads_to_stub(t, goes_to(t, at, 4)))
			continue;
		mark(t, at, 4, LEFT_WINDOW);
		return true;
	}
	return false;
}

/* Alone among bytes of the file: of a uprobe, or a debugger. */
static bool is_breakpoint(const struct left_text *t, size_t i)
{
	return t->is[i] == INT3 && (!i || same(t, i - 1)) && (i + 1 == t->n || same(t, i + 1));
}

/* The window around byte i goes last: something jumps to it. */
static void put_off(struct left_text *t, size_t i)
{
	size_t from = i, end = i;

	while (from && t->back[from - 1] != LEFT_ALONE)
		from--;
	while (end < t->n && t->back[end] != LEFT_ALONE)
		end++;
	for (; from < end; from++)
		t->back[from] = LEFT_PADDING;
}

/* A jump to a stub may stand in other code of the function that was moved to make room for it. */
static void put_off_rooms(struct left_text *t)
{
	static const size_t sizes[] = { 1, 4 };

	for (size_t i = 0; i < t->n; i++)
		for (size_t k = 0; k < 2 && t->back[i] == LEFT_WINDOW; k++) {
			if (i + sizes[k] > t->n)
				continue;
			const uint64_t to = goes_to(t, i, sizes[k]) - t->at;

			if (to < t->n && t->is[to] == JMP && t->back[to] == LEFT_WINDOW &&
			    is_jump(t, to))
				put_off(t, to);
		}
}

const char *left_behind_find(struct left_text *t)
{
	memset(t->back, LEFT_ALONE, t->n);
	for (size_t i = 0; i < t->n; i++) {
		const uint64_t code = t->at + i - t->code;

		if (same(t, i) || t->back[i])
			continue;
		if (code < t->code_bytes)
			t->back[i] = LEFT_CODE;
		else if (!find_window(t, i) && !find_branch(t, i) && !is_breakpoint(t, i))
			return "its text has changes that are no gotrace's";
	}
	put_off_rooms(t);
	return NULL;
}
