// SPDX-License-Identifier: BSD-2-Clause
/* The tables, and the questions that come with them. */
#include <stdio.h>

#include "analysis/stat_columns.h"
#include "export/sqlite/sqlite.h"
#include "export/sqlite/sqlite_db.h"

static const char schema[] =
	"CREATE TABLE info(key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;"
	"CREATE TABLE goroutines(id INTEGER PRIMARY KEY, goroutine INTEGER, image INTEGER, creator INTEGER,"
	" start_function TEXT, created_in TEXT, created_at TEXT, start_ns INTEGER, lifetime_ns INTEGER, calls INTEGER,"
	" total_ns INTEGER, self_ns INTEGER, morestack_ns INTEGER, preempt_ns INTEGER, ended INTEGER, system INTEGER,"
	" run_ns INTEGER, runnable_ns INTEGER, wait_ns INTEGER, syscall_ns INTEGER, unknown_ns INTEGER, off_cpu_ns INTEGER);"
	"CREATE TABLE states(goroutine INTEGER, image INTEGER, state TEXT, reason TEXT, start_ns INTEGER,"
	" duration_ns INTEGER, woken_by INTEGER, woken_by_function INTEGER REFERENCES functions);"
	"CREATE TABLE wakes(function INTEGER REFERENCES functions, reason TEXT, woken_by TEXT, waits INTEGER, wait_ns INTEGER);"
	"CREATE TABLE waits(function INTEGER REFERENCES functions, path INTEGER REFERENCES paths, reason TEXT,"
	" waits INTEGER, wait_ns INTEGER, total_wait_ns INTEGER);"
	"CREATE TABLE calls(id INTEGER PRIMARY KEY, caller INTEGER REFERENCES calls, goroutine INTEGER,"
	" function INTEGER REFERENCES functions, path INTEGER REFERENCES paths, level INTEGER, start_ns INTEGER,"
	" duration_ns INTEGER, self_ns INTEGER, outcome TEXT, suspect INTEGER, thread INTEGER, system INTEGER,"
	" image INTEGER, run_ns INTEGER, runnable_ns INTEGER, wait_ns INTEGER, syscall_ns INTEGER, unknown_ns INTEGER, off_cpu_ns INTEGER);"
	"CREATE TABLE call_waits(call INTEGER REFERENCES calls, reason TEXT, wait_ns INTEGER, total_wait_ns INTEGER);"
	"CREATE TABLE call_values(call INTEGER REFERENCES calls, result INTEGER, name TEXT, value);"
	"CREATE TABLE labels(id INTEGER, key TEXT, value TEXT);"
	"CREATE TABLE processes(image INTEGER PRIMARY KEY, process INTEGER, program TEXT, executable TEXT, name TEXT,"
	" start_ns INTEGER);"
	"CREATE TABLE samples(path INTEGER REFERENCES paths, process INTEGER, goroutine INTEGER, thread INTEGER,"
	" labels INTEGER, state TEXT, reason TEXT, samples INTEGER, weight_ns INTEGER, first_ns INTEGER, last_ns INTEGER,"
	" image INTEGER REFERENCES processes);"
	"CREATE TABLE losses(start_ns INTEGER, end_ns INTEGER, goroutine INTEGER, events INTEGER);"
	"CREATE TABLE examples(question TEXT, query TEXT);";

/* The columns of stat_columns are added. */
static const char *const with_stats[] = {
	"CREATE TABLE functions(id INTEGER PRIMARY KEY, name TEXT, file TEXT, line INTEGER",
	"CREATE TABLE paths(id INTEGER PRIMARY KEY, parent INTEGER REFERENCES paths, function INTEGER REFERENCES functions,"
	" level INTEGER, go INTEGER, go_at TEXT",
};

const char *const sqlite_views =
	"CREATE INDEX calls_by_function ON calls(function);"
	"CREATE INDEX call_waits_by_call ON call_waits(call);"
	"CREATE INDEX call_values_by_call ON call_values(call);"
	"CREATE INDEX calls_by_goroutine ON calls(goroutine, start_ns);"
	"CREATE INDEX labels_by_id ON labels(id);"
	"CREATE INDEX states_by_goroutine ON states(goroutine, start_ns);"
	"CREATE VIEW path_names AS WITH RECURSIVE named(id, path) AS ("
	"SELECT p.id, f.name FROM paths p JOIN functions f ON f.id = p.function WHERE p.parent IS NULL UNION ALL "
	"SELECT p.id, n.path || CASE WHEN p.go THEN ';[go];' ELSE ';' END || f.name"
	" FROM named n JOIN paths p ON p.parent = n.id JOIN functions f ON f.id = p.function) SELECT id, path FROM named;";

