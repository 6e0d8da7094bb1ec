/* SPDX-License-Identifier: BSD-2-Clause */
/* Growable arrays. The owner has a pointer, a count and a capacity. */
#ifndef GOTRACE_VEC_H
#define GOTRACE_VEC_H

#include <stddef.h>

/* Makes room for `need` elements in the array *data, whose capacity is *cap, by doubling it. New
 * memory is zeroed. 0 or -ENOMEM (then nothing has changed). */
#define vec_reserve(data, cap, need) vec_reserve_bytes((data), (cap), (need), sizeof(**(data)))

/* Makes room in an array that should have at most `most` elements. It does not double above `most`,
 * but grows by at least an eighth. */
#define vec_reserve_most(data, cap, need, most) \
	vec_reserve_most_bytes((data), (cap), (need), (most), sizeof(**(data)))

/* data: the address of a pointer of any type, to elements of `elem` bytes. */
int vec_reserve_bytes(void *data, size_t *cap, size_t need, size_t elem);
int vec_reserve_most_bytes(void *data, size_t *cap, size_t need, size_t most, size_t elem);

/* Gives back the room behind the n elements of an array that hardly grows any more. */
#define vec_trim(data, cap, n) vec_trim_bytes((data), (cap), (n), sizeof(**(data)))
void vec_trim_bytes(void *data, size_t *cap, size_t n, size_t elem);

/* Returns the capacity that vec_reserve_most makes of cap; 0 when there is no such number. */
size_t vec_room(size_t cap, size_t need, size_t most);

#endif
