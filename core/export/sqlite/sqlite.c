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

#include "analysis/calls/call_spool.h"
#include "analysis/calls/callers.h"
#include "analysis/warnings.h"
#include "analysis/calls/goroutine_rows.h"
#include "analysis/stat_columns.h"
#include "analysis/trace_names.h"
#include "analysis/calls/value_text.h"
#include "analysis/calls/wait_rows.h"
#include "base/log.h"
#include "base/outfile.h"
#include "export/export_formats.h"
#include "export/sqlite/sqlite.h"
#include "export/sqlite/sqlite_db.h"
#include "export/sqlite/sqlite_states.h"
#include "export/tree_load.h"

#define OTHER_ID (-1)
#define TIMER_ID (-2)

struct sqlite {
	struct db db;
	struct loaded_trace trace;
	struct goroutines goroutines;
	struct call_tree tree;
	struct call_spool calls;
	sqlite3_stmt *loss, *state;
	struct trace_watch watch;
};

static int n_stat_columns(bool of_paths)
{
	int n = 0;

	for (const struct stat_column *c = stat_columns; c->name; c++)
		n += !of_paths || !c->of_hist;
	return n;
}

static void bind_stats(struct sqlite *q, sqlite3_stmt *s, int column, const struct call_stats *st,
		       bool of_paths)
{
	for (const struct stat_column *c = stat_columns; c->name; c++)
		if (!of_paths || !c->of_hist) {
			bool has = stat_has(c, st) && (!c->of_states || q->trace.totals->states);

			db_bind_if(&q->db, s, column++, has, has ? c->get(st) : 0);
		}
}

static void put_total(struct db *d, sqlite3_stmt *s, const char *key, uint64_t v)
{
	db_bind_text(d, s, 1, key);
	db_bind(d, s, 2, v);
	db_insert(d, s);
}

/* As trace_warning_1 and so on. */
static void put_warnings(struct sqlite *q, sqlite3_stmt *s)
{
	struct notes warnings = { 0 };
	char key[40];

	warnings_all(&q->trace, &warnings);
	for (size_t i = 0; i < warnings.n; i++) {
		snprintf(key, sizeof(key), "trace_warning_%zu", i + 1);
		db_insert_pair(&q->db, s, key, warnings.lines[i]);
	}
	if (warnings.err && !q->db.err)
		q->db.err = warnings.err;
	notes_free(&warnings);
}

static void put_info(struct sqlite *q)
{
	const struct model_totals *t = q->trace.totals;
	const char *const(*examples)[2] = q->trace.samples ? sqlite_sample_examples
							   : sqlite_examples;
	sqlite3_stmt *s = db_prepare_insert(&q->db, "info", 2);

	for (size_t i = 0; i < q->trace.info->n_kvs; i++)
		db_insert_pair(&q->db, s, q->trace.info->kvs[i].key, q->trace.info->kvs[i].value);
	/* FORMAT.md's keys have dots or one word; these have neither. */
	put_total(&q->db, s, "trace_complete", q->trace.complete);
	put_total(&q->db, s, "trace_events", t->events);
	put_total(&q->db, s, "trace_lost_events", t->lost_events);
	put_total(&q->db, s, "trace_orphan_exits", t->orphan_exits);
	put_total(&q->db, s, "trace_first_ns", t->first_ns);
	put_total(&q->db, s, "trace_span_ns", loaded_trace_span_ns(&q->trace));
	put_total(&q->db, s, "trace_root_ns", t->root_ns + t->probe_ns);
	put_total(&q->db, s, "trace_probe_ns", t->probe_ns);
	put_warnings(q, s);
	sqlite3_finalize(s);
	s = db_prepare_insert(&q->db, "examples", 2);
	for (int i = 0; examples[i][0]; i++)
		db_insert_pair(&q->db, s, examples[i][0], examples[i][1]);
	sqlite3_finalize(s);
}

static int64_t function_id(uint32_t func)
{
	return func == PATH_OTHER ? OTHER_ID : func == PATH_TIMER ? TIMER_ID : (int64_t)func + 1;
}

