// SPDX-License-Identifier: BSD-2-Clause
/* The plan for a process that runs already: nothing in it traps unless that is asked for. */
#include <string.h>

#include "base/test_fixture.h"
#include "binary/binaries_fixture.h"
#include "plan/plan.h"

static const char *const all[] = { "all" };

static struct plan *plan_with(struct gobin *b, struct plan_options opt, struct golayout *layout)
{
	if (!opt.n_globs) {
		opt.packages = all;
		opt.n_packages = 1;
	}
	opt.inline_stubs = (struct plan_inline_options){ .layout = layout, .ring_bytes = 4096 };
	assert_int_equal(gobin_layout(b, layout), 0);
	struct plan *p = plan_build(b, &opt);

	assert_non_null(p);
	return p;
}

static size_t count_stubs(const struct plan *p)
{
	size_t n = 0;

	for (size_t i = 0; i < p->n_sites; i++)
		n += site_has_stub(&p->sites[i]);
	return n;
}

TEST(test_left_out)
{
	struct gobin *b = open_binary("kinds");
	struct golayout layout;
	size_t n_traps = 0;

	struct plan *launched = plan_with(b, (struct plan_options){ 0 }, &layout);
	struct plan *p = plan_with(b, (struct plan_options){ .running = true }, &layout);
	struct plan *traps = plan_with(b, (struct plan_options){ .running = true, .traps = true },
				       &layout);

	for (size_t i = 0; i < p->n_sites; i++) {
		const struct plan_site *s = &p->sites[i];

		assert_int_equal(s->number, i);
		if (s->func == PLAN_NO_FUNC)
			continue;
		assert_true(plan_can_join(s));
		assert_int_equal(p->funcs[s->func].fate, PLAN_PROBED);
	}
	/* A function is left out for a reason, and nothing else has become of it. */
	for (size_t i = 0; i < p->n_funcs; i++) {
		const struct plan_func *f = &p->funcs[i];

		n_traps += f->fate == PLAN_TRAPS;
		assert_int_equal(f->fate == PLAN_TRAPS ? PLAN_PROBED : f->fate,
				 launched->funcs[i].fate);
		assert_true(f->past_fault_entry == PLAN_NO_SITE ||
			    p->sites[f->past_fault_entry].func == i);
	}
	assert_true(n_traps > 10);
	assert_int_equal(p->n_fate[PLAN_TRAPS], n_traps);
	assert_true(p->n_probed > 5 * n_traps);
	assert_int_equal(p->n_probed + n_traps, launched->n_probed);
	assert_int_equal(count_stubs(p), p->stubs.n_sites);
	assert_int_equal(p->stubs.inl.n_sites, p->stubs.n_sites);
	/* With --traps it is a command's plan. */
	assert_int_equal(traps->n_fate[PLAN_TRAPS], 0);
	assert_int_equal(traps->n_sites, launched->n_sites);
	plan_free(launched);
	plan_free(traps);
	plan_free(p);
	gobin_close(b);
}

/* Without stubs everything traps: who asks for that gets it. */
TEST(test_other_strategies)
{
	struct gobin *b = open_binary("kinds");
	struct golayout layout;

	struct plan *p = plan_with(
		b, (struct plan_options){ .running = true, .strategy = PROBE_EMULATED }, &layout);

	assert_int_equal(p->n_fate[PLAN_TRAPS], 0);
	plan_free(p);
	gobin_close(b);
}

/* Options that name functions besides the selection could tell nothing without probes. */
TEST(test_needed)
{
	struct gobin *b = open_binary("kinds");
	struct golayout layout;
	const char *name = NULL;

	struct plan *p = plan_with(b, (struct plan_options){ .running = true }, &layout);

	for (size_t i = 0; i < p->n_funcs && !name; i++)
		if (p->funcs[i].fate == PLAN_TRAPS && !strpbrk(p->funcs[i].name, "*?["))
			name = p->funcs[i].name;
	assert_non_null(name);
	const char *const also[] = { name };
	struct plan *q = plan_with(
		b, (struct plan_options){ .running = true, .also = also, .n_also = 1 }, &layout);

	assert_true(q->n_fate[PLAN_TRAPS] < p->n_fate[PLAN_TRAPS]);
	for (size_t i = 0; i < q->n_funcs; i++)
		if (!strcmp(q->funcs[i].name, name))
			assert_int_equal(q->funcs[i].fate, PLAN_PROBED);
	plan_free(q);
	plan_free(p);
	gobin_close(b);
}

/* States are recorded by default where stubs write them, in a process that runs, too. */
TEST(test_states)
{
	struct gobin *b = open_binary("kinds");
	struct golayout layout;

	struct plan *p = plan_with(
		b,
		(struct plan_options){ .running = true, .states = true, .states_if_inline = true },
		&layout);

	assert_non_null(p->states);
	for (size_t i = 0; i < p->n_sites; i++) {
		const struct plan_site *s = &p->sites[i];

		if (!p->states->obstacle && s->kind == EV_STATE && s->state_at == STATE_AT_STATUS)
			assert_true(plan_can_join(s));
	}
	plan_free(p);
	gobin_close(b);
}

TESTS_BETWEEN(set_up_binaries, NULL, test_left_out, test_other_strategies, test_needed, test_states)
