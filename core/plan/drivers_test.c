// SPDX-License-Identifier: BSD-2-Clause
/* Which methods are a driver's, of functions by name. */
#include "base/test_fixture.h"
#include "plan/drivers.h"

#include <string.h>

static void add(struct drivers *d, const char *symbol, bool wrapper)
{
	struct goname name;

	assert_int_equal(goname_split(symbol, &name), 0);
	assert_int_equal(drivers_add(d, &name, wrapper), 0);
	goname_free(&name);
}

static bool has(const struct drivers *d, const char *symbol)
{
	struct goname name;

	assert_int_equal(goname_split(symbol, &name), 0);
	bool hit = drivers_has(d, &name);

	goname_free(&name);
	return hit;
}

static void add_driver(struct drivers *d)
{
	static const char *const functions[] = {
		"example.com/db.(*conn).Prepare",   "example.com/db.(*conn).Close",
		"example.com/db.(*conn).Begin",     "example.com/db.(*conn).QueryContext",
		"example.com/db.(*conn).IsValid",   "example.com/db.(*stmt).NumInput",
		"example.com/db.(*stmt).Exec",      "example.com/db.(*stmt).Query",
		"example.com/db.(*stmt).Close",     "example.com/db.(*textRows).Next",
		"example.com/db.(*rows).Columns",   "example.com/db.(*rows).Close",
		"example.com/db.tx.Commit",         "example.com/db.tx.Rollback",
		"example.com/db.(*cursor).Next",    "example.com/db.Driver.Open",
		"example.com/db/lib.(*vm).Prepare", "example.com/db/lib.(*vm).Close",
		"example.com/db/lib.(*vm).Begin",   "example.com/db/lib.(*vm).Exec",
	};

	for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++)
		add(d, functions[i], false);
	/* textRows embeds rows; the compiler makes pointer methods of tx's */
	add(d, "example.com/db.(*textRows).Columns", true);
	add(d, "example.com/db.(*textRows).Close", true);
	add(d, "example.com/db.(*tx).Commit", true);
	add(d, "example.com/db.(*tx).Rollback", true);
}

TEST(methods_of_the_interfaces)
{
	struct drivers d = { 0 };

	add_driver(&d);
	assert_true(has(&d, "example.com/db.(*conn).Prepare"));
	assert_true(has(&d, "example.com/db.(*conn).QueryContext"));
	assert_true(has(&d, "example.com/db.(*stmt).Exec"));
	assert_true(has(&d, "example.com/db.(*textRows).Next"));
	assert_true(has(&d, "example.com/db.tx.Commit"));
	assert_true(has(&d, "example.com/db.Driver.Open"));
	/* what cannot wait, what is no method of these types, closures */
	assert_false(has(&d, "example.com/db.(*stmt).NumInput"));
	assert_false(has(&d, "example.com/db.(*conn).IsValid"));
	assert_false(has(&d, "example.com/db.(*cursor).Next"));
	assert_false(has(&d, "example.com/db.(*conn).parse"));
	assert_false(has(&d, "example.com/db.Open"));
	assert_false(has(&d, "example.com/db.(*stmt).Exec.func1"));
	drivers_free(&d);
}

TEST(what_is_embedded)
{
	struct drivers d = { 0 };

	add_driver(&d);
	assert_true(has(&d, "example.com/db.(*rows).Close"));
	assert_false(has(&d, "example.com/db.(*rows).Columns"));
	drivers_free(&d);
}

/* Below the driver, or anywhere else, there may be such names without being one. */
TEST(other_packages)
{
	struct drivers d = { 0 };

	add_driver(&d);
	assert_false(has(&d, "example.com/db/lib.(*vm).Prepare"));
	assert_false(has(&d, "example.com/db/lib.(*vm).Exec"));
	add(&d, "go.example/store.(*Tx).Commit", false);
	add(&d, "go.example/store.(*Tx).Rollback", false);
	assert_false(has(&d, "go.example/store.(*Tx).Commit"));
	drivers_free(&d);
}

/* The linker has left out what such a program never calls. */
TEST(a_program_that_only_queries)
{
	static const char *const functions[] = {
		"main.(*conn).Prepare", "main.(*conn).Close", "main.(*stmt).NumInput",
		"main.(*stmt).Query",   "main.(*stmt).Close", "main.(*file).Close",
	};
	struct drivers d = { 0 };

	for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++)
		add(&d, functions[i], false);
	assert_true(has(&d, "main.(*conn).Prepare"));
	assert_true(has(&d, "main.(*stmt).Query"));
	assert_false(has(&d, "main.(*file).Close"));
	drivers_free(&d);
}

TESTS(methods_of_the_interfaces, what_is_embedded, other_packages, a_program_that_only_queries)
