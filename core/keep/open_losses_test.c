// SPDX-License-Identifier: BSD-2-Clause
/* Which open calls and states are in doubt where a window begins, after events were lost. */

#include "base/test_fixture.h"
#include "keep/open_calls.h"
#include "keep/window_begin.h"
#include "trace/keys.h"

enum { ENTRY, EXIT, N_SITES };

static struct trace_info info;
static struct open_calls open;
static uint64_t now_ns;

/* Events that were passed on: entries by the depth of their call, states by their goroutine. */
static struct {
	bool told, doubt;
} calls[1024], states[16];

FIXTURE(set_up)
{
	info = (struct trace_info){ 0 };
	open = (struct open_calls){ 0 };
	now_ns = 100;
	if (trace_info_add_func(&info, &(struct trace_func){ .name = "main.f" }) ||
	    trace_info_set(&info, KEY_STATES, "1"))
		return -1;
	for (uint32_t i = ENTRY; i < N_SITES; i++)
		if (trace_info_add_site(&info,
					&(struct trace_site){ 0, TRACE_NONE, i,
							      i == ENTRY ? EV_ENTRY : EV_EXIT }))
			return -1;
	return open_calls_init(&open, &info);
}

FIXTURE(tear_down)
{
	open_calls_free(&open);
	trace_info_free(&info);
	return 0;
}

static void apply(struct event e)
{
	static const uint64_t none[4];
	struct open_change change;

	e.ts_ns = ++now_ns;
	assert_int_equal(open_calls_apply(&open, &e, none, &change), 0);
}

/* system: on the stack of the thread of that number, for goroutine 1. */
static void call(uint32_t site, uint64_t id, uint32_t depth, bool system)
{
	apply((struct event){ .goid = system ? 1 : id,
			      .tid = (uint32_t)id,
			      .site = site,
			      .depth = depth,
			      .kind = site == ENTRY ? EV_ENTRY : EV_EXIT,
			      .flags = system ? EVF_SYSTEM : 0 });
}

static void lose(uint64_t goid) /* 0: all */
{
	apply((struct event){ .goid = goid, .kind = EV_LOSS, .flags = goid ? 0 : EVF_ALL });
}

static void state_of(uint64_t goid, unsigned of)
{
	apply((struct event){ .goid = goid, .depth = STATE_DEPTH(of, 0), .kind = EV_STATE });
}

static void take(void *ctx, const struct event_ext *ev)
{
	(void)ctx;
	if (ev->h.kind == EV_ENTRY) {
		calls[ev->h.depth].told = true;
		calls[ev->h.depth].doubt = ev->h.flags & EVF_DOUBT;
	} else if (ev->h.kind == EV_STATE) {
		states[ev->h.goid].told = ev->h.depth;
		states[ev->h.goid].doubt = ev->h.flags & EVF_DOUBT;
	}
}

static void tell(void)
{
	const struct window_begin t = { take, NULL, now_ns };

	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		calls[i].told = calls[i].doubt = false;
	for (size_t i = 0; i < sizeof(states) / sizeof(*states); i++)
		states[i].told = states[i].doubt = false;
	window_begin_all(&t, &open, WINDOW_BY_TOGGLE);
}

static void is(uint32_t depth, bool doubt)
{
	assert_true(calls[depth].told);
	assert_int_equal(calls[depth].doubt, doubt);
}

/* Those that were open then, and no later one: also where one took the place of another. */
TEST(test_all)
{
	call(ENTRY, 1, 16, false);
	call(ENTRY, 1, 32, false);
	call(ENTRY, 2, 48, false);
	call(ENTRY, 7, 64, true);
	lose(0);
	call(EXIT, 1, 32, false);
	call(ENTRY, 1, 32, false);
	call(ENTRY, 1, 80, false);
	call(ENTRY, 3, 96, false);
	tell();
	is(16, true);
	is(32, false);
	is(48, true);
	is(64, true);
	is(80, false);
	is(96, false);
	lose(0); /* once more: what has begun since, too */
	call(ENTRY, 1, 112, false);
	tell();
	is(32, true);
	is(80, true);
	is(96, true);
	is(112, false);
}

TEST(test_one)
{
	call(ENTRY, 1, 16, false);
	call(ENTRY, 2, 32, false);
	call(ENTRY, 7, 64, true); /* for goroutine 1 */
	lose(2);
	tell();
	is(16, false);
	is(32, true);
	is(64, false);
	lose(1);
	call(ENTRY, 1, 80, false);
	call(ENTRY, 7, 128, true);
	tell();
	is(16, true);
	is(64, true);
	is(80, false);
	is(128, false);
}

/* A state that is known again is lost again. */
TEST(test_states)
{
	state_of(1, STATE_WAITING);
	state_of(2, STATE_WAITING);
	for (int i = 0; i < 2; i++) {
		lose(0);
		state_of(1, STATE_SYSCALL);
		tell();
		assert_true(states[1].told && !states[1].doubt);
		assert_true(!states[2].told && states[2].doubt);
	}
	lose(1);
	tell();
	assert_true(!states[1].told && states[1].doubt);
}

/* Where looking for the threads of a goroutine would take too long, all are in doubt. */
TEST(test_many_system_stacks)
{
	enum { THREADS = 5000 };

	for (uint64_t i = 1; i <= THREADS; i++)
		call(ENTRY, i, 64, true);
	lose(9); /* for whom none of them works */
	tell();
	is(64, false);
	for (int i = 0; i < THREADS; i++)
		lose(9);
	tell();
	is(64, true);
}

TESTS_EACH(set_up, tear_down, test_all, test_one, test_states, test_many_system_stacks)
