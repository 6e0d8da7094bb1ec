/* SPDX-License-Identifier: BSD-2-Clause */
/* Small traces that claim much. */
#ifndef GOTRACE_BOMBS_FIXTURE_H
#define GOTRACE_BOMBS_FIXTURE_H

#include <stdint.h>

#include "analysis/trace_fixture.h"
#include "trace/samples.h"
#include "trace/trace.h"

enum bomb {
	GOROUTINES,
	ENDED_GOROUTINES,
	OPEN_CALLS,
	PATHS,
	FUNCTIONS,
	ALL_ALIVE,      /* no bomb: the trace of a program with 150,000 waiting goroutines */
	NESTED,         /* each function is called by the previous one, which has waited */
	NESTED_REASONS, /* like NESTED, each with another reason than its neighbours */
	STARTED,        /* each goroutine is started by the previous one */
	ADDRESSES,      /* addresses of go statements, the highest first */
	COLLIDING,      /* goroutines whose numbers have one hash; the multiplier is known */
	LOSSES,         /* losses of all goroutines' events, between states of some */
	THREAD_LOSSES,  /* losses of one goroutine that many threads may work for */
	WINDOWS,        /* windows that end all calls; only the first has calls */
	STACKS,
	SAMPLED_GOROUTINES,
	FEW_GOROUTINES, /* the most that a file of that size may have */
	DEEP_STACKS,
	DEEP_GOROUTINES,
	WAITING_GOROUTINES,
	WAITING_LONG, /* a thousand goroutines, seen again and again */
	INLINED,      /* locations of many frames */
	IMAGES,       /* images of one process, with an address in each */
	PROCESSES,    /* with an image each */
	BUILD_IDS,    /* images of one build ID, whose files are missing */
	LABELS,
	DEATHS, /* each with the deepest stack; stacks differ in one address */
	BOMBS
};
#define BOMBS_OF_SAMPLES STACKS

/* Returns the number of a bomb's parts: a tenth of n, or a hundredth under sanitizers, which are
 * slower. With GOTRACE_TEST_WHOLE=1 it is n. */
uint32_t bomb_many(uint32_t n);
void bomb_events(struct trace_writer *w, enum bomb b);
void bomb_samples(struct trace_writer *w, enum bomb b);

/* Writes a bomb to a file of its own, and its name to path. */
void bomb_write(enum bomb b, char path[TRACE_PATH_BYTES]);

#endif
