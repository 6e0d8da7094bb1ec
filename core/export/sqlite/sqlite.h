/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GOTRACE_SQLITE_H
#define GOTRACE_SQLITE_H

/* Questions and the queries that answer them, as stored in the database; ended by NULLs. */
extern const char *const sqlite_examples[][2];
/* Of a trace of samples. */
extern const char *const sqlite_sample_examples[][2];
/* Indexes and views, made once all is in the tables. */
extern const char *const sqlite_views;

struct db;
void sqlite_make_tables(struct db *d);

/* Rows of `samples` and `labels` (sqlite_samples.c). tree: of the model's paths. */
struct loaded_trace;
struct call_tree;
void sqlite_put_samples(struct db *d, const struct loaded_trace *t, const struct call_tree *tree);

#endif
