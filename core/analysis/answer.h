/* SPDX-License-Identifier: BSD-2-Clause */
/* The answer above the numbers: the calls that take long, the reason, and the functions that make
 * them wait. */
#ifndef GOTRACE_ANSWER_H
#define GOTRACE_ANSWER_H

#include <stdio.h>

#include "analysis/subject.h"
#include "analysis/calls/wait_class.h"

#define ANSWER_WAKERS 2

struct answer_part {
	enum wait_class is;
	uint64_t ns;
};

/* The reasons why the calls of a function took their time, with all calls below them on their
 * goroutines. */
struct explained {
	uint32_t func; /* a wrapper's own function (wrappers.h), like all functions here */
	uint64_t calls, total_ns;
	uint64_t but_ns;                   /* waits that were left out, not part of other fields */
	struct answer_part parts[CLASSES]; /* the largest first */
	/* The longest reason of the first part, if it is a wait. in: the innermost function that
	 * has most of the part with its callees. most: the function that itself has most.
	 * SUBJECT_NONE: no function has most. */
	uint32_t reason, in, most;
	uint64_t reason_ns, in_ns, most_ns;
	bool doubtful; /* `most` ran, and probes may have taken more than its remaining time */
	/* A function that has most of the time and that each call calls at least five times;
	 * SUBJECT_NONE where there is none. */
	uint32_t many;
	uint64_t many_calls;
	/* The functions or WAKE_* that ended waits for that reason, the longest first. */
	struct answer_waker {
		uint32_t by;
		uint64_t ns;
	} wakers[ANSWER_WAKERS];
	size_t n_wakers;
	uint64_t wakers_ns; /* all these waits, also those whose waker is not known */
	/* The class for which the wakers had waited meanwhile at least half of the time, or
	 * CLASS_OTHER. */
	enum wait_class via;
	/* With waits for locks, the calls that held them for longest; n is 0 when they are not
	 * known. */
	struct hold held;
	uint64_t held_ns; /* time of all calls that held them */
};

struct answer {
	struct explained why;
	/* Explains the function that ends the waits; calls is 0 when it is not known. With waits
	 * for locks the function is held.did. Its own waits for locks are left out where it holds
	 * the lock itself (holds_itself). With other waits it is the first waker, or a function of
	 * goroutines that these calls started (started). The waker's waits for work are left out
	 * unless it waited for others while these calls did (awaits_work). */
	struct explained next;
	bool holds_itself, started, awaits_work;
	/* Average numbers, in thousandths, of goroutines that ran, were in system calls, waited for
	 * Go's scheduler, or had a thread without a processor. Then the function that ran most. */
	uint64_t ran, in_calls, ready, off_cpu;
	uint32_t ran_most;
	/* The number of processors of Go's scheduler (GOMAXPROCS), where it is smaller than the
	 * machine's. 0: it is not smaller, or not known. */
	uint64_t go_processors;
	/* The length of the recording, and the running time of all goroutines. collector_ns is the
	 * running time of the garbage collector's goroutines, where known. */
	uint64_t span_ns, run_ns, collector_ns;
	bool collector_known;
};

/*
 * Finds the answer of a trace with states that was read with trace_watch.wakes and holds, corrected
 * or not. A summary has no holds. why.calls is 0 when there is no answer. 0, -ENOMEM, or for
 * --request -ENOENT, -ENOTSUP (logged).
 */
int answer_find(struct answer *a, const struct loaded_trace *t);

/* The function that has most of the first part; func is SUBJECT_NONE when no function has. */
struct answer_place {
	uint32_t func;
	uint64_t ns;
	bool callees; /* with its callees */
};
struct answer_place answer_where(const struct explained *e);
/* Returns the calls that held the lock; NULL when they are not known, or the first part is no wait
 * for a lock. */
const struct hold *answer_held(const struct explained *e);

/* Returns the lines, each with a newline; the first is a sentence. Returns "" where there is no
 * answer, NULL without memory. The caller frees it. */
char *answer_say(const struct answer *a, const struct trace_info *info);
/* Prints these lines for a terminal with `width` columns (0: any number), the sentence in bold
 * where `colour` is set. Returns the number of terminal lines, 0 also without memory. */
size_t answer_print(const char *said, unsigned width, bool colour, FILE *out);

#endif
