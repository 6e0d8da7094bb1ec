/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints the released functions on stderr, at most one line a second. */
#ifndef GOTRACE_RELEASE_NEWS_H
#define GOTRACE_RELEASE_NEWS_H

#include <stdint.h>

#include "attach/collect/release_events.h"

#define RELEASE_NEWS_NAMES 3

struct release_news {
	/* Since the last line: the number of functions, the most expensive of them, the time of
	 * their probes, and the processor time of which it was a part. */
	size_t n;
	uint32_t costliest[RELEASE_NEWS_NAMES];
	uint64_t costliest_ns[RELEASE_NEWS_NAMES];
	uint64_t probe_ns, cpu_ns;
	uint64_t said_ns; /* time of the last line; 0: none */
};

/* Adds functions that are released together, by one span of processor time. */
void release_news_add(struct release_news *news, const struct release *list, size_t n);

#define RELEASE_NEWS_BYTES 1024
/* Returns the line if there is news and the last line is a second old, or `last`. NULL: there is no
 * line now. max_share: the value of --max-cost, or 0 if only traps were judged. */
const char *release_news_text(struct release_news *news, const struct plan *plan, double max_share,
			      uint64_t now_ns, bool last, char text[RELEASE_NEWS_BYTES]);

#endif