const char *const sqlite_examples[][2] = {
	{ "The slowest calls",
	  "SELECT f.name, c.image, c.goroutine, c.start_ns / 1e6 AS at_ms, c.duration_ns / 1e6 AS ms, c.outcome\n"
	  "FROM calls c JOIN functions f ON f.id = c.function\n"
	  "ORDER BY c.duration_ns DESC LIMIT 10;" },
	{ "Functions by self time, and how long their calls took: percentiles",
	  "SELECT name, calls, self_ns / 1e6 AS self_ms, total_ns / 1e6 AS total_ms, min_ns / 1e3 AS min_us, p50_ns / 1e3 AS p50_us,\n"
	  "       p90_ns / 1e3 AS p90_us, p99_ns / 1e3 AS p99_us, max_ns / 1e3 AS max_us\n"
	  "FROM functions WHERE calls ORDER BY self_ns DESC, name LIMIT 20;" },
	{ "Whose calls of a function take long: by caller",
	  "SELECT f.name, coalesce(g.name, '(outermost)') AS caller, count(*) AS calls,\n"
	  "       avg(c.duration_ns) / 1e6 AS mean_ms, max(c.duration_ns) / 1e6 AS max_ms\n"
	  "FROM calls c JOIN functions f ON f.id = c.function\n"
	  "     LEFT JOIN calls d ON d.id = c.caller LEFT JOIN functions g ON g.id = d.function\n"
	  "GROUP BY f.id, g.id ORDER BY f.name, mean_ms DESC;" },
	{ "Does a function get slower as time goes on: by tenths of the trace",
	  "SELECT f.name, 10 * c.start_ns / (SELECT max(start_ns) + 1 FROM calls) AS tenth, count(*) AS calls,\n"
	  "       avg(c.duration_ns) / 1e6 AS mean_ms\n"
	  "FROM calls c JOIN functions f ON f.id = c.function\n"
	  "GROUP BY f.id, tenth ORDER BY f.name, tenth;" },
	{ "Calls of other goroutines while the slowest call ran",
	  "WITH slow AS (SELECT * FROM calls ORDER BY duration_ns DESC LIMIT 1)\n"
	  "SELECT f.name, count(*) AS calls, count(DISTINCT c.goroutine) AS goroutines, sum(c.self_ns) / 1e6 AS self_ms\n"
	  "FROM slow JOIN calls c ON c.image = slow.image AND c.goroutine <> slow.goroutine\n"
	  "     AND c.start_ns < slow.start_ns + slow.duration_ns AND c.start_ns + coalesce(c.duration_ns, 0) > slow.start_ns\n"
	  "     JOIN functions f ON f.id = c.function\n"
	  "GROUP BY f.id ORDER BY self_ms DESC;" },
	{ "How long goroutines wait from their go statement to their first call",
	  "SELECT g.start_function, g.created_at, count(*) AS goroutines,\n"
	  "       avg(c.start_ns - g.start_ns) / 1e6 AS mean_ms, max(c.start_ns - g.start_ns) / 1e6 AS max_ms\n"
	  "FROM goroutines g JOIN calls c ON c.id = (SELECT id FROM calls WHERE image = g.image AND goroutine = g.goroutine\n"
	  "     AND start_ns >= g.start_ns AND NOT system ORDER BY start_ns LIMIT 1)\n"
	  "WHERE g.creator IS NOT NULL\n"
	  "GROUP BY g.start_function, g.created_at ORDER BY mean_ms DESC;" },
	{ "Reasons and places of waits (record --states)",
	  "SELECT f.name, w.reason, w.waits, w.wait_ns / 1e6 AS ms, w.total_wait_ns / 1e6 AS total_ms\n"
	  "FROM waits w JOIN functions f ON f.id = w.function\n"
	  "ORDER BY w.wait_ns DESC LIMIT 20;" },
	{ "Where the time of the slowest calls went (record --states)",
	  "SELECT f.name, c.goroutine, c.start_ns / 1e6 AS at_ms, c.duration_ns / 1e6 AS ms, c.run_ns / 1e6 AS run_ms,\n"
	  "       c.runnable_ns / 1e6 AS ready_ms, c.syscall_ns / 1e6 AS syscall_ms, w.reason, w.total_wait_ns / 1e6 AS wait_ms\n"
	  "FROM (SELECT * FROM calls WHERE run_ns IS NOT NULL ORDER BY duration_ns DESC LIMIT 10) c\n"
	  "     JOIN functions f ON f.id = c.function LEFT JOIN call_waits w ON w.call = c.id\n"
	  "ORDER BY c.duration_ns DESC, c.id, w.total_wait_ns DESC;" },
	{ "Who ended the waits of which function (record --states)",
	  "SELECT f.name, w.reason, w.woken_by, w.waits, w.wait_ns / 1e6 AS ms\n"
	  "FROM wakes w JOIN functions f ON f.id = w.function\n"
	  "ORDER BY w.wait_ns DESC LIMIT 20;" },
	{ NULL, NULL },
};

