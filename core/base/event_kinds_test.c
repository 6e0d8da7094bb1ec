// SPDX-License-Identifier: BSD-2-Clause

#include "base/test_fixture.h"
#include "base/event_kinds.h"
#include "base/event_kinds_fixture.h"

TEST(test_names)
{
	for (unsigned k = 1; k <= EV_KIND_MAX; k++) {
		assert_non_null(event_kind_name(k));
		assert_int_equal(event_kind_by_name(event_kind_name(k)), k);
	}
	assert_null(event_kind_name(0));
	assert_null(event_kind_name(EV_KIND_MAX + 1));
	assert_int_equal(event_kind_by_name("ENTRY"), 0);
}

TEST(test_args)
{
	assert_true(event_kind_has_args(EV_UNWIND));
	assert_false(event_kind_has_args(EV_ENTRY));
	assert_false(event_kind_has_args(EV_KIND_MAX + 1));
	assert_false(event_kind_has_args(32 + EV_STOP));
}

TEST(test_sites)
{
	assert_string_equal(event_kind_site(EV_EXIT), "exit");
	assert_string_equal(event_kind_site(EV_ENTRY_EXIT), "entry+exit");
	assert_string_equal(event_kind_site(EV_WIRE_FAULT), "fault");
	assert_null(event_kind_site(EV_KIND_MAX + 1));
}

TESTS(test_names, test_args, test_sites)
