// SPDX-License-Identifier: BSD-2-Clause
#include "plan/presets.h"

#include <ctype.h>
#include <stddef.h>

#include "base/glob.h"
#include "plan/packages.h"

/*
 * Where a goroutine waits in its own code's stead: each is called on the goroutine's stack, by the
 * compiler or by the standard library, and has g in R14. What never blocks (selectnbrecv, TryLock)
 * is not here, nor what is below these (gopark).
 */
static const char *const waits[] = {
	"runtime.selectgo",
	"runtime.chanrecv1",
	"runtime.chanrecv2",
	"runtime.chansend1",
	"runtime.block",
	"sync.(*Mutex).lockSlow", /* up to Go 1.23 */
	"internal/sync.(*Mutex).lockSlow",
	"sync.runtime_Semacquire*",
	"internal/sync.runtime_Semacquire*",
	"sync.runtime_notifyListWait",
	"sync.(*WaitGroup).Wait",
	"sync.(*Cond).Wait",
	"time.Sleep",
	"internal/poll.runtime_pollWait",
	"internal/poll.runtime_Semacquire",
	"syscall.Syscall",
	"syscall.Syscall6",
	NULL,
};

static const char *const net[] = {
	"net",
	"crypto/tls",
	"golang.org/x/net",
	"vendor/golang.org/x/net",
	"google.golang.org/grpc",
	NULL,
};

/*
 * Clients with functions of their own, besides database/sql, whose drivers are known by what they
 * implement (drivers.h): of these packages, in whatever major version, what is exported.
 */
static const char *const db_clients[] = {
	"database/sql",
	"github.com/jackc/pgx",
	"github.com/jackc/pgx/pgxpool",
	"github.com/jackc/pgx/pgconn",
	"github.com/jackc/pgconn",
	"github.com/ClickHouse/clickhouse-go",
	"github.com/jmoiron/sqlx",
	"gorm.io/gorm",
	"go.mongodb.org/mongo-driver/mongo",
	"github.com/redis/go-redis",
	"github.com/go-redis/redis",
	"github.com/gomodule/redigo/redis",
	"github.com/gocql/gocql",
	"go.etcd.io/bbolt",
	"github.com/boltdb/bolt",
	"github.com/dgraph-io/badger",
	"github.com/cockroachdb/pebble",
	"github.com/syndtr/goleveldb/leveldb",
	NULL,
};

/* Of some of them the types behind what is exported are not. */
static const char *const db_globs[] = {
	"github.com/redis/go-redis/*.cmdable.*",
	"github.com/go-redis/redis*.cmdable.*",
	"github.com/gomodule/redigo/redis.(*conn).*",
	"github.com/gomodule/redigo/redis.(*activeConn).*",
	"github.com/ClickHouse/clickhouse-go*.(*clickhouse).*",
	NULL,
};

static const char *const none[] = { NULL };

const struct preset presets[] = {
	{ PRESET_WAITS, "waits", waits, none, none },
	{ PRESET_NET, "net", none, net, none },
	{ PRESET_DB, "db", db_globs, none, db_clients },
	{ 0 },
};

/* Whether it can be used from outside: a function or method of the source, and its type. */
static bool is_exported(const struct goname *name)
{
	const char *type = name->receiver;

	if (type)
		type += *type == '*';
	return name->kind == GONAME_PLAIN && isupper((unsigned char)*name->function) &&
	       (!type || isupper((unsigned char)*type));
}

unsigned presets_match(unsigned wanted, const struct goname *name, const char *display)
{
	const bool exported = wanted && is_exported(name);
	unsigned hit = 0;

	for (const struct preset *p = presets; p->bit; p++) {
		if (!(wanted & p->bit))
			continue;
		for (const char *const *s = p->packages; *s; s++)
			hit |= package_matches(*s, name->package) ? p->bit : 0;
		for (const char *const *s = p->exported; exported && *s; s++)
			hit |= package_is(*s, name->package) ? p->bit : 0;
		for (const char *const *s = p->globs; *s; s++)
			hit |= glob_match(*s, display) ? p->bit : 0;
	}
	return hit;
}
