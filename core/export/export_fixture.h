/* SPDX-License-Identifier: BSD-2-Clause */
/* What tests of exports share: exports taken as bytes, binary ones made text. */
#ifndef GOTRACE_EXPORT_FIXTURE_H
#define GOTRACE_EXPORT_FIXTURE_H

#include "analysis/trace_fixture.h"
#include "export/export.h"

const struct export_format *fixture_format(const char *name);
/* What a format makes of the trace at path, n bytes and a NUL; to be freed. */
char *fixture_export(const char *path, const char *format, const struct export_options *opt,
		     size_t *n);
/* The gzip stream unpacked, *n bytes and a NUL; to be freed. */
char *fixture_gunzip(const char *data, size_t size, size_t *n);
/* The data of a page; to be freed. */
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
/* The database opened; to be closed. */
struct sqlite3 *fixture_open_sqlite(const char *data, size_t n);
/* Prints the rows of a query, columns separated by '|'; their number. */
size_t fixture_query(struct sqlite3 *db, const char *sql, FILE *out);

/* Exports a trace for speedscope, times as measured: the sum of self times of all paths; *calls:
 * how many begin and end, balanced in each goroutine and never back in time. */
uint64_t fixture_read_speedscope(const char *path, uint64_t *calls);

#endif
