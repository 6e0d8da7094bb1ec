// SPDX-License-Identifier: BSD-2-Clause
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/event_kinds.h"
#include "base/event_kinds_fixture.h"

static void test_names(void **state)
{
	(void)state;
	for (unsigned k = 1; k <= EV_KIND_MAX; k++) {
		assert_non_null(event_kind_name(k));
		assert_int_equal(event_kind_by_name(event_kind_name(k)), k);
	}
	assert_null(event_kind_name(0));
	assert_null(event_kind_name(EV_KIND_MAX + 1));
	assert_int_equal(event_kind_by_name("ENTRY"), 0);
}

static void test_args(void **state)
{
	(void)state;
	assert_true(event_kind_has_args(EV_UNWIND));
	assert_false(event_kind_has_args(EV_ENTRY));
	assert_false(event_kind_has_args(EV_KIND_MAX + 1));
	assert_false(event_kind_has_args(32 + EV_STOP));
}

static void test_sites(void **state)
{
	(void)state;
	assert_string_equal(event_kind_site(EV_EXIT), "exit");
	assert_string_equal(event_kind_site(EV_ENTRY_EXIT), "entry+exit");
	assert_string_equal(event_kind_site(EV_WIRE_FAULT), "fault");
	assert_null(event_kind_site(EV_KIND_MAX + 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_args),
		cmocka_unit_test(test_sites),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
