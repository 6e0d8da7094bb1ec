/* SPDX-License-Identifier: BSD-2-Clause */
/* Chooses the tables for walking stacks that are freed to make room for others. */
#ifndef GOTRACE_TABLE_AGES_H
#define GOTRACE_TABLE_AGES_H

#include <stddef.h>
#include <stdint.h>

/* The tables of one file that nothing uses. */
struct table_age {
	uint64_t used; /* larger: used later */
	uint64_t rows;
	size_t which; /* the owner's index */
};

/* Moves the tables to free to the front: oldest first, until `rows` and `places` are free. Returns
 * their number. 0: all together are not enough, or nothing is needed. */
size_t table_ages_choose(struct table_age *a, size_t n, uint64_t rows, size_t places);

#endif
