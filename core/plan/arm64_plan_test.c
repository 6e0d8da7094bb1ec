// SPDX-License-Identifier: BSD-2-Clause
/* Plans of programs for arm64: probes of the kernel only, and no word of x86. */
#include "base/test_fixture.h"
#include "binary/binaries_fixture.h"

#include "binary/gocode.h"
#include "bpf/event.h"
#include "plan/plan_print.h"

static const char *const all[] = { "all" };

static char *printed(const struct plan *p, int print(const struct plan *p, FILE *out))
{
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);

	assert_non_null(f);
	assert_int_equal(print(p, f), 0);
	fclose(f);
	return text;
}

static void assert_has_none_of_x86(const char *text)
{
	static const char *const words[] = { "R14", "rsp", "lock or segment", "two traps*" };

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		assert_null(strstr(text, words[i]));
}

/* No site has a stub. RETs and the jumps of stack checks take one trap. */
TEST(sites)
{
	static const char *const names[] = { "kinds.arm64", "kinds.arm64.pie.stripped" };

	for (size_t i = 0; i < 2; i++)
		for (enum probe_strategy s = 0; s < PROBE_STRATEGIES; s++) {
			const struct plan_options opt = { .strategy = s,
							  .packages = all,
							  .n_packages = 1 };
			struct gobin *b = open_binary(names[i]);
			struct plan *p = plan_build(b, &opt);
			size_t stepped = 0, checks = 0;

			assert_non_null(p);
			assert_true(p->n_probed > 300);
			assert_int_equal(p->stubs.n_sites, 0);
			for (size_t k = 0; k < p->n_sites; k++) {
				const struct plan_site *at = &p->sites[k];

				assert_false(site_has_stub(at));
				assert_int_equal(at->vaddr % 4, 0);
				if (at->func == PLAN_NO_FUNC)
					continue;
				stepped += site_is_stepped(at);
				checks += at->check_jcc;
				if (at->kind == EV_EXIT)
					assert_false(site_is_stepped(at));
				if (plan_has_stubs(p) && at->kind != EV_TAIL &&
				    at->kind != EV_ENTRY_TAIL)
					assert_int_equal(at->stub.why, site_is_stepped(at)
									       ? STUB_ARCH
									       : STUB_CHEAP);
			}
			assert_true(s == PROBE_THESIS || stepped < p->n_program[PROGRAM_ENTRY] / 4);
			assert_int_equal(checks > 200, s != PROBE_THESIS);
			plan_free(p);
			gobin_close(b);
		}
}

#define KINDS 256 /* those of events, and of records that are none */

/* The runtime's own sites are those that a program for x86-64 of the same version has. */
TEST(runtime_sites)
{
	size_t n[2][KINDS] = { { 0 } };
	static const char *const names[] = { "kinds", "kinds.arm64" };

	for (size_t i = 0; i < 2; i++) {
		const struct plan_options opt = { .strategy = PROBE_EMULATED, .states = true };
		struct gobin *b = open_binary(names[i]);
		struct plan *p = plan_build(b, &opt);

		assert_non_null(p);
		assert_non_null(p->states);
		assert_null(p->states->obstacle);
		assert_true(p->ends_seen && p->creates_seen && p->unwinds_seen && p->stops_seen);
		for (size_t k = 0; k < p->n_sites; k++)
			if (p->sites[k].func == PLAN_NO_FUNC) {
				assert_true(p->sites[k].kind < KINDS);
				n[i][p->sites[k].kind]++;
			}
		plan_free(p);
		gobin_close(b);
	}
	for (size_t k = 0; k < KINDS; k++)
		if (!n[0][k] != !n[1][k])
			fail_msg("kind %zu: %zu sites on x86-64, %zu on arm64", k, n[0][k],
				 n[1][k]);
}

TEST(words)
{
	const struct plan_options opt = { .packages = all, .n_packages = 1 };
	struct gobin *b = open_binary("kinds.arm64");
	struct plan *p = plan_build(b, &opt);

	assert_non_null(p);
	char *text = printed(p, plan_print_text);
	assert_has_none_of_x86(text);
	assert_non_null(strstr(text, "R28 need not hold g"));
	assert_non_null(strstr(
		text,
		"no stub can write events: gotrace has no stubs for the program's processor"));
	assert_non_null(
		strstr(text, " single-stepped: gotrace has no stubs for the program's processor"));
	free(text);
	text = printed(p, plan_print_sites);
	assert_has_none_of_x86(text);
	assert_non_null(strstr(text, "b.ls #0x"));
	assert_non_null(strstr(text, "the stack check's jump, which the kernel emulates"));
	assert_non_null(strstr(text, "one trap: RETs, and jumps out of the function"));
	free(text);
	plan_free(p);
	gobin_close(b);
}

/* Values are in other registers, and there are more of them. */
TEST(values)
{
	static const char *const args[] = { "main.recursive(%15)" }, *const more[] = {
		"main.recursive(%16)"
	};
	struct gobin *b = open_binary("kinds.arm64");
	struct plan_options opt = { .args = args, .n_args = 1 };
	struct plan *p = plan_build(b, &opt);

	assert_non_null(p);
	assert_int_equal(p->values.n, 1);
	plan_free(p);
	opt.args = more;
	assert_null(plan_build(b, &opt));
	assert_non_null(strstr(logged, "N from 0 to 15"));
	gobin_close(b);
}

TESTS_BETWEEN(set_up_binaries, NULL, sites, runtime_sites, words, values)
