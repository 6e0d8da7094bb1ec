/* SPDX-License-Identifier: BSD-2-Clause */
/* When goroutines did not run, and why: columns and tables of the database. */
#ifndef GOTRACE_SQLITE_STATES_H
#define GOTRACE_SQLITE_STATES_H

#include "analysis/calls/call_tree.h"
#include "export/sqlite/sqlite_db.h"

/* Parts of a call's duration, from `column` on; has: there are states. */
void sqlite_call_states(struct db *d, sqlite3_stmt *s, int column, bool has, const struct call *c,
			const struct call_states *of);
/* Rows of call_waits: why call `id` waited. */
void sqlite_call_waits(struct db *d, sqlite3_stmt *s, const struct trace_info *info,
		       const struct call_states *of, uint64_t id);
/* Rows of waits: by path, tree NULL: by function; the other one is NULL. */
void sqlite_waits(struct db *d, const struct loaded_trace *t, const struct call_tree *tree);
/* Rows of wakes: who ended them. */
void sqlite_wakes(struct db *d, const struct loaded_trace *t);

#endif