static void put_functions(struct sqlite *q)
{
	const struct trace_info *info = q->trace.info;
	sqlite3_stmt *s = db_prepare_insert(&q->db, "functions", 4 + n_stat_columns(false));

	for (size_t i = 0; i < q->trace.n_funcs; i++) {
		db_bind(&q->db, s, 1, i + 1);
		db_bind_text(&q->db, s, 2, info->funcs[i].name);
		db_bind_text(&q->db, s, 3, info->funcs[i].file);
		db_bind_if(&q->db, s, 4, info->funcs[i].line, info->funcs[i].line);
		bind_stats(q, s, 5, &q->trace.funcs[i], false);
		db_insert(&q->db, s);
	}
	sqlite3_finalize(s);
	/* What paths may have in place of a function. */
	db_run(&q->db,
	       "INSERT INTO functions(id, name) VALUES(-1, '[other]'), (-2, 'runtime timer')");
}

static void put_paths(struct sqlite *q)
{
	sqlite3_stmt *s = db_prepare_insert(&q->db, "paths", 6 + n_stat_columns(true));
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
		bind_stats(q, s, 7, n->stats, true);
		db_insert(&q->db, s);
	}
	sqlite3_finalize(s);
}

static void put_life(struct sqlite *q, sqlite3_stmt *s, int column, const struct goroutine_info *g)
{
	for (const struct goroutine_column *c = goroutine_columns; c->name; c++)
		if (c->of_states)
			db_bind_if(&q->db, s, column++, q->trace.totals->states && !g->system,
				   c->get(g));
}

static void put_goroutines(struct sqlite *q)
{
	sqlite3_stmt *s = db_prepare_insert(&q->db, "goroutines", 22);
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
		put_life(q, s, 17, &r->g);
		db_insert(d, s);
	}
	sqlite3_finalize(s);
}

struct call_inserts {
	sqlite3_stmt *calls, *waits;
};

static void put_call(struct sqlite *q, struct call_inserts *in, const struct call *c, uint64_t id,
		     uint64_t caller)
{
	struct db *d = &q->db;
	struct call_states states = { 0 };
	sqlite3_stmt *s = in->calls;

	db_bind(d, s, 1, id);
	db_bind_if(d, s, 2, caller, caller);
	db_bind(d, s, 3, c->goid);
	db_bind(d, s, 4, (uint64_t)c->func + 1);
	db_bind(d, s, 5, q->tree.node_of[c->path]);
	db_bind(d, s, 6, c->level);
	db_bind(d, s, 7, c->start_ns - q->trace.totals->first_ns);
	db_bind_if(d, s, 8, call_timed(c), c->end_ns - c->start_ns);
	db_bind(d, s, 9, c->self_ns);
	if (!d->err)
		sqlite3_bind_text(s, 10, call_end_name(c->end), -1, SQLITE_STATIC);
	db_bind(d, s, 11, c->suspect);
	db_bind(d, s, 12, c->tid);
	db_bind(d, s, 13, c->system);
	db_bind(d, s, 14, c->image);
	if (q->trace.totals->states && !d->err)
		d->err = kept_states_get(&q->calls.values, c, &states);
	sqlite_call_states(d, s, 15, q->trace.totals->states, c, &states);
	db_insert(d, s);
	sqlite_call_waits(d, in->waits, q->trace.info, &states, id);
}

struct value_rows {
	struct db *d;
	sqlite3_stmt *s;
	uint64_t call;
};

/* Numbers as numbers, what could not be read as NULL, the rest as text. */
static void put_value(void *ctx, const struct trace_value_def *def, const struct trace_value *v)
{
	const struct value_rows *r = ctx;
	char *text = NULL;
	size_t n;

	db_bind(r->d, r->s, 1, r->call);
	db_bind(r->d, r->s, 2, def->result);
	db_bind_text(r->d, r->s, 3, def->name);
	if (r->d->err)
		return;
	if (v->how) {
		sqlite3_bind_null(r->s, 4);
	} else if (v->type == TRACE_VALUE_INT) {
		sqlite3_bind_int64(r->s, 4, v->v.i);
	} else if (v->type == TRACE_VALUE_FLOAT) {
		sqlite3_bind_double(r->s, 4, v->v.f);
	} else if (v->type == TRACE_VALUE_STRING) {
		sqlite3_bind_text(r->s, 4, v->text, (int)v->text_bytes, SQLITE_TRANSIENT);
	} else if (v->type == TRACE_VALUE_TYPE || v->type == TRACE_VALUE_POINTER) {
		FILE *mem = open_memstream(&text, &n);

		if (mem) {
			trace_value_plain(mem, v);
			fclose(mem);
		}
		sqlite3_bind_text(r->s, 4, text ? text : "", -1, SQLITE_TRANSIENT);
		free(text);
	} else {
		db_bind(r->d, r->s, 4, v->v.u);
	}
	db_insert(r->d, r->s);
}

