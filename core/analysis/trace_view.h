/* SPDX-License-Identifier: BSD-2-Clause */
/* The part of a trace that a reader asked for: --focus, --ignore, --goid, --process, --from, --to.
 */
#ifndef GOTRACE_TRACE_VIEW_H
#define GOTRACE_TRACE_VIEW_H

#include <stdbool.h>
#include <stddef.h>

#include "model/model.h"

struct trace_view {
	/* globs of functions, as in a selection */
	const char *const *focus, *const *ignore;
	size_t n_focus, n_ignore;
	const uint64_t *goids; /* 0 of them: all */
	size_t n_goids;
	/* of samples: globs of processes (sample_process_wanted); 0 of them: all */
	const char *const *processes;
	size_t n_processes;
	bool said;               /* the output says what is left out; else it is logged */
	bool leave_out_parked;   /* waits of parked goroutines do not count (parked.h) */
	bool parked;             /* they count in the answer, too (--parked) */
	bool log_doubts;         /* what must be known of the trace (doubts.h) is logged */
	uint64_t from_ns, to_ns; /* since the trace's first event; to 0: its end */
	const char
		*request; /* --request: a glob of whom the answer is about; NULL: it is found out */
	/* --key: FUNCTION(ARGUMENT), calls are told apart by it; no part of the trace is left out
	 */
	const char *const *keys;
	size_t n_keys;
};

static inline bool trace_view_any(const struct trace_view *v)
{
	return v && (v->n_focus || v->n_ignore || v->n_goids || v->n_processes || v->from_ns ||
		     v->to_ns);
}

/* Where --key makes rows while the trace is read, which the globs of a view may name. */
struct trace_view_rows {
	const struct trace_view *view;
	const struct trace_info *info; /* has them, as they are made */
};

/*
 * As the model takes it: to->funcs is to be freed. 0, -ENOMEM, or -ENOENT when a glob matches no
 * function of the trace (logged, with names that are like it). With `rows`, which stays as long as
 * `to` is used, that is known later: trace_view_check.
 */
int trace_view_compile(const struct trace_view *v, const struct trace_info *info,
		       struct trace_view_rows *rows, struct model_view *to);
/* Once all rows are there: does each glob match a function or a row? 0, -ENOMEM or -ENOENT. */
int trace_view_check(const struct trace_view *v, const struct trace_info *info);

/* Logs that --from is behind the end of a trace of so many ns, which begins with its first "event"
 * or "sample". -ENOENT. */
int trace_view_too_late(const struct trace_view *v, uint64_t span_ns, const char *first);

/* Sets a bit in funcs[] of the functions that any of the globs, of an option, matches; errors as
 * above. */
int trace_view_mark(const char *option, const char *const *globs, size_t n, uint8_t bit,
		    const struct trace_info *info, uint8_t *funcs);

/* "--focus main.f, --from 0.5s" in buf, cut when it is longer. */
#define TRACE_VIEW_BYTES 256
const char *trace_view_say(const struct trace_view *v, char buf[TRACE_VIEW_BYTES]);

#endif
