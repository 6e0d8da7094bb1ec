/* SPDX-License-Identifier: BSD-2-Clause */
/* The steps (exec_steps_fixture.c) and the truth (exec_truth_fixture.c) of random executions. */
#ifndef GOTRACE_EXEC_SIM_FIXTURE_H
#define GOTRACE_EXEC_SIM_FIXTURE_H

#include "model/exec_fixture.h"

#define MAX_GOROUTINES 12
#define MAX_THREADS    3
#define MAX_OPEN       24
#define MAX_PANICS     4

/* A call that is about to begin. Its prologue may be stopped several times. */
struct pending {
	bool active;
	uint32_t func, depth;
	unsigned stops;   /* still to come */
	unsigned phase;   /* within a stop */
	uint64_t from_ns; /* begin of the running stop for the engine; 0: none */
	uint64_t why;
	uint64_t growth_ns, growths, preempt_ns, preempts, declined;
};

struct goroutine {
	bool alive, system;
	uint64_t id, label;
	uint32_t base; /* depth of the first frame */
	uint32_t root;
	bool go_edge;
	uint64_t go_pc;
	size_t open[MAX_OPEN]; /* indices of calls */
	uint32_t depth[MAX_OPEN];
	bool tailed[MAX_OPEN]; /* jumped on, waits for the one above */
	unsigned n;
	struct {
		unsigned n;
		bool goexit;
	} panics[MAX_PANICS]; /* n: frames open when it began */
	unsigned n_panics;
	struct pending p;
};

struct sim {
	struct exec *x;
	const struct exec_options *opt;
	uint64_t seed, rng, now, next_goid;
	struct goroutine g[MAX_GOROUTINES], thread[MAX_THREADS];
	int err;
	struct event_ext nowhere; /* takes the event that there was no memory for */
};

/* Below n, evenly enough. */
unsigned exec_rnd(struct sim *s, unsigned n);
/* Lets time go by. */
uint64_t exec_tick(struct sim *s);
/* Adds an event of g (NULL: of no goroutine), now; the caller fills in the rest. */
struct event_ext *exec_emit(struct sim *s, const struct goroutine *g, unsigned kind, uint32_t at,
			    uint32_t depth);
/* Runs one step of g, which is alive; one step of the call it is making. */
void exec_step(struct sim *s, struct goroutine *g);
void exec_go_on(struct sim *s, struct goroutine *g);

/* The path node of func below parent, made when it is not there. */
uint32_t truth_node(struct sim *s, uint32_t parent, uint32_t func, bool go, uint64_t pc);
/* ns passed while the innermost call was of `node`: in the total of all above it, too. */
void truth_pass(struct exec *x, uint32_t node, uint64_t ns);
/* A call begins now on top of g; ends the top one; ends it and those that jumped to it. */
void truth_begin(struct sim *s, struct goroutine *g, uint32_t func, uint32_t depth);
void truth_finish(struct sim *s, struct goroutine *g, uint64_t ts_ns, enum call_end end);
void truth_finish_chain(struct sim *s, struct goroutine *g, enum call_end end);
/* The running stop of a prologue ends now, of the kind p->why. */
void truth_segment(struct sim *s, struct pending *p);
/* Charges the stops of the prologue to node `at` and takes them out of call `from` (-1: of
 * none). */
void truth_charge(struct sim *s, struct pending *p, uint32_t at, int64_t from);

#endif
