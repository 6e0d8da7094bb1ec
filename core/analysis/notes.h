/* SPDX-License-Identifier: BSD-2-Clause */
/* Sentences about a trace, or about two. They may hold names from the trace: on a terminal,
 * text_safe. */
#ifndef GOTRACE_NOTES_H
#define GOTRACE_NOTES_H

#include <stddef.h>

struct notes {
	char **lines; /* without a line's end */
	size_t n, cap;
	int err; /* -ENOMEM once memory ran out: what follows is dropped */
};

/* Adds one; a zeroed struct has none. */
void notes_add(struct notes *l, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void notes_free(struct notes *l);

#endif
