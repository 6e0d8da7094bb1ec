// SPDX-License-Identifier: BSD-2-Clause
#include "base/vec.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int vec_reserve_bytes(void *data, size_t *cap, size_t need, size_t elem)
{
	if (need <= *cap)
		return 0;
	size_t n = *cap ? *cap : 16;
	while (n < need) {
		if (n > SIZE_MAX / 2)
			return -ENOMEM;
		n *= 2;
	}
	if (n > SIZE_MAX / elem)
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
