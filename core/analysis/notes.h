/* SPDX-License-Identifier: BSD-2-Clause */
/* Sentences about a trace, or about two. They may have names from the trace, so a terminal needs
 * text_safe. */
#ifndef GOTRACE_NOTES_H
#define GOTRACE_NOTES_H

#include <stddef.h>

struct notes {
	char **lines; /* without newlines */
	size_t n, cap;
	int err; /* -ENOMEM after memory ran out; later lines are dropped */
};

/* Adds a line. A zeroed struct has none. */
void notes_add(struct notes *l, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void notes_free(struct notes *l);

#endif
