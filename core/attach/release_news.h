/* SPDX-License-Identifier: BSD-2-Clause */
/* Tells on stderr which functions were released, in one line a second at the most. */
#ifndef GOTRACE_RELEASE_NEWS_H
#define GOTRACE_RELEASE_NEWS_H

#include <stdint.h>

#include "attach/collect/release_events.h"

#define RELEASE_NEWS_NAMES 3

struct release_news {
	/* since the last line: functions, the dearest of them, and what probes took, of how much */
	size_t n;
	uint32_t dearest[RELEASE_NEWS_NAMES];
	uint64_t dearest_ns[RELEASE_NEWS_NAMES];
	uint64_t probe_ns, cpu_ns;
	uint64_t said_ns; /* when the last line was written; 0: none was */
};

/* Functions that are released together, of one span of processor time. */
void release_news_add(struct release_news *news, const struct release *list, size_t n);

#define RELEASE_NEWS_BYTES 1024
/* The line, when there is news and the last line is a second old, or `last`; NULL: nothing is to be
 * told now. max_share: as --max-cost has it; 0: only traps were judged. */
const char *release_news_text(struct release_news *news, const struct plan *plan, double max_share,
			      uint64_t now_ns, bool last, char text[RELEASE_NEWS_BYTES]);

#endif
