// SPDX-License-Identifier: BSD-2-Clause
#include "base/test_fixture.h"
#include "binary/binaries_fixture.h"

#include "plan/name_suggest.h"
#include "plan/plan.h"
#include "plan/presets.h"
#include "plan/select.h"

TEST(packages)
{
	assert_true(package_matches("main", "main"));
	assert_true(package_matches("github.com/panjf2000/ants", "github.com/panjf2000/ants/v2"));
	assert_true(package_matches("github.com/panjf2000/ants/", "github.com/panjf2000/ants/v2"));
	assert_true(package_matches("gopkg.in/yaml.v3", "gopkg.in/yaml.v3"));
	assert_false(package_matches("github.com/panjf2000/ant", "github.com/panjf2000/ants/v2"));
	assert_false(package_matches("main", "maintenance"));
	assert_false(package_matches("", "main"));
	assert_false(package_matches("/", "main"));
}

TEST(all_is_not_the_runtime)
{
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

TEST(name_suggestions)
{
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

static unsigned preset_of(unsigned wanted, const char *symbol)
{
	struct goname name;

	assert_int_equal(goname_split(symbol, &name), 0);
	unsigned hit = presets_match(wanted, &name, symbol);

	goname_free(&name);
	return hit;
}

TEST(preset_selections)
{
	assert_int_equal(preset_of(PRESET_WAITS, "runtime.selectgo"), PRESET_WAITS);
	assert_int_equal(preset_of(PRESET_WAITS, "sync.runtime_SemacquireMutex"), PRESET_WAITS);
	assert_int_equal(preset_of(PRESET_WAITS, "runtime.gopark"), 0);
	assert_int_equal(preset_of(PRESET_NET, "runtime.selectgo"), 0);
	assert_int_equal(preset_of(PRESET_NET | PRESET_DB, "net/http.Get"), PRESET_NET);
	assert_int_equal(preset_of(PRESET_NET, "network.F"), 0);
	assert_int_equal(preset_of(0, "net.Dial"), 0);
}

/* Of clients what is exported, in whatever version; nothing of packages below. */
TEST(preset_of_databases)
{
	static const char *const in[] = {
		"database/sql.(*DB).Query",
		"github.com/jackc/pgx/v5.Connect",
		"github.com/jackc/pgx/v5/pgxpool.(*Pool).Query",
		"go.mongodb.org/mongo-driver/v2/mongo.(*Collection).Find",
		"github.com/redis/go-redis/v9.cmdable.Get",
	};
	static const char *const out[] = {
		"database/sql.(*DB).queryDC",
		"database/sql.(*DB).Query.func1",
		"database/sql/driver.IsValue",
		"database/sql.convertAssign",
		"github.com/jackc/pgx/v5/pgtype.(*Map).Scan",
		"github.com/jackc/pgx/v5x.Connect",
		"modernc.org/sqlite/lib.Xsqlite3_step",
		"go.etcd.io/bbolt.(*node).Dereference",
	};

	for (size_t i = 0; i < sizeof(in) / sizeof(*in); i++)
		assert_int_equal(preset_of(PRESET_DB, in[i]), PRESET_DB);
	for (size_t i = 0; i < sizeof(out) / sizeof(*out); i++)
		assert_int_equal(preset_of(PRESET_DB, out[i]), 0);
}

TEST(strategies)
{
	enum probe_strategy s = PROBE_THESIS;

	assert_int_equal(probe_strategy_parse("auto", &s), 0);
	assert_int_equal(s, PROBE_AUTO);
	assert_int_equal(probe_strategy_parse("thesis", &s), 0);
	assert_int_equal(s, PROBE_THESIS);
	assert_int_not_equal(probe_strategy_parse("turbo", &s), 0);
	assert_int_equal(s, PROBE_THESIS);
}

/* ---- of binaries */

static bool selects(const struct gobin *b, const struct plan_options *opt, const char *symbol)
{
	struct selector s;

	assert_int_equal(selector_init(&s, opt, b), 0);
	int hit = selector_match(&s, symbol);

	selector_free(&s);
	assert_true(hit == NOT_SELECTED || hit == SELECTED);
	return hit == SELECTED;
}

/* `go test -c` wrote no module data before Go 1.24: what has tests, and what is tested from
 * outside, is the program then. */
TEST(test_binaries)
{
	static const char module[] = "\nmod\tgotrace.example/tested";
	const struct plan_options opt = { .strategy = PROBE_EMULATED };
	struct gobin *b = open_binary("tested");
	size_t size, n = 0;
	uint8_t *p = load_binary("tested", &size);

	if (gobin_go_minor(b) >= 24) { /* the whole module */
		assert_string_equal(gobin_main_module(b)->path, "gotrace.example/tested");
		assert_true(selects(b, &opt, "gotrace.example/tested/inner.Help"));
	}
	gobin_close(b);
	for (uint8_t *at = p;
	     (at = memmem(at, size - (size_t)(at - p), module, sizeof(module) - 1)); at++, n++)
		memcpy(at, "\nnot", 4);
	b = open_bytes(p, size);
	free(p);
	assert_non_null(b);
	assert_true(gobin_go_minor(b) < 24 || n > 0);
	assert_string_equal(gobin_main_module(b)->path, "");
	assert_true(selects(b, &opt, "main.main"));
	assert_true(selects(b, &opt, "gotrace.example/tested.Work"));
	assert_true(selects(b, &opt, "gotrace.example/tested_test.TestWork"));
	assert_false(selects(b, &opt, "gotrace.example/tested/inner.Help")); /* has no test */
	assert_false(selects(b, &opt, "testing.tRunner"));
	assert_false(selects(b, &opt, "strings.ToUpper"));
	gobin_close(b);
	b = open_binary("kinds"); /* no test binary: functions called Test* mean nothing */
	assert_false(selects(b, &opt, "strings.ToUpper"));
	gobin_close(b);
}

/* A warning for each pattern that has met nothing, and none for one that has. */
TEST(unused_patterns)
{
	static const char *const good[] = { "main", "main.recursive" }, *const bad[] = {
		"nosuch/package", "main.noSuchFunction"
	};
	const struct {
		struct plan_options opt;
		const char *words; /* NULL: no warning */
	} cases[] = {
		{ { .packages = good, .n_packages = 1 }, NULL },
		{ { .packages = good, .n_packages = 1, .globs = good + 1, .n_globs = 1 }, NULL },
		{ { .packages = bad, .n_packages = 1, .globs = good + 1, .n_globs = 1 },
		  "no function is in a package 'nosuch/package'" },
		{ { .packages = good, .n_packages = 1, .globs = bad + 1, .n_globs = 1 },
		  "no function matches 'main.noSuchFunction'" },
		{ { .packages = good, .n_packages = 1, .presets = PRESET_DB },
		  "the binary has none of these functions" },
		{ { .packages = good, .n_packages = 1, .presets = PRESET_WAITS }, NULL },
	};
	struct gobin *b = open_binary("kinds");

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		forget_log();
		struct plan *p = plan_build(b, &cases[i].opt);

		assert_non_null(p);
		if (logged_count != (cases[i].words != NULL) ||
		    (cases[i].words && !strstr(logged, cases[i].words)))
			fail_msg("%zu: logged %u times: %s", i, logged_count, logged);
		plan_free(p);
	}
	gobin_close(b);
}

/* What --key and others name comes in addition; what is left out stays so. */
TEST(also_and_excluded)
{
	static const char *const globs[] = { "main.recursive" }, *const also[] = { "strings.*" },
				 *const out[] = { "strings.ToUpper" };
	struct plan_options opt = { .globs = globs, .n_globs = 1, .also = also, .n_also = 1 };
	struct gobin *b = open_binary("kinds");
	struct selector s;

	assert_true(selects(b, &opt, "main.recursive"));
	assert_true(selects(b, &opt, "strings.ToUpper"));
	assert_false(selects(b, &opt, "main.main"));
	opt.excludes = out;
	opt.n_excludes = 1;
	assert_int_equal(selector_init(&s, &opt, b), 0);
	assert_int_equal(selector_match(&s, "strings.ToUpper"), DESELECTED);
	assert_int_equal(selector_match(&s, "strings.ToLower"), SELECTED);
	selector_free(&s);
	gobin_close(b);
}

/* Nothing matches: names that are like it, or where to look. */
TEST(nothing_matches)
{
	static const char *const patterns[] = { "stringz", "qqqqqqqqqqqqqqqq" }, *const words[] = {
		"similar names: strings", "'gotrace plan --list -p all BINARY' lists all"
	};
	struct gobin *b = open_binary("kinds");

	for (size_t i = 0; i < 2; i++) {
		const struct plan_options opt = { .packages = patterns + i, .n_packages = 1 };

		forget_log();
		assert_null(plan_build(b, &opt));
		assert_int_equal(errno, ENOENT);
		if (!strstr(logged, words[i]))
			fail_msg("%s: %s", patterns[i], logged);
	}
	gobin_close(b);
}

TESTS_BETWEEN(set_up_binaries, NULL, packages, all_is_not_the_runtime, name_suggestions,
	      preset_selections, preset_of_databases, strategies, test_binaries, unused_patterns,
	      also_and_excluded, nothing_matches)
