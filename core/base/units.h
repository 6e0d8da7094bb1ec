/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers, sizes and times as people write them. */
#ifndef GOTRACE_UNITS_H
#define GOTRACE_UNITS_H

#include <stdint.h>

/* Reads a size such as "4096", "512K", "16M" or "2G" (powers of 1024). 0, or -EINVAL / -ERANGE. */
int parse_size_bytes(const char *s, uint64_t *bytes);

/* Reads a time such as "10ns", "15us", "2.5ms", "3s" or "1m". A bare number is in `unit_ns`. 0, or
 * -EINVAL / -ERANGE. */
int parse_duration_ns(const char *s, uint64_t unit_ns, uint64_t *ns);

/* Reads a decimal number of digits alone, without blank or sign, of at most `most`. Returns 0,
 * -EINVAL, or -ERANGE for a larger number. */
int parse_decimal(const char *s, uint64_t most, uint64_t *n);

/* Returns x without its fraction. 0 where x is negative or not a number, UINT64_MAX where it is
 * larger than that. C leaves such a conversion undefined. */
uint64_t whole_number(double x);

#endif
