// SPDX-License-Identifier: BSD-2-Clause
/*
 * A database of everything that a report may show and of each call: the place
 * for questions that no report foresees. SQLITE.md describes the tables; some
 * questions are in the table `examples`.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/call_spool.h"
#include "analysis/callers.h"
#include "analysis/goroutines.h"
#include "analysis/stat_columns.h"
#include "analysis/trace_names.h"
#include "base/log.h"
#include "base/outfile.h"
#include "export/formats.h"
#include "export/sqlite/sqlite.h"
#include "export/sqlite/sqlite_db.h"
#include "export/tree_load.h"

#define OTHER_ID (-1)
#define TIMER_ID (-2)

static const char schema[] =
	"CREATE TABLE info(key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;"
	"CREATE TABLE goroutines(id INTEGER PRIMARY KEY, goroutine INTEGER, image INTEGER, creator INTEGER,"
	" start_function TEXT, created_in TEXT, created_at TEXT, start_ns INTEGER, lifetime_ns INTEGER, calls INTEGER,"
	" total_ns INTEGER, self_ns INTEGER, morestack_ns INTEGER, preempt_ns INTEGER, ended INTEGER, system INTEGER);"
	"CREATE TABLE calls(id INTEGER PRIMARY KEY, caller INTEGER REFERENCES calls, goroutine INTEGER,"
	" function INTEGER REFERENCES functions, path INTEGER REFERENCES paths, level INTEGER, start_ns INTEGER,"
	" duration_ns INTEGER, self_ns INTEGER, outcome TEXT, suspect INTEGER, thread INTEGER, system INTEGER,"
	" image INTEGER);"
	"CREATE TABLE losses(start_ns INTEGER, end_ns INTEGER, goroutine INTEGER, events INTEGER);"
	"CREATE TABLE examples(question TEXT, query TEXT);";

/* The columns of stat_columns are added. */
static const char *const with_stats[] = {
	"CREATE TABLE functions(id INTEGER PRIMARY KEY, name TEXT, file TEXT, line INTEGER",
	"CREATE TABLE paths(id INTEGER PRIMARY KEY, parent INTEGER REFERENCES paths, function INTEGER REFERENCES functions,"
	" level INTEGER, go INTEGER, go_at TEXT",
};

static const char views[] =
	"CREATE INDEX calls_by_function ON calls(function);"
	"CREATE INDEX calls_by_goroutine ON calls(goroutine, start_ns);"
	"CREATE VIEW path_names AS WITH RECURSIVE named(id, path) AS ("
	"SELECT p.id, f.name FROM paths p JOIN functions f ON f.id = p.function WHERE p.parent IS NULL UNION ALL "
	"SELECT p.id, n.path || CASE WHEN p.go THEN ';[go];' ELSE ';' END || f.name"
	" FROM named n JOIN paths p ON p.parent = n.id JOIN functions f ON f.id = p.function) SELECT id, path FROM named;";

const char *const sqlite_examples[][2] = {
	{ "The slowest calls",
	  "SELECT f.name, c.image, c.goroutine, c.start_ns / 1e6 AS at_ms, c.duration_ns / 1e6 AS ms, c.outcome\n"
	  "FROM calls c JOIN functions f ON f.id = c.function\n"
	  "ORDER BY c.duration_ns DESC LIMIT 10;" },
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
	{ "What other goroutines did while the slowest call ran",
	  "WITH slow AS (SELECT * FROM calls ORDER BY duration_ns DESC LIMIT 1)\n"
	  "SELECT f.name, count(*) AS calls, count(DISTINCT c.goroutine) AS goroutines, sum(c.self_ns) / 1e6 AS self_ms\n"
	  "FROM slow JOIN calls c ON c.image = slow.image AND c.goroutine <> slow.goroutine\n"
	  "     AND c.start_ns < slow.start_ns + slow.duration_ns AND c.start_ns + c.duration_ns > slow.start_ns\n"
	  "     JOIN functions f ON f.id = c.function\n"
	  "GROUP BY f.id ORDER BY self_ms DESC;" },
	{ "How long goroutines wait from their go statement to their first call",
	  "SELECT g.start_function, g.created_at, count(*) AS goroutines,\n"
	  "       avg(c.start_ns - g.start_ns) / 1e6 AS mean_ms, max(c.start_ns - g.start_ns) / 1e6 AS max_ms\n"
	  "FROM goroutines g JOIN calls c ON c.id = (SELECT id FROM calls WHERE image = g.image AND goroutine = g.goroutine\n"
	  "     AND start_ns >= g.start_ns AND NOT system ORDER BY start_ns LIMIT 1)\n"
	  "WHERE g.creator IS NOT NULL\n"
	  "GROUP BY g.start_function, g.created_at ORDER BY mean_ms DESC;" },
	{ NULL, NULL },
};

