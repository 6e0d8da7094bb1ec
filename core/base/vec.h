/* SPDX-License-Identifier: BSD-2-Clause */
/* Growable arrays: a pointer, a count and a capacity kept by the owner. */
#ifndef GOTRACE_VEC_H
#define GOTRACE_VEC_H

#include <stddef.h>

/* Makes room for `need` elements of `elem` bytes in *data; doubles. New memory
 * is zeroed. 0 or -ENOMEM (then *data is unchanged). */
int vec_reserve_bytes(void **data, size_t *cap, size_t need, size_t elem);

#define vec_reserve(data, cap, need) \
	vec_reserve_bytes((void **)(data), (cap), (need), sizeof(**(data)))

#endif
