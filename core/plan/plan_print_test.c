// SPDX-License-Identifier: BSD-2-Clause
#include "base/test_fixture.h"
#include "binary/binaries_fixture.h"
#include "plan/plan_print.h"
#include "plan/plan_print_internal.h"

TEST(places_of_values_are_explained)
{
	static const char *const args[] = { "main.kinds", "main.strs", "main.floats" };

	for (enum probe_strategy s = 0; s < PROBE_STRATEGIES; s++) {
		const struct plan_options opt = { .strategy = s, .args = args, .n_args = 3 };
		struct gobin *b = open_binary("values");
		struct plan *p = plan_build(b, &opt);
		char *text = NULL;
		size_t size = 0;
		FILE *f = open_memstream(&text, &size);

		assert_non_null(p);
		assert_int_equal(plan_print_sites(p, f), 0);
		fclose(f);
		assert_true(s == PROBE_THESIS ||
			    strstr(text, "the arguments that are recorded still in their places"));
		free(text);
		plan_free(p);
		gobin_close(b);
	}
}

/* What print writes of the plan; to be freed. */
__attribute__((noinline)) static char *printed(const struct plan *p,
					       int print(const struct plan *p, FILE *out))
{
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);

	assert_int_equal(print(p, f), 0);
	fclose(f);
	return text;
}

static void assert_has(const char *text, const char *format, ...)
{
	char want[512];
	va_list ap;

	va_start(ap, format);
	vsnprintf(want, sizeof(want), format, ap);
	va_end(ap);
	if (!strstr(text, want))
		fail_msg("'%s' is missing in:\n%s", want, text);
}

struct sites {
	size_t all, cheap, stubs, inl, join;
};

static struct sites sites_of(const struct plan *p, enum site_program program)
{
	struct sites n = { 0 };

	for (size_t i = 0; i < p->n_sites; i++) {
		const struct plan_site *s = &p->sites[i];

		if (s->func == PLAN_NO_FUNC || s->program != program)
			continue;
		n.all++;
		n.cheap += !site_is_stepped(s);
		n.stubs += site_has_stub(s);
		n.inl += site_is_inline(s);
		n.join += plan_can_join(s);
	}
	return n;
}

/* How many sites have stubs, and why others are single-stepped. */
TEST(stubs_are_counted)
{
	static const char *const all[] = { "all" };

	for (enum probe_strategy s = PROBE_INLINE; s <= PROBE_SPRINGBOARD; s++) {
		const struct plan_options opt = { .strategy = s, .packages = all, .n_packages = 1 };
		struct gobin *b = open_binary("kinds");
		struct plan *p = plan_build(b, &opt);

		assert_non_null(p);
		char *text = printed(p, plan_print_head);
		const struct sites in = sites_of(p, PROGRAM_ENTRY), out = sites_of(p, PROGRAM_EXIT);
		size_t reasons = 0;

		assert_true(in.all > 100 && out.all > in.all && out.stubs > 100);
		if (s == PROBE_INLINE) {
			assert_true(in.inl > 100 && out.inl > 100);
			assert_has(text, "no trap: %zu of %zu entries", in.inl, in.all);
			assert_has(text, ", %zu of %zu exits", out.inl, out.all);
			assert_has(text, "with --pid: %zu entries", in.join);
			assert_has(text, "%%), %zu exits", out.join);
		} else {
			assert_null(strstr(text, "no trap: "));
		}
		assert_has(text, "%s: %zu of %zu entries",
			   s == PROBE_INLINE ? "at most one trap" : "one trap each", in.cheap,
			   in.all);
		assert_has(text, ", %zu in stubs), %zu of %zu exits", in.stubs, out.cheap, out.all);
		assert_has(text, ", %zu in stubs); ", out.stubs);
		assert_has(text, "  %zu stubs, %zu KiB\n", p->stubs.n_sites, p->stubs.bytes / 1024);
		for (const char *at = text; (at = strstr(at, " single-stepped: ")); at++) {
			const char *n = at;

			while (n > text && n[-1] >= '0' && n[-1] <= '9')
				n--;
			reasons += strtoul(n, NULL, 10);
		}
		assert_int_equal(reasons, in.all - in.cheap + out.all - out.cheap);
		free(text);
		plan_free(p);
		gobin_close(b);
	}
}

/* Why there are none, or none that would be used. */
TEST(obstacles_of_stubs)
{
	const struct plan_options opt = { .strategy = PROBE_INLINE,
					  .inline_stubs.obstacle = "the moon is full" };
	struct gobin *b = open_binary("kinds");
	struct plan *p = plan_build(b, &opt);

	assert_non_null(p);
	char *text = printed(p, plan_print_head);

	assert_has(text, "no trap: 0 of ");
	assert_has(text, "  no stub can write events: the moon is full\n");
	assert_null(strstr(text, "record would not use them"));
	free(text);
	p->stubs.obstacle = "it can execute itself anew";
	text = printed(p, plan_print_head);
	assert_has(text, "  record would not use them: it can execute itself anew\n");
	free(text);
	plan_free(p);
	gobin_close(b);
}

/* The packages of the most functions first, the rest in one line. */
TEST(packages_in_a_table)
{
	static const char *const all[] = { "all" };
	const struct plan_options opt = { .strategy = PROBE_INLINE,
					  .packages = all,
					  .n_packages = 1 };
	struct gobin *b = open_binary("kinds");
	struct plan *p = plan_build(b, &opt);

	assert_non_null(p);
	char *text = printed(p, plan_print_summary), *end;
	const char *at = strstr(text, "SELECTED   PROBED  PACKAGE\n");
	size_t selected = 0, last = SIZE_MAX;

	assert_non_null(at);
	assert_true(strstr(text, "no trap: ") > at); /* how, behind what */
	assert_has(text, " more package");
	for (at = strchr(at, '\n') + 1; *at != '\n'; at = strchr(at, '\n') + 1) {
		size_t n = strtoul(at, &end, 10);

		selected += n;
		if (strncmp(end, "           in ", 14) == 0)
			continue;
		assert_true(n <= last);
		assert_true(strtoul(end, NULL, 10) <= n);
		last = n;
	}
	assert_int_equal(selected, p->n_funcs);
	free(text);
	plan_free(p);
	gobin_close(b);
}

/* An entry at the first byte whose stub is behind what may fault. */
TEST(stub_behind_a_fault)
{
	const struct plan_options opt = { .strategy = PROBE_INLINE };
	struct gobin *b = open_binary("kinds");
	struct plan *p = plan_build(b, &opt);

	assert_non_null(p);
	char *text = printed(p, plan_print_sites);
	const char *at = strstr(text, "main.(*pair).endless\n");

	assert_non_null(at);
	at = strstr(at, "  +0x0 ");
	assert_non_null(at);
	*strchr(at, '\n') = 0;
	assert_has(at, " entry      no trap ");
	assert_has(at, " run in a stub, a probe on runtime.sigpanic sees calls that fault before");
	free(text);
	plan_free(p);
	gobin_close(b);
}

TESTS_BETWEEN(set_up_binaries, NULL, places_of_values_are_explained, stubs_are_counted,
	      obstacles_of_stubs, packages_in_a_table, stub_behind_a_fault)