struct sqlite {
	struct db db;
	struct loaded_trace trace;
	struct goroutines goroutines;
	struct call_tree tree;
	struct call_spool calls;
	sqlite3_stmt *loss;
	struct trace_watch watch;
};

static void make_tables(struct db *d)
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

/* An INSERT with `columns` values. */
static sqlite3_stmt *prepare_insert(struct db *d, const char *table, int columns)
{
	char sql[256];
	size_t n = (size_t)snprintf(sql, sizeof(sql), "INSERT INTO %s VALUES(?", table);

	for (int i = 1; i < columns; i++)
		n += (size_t)snprintf(sql + n, sizeof(sql) - n, ",?");
	snprintf(sql + n, sizeof(sql) - n, ")");
	return db_prepare(d, sql);
}

static int n_stat_columns(bool of_paths)
{
	int n = 0;

	for (const struct stat_column *c = stat_columns; c->name; c++)
		n += !of_paths || !c->of_hist;
	return n;
}

static void bind_stats(struct db *d, sqlite3_stmt *s, int column, const struct call_stats *st,
		       bool of_paths)
{
	for (const struct stat_column *c = stat_columns; c->name; c++)
		if (!of_paths || !c->of_hist)
			db_bind_if(d, s, column++, stat_has(c, st),
				   stat_has(c, st) ? c->get(st) : 0);
}

static void put_pair(struct db *d, sqlite3_stmt *s, const char *a, const char *b)
{
	db_bind_text(d, s, 1, a);
	db_bind_text(d, s, 2, b);
	db_insert(d, s);
}

static void put_total(struct db *d, sqlite3_stmt *s, const char *key, uint64_t v)
{
	db_bind_text(d, s, 1, key);
	db_bind(d, s, 2, v);
	db_insert(d, s);
}

static void put_info(struct sqlite *q)
{
	const struct model_totals *t = q->trace.totals;
	sqlite3_stmt *s = prepare_insert(&q->db, "info", 2);

	for (size_t i = 0; i < q->trace.info->n_kvs; i++)
		put_pair(&q->db, s, q->trace.info->kvs[i].key, q->trace.info->kvs[i].value);
	/* FORMAT.md's keys have dots or one word; these have neither. */
	put_total(&q->db, s, "trace_complete", q->trace.complete);
	put_total(&q->db, s, "trace_events", t->events);
	put_total(&q->db, s, "trace_lost_events", t->lost_events);
	put_total(&q->db, s, "trace_orphan_exits", t->orphan_exits);
	put_total(&q->db, s, "trace_first_ns", t->first_ns);
	put_total(&q->db, s, "trace_span_ns", loaded_trace_span_ns(&q->trace));
	put_total(&q->db, s, "trace_root_ns", t->root_ns + t->probe_ns);
	put_total(&q->db, s, "trace_probe_ns", t->probe_ns);
	sqlite3_finalize(s);
	s = prepare_insert(&q->db, "examples", 2);
	for (int i = 0; sqlite_examples[i][0]; i++)
		put_pair(&q->db, s, sqlite_examples[i][0], sqlite_examples[i][1]);
	sqlite3_finalize(s);
}

