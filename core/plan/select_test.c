// SPDX-License-Identifier: BSD-2-Clause
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "plan/name_suggest.h"
#include "plan/plan.h"
#include "plan/presets.h"
#include "plan/select.h"

static void packages(void **state)
{
	(void)state;
	assert_true(package_matches("main", "main"));
	assert_true(package_matches("github.com/panjf2000/ants", "github.com/panjf2000/ants/v2"));
	assert_true(package_matches("github.com/panjf2000/ants/", "github.com/panjf2000/ants/v2"));
	assert_true(package_matches("gopkg.in/yaml.v3", "gopkg.in/yaml.v3"));
	assert_false(package_matches("github.com/panjf2000/ant", "github.com/panjf2000/ants/v2"));
	assert_false(package_matches("main", "maintenance"));
	assert_false(package_matches("", "main"));
	assert_false(package_matches("/", "main"));
}

static void all_is_not_the_runtime(void **state)
{
	(void)state;
	assert_true(package_matches("all", "main"));
	assert_true(package_matches("all", "runtime/debug"));
	assert_true(package_matches("all", "internal/poll"));
	assert_false(package_matches("all", "runtime"));
	assert_false(package_matches("all", "internal/runtime/maps"));
	assert_false(package_matches("all", "runtime/internal/atomic"));
	assert_false(package_matches("all", "runtime/cgo"));
	assert_false(package_matches("all", "")); /* type:.eq.T, assembly locals */
	assert_true(package_matches("runtime", "runtime"));
}

static void name_suggestions(void **state)
{
	(void)state;
	assert_int_equal(name_suggest_distance("main", "main"), 0);
	assert_int_equal(name_suggest_distance("mian", "main"), 2);
	assert_true(name_suggest_distance("main.Sevre", "main.Serve") <
		    name_suggest_distance("main.Sevre", "net/http.Serve"));
	assert_true(name_suggest_distance("Submit", "github.com/panjf2000/ants/v2.(*Pool).Submit") <
		    NAME_SUGGEST_TOO_FAR);
	assert_int_equal(name_suggest_distance("main.ad", "internal/abi.Name"),
			 NAME_SUGGEST_TOO_FAR);
	assert_int_equal(name_suggest_distance("", "main.main"), NAME_SUGGEST_TOO_FAR);
}

static void preset_selections(void **state)
{
	(void)state;
	assert_int_equal(presets_match(PRESET_WAITS, "runtime", "runtime.selectgo"), PRESET_WAITS);
	assert_int_equal(presets_match(PRESET_WAITS, "sync", "sync.runtime_SemacquireMutex"),
			 PRESET_WAITS);
	assert_int_equal(presets_match(PRESET_WAITS, "runtime", "runtime.gopark"), 0);
	assert_int_equal(presets_match(PRESET_NET, "runtime", "runtime.selectgo"), 0);
	assert_int_equal(presets_match(PRESET_NET | PRESET_DB, "net/http", "net/http.Get"),
			 PRESET_NET);
	assert_int_equal(presets_match(PRESET_NET, "network", "network.F"), 0);
	assert_int_equal(presets_match(PRESET_DB, "database/sql", "database/sql.(*DB).Query"),
			 PRESET_DB);
	assert_int_equal(presets_match(PRESET_DB, "github.com/jackc/pgx/v5",
				       "github.com/jackc/pgx/v5.Connect"),
			 PRESET_DB);
	assert_int_equal(presets_match(0, "net", "net.Dial"), 0);
}

static void strategies(void **state)
{
	enum probe_strategy s = PROBE_THESIS;

	(void)state;
	assert_int_equal(probe_strategy_parse("auto", &s), 0);
	assert_int_equal(s, PROBE_AUTO);
	assert_int_equal(probe_strategy_parse("thesis", &s), 0);
	assert_int_equal(s, PROBE_THESIS);
	assert_int_not_equal(probe_strategy_parse("turbo", &s), 0);
	assert_int_equal(s, PROBE_THESIS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(packages),         cmocka_unit_test(all_is_not_the_runtime),
		cmocka_unit_test(name_suggestions), cmocka_unit_test(preset_selections),
		cmocka_unit_test(strategies),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
