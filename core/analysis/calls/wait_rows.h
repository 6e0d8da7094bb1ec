/* SPDX-License-Identifier: BSD-2-Clause */
/* The reasons why goroutines waited, by function or node of a tree, and Go's reason. */
#ifndef GOTRACE_WAIT_ROWS_H
#define GOTRACE_WAIT_ROWS_H

#include "analysis/calls/call_tree.h"

struct wait_row {
	uint32_t row;    /* function or node */
	uint32_t reason; /* that of struct path_waits */
	/* total_ns includes the calls below; n is the number of waits of self_ns */
	uint64_t self_ns, total_ns, n;
};

/* The waits of a row stand together, the longest total first. Rows are sorted by number. */
struct wait_rows {
	struct wait_row *all;
	size_t n, cap;
};

/* Makes rows by node of the tree, or by function when tree is NULL. 0 or -ENOMEM (logged);
 * wait_rows_free in either case. */
int wait_rows_load(struct wait_rows *w, const struct loaded_trace *t, const struct call_tree *tree);
/* Returns the *n waits of a row. */
const struct wait_row *wait_rows_of(const struct wait_rows *w, uint32_t row, size_t *n);
void wait_rows_free(struct wait_rows *w);

/* Returns the text of a reason, such as "chan receive", or "reason 7", written to buf, where the
 * trace does not have it. */
#define WAIT_REASON_BYTES 24
const char *wait_reason(const struct trace_info *info, uint32_t reason,
			char buf[WAIT_REASON_BYTES]);
/* Writes a field with the totals of a call's waits by reason, such as "sleep=300;select=2". 0 or
 * -ENOMEM (logged) */
int call_waits_csv(FILE *out, const struct trace_info *info, const struct call_states *s);
/* Returns the static word for a span's state, such as "waiting" or "off CPU". */
const char *state_word(unsigned state);
/* Returns the reason why it waits or has no processor; NULL in other states. */
const char *state_reason(const struct trace_info *info, unsigned state, uint32_t reason,
			 char buf[WAIT_REASON_BYTES]);
/* Returns the state of a span with its reason, such as "waiting: sleep" or "running". */
#define STATE_NAME_BYTES 128
const char *state_name(const struct trace_info *info, unsigned state, uint32_t reason,
		       char buf[STATE_NAME_BYTES]);

#endif
