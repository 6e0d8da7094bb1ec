/* SPDX-License-Identifier: BSD-2-Clause */
/* The part of a trace that the user chose with --focus, --ignore, --goid, --process, --from,
 * --to. */
#ifndef GOTRACE_TRACE_VIEW_H
#define GOTRACE_TRACE_VIEW_H

#include <stdbool.h>
#include <stddef.h>

#include "model/model.h"

struct trace_view {
	/* globs of functions, like those of a selection */
	const char *const *focus, *const *ignore;
	size_t n_focus, n_ignore;
	const uint64_t *goids; /* none: all goroutines */
	size_t n_goids;
	/* for samples, globs of processes (sample_process_wanted); none: all processes */
	const char *const *processes;
	size_t n_processes;
	bool said;               /* the output reports what is left out; otherwise it is logged */
	bool leave_out_parked;   /* waits of parked goroutines do not count (parked.h) */
	bool parked;             /* these waits also count in the answer (--parked) */
	bool log_warnings;       /* logs the warnings of warnings.h */
	uint64_t from_ns, to_ns; /* since the trace's first event; to_ns 0 is its end */
	/* --request, a glob for the function that the answer is about; NULL: gotrace finds it */
	const char *request;
	/* --key: FUNCTION(ARGUMENT). Each value of the argument makes a row of its own. No part of
	 * the trace is left out. */
	const char *const *keys;
	size_t n_keys;
};

static inline bool trace_view_any(const struct trace_view *v)
{
	return v && (v->n_focus || v->n_ignore || v->n_goids || v->n_processes || v->from_ns ||
		     v->to_ns);
}

/* The rows that --key makes while the trace is read. The globs of a view may name them. */
struct trace_view_rows {
	const struct trace_view *view;
	const struct trace_info *info; /* has the rows so far */
};

/*
 * Sets *to for the model. The caller frees to->funcs. 0, -ENOMEM, or -ENOENT when a glob matches no
 * function of the trace (logged, with similar names). With `rows`, which must live as long as `to`,
 * trace_view_check checks the globs later.
 */
int trace_view_compile(const struct trace_view *v, const struct trace_info *info,
		       struct trace_view_rows *rows, struct model_view *to);
/* Checks, when there are all rows, that each glob matches a function or a row. 0, -ENOMEM or
 * -ENOENT. */
int trace_view_check(const struct trace_view *v, const struct trace_info *info);

/* Logs that --from is behind the end of a trace of so many ns, which begins with its first "event"
 * or "sample". -ENOENT. */
int trace_view_too_late(const struct trace_view *v, uint64_t span_ns, const char *first);

/* Sets a bit in funcs[] for each function that a glob of an option matches. Errors as above. */
int trace_view_mark(const char *option, const char *const *globs, size_t n, uint8_t bit,
		    const struct trace_info *info, uint8_t *funcs);

/* Writes "--focus main.f, --from 0.5s" to buf, cut when it is longer. */
#define TRACE_VIEW_BYTES 256
const char *trace_view_say(const struct trace_view *v, char buf[TRACE_VIEW_BYTES]);

#endif
