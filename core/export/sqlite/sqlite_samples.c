// SPDX-License-Identifier: BSD-2-Clause
/* What is known of samples beyond their stacks: process, goroutine, thread, labels, state. */
#include "analysis/calls/call_tree.h"
#include "analysis/samples/sample_load.h"
#include "analysis/samples/sample_processes.h"
#include "analysis/calls/wait_rows.h"
#include "export/sqlite/sqlite.h"
#include "export/sqlite/sqlite_db.h"

static const char *state_of(const struct sample_group *g)
{
	return !g->state                          ? "running"
	       : g->state == SAMPLE_STATE_UNKNOWN ? "unknown"
						  : state_word(g->state);
}

static void put_group(struct db *d, sqlite3_stmt *s, const struct loaded_trace *t,
		      const struct call_tree *tree, const struct sample_group *g)
{
	char number[WAIT_REASON_BYTES];

	db_bind(d, s, 1, tree->node_of[g->path]);
	db_bind(d, s, 2, t->samples->tables->processes[g->process].pid);
	db_bind_if(d, s, 3, g->goid, g->goid);
	db_bind_if(d, s, 4, g->tid, g->tid);
	db_bind_if(d, s, 5, g->labels, g->labels);
	db_bind_text(d, s, 6, state_of(g));
	db_bind_text(d, s, 7, g->reason ? wait_reason(t->info, g->reason, number) : NULL);
	db_bind(d, s, 8, g->samples);
	db_bind(d, s, 9, g->weight_ns);
	db_bind(d, s, 10, g->first_ns - t->totals->first_ns);
	db_bind(d, s, 11, g->last_ns - t->totals->first_ns);
	db_bind(d, s, 12, g->process);
	db_insert(d, s);
}

static void put_processes(struct db *d, const struct loaded_trace *t)
{
	const struct sample_tables *x = t->samples->tables;
	sqlite3_stmt *s = db_prepare_insert(d, "processes", 6);
	char name[PROGRAM_BYTES];

	for (size_t i = 0; !d->err && x && i < x->n_processes; i++) {
		const struct sample_process *p = &x->processes[i];

		db_bind(d, s, 1, i);
		db_bind(d, s, 2, p->pid);
		db_bind_text(d, s, 3,
			     sample_program_of(t->samples, (uint32_t)i) ?: sample_program(p, name));
		db_bind_text(d, s, 4, p->exe);
		db_bind_text(d, s, 5, p->comm);
		if (!d->err) /* may be before the first sample */
			sqlite3_bind_int64(s, 6, (int64_t)(p->start_ns - t->totals->first_ns));
		db_insert(d, s);
	}
	sqlite3_finalize(s);
}

void sqlite_put_samples(struct db *d, const struct loaded_trace *t, const struct call_tree *tree)
{
	const struct loaded_samples *x = t->samples;
	sqlite3_stmt *s = db_prepare(d, "INSERT INTO samples VALUES(?,?,?,?,?,?,?,?,?,?,?,?)");

	put_processes(d, t);
	for (size_t i = 0; !d->err && i < x->n_groups; i++)
		if (!x->groups[i].left_out)
			put_group(d, s, t, tree, &x->groups[i]);
	sqlite3_finalize(s);
	s = db_prepare(d, "INSERT INTO labels VALUES(?,?,?)");
	for (size_t i = 0; !d->err && x->tables && i < x->tables->n_labels; i++)
		for (size_t k = 0; k < x->tables->labels[i].n; k++) {
			db_bind(d, s, 1, i + 1);
			db_bind_text(d, s, 2, x->tables->labels[i].keys[k]);
			db_bind_text(d, s, 3, x->tables->labels[i].values[k]);
			db_insert(d, s);
		}
	sqlite3_finalize(s);
}
