/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by tests of reports and exports: lists of events as traces, stored outputs. */
#ifndef GOTRACE_TRACE_FIXTURE_H
#define GOTRACE_TRACE_FIXTURE_H

#include <stdbool.h>
#include <stddef.h>

#include "trace/evlist_fixture.h"

#define TRACE_PATH_BYTES 64

/* Writes the list as a trace to a new file, whose path it leaves in path. */
void fixture_write(const struct evlist *l, char path[TRACE_PATH_BYTES]);
/* Does what fixture_write does, for a list as text. `whole` false leaves out the end record. */
void fixture_write_text(const char *events, bool whole, char path[TRACE_PATH_BYTES]);
/* Does what fixture_write does, with a summary in place of the events. The list's keys say so from
 * then on. */
void fixture_write_summary(struct evlist *l, char path[TRACE_PATH_BYTES]);
/* Asserts that `got` is what the file holds; with GOTRACE_UPDATE in the environment, rewrites it.
 */
void fixture_same(const char *file, const char *got);
/* A stored file, of at most 256 KiB; empty when there is none. To be freed. */
char *fixture_text(const char *path);
size_t fixture_lines(const char *s);

#endif
