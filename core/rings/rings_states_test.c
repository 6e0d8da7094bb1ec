// SPDX-License-Identifier: BSD-2-Clause
/* States of goroutines in the rings of inline stubs. */

#include "base/test_fixture.h"
#include "rings/rings_fixture.h"

/* As they are written, and wakes, which nobody may have done. */
static void states_and_wakes(void **state)
{
	struct rings_fixture *f = *state;
	struct ring_head *r = f->ring[0];

	rings_context(r, 7, 20);
	rings_slot(r, 1 * MS + 1, STATE_DEPTH(STATE_WAITING, 19), 4);
	rings_context(r, 0, 20);
	rings_slot(r, 1 * MS + 2, 7, 4 | RING_WAKE);
	rings_slot(r, 1 * MS + 3, 8, 4 | RING_WAKE);
	rings_context(r, 7, 21);
	rings_slot(r, 1 * MS + 4, STATE_RUNNING, 4);
	rings_slot(r, 1 * MS + 5, 64, 0);
	rings_slot(r, 1 * MS + 6, 9, 4 | RING_WAKE);
	rings_slot(r, 1 * MS + 7, 64, 1);
	rings_round(f, 3 * MS);
	static const struct event want[] = {
		{ .goid = 7, .kind = EV_STATE, .site = 4, .tid = 9020, .depth = 19 << 8 | 3 },
		{ .goid = 0, .kind = EV_WAKE, .site = 4, .tid = 9020, .depth = 7 },
		{ .goid = 0, .kind = EV_WAKE, .site = 4, .tid = 9020, .depth = 8 },
		{ .goid = 7, .kind = EV_STATE, .site = 4, .tid = 9021, .depth = 1 },
		{ .goid = 7, .kind = EV_ENTRY, .site = 0, .tid = 9021, .depth = 56 },
		{ .goid = 7, .kind = EV_WAKE, .site = 4, .tid = 9021, .depth = 9 },
		{ .goid = 7, .kind = EV_EXIT, .site = 1, .tid = 9021, .depth = 64 },
	};

	assert_int_equal(f->n, sizeof(want) / sizeof(*want));
	for (size_t i = 0; i < f->n; i++) {
		assert_int_equal(f->ev[i].ts_ns, 1 * MS + 1 + i);
		assert_int_equal(f->ev[i].goid, want[i].goid);
		assert_int_equal(f->ev[i].kind, want[i].kind);
		assert_int_equal(f->ev[i].site, want[i].site);
		assert_int_equal(f->ev[i].tid, want[i].tid);
		assert_int_equal(f->ev[i].depth, want[i].depth);
	}
	assert_int_equal(rings_stats(f->rings).disabled, 0);
}

TESTS_EACH(rings_setup, rings_teardown, states_and_wakes)
