/* SPDX-License-Identifier: BSD-2-Clause */
/* The part of the call tree below a function's calls, for analysis/answer.c. */
#ifndef GOTRACE_ANSWER_SCAN_H
#define GOTRACE_ANSWER_SCAN_H

#include "analysis/answer.h"

/* Sums over the calls of one function and all that they called on their goroutines. */
struct scan {
	const struct loaded_trace *t;
	const struct path_node *nodes;
	size_t n;
	uint32_t subject;
	uint8_t *in;       /* by node: 2 for a node of the subject, 1 below one */
	uint64_t *sum_ns;  /* by node: time of the class, with that of the nodes below */
	uint64_t *folded;  /* by node: calls made below another call of the node */
	uint64_t *by_func; /* a number for each function, free for use */
	struct scan_func {
		uint64_t class_ns, total_ns, self_ns, calls;
		uint32_t open, depth;
	} * funcs; /* times of the class, by function */
	struct wait_classes classes;
	enum wait_class is; /* the chosen class */
	uint64_t calls, total_ns, class_ns[CLASSES];
	uint64_t reason_ns[REASON_PREEMPTED + 1];
};

/* 0 or -ENOMEM; scan_free in either case. */
int scan_new(struct scan *s, const struct loaded_trace *t);
void scan_free(struct scan *s);

/* Sets calls, total_ns, class_ns and reason_ns for the calls of func. 0 or -ENOMEM. */
int scan_begin(struct scan *s, uint32_t func);
/* Sets sum_ns and funcs for a class. */
int scan_class(struct scan *s, enum wait_class is);
/* To be called after scan_class. Looks at goroutines that the waiting functions started, themselves
 * or by a call. Returns the first function of those with the most time, or SUBJECT_NONE. */
uint32_t scan_started(const struct scan *s);
/* Returns the longest reason of the class. To be called after scan_class. */
uint32_t scan_reason(const struct scan *s);
/* Sets in, most and many. To be called after scan_class. */
void scan_place(const struct scan *s, struct explained *e);
/* Returns whether the function has waits of the class for that reason there. */
bool scan_waits_in(const struct scan *s, uint32_t func, uint32_t reason);
uint32_t scan_acts_for(const struct scan *s, uint32_t func);

#endif