const char *const sqlite_sample_examples[][2] = {
	{ "Which program took what",
	  "SELECT p.program, count(DISTINCT p.process) AS processes, sum(s.samples) AS samples, sum(s.weight_ns) / 1e6 AS ms,\n"
	  "       round(100.0 * sum(s.weight_ns) / (SELECT sum(weight_ns) FROM samples), 1) AS pct\n"
	  "FROM samples s JOIN processes p ON p.image = s.image\n"
	  "GROUP BY p.program ORDER BY ms DESC, p.program LIMIT 20;" },
	{ "Which functions samples end in",
	  "SELECT f.name, sum(s.samples) AS samples, sum(s.weight_ns) / 1e6 AS ms,\n"
	  "       round(100.0 * sum(s.weight_ns) / (SELECT sum(weight_ns) FROM samples), 1) AS pct\n"
	  "FROM samples s JOIN paths p ON p.id = s.path JOIN functions f ON f.id = p.function\n"
	  "GROUP BY f.id ORDER BY ms DESC, f.name LIMIT 10;" },
	{ "Which stacks have the most time, and when they were seen",
	  "SELECT n.path, sum(s.samples) AS samples, sum(s.weight_ns) / 1e6 AS ms,\n"
	  "       min(s.first_ns) / 1e6 AS first_ms, max(s.last_ns) / 1e6 AS last_ms\n"
	  "FROM samples s JOIN path_names n ON n.id = s.path\n"
	  "GROUP BY n.id ORDER BY ms DESC, n.path LIMIT 10;" },
	{ "The three heaviest functions of each thread",
	  "SELECT process, thread, name, samples, ms FROM (\n"
	  "       SELECT s.process, s.thread, f.name, sum(s.samples) AS samples, sum(s.weight_ns) / 1e6 AS ms,\n"
	  "              row_number() OVER (PARTITION BY s.process, s.thread ORDER BY sum(s.weight_ns) DESC, f.name) AS place\n"
	  "       FROM samples s JOIN paths p ON p.id = s.path JOIN functions f ON f.id = p.function\n"
	  "       GROUP BY s.process, s.thread, f.id)\n"
	  "WHERE place <= 3 ORDER BY process, thread, place;" },
	{ "Time by label (sample --labels)",
	  "SELECT coalesce(l.key || '=' || coalesce(l.value, ''), '(no labels)') AS label, sum(s.samples) AS samples,\n"
	  "       sum(s.weight_ns) / 1e6 AS ms\n"
	  "FROM samples s LEFT JOIN labels l ON l.id = s.labels\n"
	  "GROUP BY l.key, l.value ORDER BY ms DESC, label LIMIT 20;" },
	{ "States and waits of threads and goroutines (sample --wall)",
	  "SELECT s.state, s.reason, sum(s.samples) AS samples, sum(s.weight_ns) / 1e6 AS ms\n"
	  "FROM samples s GROUP BY s.state, s.reason ORDER BY ms DESC, s.state, s.reason;" },
	{ NULL, NULL },
};

void sqlite_make_tables(struct db *d)
{
	db_run(d, schema);
	for (int of_paths = 0; of_paths < 2; of_paths++) {
		char sql[2048];
		size_t n = (size_t)snprintf(sql, sizeof(sql), "%s", with_stats[of_paths]);

		for (const struct stat_column *c = stat_columns; c->name; c++)
			if (!of_paths || !c->of_hist)
				n += (size_t)snprintf(sql + n, sizeof(sql) - n, ", %s INTEGER",
						      c->name);
		snprintf(sql + n, sizeof(sql) - n, ")");
		db_run(d, sql);
	}
}
