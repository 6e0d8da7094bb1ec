/* SPDX-License-Identifier: BSD-2-Clause */
/* The events that a sink passes on, for tests. */
#ifndef GOTRACE_EVENT_LIST_FIXTURE_H
#define GOTRACE_EVENT_LIST_FIXTURE_H

#include "trace/trace.h"

/* Zero is empty. The caller frees ev. */
struct event_list {
	struct event_ext *ev;
	size_t n, cap;
};

/* The `event` and `many` of a struct trace_sink whose ctx is a struct event_list. */
int event_list_take(void *ctx, const struct event_ext *ev);
int event_list_take_many(void *ctx, const struct event *ev, size_t n);

#endif
