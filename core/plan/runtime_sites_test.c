// SPDX-License-Identifier: BSD-2-Clause
#include "base/test_fixture.h"
#include "binary/binaries_fixture.h"
#include "binary/gocode.h"
#include "bpf/event.h"
#include "plan/plan.h"

/* Every goroutine and every grown stack of the program passes them, whatever is selected: a single
 * step there would slow down all of a server. */
TEST(one_trap_each)
{
	static const char *const variants[] = { "kinds", "kinds.pie.stripped", "cgo" };
	const struct plan_options opt = { .strategy = PROBE_EMULATED, .states = true };

	for (size_t v = 0; v < sizeof(variants) / sizeof(*variants); v++) {
		struct gobin *b = open_binary(variants[v]);
		struct plan *p = plan_build(b, &opt);
		unsigned seen = 0;

		assert_non_null(p);
		for (size_t i = 0; i < p->n_sites; i++) {
			const struct plan_site *s = &p->sites[i];

			if (!s->runtime_func)
				continue;
			if (s->insn_class != INSN_EMULATED)
				print_error("%s: event kind %u in %s\n", variants[v], s->kind,
					    s->runtime_func);
			assert_int_equal(s->insn_class, INSN_EMULATED);
			seen |= 1u << (s->kind & 31);
		}
		for (unsigned kind = 0; kind < 32; kind++)
			if (kind == EV_IMAGE || kind == EV_END || kind == EV_CREATE ||
			    kind == EV_UNWIND || kind == EV_STOP || kind == EV_RESUME ||
			    kind == EV_STATE)
				assert_true(seen & 1u << kind);
		plan_free(p);
		gobin_close(b);
	}
}

/* Every way in which this Go version changes a goroutine's status is seen, and only when asked for.
 */
TEST(states_of_goroutines)
{
	struct gobin *b = open_binary("kinds.pie.stripped");
	struct plan_options opt = { .strategy = PROBE_SPRINGBOARD, .states = true };
	struct plan *p = plan_build(b, &opt);
	bool at[STATE_AT_MAX + 1] = { false };

	assert_non_null(p);
	assert_non_null(p->states);
	assert_null(p->states->obstacle);
	assert_true(p->states->reasons.n > 20);
	for (size_t i = 0; i < p->n_sites; i++)
		if (p->sites[i].kind == EV_STATE) {
			assert_in_range(p->sites[i].state_at, 1, STATE_AT_MAX);
			assert_non_null(p->sites[i].runtime_func);
			at[p->sites[i].state_at] = true;
		}
	assert_true(at[STATE_AT_STATUS] && at[STATE_AT_PREEMPT]);
	if (gobin_go_minor(b) >= 26)
		assert_true(at[STATE_AT_SYSCALL] && at[STATE_AT_RUN]);
	plan_free(p);
	opt.states = false;
	p = plan_build(b, &opt);
	assert_non_null(p);
	assert_null(p->states);
	for (size_t i = 0; i < p->n_sites; i++)
		assert_int_not_equal(p->sites[i].kind, EV_STATE);
	plan_free(p);
	gobin_close(b);
}

/* What stubs write themselves, though it is no state. */
static bool by_stub(const struct plan_site *s)
{
	return s->kind == EV_END || s->kind == EV_CREATE || s->kind == EV_STOP ||
	       (s->kind == EV_RESUME && s->prologue_stop == STOP_GROWTH);
}

/* Each request of a server begins and ends a goroutine, whose stack grows: that must not trap, nor
 * in a process that runs. */
TEST(goroutines_by_stubs)
{
	static const char *const variants[] = { "kinds", "kinds.pie.stripped", "cgo" };
	const struct plan_options opt = { .strategy = PROBE_INLINE };

	for (size_t v = 0; v < sizeof(variants) / sizeof(*variants); v++) {
		struct gobin *b = open_binary(variants[v]);
		struct plan *p = plan_build(b, &opt);

		assert_non_null(p);
		assert_null(p->stubs.inl.obstacle);
		for (size_t i = 0; i < p->n_sites; i++) {
			const struct plan_site *s = &p->sites[i];

			if (!s->runtime_func)
				continue;
			if (site_is_inline(s) != by_stub(s) || plan_can_join(s) != by_stub(s))
				fail_msg("%s: %s", variants[v], s->runtime_func);
			assert_int_equal(s->stub.ring_to_frame_bytes, 0);
		}
		plan_free(p);
		gobin_close(b);
	}
}

/* Stubs write the states themselves, but for the one that a garbage collection makes; a system call
 * is over at each RET then. */
TEST(states_by_stubs)
{
	static const char *const variants[] = { "kinds", "kinds.pie.stripped", "cgo" };
	const struct plan_options opt = { .strategy = PROBE_INLINE, .states = true };

	for (size_t v = 0; v < sizeof(variants) / sizeof(*variants); v++) {
		struct gobin *b = open_binary(variants[v]);
		struct plan *p = plan_build(b, &opt);
		unsigned stubs = 0;

		assert_non_null(p);
		assert_null(p->stubs.inl.obstacle);
		for (size_t i = 0; i < p->n_sites; i++) {
			const struct plan_site *s = &p->sites[i];

			if (s->kind != EV_STATE) {
				assert_true(s->func != PLAN_NO_FUNC ||
					    site_has_stub(s) == by_stub(s));
				continue;
			}
			if (site_is_inline(s) != (s->state_at != STATE_AT_PREEMPT))
				fail_msg("%s: %s", variants[v], s->runtime_func);
			assert_int_equal(s->stub.ring_to_frame_bytes, 0);
			stubs += site_is_inline(s);
		}
		assert_true(stubs >= (gobin_go_minor(b) >= 26 ? 3 : 1));
		plan_free(p);
		gobin_close(b);
	}
}

TESTS_BETWEEN(set_up_binaries, NULL, one_trap_each, states_of_goroutines, goroutines_by_stubs,
	      states_by_stubs)
