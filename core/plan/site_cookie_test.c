// SPDX-License-Identifier: BSD-2-Clause
/* Each field of a cookie comes back as the BPF programs read it. */

#include "base/test_fixture.h"
#include "bpf/event.h"
#include "plan/site_cookie.h"

TEST(entry)
{
	struct plan_site s = { .number = 0xfedcba98, .kind = EV_ENTRY, .to_frame_bytes = 0xffff };
	uint64_t c = site_cookie(&s, false);

	assert_int_equal(COOKIE_SITE(c), 0xfedcba98);
	assert_int_equal(COOKIE_RA(c), 0xffff);
	assert_int_equal(COOKIE_KIND(c), EV_ENTRY);
	assert_int_equal(COOKIE_FLAGS(c), 0);
	s.check_jcc = true;
	assert_int_equal(site_cookie(&s, false) ^ c, (uint64_t)COOKIE_CHECK_JCC << 56);
}

/* On a RET rsp is at the return address: the cookie holds bits of the RET's own address instead. */
TEST(plain_ret)
{
	const struct plan_site s = {
		.number = 7, .kind = EV_EXIT, .plain_ret = true, .vaddr = 0x7f0000456abc
	};
	uint64_t c = site_cookie(&s, false);

	assert_int_equal(COOKIE_SITE(c), 7);
	assert_int_equal(COOKIE_RA(c), 0xabc);
	assert_int_equal(COOKIE_RET_BITS(s.vaddr), COOKIE_RA(c));
	assert_int_equal(COOKIE_KIND(c), EV_EXIT);
	assert_int_equal(COOKIE_FLAGS(c), COOKIE_RET);
}

/* In a stub the probe is on another instruction: no RET to perform, no branch to look at. */
TEST(in_a_stub)
{
	const struct plan_site s = {
		.number = 9,
		.kind = EV_ENTRY_EXIT,
		.to_frame_bytes = 8,
		.plain_ret = true,
		.check_jcc = true,
		.vaddr = 0xfff,
		.stub = { .displaced_len = 5, .to_frame_bytes = 24 },
	};
	uint64_t c = site_cookie(&s, true);

	assert_int_equal(COOKIE_SITE(c), 9);
	assert_int_equal(COOKIE_RA(c), 24);
	assert_int_equal(COOKIE_KIND(c), EV_ENTRY_EXIT);
	assert_int_equal(COOKIE_FLAGS(c), 0);
	assert_int_equal(COOKIE_FLAGS(site_cookie(&s, false)), COOKIE_RET);
}

TEST(runtime)
{
	static const uint8_t stops[] = { STOP_DECLINED, STOP_GROWTH, STOP_YIELD, STOP_GC };

	for (size_t i = 0; i < sizeof(stops); i++) {
		const struct plan_site s = { .kind = EV_RESUME, .prologue_stop = stops[i] };
		uint64_t c = site_cookie(&s, false);

		assert_int_equal(COOKIE_STOP(c), stops[i]);
		assert_int_equal(COOKIE_FLAGS(c) & (COOKIE_RET | COOKIE_CHECK_JCC), 0);
		assert_int_equal(COOKIE_KIND(c), EV_RESUME);
	}
	for (uint8_t at = 1; at <= STATE_AT_MAX; at++) {
		const struct plan_site s = { .kind = EV_STATE, .state_at = at };

		assert_int_equal(COOKIE_STATE(site_cookie(&s, false)), at);
		assert_int_equal(COOKIE_STATE(site_cookie(&s, true)), at);
		assert_int_equal(COOKIE_FLAGS(site_cookie(&s, true)) & 15, 0);
	}
	const struct plan_site fault = { .kind = EV_WIRE_FAULT, .number = 1 };
	assert_int_equal(COOKIE_KIND(site_cookie(&fault, false)), EV_WIRE_FAULT);
}

TESTS(entry, plain_ret, in_a_stub, runtime)
