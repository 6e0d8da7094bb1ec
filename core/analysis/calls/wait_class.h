/* SPDX-License-Identifier: BSD-2-Clause */
/* Classes of what a goroutine does or waits for, and the rules for holders of locks. */
#ifndef GOTRACE_WAIT_CLASS_H
#define GOTRACE_WAIT_CLASS_H

#include "model/holds.h"

/* CLASS_CPU: runnable, or its thread has no processor. */
enum wait_class {
	CLASS_RUN,
	CLASS_CPU,
	CLASS_SYSCALL,
	CLASS_UNKNOWN,
	CLASS_LOCK,
	CLASS_GROUP,
	CLASS_COND,
	CLASS_CHAN, /* select, too */
	CLASS_SLEEP,
	CLASS_NET,
	CLASS_GC,
	CLASS_OTHER,
	CLASSES
};

/*
 * Classes of waits by reason, from Go's texts (runtime/runtime2.go, waitReasonStrings).
 * "semacquire" is CLASS_LOCK where Go has no reason for sync.Mutex, CLASS_GROUP where it has none
 * for sync.WaitGroup. Otherwise only the runtime waits so, mostly its collector, and it is
 * CLASS_GC.
 */
struct wait_classes {
	enum wait_class of[REASON_PREEMPTED + 1];
};
void wait_classes_fill(struct wait_classes *c, const struct trace_info *info);

/* Words of a class. "main.f waits 73% of its time for a lock": a verb, and an object behind the
 * share. Goroutines have the second verb, and `detail` behind the object. */
struct wait_class_words {
	const char *name; /* for machines: "lock", "network" */
	const char *verb, *verb_of_many;
	const char *object, *detail; /* "" or text that begins with a blank */
};
struct wait_class_words wait_class_words(enum wait_class is);
/* Returns its name for machines. */
const char *wait_class_name(enum wait_class is);

static inline enum wait_class wait_class_of(const struct wait_classes *c, uint32_t reason)
{
	return reason <= REASON_PREEMPTED ? c->of[reason] : CLASS_OTHER;
}

/* Returns whether a goroutine that waits so waits for something to do: for a value of a channel, in
 * a select or for a condition. A sender waits for a receiver to keep up. */
bool wait_for_work(const struct trace_info *info, const struct wait_classes *c, uint32_t reason);

/* Returns whether the reason is a lock of package sync. A semacquire may be a wait for goroutines.
 */
bool wait_for_lock(const struct trace_info *info, const struct wait_classes *c, uint32_t reason);

/*
 * Rules for model_options.holds. They have the reasons that are waits for locks. Functions of sync,
 * internal/sync and the runtime, and deferred wrappers, act for their callers. acts_for[i] is
 * function i itself or the function that a wrapper belongs to. lock_rules_new returns NULL without
 * memory.
 */
struct lock_rules {
	struct hold_rules rules;
	uint32_t *acts_for;
};
struct lock_rules *lock_rules_new(const struct trace_info *info);
void lock_rules_free(struct lock_rules *r);

#endif
