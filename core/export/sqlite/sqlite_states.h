/* SPDX-License-Identifier: BSD-2-Clause */
/* Columns and tables of the database with the times and reasons why goroutines did not run. */
#ifndef GOTRACE_SQLITE_STATES_H
#define GOTRACE_SQLITE_STATES_H

#include "analysis/calls/call_tree.h"
#include "export/sqlite/sqlite_db.h"

/* Binds the parts of a call's duration from `column` on. has: the trace has states. */
void sqlite_call_states(struct db *d, sqlite3_stmt *s, int column, bool has, const struct call *c,
			const struct call_states *of);
/* Writes rows of call_waits, with the reasons why call `id` waited. */
void sqlite_call_waits(struct db *d, sqlite3_stmt *s, const struct trace_info *info,
		       const struct call_states *of, uint64_t id);
/* Writes rows of waits by path of the tree, or by function where tree is NULL. The other column is
 * NULL. */
void sqlite_waits(struct db *d, const struct loaded_trace *t, const struct call_tree *tree);
/* Writes rows of wakes, with the functions that ended waits. */
void sqlite_wakes(struct db *d, const struct loaded_trace *t);

#endif