static int64_t function_id(uint32_t func)
{
	return func == PATH_OTHER ? OTHER_ID : func == PATH_TIMER ? TIMER_ID : (int64_t)func + 1;
}

static void put_functions(struct sqlite *q)
{
	const struct trace_info *info = q->trace.info;
	sqlite3_stmt *s = prepare_insert(&q->db, "functions", 4 + n_stat_columns(false));

	for (size_t i = 0; i < q->trace.n_funcs; i++) {
		db_bind(&q->db, s, 1, i + 1);
		db_bind_text(&q->db, s, 2, info->funcs[i].name);
		db_bind_text(&q->db, s, 3, info->funcs[i].file);
		db_bind_if(&q->db, s, 4, info->funcs[i].line, info->funcs[i].line);
		bind_stats(&q->db, s, 5, &q->trace.funcs[i], false);
		db_insert(&q->db, s);
	}
	sqlite3_finalize(s);
	/* What paths may have in place of a function. */
	db_run(&q->db,
	       "INSERT INTO functions(id, name) VALUES(-1, '[other]'), (-2, 'runtime timer')");
}

static void put_paths(struct sqlite *q)
{
	sqlite3_stmt *s = prepare_insert(&q->db, "paths", 6 + n_stat_columns(true));
	char at[4096];

	for (size_t i = 1; i < q->tree.n; i++) {
		const struct call_node *n = &q->tree.nodes[i];

		db_bind(&q->db, s, 1, i);
		db_bind_if(&q->db, s, 2, n->parent, n->parent);
		if (!q->db.err)
			sqlite3_bind_int64(s, 3, function_id(n->func));
		db_bind(&q->db, s, 4, n->level);
		db_bind(&q->db, s, 5, n->go);
		db_bind_text(&q->db, s, 6,
			     trace_name_line(q->trace.info, n->go_pc, false, at, sizeof(at)));
		bind_stats(&q->db, s, 7, &n->stats, true);
		db_insert(&q->db, s);
	}
	sqlite3_finalize(s);
}

static void put_goroutines(struct sqlite *q)
{
	sqlite3_stmt *s = prepare_insert(&q->db, "goroutines", 16);
	struct db *d = &q->db;
	char at[4096];

	for (size_t i = 0; !d->err && i < q->goroutines.n; i++) {
		const struct goroutine_row *r = &q->goroutines.rows[i];

		db_bind(d, s, 1, i + 1);
		db_bind(d, s, 2, r->g.goid);
		db_bind(d, s, 3, r->g.image);
		db_bind_if(d, s, 4, r->g.creator, r->g.creator);
		db_bind_text(d, s, 5, trace_name_start(q->trace.info, &r->g));
		db_bind_text(d, s, 6, trace_name_at(q->trace.info, r->g.create_pc));
		db_bind_text(d, s, 7,
			     trace_name_line(q->trace.info, r->g.create_pc, false, at, sizeof(at)));
		db_bind(d, s, 8, r->g.first_ns - q->trace.totals->first_ns);
		db_bind(d, s, 9, r->life_ns);
		db_bind(d, s, 10, r->g.calls);
		db_bind(d, s, 11, r->g.total_ns);
		db_bind(d, s, 12, r->g.self_ns);
		db_bind(d, s, 13, r->g.morestack_ns);
		db_bind(d, s, 14, r->g.preempt_ns);
		db_bind(d, s, 15, r->g.ended);
		db_bind(d, s, 16, r->g.system);
		db_insert(d, s);
	}
	sqlite3_finalize(s);
}