static void put_values(struct sqlite *q, struct value_rows *r, const struct call *c, uint64_t id)
{
	struct call_values v;

	if (!c->kept || q->db.err)
		return;
	q->db.err = kept_values_get(&q->calls.values, c, &v);
	r->call = id;
	if (!q->db.err)
		call_values_each(q->trace.info, &v, put_value, r);
}

static void put_calls(struct sqlite *q)
{
	struct call_inserts in = { db_prepare_insert(&q->db, "calls", 20),
				   db_prepare_insert(&q->db, "call_waits", 4) };
	struct value_rows values = { .d = &q->db,
				     .s = db_prepare_insert(&q->db, "call_values", 4) };
	struct callers callers = { 0 };
	uint64_t id = 0, caller;

	for (size_t i = 0; !q->db.err && i < q->calls.n; i++) {
		const struct call *c;

		q->db.err = call_spool_get(&q->calls, i, &c);
		if (q->db.err || !c)
			continue;
		if (callers_put(&callers, c, ++id, &caller)) {
			log_no_memory("no memory for the open calls of all goroutines");
			q->db.err = -ENOMEM;
		}
		put_call(q, &in, c, id, caller);
		put_values(q, &values, c, id);
	}
	callers_free(&callers);
	sqlite3_finalize(values.s);
	sqlite3_finalize(in.waits);
	sqlite3_finalize(in.calls);
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

	/* Of some calls only they would say too little. */
	if (!q->watch.err && !q->trace.summary)
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

static void on_state(void *ctx, const struct state_span *x)
{
	struct sqlite *q = ctx;
	char number[WAIT_REASON_BYTES];
	uint64_t first_ns = q->trace.totals->first_ns;

	db_bind(&q->db, q->state, 1, x->goid);
	db_bind(&q->db, q->state, 2, x->image);
	db_bind_text(&q->db, q->state, 3, state_word(x->state));
	db_bind_text(&q->db, q->state, 4, state_reason(q->trace.info, x->state, x->reason, number));
	db_bind(&q->db, q->state, 5, x->from_ns > first_ns ? x->from_ns - first_ns : 0);
	db_bind(&q->db, q->state, 6, x->to_ns - x->from_ns);
	db_bind_if(&q->db, q->state, 7, x->by, x->by);
	db_bind_if(&q->db, q->state, 8, x->by_func < q->trace.info->n_funcs,
		   (uint64_t)x->by_func + 1);
	db_insert(&q->db, q->state);
	q->watch.err = q->watch.err ? q->watch.err : q->db.err;
}

static int load(struct sqlite *q, struct trace_reader *r, const struct trace_view *view)
{
	int err = db_open(&q->db);

	if (err)
		return err;
	sqlite_make_tables(&q->db);
	q->loss = db_prepare_insert(&q->db, "losses", 4);
	q->state = db_prepare_insert(&q->db, "states", 8);
	err = q->db.err ? q->db.err : call_spool_open(&q->calls);
	if (!err)
		err = tree_load(&q->trace, &q->tree, r, view, &q->watch, false, false);
	sqlite3_finalize(q->loss);
	sqlite3_finalize(q->state);
	return err ? err : goroutines_measure(&q->goroutines, &q->trace);
}

int export_sqlite(struct trace_reader *const *r, size_t n, const struct export_options *opt,
		  FILE *out)
{
	struct sqlite q = {
		.calls.fd = -1,
		.watch = { .calls = CALLS_WELCOME,
			   .on_entry = on_call,
			   .on_call = on_call,
			   .on_goroutine = on_goroutine,
			   .on_event = on_event,
			   .on_state = on_state,
			   .call_waits = true,
			   .wakes = true,
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
		sqlite_waits(&q.db, &q.trace, NULL);
		sqlite_waits(&q.db, &q.trace, &q.tree);
		sqlite_wakes(&q.db, &q.trace);
		if (q.trace.samples)
			sqlite_put_samples(&q.db, &q.trace, &q.tree);
		db_run(&q.db, sqlite_views);
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
