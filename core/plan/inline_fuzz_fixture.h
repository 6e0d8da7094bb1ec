/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stops a stub at each of its instructions, and the hook at each of its own, sends each kind of
 * signal there, and compares what comes of it with the same instructions executed without a stub.
 */
#ifndef GOTRACE_INLINE_FUZZ_FIXTURE_H
#define GOTRACE_INLINE_FUZZ_FIXTURE_H

#include "plan/inline_world_fixture.h"

/* How the ring is found. */
enum fuzz_ring {
	RING_FRESH, /* a context slot is due, and slots wrap around */
	RING_SAME,  /* goroutine and thread are those of the last event */
	RING_FULL,
	RING_OFF,     /* disabled */
	RING_STOPPED, /* the goroutine is not running: the slow path */
	FUZZ_RINGS,
};

struct fuzz {
	struct child k;
	enum child_handlers handlers;
	bool nested; /* the hook's instructions, too */
	bool quiet;  /* failures are counted, not printed */
	uint64_t runs, failures;
};

/* All of it for c, found so. */
void fuzz_case(struct fuzz *f, const struct world_case *c, enum fuzz_ring ring);
/* The same with something in the world changed by `plant`, which is given `n`. */
enum planted { PLANTED, NOT_PLANTED, NO_MORE };
typedef enum planted fuzz_plant(struct child *k, unsigned n);
enum planted fuzz_planted(struct fuzz *f, const struct world_case *c, enum fuzz_ring ring,
			  fuzz_plant *plant, unsigned n);

#endif