static void put_call(struct sqlite *q, sqlite3_stmt *s, const struct call *c, uint64_t id,
		     uint64_t caller)
{
	struct db *d = &q->db;

	db_bind(d, s, 1, id);
	db_bind_if(d, s, 2, caller, caller);
	db_bind(d, s, 3, c->goid);
	db_bind(d, s, 4, (uint64_t)c->func + 1);
	db_bind(d, s, 5, q->tree.node_of[c->path]);
	db_bind(d, s, 6, c->level);
	db_bind(d, s, 7, c->start_ns - q->trace.totals->first_ns);
	db_bind(d, s, 8, c->end_ns - c->start_ns);
	db_bind(d, s, 9, c->self_ns);
	if (!d->err)
		sqlite3_bind_text(s, 10, call_end_name(c->end), -1, SQLITE_STATIC);
	db_bind(d, s, 11, c->suspect);
	db_bind(d, s, 12, c->tid);
	db_bind(d, s, 13, c->system);
	db_bind(d, s, 14, c->image);
	db_insert(d, s);
}

static void put_calls(struct sqlite *q)
{
	sqlite3_stmt *s = prepare_insert(&q->db, "calls", 14);
	struct callers callers = { 0 };
	uint64_t id = 0, caller;

	for (size_t i = 0; !q->db.err && i < q->calls.n; i++) {
		const struct call *c;

		q->db.err = call_spool_get(&q->calls, i, &c);
		if (q->db.err || !c)
			continue;
		if (callers_put(&callers, c, ++id, &caller)) {
			log_error("no memory for the open calls of all goroutines");
			q->db.err = -ENOMEM;
		}
		put_call(q, s, c, id, caller);
	}
	callers_free(&callers);
	sqlite3_finalize(s);
}

static void on_call(void *ctx, const struct call *c)
{
	struct sqlite *q = ctx;

	if (!q->watch.err)
		q->watch.err = call_spool_put(&q->calls, c);
}

static void on_goroutine(void *ctx, const struct goroutine_info *g)
{
	struct sqlite *q = ctx;

	if (!q->watch.err)
		q->watch.err = goroutines_add(&q->goroutines, g);
}

static void on_event(void *ctx, const struct event_ext *ev)
{
	struct sqlite *q = ctx;
	uint64_t first_ns = q->trace.totals->first_ns;

	if (ev->h.kind != EV_LOSS)
		return;
	db_bind(&q->db, q->loss, 1, ev->h.ts_ns > first_ns ? ev->h.ts_ns - first_ns : 0);
	db_bind(&q->db, q->loss, 2, ev->arg[0] > first_ns ? ev->arg[0] - first_ns : 0);
	db_bind_if(&q->db, q->loss, 3, !(ev->h.flags & EVF_ALL), ev->h.goid);
	db_bind(&q->db, q->loss, 4, ev->arg[1]);
	db_insert(&q->db, q->loss);
	q->watch.err = q->db.err;
}

static int load(struct sqlite *q, struct trace_reader *r, const struct trace_view *view)
{
	int err = db_open(&q->db);

	if (err)
		return err;
	make_tables(&q->db);
	q->loss = prepare_insert(&q->db, "losses", 4);
	err = q->db.err ? q->db.err : call_spool_open(&q->calls);
	if (!err)
		err = tree_load(&q->trace, &q->tree, r, view, &q->watch, false, false);
	sqlite3_finalize(q->loss);
	return err ? err : goroutines_measure(&q->goroutines, &q->trace);
}

int export_sqlite(struct trace_reader *const *r, size_t n, const struct export_options *opt,
		  FILE *out)
{
	struct sqlite q = {
		.calls.fd = -1,
		.watch = { .on_entry = on_call,
			   .on_call = on_call,
			   .on_goroutine = on_goroutine,
			   .on_event = on_event,
			   .ctx = &q },
	};
	int err = load(&q, r[0], opt->view);

	(void)n;
	(void)opt;
	if (!err) {
		put_info(&q);
		put_functions(&q);
		put_paths(&q);
		put_goroutines(&q);
		put_calls(&q);
		db_run(&q.db, views);
		err = db_finish(&q.db, out);
	}
	if (!err)
		err = outfile_check(out);
	db_close(&q.db);
	call_spool_close(&q.calls);
	call_tree_free(&q.tree);
	goroutines_free(&q.goroutines);
	trace_unload(&q.trace);
	return err;
}
