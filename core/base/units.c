// SPDX-License-Identifier: BSD-2-Clause
#include "base/units.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A number, not negative and finite, followed by a unit of the table. */
static int parse(const char *s, const char *const *names, const double *factors, double bare,
		 uint64_t *out)
{
	char *end;

	if (!isdigit((unsigned char)*s) && *s != '.')
		return -EINVAL;
	double v = strtod(s, &end);
	if (end == s || !isfinite(v))
		return -EINVAL;
	double factor = *end ? 0 : bare;
	for (int i = 0; names[i] && *end; i++)
		if (strcasecmp(end, names[i]) == 0)
			factor = factors[i];
	if (factor == 0)
		return -EINVAL;
	if (v * factor >= 0x1p63)
		return -ERANGE;
	*out = v * factor;
	return 0;
}

int parse_size_bytes(const char *s, uint64_t *bytes)
{
	static const char *const names[] = { "K", "M", "G", "KiB", "MiB", "GiB", "B", NULL };
	static const double factors[] = { 0x1p10, 0x1p20, 0x1p30, 0x1p10, 0x1p20, 0x1p30, 1 };

	return parse(s, names, factors, 1, bytes);
}

int parse_duration_ns(const char *s, uint64_t unit_ns, uint64_t *ns)
{
	static const char *const names[] = { "ns", "us", "µs", "ms", "s", "m", "h", "d", NULL };
	static const double factors[] = { 1, 1e3, 1e3, 1e6, 1e9, 60e9, 3600e9, 86400e9 };

	return parse(s, names, factors, unit_ns, ns);
}

int parse_decimal(const char *s, uint64_t most, uint64_t *n)
{
	if (!*s || s[strspn(s, "0123456789")])
		return -EINVAL;
	errno = 0;
	unsigned long long v = strtoull(s, NULL, 10);
	if (errno || v > most)
		return -ERANGE;
	*n = v;
	return 0;
}

uint64_t whole_number(double x)
{
	if (!(x > 0))
		return 0;
	return x < 0x1p64 ? (uint64_t)x : UINT64_MAX;
}
