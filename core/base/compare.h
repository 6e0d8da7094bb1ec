/* SPDX-License-Identifier: BSD-2-Clause */
/* Returns -1, 0 or 1, for comparison functions of qsort. */
#ifndef GOTRACE_COMPARE_H
#define GOTRACE_COMPARE_H

#include <stdint.h>

static inline int compare_u64(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

#endif
