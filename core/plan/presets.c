// SPDX-License-Identifier: BSD-2-Clause
#include "plan/presets.h"

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

static const char *const db[] = {
	"database/sql",
	"github.com/lib/pq",
	"github.com/jackc/pgx",
	"github.com/jackc/pgconn",
	"github.com/go-sql-driver/mysql",
	"github.com/mattn/go-sqlite3",
	"modernc.org/sqlite",
	"github.com/microsoft/go-mssqldb",
	"github.com/denisenkom/go-mssqldb",
	"github.com/ClickHouse/clickhouse-go",
	"github.com/jmoiron/sqlx",
	"gorm.io",
	"go.mongodb.org/mongo-driver",
	"github.com/redis/go-redis",
	"github.com/go-redis/redis",
	"github.com/gomodule/redigo",
	"github.com/gocql/gocql",
	"go.etcd.io/bbolt",
	"github.com/boltdb/bolt",
	"github.com/dgraph-io/badger",
	"github.com/cockroachdb/pebble",
	"github.com/syndtr/goleveldb",
	NULL,
};

static const char *const none[] = { NULL };

const struct preset presets[] = {
	{ PRESET_WAITS, "waits", waits, none },
	{ PRESET_NET, "net", none, net },
	{ PRESET_DB, "db", none, db },
	{ 0 },
};

unsigned presets_match(unsigned wanted, const char *package, const char *name)
{
	unsigned hit = 0;

	for (const struct preset *p = presets; p->bit; p++) {
		if (!(wanted & p->bit))
			continue;
		for (const char *const *s = p->packages; *s; s++)
			hit |= package_matches(*s, package) ? p->bit : 0;
		for (const char *const *s = p->globs; *s; s++)
			hit |= glob_match(*s, name) ? p->bit : 0;
	}
	return hit;
}
