/* SPDX-License-Identifier: BSD-2-Clause */
/* The answer that stands before the numbers: which calls take long, why, and who makes them wait.
 */
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

/* Why the calls of a function took their time, with all that they called on their goroutines. */
struct explained {
	uint32_t func; /* as all functions here: what it stands for (wrappers.h) */
	uint64_t calls, total_ns;
	uint64_t but_ns;                   /* waits that were left out, in none of the rest */
	struct answer_part parts[CLASSES]; /* the largest first */
	/* Of the first part: its longest reason, of waits; the function that has most of it with
	 * its callees, the innermost; SUBJECT_NONE: none has most; the one that has most of its own
	 */
	uint32_t reason, in, most;
	uint64_t reason_ns, in_ns, most_ns;
	bool doubtful; /* `most` ran, and probes may have taken more than is left of its time */
	/* A function that each call calls five times and more, and that has most of the time;
	 * SUBJECT_NONE: none */
	uint32_t many;
	uint64_t many_calls;
	/* Who ended waits for that reason: functions or WAKE_*, the longest first */
	struct answer_waker {
		uint32_t by;
		uint64_t ns;
	} wakers[ANSWER_WAKERS];
	size_t n_wakers;
	uint64_t wakers_ns; /* of all these waits, also of those of which it is not known */
	/* What they had waited for meanwhile, for half of the time and more; else CLASS_OTHER */
	enum wait_class via;
	/* Of waits for locks: the calls that held them for longest; n 0: not known */
	struct hold held;
	uint64_t held_ns; /* of all that held them */
};

struct answer {
	struct explained why;
	/* What keeps those who end the waits: of the first waker, of held.did (but for its waits
	 * for locks, where it is held.by; but for those for work, unless it waited for others while
	 * these calls did), or of goroutines that these calls started. calls 0:
	 * nothing is known of it. */
	struct explained next;
	bool holds_itself, started, awaits_work;
	/* Goroutines that ran, were in system calls, waited for Go's scheduler, and had a thread
	 * without a processor, on an average; thousandths. The function that ran most. */
	uint64_t ran, in_calls, ready, off_cpu;
	uint32_t ran_most;
	/* Processors that Go's scheduler has (GOMAXPROCS), where it has fewer than the machine;
	 * 0: it has as many, or that is not known. */
	uint64_t go_processors;
	/* For how long was recorded, all goroutines ran, and those of the garbage collector did,
	 * as far as they are known. */
	uint64_t span_ns, run_ns, collector_ns;
	bool collector_known;
};

/*
 * Of a trace with states that was read with trace_watch.wakes and holds, corrected or not. A
 * summary has no holds. why.calls 0: there is nothing to tell. 0, -ENOMEM, or of --request -ENOENT,
 * -ENOTSUP (logged).
 */
int answer_find(struct answer *a, const struct loaded_trace *t);

/* Where the first part is; func SUBJECT_NONE: no function has most of it. */
struct answer_place {
	uint32_t func;
	uint64_t ns;
	bool callees; /* with its callees */
};
struct answer_place answer_where(const struct explained *e);
/* Who held the lock; NULL: not known, or the first part is none of waiting for one. */
const struct hold *answer_held(const struct explained *e);

/* The lines, each with a newline; the first is a sentence. Empty where there is nothing to tell. To
 * be freed; NULL: no memory. */
char *answer_say(const struct answer *a, const struct trace_info *info);
/* Prints these lines for a terminal of so many columns, 0: any number, the sentence bold where
 * `colour` is. Returns how many lines these are there, 0 also where there is no memory. */
size_t answer_print(const char *said, unsigned width, bool colour, FILE *out);

#endif
