/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Random executions run through the engine, for the tests of this folder.
 *
 *   GOTRACE_RANDOM_RUNS=N    executions of each test (100,000; under sanitizers 10,000)
 *   GOTRACE_RANDOM_SEED=N    the first one's seed
 *
 * When a check fails, the execution is made smaller step by step, as long as the check still fails.
 * Then it is printed as a text event list, ready to become a fixture.
 */
#ifndef GOTRACE_EXEC_CHECK_FIXTURE_H
#define GOTRACE_EXEC_CHECK_FIXTURE_H

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>

#include "model/exec_fixture.h"
#include "model/model.h"

/* The numbers of one call, comparable byte by byte. */
struct tuple {
	uint64_t start_ns, end_ns, self_ns, goid;
	uint32_t func, level, end, system;
};

/* The engine's answers. */
struct seen {
	struct tuple *calls;
	size_t n, cap;
	bool *suspect;
	size_t cap_suspect;
	uint64_t root_ns, calls_sum;
	uint64_t stops_by_path, stops_by_stack, stack_stops; /* audit_weigh() */
	bool unbalanced; /* a goroutine's total was not its parts' sum */
};

/* One execution under one check. */
struct trial {
	const struct exec *x;
	const struct exec_options *opt;
	uint64_t rng;          /* for the check's own choices */
	struct event_ext *fed; /* the engine's input */
	size_t n_fed, cap_fed;
	char fault[512]; /* the first thing that did not hold; "" */
};

typedef void exec_check(struct trial *t);

/* Notes that cond did not hold. */
#define HOLDS(t, cond) trial_note((t), (cond), #cond)
void trial_note(struct trial *t, bool holds, const char *what);
/* Notes that the call a, which only one side knows, should not or should be there. */
void trial_note_call(struct trial *t, const char *what, const struct tuple *a);

/* Adds an event to what the engine will be given. */
void trial_add(struct trial *t, const struct event_ext *ev);
/* Feeds t->fed to a new engine and finishes it. Both to be let go of with trial_forget. */
struct model *trial_run(struct trial *t, struct seen *seen);
void trial_forget(struct model *m, struct seen *seen);

/* Notes which of the n calls wanted were not seen, and which others were. Sorts both. */
void trial_same_calls(struct trial *t, struct tuple *want, size_t n, struct seen *seen);

struct tuple tuple_of(const struct exec_call *c);
int tuple_order(const void *a, const void *b);
/* The truth, sorted by `order`; to be freed. */
struct tuple *tuples_sorted(const struct exec *x, int (*order)(const void *, const void *));

/* Runs the check on as many executions as the environment asks for; a cmocka test's body. */
void exec_check_each(const char *name, exec_check *check);

#endif
