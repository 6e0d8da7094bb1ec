// SPDX-License-Identifier: BSD-2-Clause
#include "export/sqlite/sqlite_states.h"

#include "analysis/calls/wait_rows.h"
#include "analysis/calls/wakers.h"

void sqlite_call_states(struct db *d, sqlite3_stmt *s, int column, bool has, const struct call *c,
			const struct call_states *of)
{
	db_bind_if(d, s, column, has, c->end_ns - c->start_ns - off_times_sum(&of->total));
	db_bind_if(d, s, column + 1, has, of->total.runnable_ns);
	db_bind_if(d, s, column + 2, has, of->total.wait_ns);
	db_bind_if(d, s, column + 3, has, of->total.syscall_ns);
	db_bind_if(d, s, column + 4, has, of->total.unknown_ns);
	db_bind_if(d, s, column + 5, has, of->total.off_cpu_ns);
}

void sqlite_call_waits(struct db *d, sqlite3_stmt *s, const struct trace_info *info,
		       const struct call_states *of, uint64_t id)
{
	char number[WAIT_REASON_BYTES];

	for (size_t i = 0; i < of->n_waits; i++) {
		if (!of->waits[i].total_ns)
			continue;
		db_bind(d, s, 1, id);
		db_bind_text(d, s, 2, wait_reason(info, of->waits[i].reason, number));
		db_bind(d, s, 3, of->waits[i].self_ns);
		db_bind(d, s, 4, of->waits[i].total_ns);
		db_insert(d, s);
	}
}

void sqlite_waits(struct db *d, const struct loaded_trace *t, const struct call_tree *tree)
{
	struct wait_rows w = { 0 };
	char number[WAIT_REASON_BYTES];
	sqlite3_stmt *s = db_prepare_insert(d, "waits", 6);
	int err = d->err ? 0 : wait_rows_load(&w, t, tree);

	d->err = err ? err : d->err;
	for (size_t i = 0; !d->err && i < w.n; i++) {
		const struct wait_row *x = &w.all[i];

		db_bind_if(d, s, 1, !tree, (uint64_t)x->row + 1);
		db_bind_if(d, s, 2, tree, x->row);
		db_bind_text(d, s, 3, wait_reason(t->info, x->reason, number));
		db_bind(d, s, 4, x->n);
		db_bind(d, s, 5, x->self_ns);
		db_bind(d, s, 6, x->total_ns);
		db_insert(d, s);
	}
	sqlite3_finalize(s);
	wait_rows_free(&w);
}

void sqlite_wakes(struct db *d, const struct loaded_trace *t)
{
	struct wake_rows w = { 0 };
	char number[WAIT_REASON_BYTES];
	sqlite3_stmt *s = db_prepare_insert(d, "wakes", 5);
	int err = d->err ? 0 : wake_rows_load(&w, t);

	d->err = err ? err : d->err;
	for (size_t i = 0; !d->err && i < w.n; i++) {
		const struct func_wakes *x = &w.all[i];

		db_bind(d, s, 1, (uint64_t)x->func + 1);
		db_bind_text(d, s, 2, wait_reason(t->info, x->reason, number));
		db_bind_text(d, s, 3, wake_name(t->info, x->by));
		db_bind(d, s, 4, x->n);
		db_bind(d, s, 5, x->ns);
		db_insert(d, s);
	}
	sqlite3_finalize(s);
	wake_rows_free(&w);
}
