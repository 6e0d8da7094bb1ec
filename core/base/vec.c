// SPDX-License-Identifier: BSD-2-Clause
#include "base/vec.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

size_t vec_room(size_t cap, size_t need, size_t most)
{
	const size_t least = cap + cap / 8 > need ? cap + cap / 8 : need;
	size_t n = cap ? cap : 16;

	while (n < need) {
		if (n > SIZE_MAX / 2)
			return 0;
		n *= 2;
	}
	if (n <= most)
		return n;
	return most > least ? most : least;
}

int vec_reserve_bytes(void *data, size_t *cap, size_t need, size_t elem)
{
	return vec_reserve_most_bytes(data, cap, need, SIZE_MAX, elem);
}

int vec_reserve_most_bytes(void *data, size_t *cap, size_t need, size_t most, size_t elem)
{
	if (need <= *cap)
		return 0;
	size_t n = vec_room(*cap, need, most);
	if (!n || n > SIZE_MAX / elem)
		return -ENOMEM;
	/* Copied: a T * may not be read or written as a void *. */
	void *p;
	memcpy(&p, data, sizeof(p));
	p = realloc(p, n * elem);
	if (!p)
		return -ENOMEM;
	memset((char *)p + *cap * elem, 0, (n - *cap) * elem);
	memcpy(data, &p, sizeof(p));
	*cap = n;
	return 0;
}

void vec_trim_bytes(void *data, size_t *cap, size_t n, size_t elem)
{
	void *p;

	if (!n || n >= *cap)
		return;
	memcpy(&p, data, sizeof(p));
	p = realloc(p, n * elem);
	if (!p)
		return;
	memcpy(data, &p, sizeof(p));
	*cap = n;
}
