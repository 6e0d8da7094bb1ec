/* SPDX-License-Identifier: BSD-2-Clause */
/* Rings written by hand, for tests. A tick of the counter is a nanosecond. */
#ifndef GOTRACE_RINGS_FIXTURE_H
#define GOTRACE_RINGS_FIXTURE_H

#include <stddef.h>
#include <stdint.h>

#include "rings/rings.h"

#define N_RINGS 5
#define SIZE    RING_SIZE_MIN
#define MS      1000000u

/* Sites 0 (entry, 8 bytes to the return address), 1 (exit) and 3 (entry-exit) have stubs. Site 2
 * has none. Site 4 is that of states. Sites 5 to 7 are those of new goroutines, and of prologues
 * stopped and resumed. */
#define N_SITES    8
#define RINGS_TEXT 0x401000

struct rings_fixture {
	struct ring_head *ring[N_RINGS];
	struct tsc_clock clock;
	uint64_t tsc_now; /* value of the counter */
	struct rings *rings;
	/* events handed out; their threads have their number plus 9000 */
	struct event ev[8192];
	struct event_ext loss[16], with_args[16];
	size_t n, n_with_args, n_losses, n_late, late_at, asked;
};

/* Set-up and tear-down for cmocka. *state becomes a struct rings_fixture, whose clock is known up
 * to 1 ms. */
int rings_setup(void **state);
int rings_teardown(void **state);

/* Adds a slot to the ring and publishes it. */
void rings_slot(struct ring_head *r, uint64_t clock, uint32_t depth, uint32_t site);
void rings_context(struct ring_head *r, uint64_t goid, uint32_t procid);
void rings_arg(struct ring_head *r, uint64_t value, uint32_t which);
/* Adds a pair in which both clocks are at `ns`. */
void rings_pair(struct rings_fixture *f, uint64_t ns);
/* Reads the end of the written parts, as rings_poll. */
uint64_t rings_look(struct rings_fixture *f, uint64_t now_ns);
/* Does a whole round at `ns`. Returns the time up to which events were complete. */
uint64_t rings_round(struct rings_fixture *f, uint64_t ns);

/* The callback for rings_take_losses, with the fixture as its context. */
int rings_take_loss(void *ctx, const struct event_ext *loss);

#endif
