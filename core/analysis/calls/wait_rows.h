/* SPDX-License-Identifier: BSD-2-Clause */
/* Why goroutines waited: by function, or by node of a tree, and Go's reason. */
#ifndef GOTRACE_WAIT_ROWS_H
#define GOTRACE_WAIT_ROWS_H

#include "analysis/calls/call_tree.h"

struct wait_row {
	uint32_t row;                  /* function or node */
	uint32_t reason;               /* of struct path_waits */
	uint64_t self_ns, total_ns, n; /* total_ns: in the calls below, too; n: of self */
};

/* Those of a row stand together, the longest total first; rows by number. */
struct wait_rows {
	struct wait_row *all;
	size_t n, cap;
};

/* tree NULL: by function. 0 or -ENOMEM (logged); wait_rows_free in either case. */
int wait_rows_load(struct wait_rows *w, const struct loaded_trace *t, const struct call_tree *tree);
/* Those of a row: *n from the first on. */
const struct wait_row *wait_rows_of(const struct wait_rows *w, uint32_t row, size_t *n);
void wait_rows_free(struct wait_rows *w);

/* "chan receive", "reason 7" where the trace does not say; buf is for that. */
#define WAIT_REASON_BYTES 24
const char *wait_reason(const struct trace_info *info, uint32_t reason,
			char buf[WAIT_REASON_BYTES]);
/* "sleep=300;select=2": the totals of a call's waits by reason, a field. 0 or -ENOMEM (logged) */
int call_waits_csv(FILE *out, const struct trace_info *info, const struct call_states *s);
/* "waiting", "off CPU", ...: of a span; static. */
const char *state_word(unsigned state);
/* Why it waits, or has no processor; NULL: of other states. */
const char *state_reason(const struct trace_info *info, unsigned state, uint32_t reason,
			 char buf[WAIT_REASON_BYTES]);
/* "waiting: sleep", "running", ...: the state of a span. */
#define STATE_NAME_BYTES 128
const char *state_name(const struct trace_info *info, unsigned state, uint32_t reason,
		       char buf[STATE_NAME_BYTES]);

#endif
