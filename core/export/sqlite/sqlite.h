/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GOTRACE_SQLITE_H
#define GOTRACE_SQLITE_H

/* Questions and their queries, as stored in the database. The list ends with NULLs. */
extern const char *const sqlite_examples[][2];
/* Questions and queries for a trace of samples. */
extern const char *const sqlite_sample_examples[][2];
/* Indexes and views, to be made when the tables are complete. */
extern const char *const sqlite_views;

struct db;
void sqlite_make_tables(struct db *d);

/* Writes rows of `samples` and `labels` (sqlite_samples.c). tree: that of the model's paths. */
struct loaded_trace;
struct call_tree;
void sqlite_put_samples(struct db *d, const struct loaded_trace *t, const struct call_tree *tree);

#endif
