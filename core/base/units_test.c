// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>
#include <math.h>

#include "base/test_fixture.h"
#include "base/units.h"

TEST(sizes)
{
	uint64_t v = 0;

	assert_int_equal(parse_size_bytes("4096", &v), 0);
	assert_int_equal(v, 4096);
	assert_int_equal(parse_size_bytes("16M", &v), 0);
	assert_int_equal(v, 16 << 20);
	assert_int_equal(parse_size_bytes("1.5k", &v), 0);
	assert_int_equal(v, 1536);
	assert_int_equal(parse_size_bytes("2GiB", &v), 0);
	assert_int_equal(v, 2ull << 30);
}

TEST(durations)
{
	uint64_t v = 0;

	assert_int_equal(parse_duration_ns("10us", 1, &v), 0);
	assert_int_equal(v, 10000);
	assert_int_equal(parse_duration_ns("2.5", 1000000000, &v), 0);
	assert_int_equal(v, 2500000000u);
	assert_int_equal(parse_duration_ns("1m", 1, &v), 0);
	assert_int_equal(v, 60000000000u);
}

TEST(refused)
{
	static const char *const bad[] = { "", "M", "-1", "1x", "nan", "inf", "1 M", "1e", " 1" };
	uint64_t v = 7;

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		assert_int_equal(parse_size_bytes(bad[i], &v), -EINVAL);
		assert_int_equal(parse_duration_ns(bad[i], 1, &v), -EINVAL);
	}
	assert_int_equal(parse_size_bytes("99999999999G", &v), -ERANGE);
	assert_int_equal(v, 7);
}

TEST(decimals)
{
	static const char *const bad[] = { "", "-1", "+1", " 1", "1 ", "1x", "0x1", "1.0" };
	static const char *const large[] = { "600", "4294967297", "18446744073709551617",
					     "99999999999999999999999" };
	uint64_t v = 7;

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_int_equal(parse_decimal(bad[i], 599, &v), -EINVAL);
	for (size_t i = 0; i < sizeof(large) / sizeof(*large); i++)
		assert_int_equal(parse_decimal(large[i], 599, &v), -ERANGE);
	assert_int_equal(v, 7);
	assert_int_equal(parse_decimal("0599", 599, &v), 0);
	assert_int_equal(v, 599);
	assert_int_equal(parse_decimal("18446744073709551615", UINT64_MAX, &v), 0);
	assert_true(v == UINT64_MAX);
}

TEST(whole_numbers)
{
	assert_int_equal(whole_number(0), 0);
	assert_int_equal(whole_number(2.9), 2);
	assert_int_equal(whole_number(-1), 0);
	assert_int_equal(whole_number(NAN), 0);
	assert_int_equal(whole_number(-INFINITY), 0);
	assert_int_equal(whole_number(0x1p63), (uint64_t)1 << 63);
	assert_int_equal(whole_number(0x1p64), UINT64_MAX);
	assert_int_equal(whole_number(INFINITY), UINT64_MAX);
}

TESTS(sizes, durations, refused, decimals, whole_numbers)
