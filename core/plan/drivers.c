// SPDX-License-Identifier: BSD-2-Clause
#include "plan/drivers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

enum {
	OPEN,
	OPEN_CONNECTOR,
	CONNECT,
	PREPARE,
	PREPARE_CONTEXT,
	CLOSE,
	BEGIN,
	BEGIN_TX,
	PING,
	QUERY,
	QUERY_CONTEXT,
	EXEC,
	EXEC_CONTEXT,
	RESET_SESSION,
	NUM_INPUT,
	COLUMNS,
	NEXT,
	NEXT_RESULT_SET,
	COMMIT,
	ROLLBACK,
	METHODS
};

static const char *const methods[METHODS] = {
	[OPEN] = "Open",
	[OPEN_CONNECTOR] = "OpenConnector",
	[CONNECT] = "Connect",
	[PREPARE] = "Prepare",
	[PREPARE_CONTEXT] = "PrepareContext",
	[CLOSE] = "Close",
	[BEGIN] = "Begin",
	[BEGIN_TX] = "BeginTx",
	[PING] = "Ping",
	[QUERY] = "Query",
	[QUERY_CONTEXT] = "QueryContext",
	[EXEC] = "Exec",
	[EXEC_CONTEXT] = "ExecContext",
	[RESET_SESSION] = "ResetSession",
	[NUM_INPUT] = "NumInput",
	[COLUMNS] = "Columns",
	[NEXT] = "Next",
	[NEXT_RESULT_SET] = "NextResultSet",
	[COMMIT] = "Commit",
	[ROLLBACK] = "Rollback",
};

#define BIT(m) (1u << (m))
#define RUNS   (BIT(QUERY) | BIT(QUERY_CONTEXT) | BIT(EXEC) | BIT(EXEC_CONTEXT))

/* database/sql/driver/driver.go: what a type has to be one, however little of database/sql the
 * program uses, and which of its methods, with those of the optional interfaces that such a type
 * may have as well, may wait for a database. */
static const struct interface {
	uint32_t has, waits;
} conn = { BIT(PREPARE) | BIT(CLOSE), BIT(PREPARE) | BIT(PREPARE_CONTEXT) | BIT(CLOSE) |
					      BIT(BEGIN) | BIT(BEGIN_TX) | BIT(PING) |
					      BIT(RESET_SESSION) | RUNS },
  stmt = { BIT(CLOSE) | BIT(NUM_INPUT), BIT(CLOSE) | RUNS },
  others[] = {
	  { BIT(COLUMNS) | BIT(CLOSE) | BIT(NEXT), BIT(CLOSE) | BIT(NEXT) | BIT(NEXT_RESULT_SET) },
	  { BIT(ROLLBACK), BIT(COMMIT) | BIT(ROLLBACK) },
	  { BIT(OPEN), BIT(OPEN) | BIT(OPEN_CONNECTOR) },
	  { BIT(CONNECT), BIT(CONNECT) },
  };

static uint32_t method_of(const struct goname *name)
{
	if (!name->receiver || name->kind != GONAME_PLAIN)
		return 0;
	for (unsigned i = 0; i < METHODS; i++)
		if (!strcmp(methods[i], name->function))
			return BIT(i);
	return 0;
}

static const char *type_of(const struct goname *name)
{
	return name->receiver + (*name->receiver == '*');
}

static uint32_t hash_of(const char *package, const char *type)
{
	return hash_u64_pair(hash_bytes(package, strlen(package)), hash_bytes(type, strlen(type)));
}

static struct driver_type *find(const struct drivers *d, const char *package, const char *type)
{
	const uint32_t hash = hash_of(package, type);
	size_t at;

	for (uint32_t i = hash_index_first(&d->by_name, hash, &at); i != HASH_NONE;
	     i = hash_index_next(&d->by_name, hash, &at))
		if (!strcmp(d->types[i].package, package) && !strcmp(d->types[i].name, type))
			return &d->types[i];
	return NULL;
}

int drivers_add(struct drivers *d, const struct goname *name, bool wrapper)
{
	const uint32_t method = method_of(name);

	if (!method)
		return 0;
	struct driver_type *t = find(d, name->package, type_of(name));

	if (!t) {
		if (vec_reserve(&d->types, &d->cap, d->n + 1))
			return -ENOMEM;
		t = &d->types[d->n];
		*t = (struct driver_type){ .package = strdup(name->package),
					   .name = strdup(type_of(name)) };
		d->n++;
		if (!t->package || !t->name ||
		    hash_index_put(&d->by_name, hash_of(t->package, t->name), (uint32_t)d->n - 1))
			return -ENOMEM;
	}
	/* (*T).M is made of T.M, and the other way round. */
	if (!wrapper)
		t->forged &= ~method;
	else if (!(t->methods & method))
		t->forged |= method;
	t->methods |= method;
	return 0;
}

int drivers_find(struct drivers *d, const struct gobin *b)
{
	const struct gofunc *funcs;
	size_t n = gobin_funcs(b, &funcs);
	int err = 0;

	for (size_t i = 0; i < n && !err; i++) {
		struct goname name;

		if (goname_split(funcs[i].name, &name))
			return -ENOMEM;
		err = drivers_add(d, &name, funcs[i].flags & GOFUNC_WRAPPER);
		goname_free(&name);
	}
	return err;
}

static bool is_a(const struct driver_type *t, const struct interface *i)
{
	return (t->methods & i->has) == i->has;
}

static bool is_driver(const struct drivers *d, const char *package)
{
	bool has_conn = false, has_stmt = false;

	for (size_t i = 0; i < d->n; i++) {
		if (strcmp(d->types[i].package, package))
			continue;
		has_conn |= is_a(&d->types[i], &conn);
		has_stmt |= is_a(&d->types[i], &stmt);
	}
	return has_conn && has_stmt;
}

/* Those of its methods that may wait for a database. */
static uint32_t waits_of(const struct driver_type *t)
{
	uint32_t waits = is_a(t, &conn) ? conn.waits : 0;

	waits |= is_a(t, &stmt) ? stmt.waits : 0;
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		waits |= is_a(t, &others[i]) ? others[i].waits : 0;
	return waits & t->methods;
}

/* Whether a type of the package has the method from another one that is embedded in it: the
 * compiler has made a function that calls that. */
static bool is_promoted(const struct drivers *d, const char *package, uint32_t method)
{
	for (size_t i = 0; i < d->n; i++)
		if (!strcmp(d->types[i].package, package) &&
		    waits_of(&d->types[i]) & d->types[i].forged & method)
			return true;
	return false;
}

bool drivers_has(const struct drivers *d, const struct goname *name)
{
	const uint32_t method = method_of(name);
	const struct driver_type *t = method ? find(d, name->package, type_of(name)) : NULL;

	if (!t || !is_driver(d, name->package))
		return false;
	return waits_of(t) & method || is_promoted(d, name->package, method);
}

void drivers_free(struct drivers *d)
{
	for (size_t i = 0; i < d->n; i++) {
		free(d->types[i].package);
		free(d->types[i].name);
	}
	free(d->types);
	hash_index_free(&d->by_name);
	*d = (struct drivers){ 0 };
}
