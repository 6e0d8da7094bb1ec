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
	ALL_ALIVE, /* no bomb: a program that has 300,000 goroutines waiting, as it is recorded */
	NESTED,    /* each function is called by the one before, which has waited */
	NESTED_REASONS, /* the same, each for another reason than those around it */
	STARTED,        /* each goroutine is started by the one before */
	ADDRESSES,      /* of go statements, the highest first */
	COLLIDING, /* goroutines whose numbers have one hash, by a multiplier that everybody knows
		    */
	LOSSES,    /* of the events of all goroutines, between states of some */
	THREAD_LOSSES, /* of one goroutine, which any of many threads may work for */
	WINDOWS,       /* that end all calls, of which there are none but in the first */
	STACKS,
	SAMPLED_GOROUTINES,
	FEW_GOROUTINES, /* as many as may be in a file of that size */
	DEEP_STACKS,
	DEEP_GOROUTINES,
	WAITING_GOROUTINES,
	WAITING_LONG, /* a thousand goroutines, seen again and again */
	INLINED,      /* locations of many frames */
	IMAGES,       /* of one process, with an address in each */
	PROCESSES,    /* with an image each */
	BUILD_IDS,    /* images of one build id, none of which is there */
	LABELS,
	DEATHS, /* each with the deepest stack, of which all but one address are the others' */
	BOMBS
};
#define BOMBS_OF_SAMPLES STACKS

/* So many of what a bomb is made of: a tenth of them under sanitizers, which are ten times slower;
 * GOTRACE_TEST_WHOLE=1 makes all of them. */
uint32_t bomb_many(uint32_t n);
void bomb_events(struct trace_writer *w, enum bomb b);
void bomb_samples(struct trace_writer *w, enum bomb b);

/* Writes one to a file of its own, whose name is left in path. */
void bomb_write(enum bomb b, char path[TRACE_PATH_BYTES]);

#endif
