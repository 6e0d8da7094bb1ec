// SPDX-License-Identifier: BSD-2-Clause

#include "base/test_fixture.h"
#include "base/varint.h"

TEST(test_round_trip)
{
	uint8_t buf[VARINT_MAX_BYTES];

	for (unsigned bit = 0; bit < 64; bit++) {
		for (int d = -1; d <= 1; d++) {
			uint64_t v = (1ull << bit) + (uint64_t)d, back = ~v;
			uint8_t *end = varint_put(buf, v);
			assert_true(end - buf <= VARINT_MAX_BYTES);
			assert_ptr_equal(varint_get(buf, end, &back), end);
			assert_true(back == v);
			/* cut off anywhere: refused */
			for (uint8_t *cut = buf; cut < end; cut++)
				assert_null(varint_get(buf, cut, &back));
		}
	}
}

TEST(test_zigzag)
{
	static const int64_t v[] = { 0, -1, 1, -2, 2, INT64_MAX, INT64_MIN };
	static const uint64_t z[] = { 0, 1, 2, 3, 4, UINT64_MAX - 1, UINT64_MAX };

	for (size_t i = 0; i < sizeof(v) / sizeof(v[0]); i++) {
		assert_true(zigzag(v[i]) == z[i]);
		assert_true(unzigzag(z[i]) == v[i]);
	}
}

TEST(test_too_wide)
{
	uint8_t buf[11] = { 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01 };
	uint64_t v = 0;

	assert_ptr_equal(varint_get(buf, buf + 11, &v), buf + 10);
	assert_true(v == 1ull << 63);
	buf[9] = 0x02;
	assert_null(varint_get(buf, buf + 11, &v));
	buf[9] = 0x81;
	assert_null(varint_get(buf, buf + 11, &v));
}

TESTS(test_round_trip, test_zigzag, test_too_wide)
