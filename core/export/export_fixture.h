/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by tests of exports: exports as bytes, binary ones as text. */
#ifndef GOTRACE_EXPORT_FIXTURE_H
#define GOTRACE_EXPORT_FIXTURE_H

#include "analysis/trace_fixture.h"
#include "export/export.h"

const struct export_format *fixture_format(const char *name);
/* Returns the export of the trace at path, n bytes and a NUL; to be freed. */
char *fixture_export(const char *path, const char *format, const struct export_options *opt,
		     size_t *n);
/* Unpacks a gzip stream into *n bytes and a NUL; to be freed. */
char *fixture_gunzip(const char *data, size_t size, size_t *n);
/* Returns the data of a page; to be freed. */
char *fixture_page_data(const char *page);
/* Prints the profile that pprof wrote. */
void fixture_print_pprof(const char *data, size_t n, FILE *out);
/* Prints the profiles that otlp wrote, of which it checks the rules (otlp_fixture.h). */
void fixture_print_otlp(const char *data, size_t n, FILE *out);
/* Prints the rows of all tables but `info` and `examples`. */
void fixture_print_sqlite(const char *data, size_t n, FILE *out);
/* Prints what a Perfetto trace shows, clocks and names resolved; fails where slices do not nest.
 * Returns the self time of all slices, as their nesting and what their annotations say make it. */
uint64_t fixture_read_perfetto(const char *data, size_t n, FILE *out);
void fixture_print_perfetto(const char *data, size_t n, FILE *out);
/* Opens the database; to be closed. */
struct sqlite3 *fixture_open_sqlite(const char *data, size_t n);
/* Prints the rows of a query, columns separated by '|'. Returns the number of rows. */
size_t fixture_query(struct sqlite3 *db, const char *sql, FILE *out);

/* Exports a trace for speedscope, times as measured. Returns the sum of self times of all paths.
 * Sets *calls to the number of calls that begin and end. Calls must be balanced in each goroutine,
 * and times must not go back. */
uint64_t fixture_read_speedscope(const char *path, uint64_t *calls);

#endif
