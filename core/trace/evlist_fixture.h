/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading of text event lists (trace/evlist.h), for tests. */
#ifndef GOTRACE_EVLIST_FIXTURE_H
#define GOTRACE_EVLIST_FIXTURE_H

#include <stddef.h>
#include <stdio.h>

#include "trace/evlist.h"

/* A whole list in memory, in line order; free with evlist_free. */
struct evlist {
	struct trace_info info;
	struct event_ext *events;
	size_t n, cap;
};

/*
 * Fills *l (whatever it held before is overwritten, not freed). `name` stands
 * for the input in messages. 0, -EBADMSG (logged with the line number), -EIO
 * or -ENOMEM; *l is empty then.
 */
int evlist_parse(struct evlist *l, const char *text, const char *name);
int evlist_read(struct evlist *l, FILE *in, const char *name);
int evlist_load(struct evlist *l, const char *path); /* also -ENOENT and the like, logged */
void evlist_free(struct evlist *l);

#endif
