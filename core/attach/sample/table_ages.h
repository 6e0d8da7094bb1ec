/* SPDX-License-Identifier: BSD-2-Clause */
/* Which of the tables to walk stacks give way when there is no room for others. */
#ifndef GOTRACE_TABLE_AGES_H
#define GOTRACE_TABLE_AGES_H

#include <stddef.h>
#include <stdint.h>

/* Frees the tables of one file, which nothing uses. */
struct table_age {
	uint64_t used; /* larger: it was used later */
	uint64_t rows;
	size_t which; /* the owner's */
};

/* Puts first those that are to be given back: oldest first, until `rows` and `places` are free. How
 * many; 0: all together would not do, or nothing is needed. */
size_t table_ages_choose(struct table_age *a, size_t n, uint64_t rows, size_t places);

#endif
