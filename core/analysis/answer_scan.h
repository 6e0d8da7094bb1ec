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
	uint8_t *in;       /* by node: 1 below the subject's, 2 it is one */
	uint64_t *sum_ns;  /* by node: of the class, with those below */
	uint64_t *folded;  /* by node: calls that are made below another one of it */
	uint64_t *by_func; /* for whoever needs one */
	struct scan_func {
		uint64_t class_ns, total_ns, self_ns, calls;
		uint32_t open, depth;
	} * funcs; /* of the class, by function */
	struct wait_classes classes;
	enum wait_class is; /* the class that was chosen */
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
/* After that: of goroutines that those who wait have started, themselves or by a call, the first
 * function of those with the most time; SUBJECT_NONE: none is. */
uint32_t scan_started(const struct scan *s);
/* Likewise: the longest reason of the class. */
uint32_t scan_reason(const struct scan *s);
/* Likewise: in, most and many. */
void scan_place(const struct scan *s, struct explained *e);
/* Has the function waits of the class, for that reason, there? */
bool scan_waits_in(const struct scan *s, uint32_t func, uint32_t reason);
uint32_t scan_acts_for(const struct scan *s, uint32_t func);

#endif
