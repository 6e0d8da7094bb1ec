// SPDX-License-Identifier: BSD-2-Clause
#include "base/test_fixture.h"
#include "binary/binaries_fixture.h"
#include "binary/gocode.h"
#include "bpf/event.h"
#include "plan/plan.h"
#include "plan/plan_print.h"

static struct plan *plan_of(const struct gobin *b, const struct plan_options *opt)
{
	struct plan *p = plan_build(b, opt);

	if (!p)
		print_error("%s\n", logged);
	assert_non_null(p);
	return p;
}

static const struct plan_func *find(const struct plan *p, const char *name)
{
	for (size_t i = 0; i < p->n_funcs; i++)
		if (strcmp(p->funcs[i].name, name) == 0)
			return &p->funcs[i];
	return NULL;
}

static size_t count_sites(const struct plan *p, const char *name, uint16_t kind)
{
	const struct plan_func *f = find(p, name);
	size_t n = 0;

	assert_non_null(f);
	for (size_t i = 0; i < p->n_sites; i++)
		n += p->sites[i].func == (uint32_t)(f - p->funcs) && p->sites[i].kind == kind;
	return n;
}

TEST(default_selection)
{
	const struct plan_options opt = { .strategy = PROBE_EMULATED };
	struct gobin *b = open_binary("kinds");
	struct plan *p = plan_of(b, &opt);

	for (size_t i = 0; i < p->n_funcs; i++)
		assert_int_equal(strncmp(p->funcs[i].name, "main.", 5), 0);
	assert_int_equal(find(p, "main.recursive")->fate, PLAN_PROBED);
	assert_int_equal(count_sites(p, "main.recursive", EV_ENTRY), 1);
	assert_true(count_sites(p, "main.recursive", EV_EXIT) >= 1);
	assert_true(find(p, "main.onlyPanics")->never_returns);
	assert_true(p->ends_seen && p->creates_seen && p->unwinds_seen && p->stops_seen);
	plan_free(p);
	gobin_close(b);
}

/* A function that is one RET has one site for entry and exit. */
TEST(lone_ret)
{
	for (enum probe_strategy s = PROBE_EMULATED; s <= PROBE_THESIS; s++) {
		const struct plan_options opt = { .strategy = s };
		struct gobin *b = open_binary("kinds");
		struct plan *p = plan_of(b, &opt);

		assert_int_equal(count_sites(p, "main.empty", EV_ENTRY_EXIT), 1);
		assert_int_equal(count_sites(p, "main.empty", EV_ENTRY), 0);
		assert_int_equal(count_sites(p, "main.empty", EV_EXIT), 0);
		plan_free(p);
		gobin_close(b);
	}
}

/* A leaf without branches that cannot fault needs one probe, on its RET; except for thesis. */
TEST(one_probe_leaf)
{
	for (enum probe_strategy s = 0; s < PROBE_STRATEGIES; s++) {
		const struct plan_options opt = { .strategy = s };
		struct gobin *b = open_binary("kinds");
		struct plan *p = plan_of(b, &opt);
		size_t both = s != PROBE_THESIS;

		assert_int_equal(count_sites(p, "main.leaf", EV_ENTRY_EXIT), both);
		assert_int_equal(count_sites(p, "main.leaf", EV_ENTRY), !both);
		assert_int_equal(count_sites(p, "main.leaf", EV_EXIT), !both);
		/* It could fault: then the site in runtime.sigpanic shows the call. */
		assert_int_equal(count_sites(p, "main.noSplit", EV_ENTRY_EXIT), both);
		assert_int_equal(p->faults_seen, both);
		plan_free(p);
		gobin_close(b);
	}
}

/* A short function without loops and calls has one site, whatever RETs it has, but for thesis. */
TEST(brief_function)
{
	static const struct {
		const char *name;
		bool past_fault;
	} funcs[] = { { "main.special", false }, { "main.(*pair).sign", true } };

	for (enum probe_strategy s = 0; s < PROBE_STRATEGIES; s++) {
		const struct plan_options opt = { .strategy = s };
		struct gobin *b = open_binary("kinds");
		struct plan *p = plan_of(b, &opt);
		size_t one = s != PROBE_THESIS;

		for (size_t i = 0; i < sizeof(funcs) / sizeof(funcs[0]); i++) {
			const struct plan_func *f = find(p, funcs[i].name);

			assert_int_equal(f->brief, one);
			assert_int_equal(f->never_returns, false);
			assert_int_equal(count_sites(p, funcs[i].name, EV_ENTRY_EXIT), one);
			assert_int_equal(count_sites(p, funcs[i].name, EV_ENTRY), !one);
			assert_int_equal(count_sites(p, funcs[i].name, EV_EXIT) > 0, !one);
			assert_int_equal(f->past_fault_entry != PLAN_NO_SITE,
					 one && funcs[i].past_fault);
		}
		assert_false(find(p, "main.(*pair).follow")->brief); /* a panic may end it */
		plan_free(p);
		gobin_close(b);
	}
}

static const bool none[100000]; /* sites in stubs */

/* Only calls that fault before their entry probe are missed; none where sigpanic itself is traced.
 */
TEST(calls_that_fault)
{
	static const char *const both[] = { "runtime", "main" };
	const struct plan_options opt = { .strategy = PROBE_EMULATED };
	const struct plan_options with_runtime = { .strategy = PROBE_EMULATED,
						   .packages = both,
						   .n_packages = 2 };
	struct gobin *b = open_binary("kinds");
	struct plan *p = plan_of(b, &opt);
	const struct plan_func *past = find(p, "main.mayFault"),
			       *before = find(p, "main.recursive");
	size_t sigpanic_sites = 0;

	assert_int_not_equal(past->past_fault_entry, PLAN_NO_SITE);
	const struct plan_site *s = &p->sites[past->past_fault_entry];
	assert_ptr_equal(&p->funcs[s->func], past);
	assert_int_equal(s->kind, EV_ENTRY_EXIT); /* it is brief, too */
	assert_true(s->vaddr > past->fn->vaddr);
	assert_int_equal(plan_missed_entry(p, none, past->fn->vaddr), past->past_fault_entry);
	assert_int_equal(plan_missed_entry(p, none, s->vaddr - 1), past->past_fault_entry);
	assert_int_equal(plan_missed_entry(p, none, s->vaddr), PLAN_NO_SITE);
	assert_int_equal(plan_missed_entry(p, none, past->fn->vaddr + past->fn->size),
			 PLAN_NO_SITE);
	assert_int_equal(plan_missed_entry(p, none, before->fn->vaddr), PLAN_NO_SITE);
	assert_int_equal(plan_missed_entry(p, none, 0), PLAN_NO_SITE);
	assert_int_equal(plan_missed_entry(p, none, UINT64_MAX), PLAN_NO_SITE);
	for (size_t i = 0; i < p->n_sites; i++)
		sigpanic_sites += p->sites[i].kind == EV_WIRE_FAULT;
	assert_int_equal(sigpanic_sites, 1);
	plan_free(p);

	p = plan_of(b, &with_runtime);
	assert_false(p->faults_seen);
	assert_int_equal(find(p, "main.mayFault")->past_fault_entry, PLAN_NO_SITE);
	for (size_t i = 0; i < p->n_sites; i++)
		assert_int_not_equal(p->sites[i].kind, EV_WIRE_FAULT);
	plan_free(p);
	gobin_close(b);
}

TEST(strategies_differ_in_their_entries)
{
	const struct plan_options emulated = { .strategy = PROBE_EMULATED },
				  thesis = { .strategy = PROBE_THESIS };
	struct gobin *b = open_binary("kinds");
	struct plan *e = plan_of(b, &emulated), *t = plan_of(b, &thesis);

	assert_int_equal(e->n_probed, t->n_probed);
	assert_int_equal(count_sites(e, "main.recursive", EV_MORESTACK), 0);
	assert_int_equal(count_sites(t, "main.recursive", EV_MORESTACK), 1);
	for (size_t i = 0; i < t->n_sites; i++)
		if (t->sites[i].kind == EV_ENTRY)
			assert_int_equal(t->sites[i].vaddr, t->funcs[t->sites[i].func].fn->vaddr);
	for (size_t i = 0; i < e->n_sites; i++)
		if (e->sites[i].kind == EV_ENTRY &&
		    e->sites[i].func == (uint32_t)(find(e, "main.recursive") - e->funcs))
			assert_int_equal(e->sites[i].insn_class, INSN_EMULATED);
	plan_free(e);
	plan_free(t);
	gobin_close(b);
}

TEST(globs_excludes_and_wrappers)
{
	static const char *const globs[] = { "main.recur*", "strings.ToUpper" },
				 *const excludes[] = { "*.recursive" };
	struct plan_options opt = {
		.globs = globs, .n_globs = 2, .excludes = excludes, .n_excludes = 1
	};
	struct gobin *b = open_binary("kinds");
	struct plan *p = plan_of(b, &opt);

	assert_int_equal(find(p, "main.recursive")->fate, PLAN_EXCLUDED);
	assert_int_equal(find(p, "strings.ToUpper")->fate, PLAN_PROBED);
	assert_null(find(p, "main.main"));
	plan_free(p);

	static const char *const all[] = { "all" };
	struct plan_options plain = { .packages = all, .n_packages = 1 }, wrappers = plain;
	wrappers.wrappers = true;
	struct plan *without = plan_of(b, &plain), *with = plan_of(b, &wrappers);
	assert_true(without->n_fate[PLAN_WRAPPER] > 0);
	assert_int_equal(with->n_fate[PLAN_WRAPPER], 0);
	assert_true(with->n_probed > without->n_probed);
	assert_true(without->n_fate[PLAN_ASSEMBLY] > 0);
	plan_free(without);
	plan_free(with);
	gobin_close(b);
}

/* Deferred and go statements' functions carry the compiler's mark and are in all the same. */
TEST(statement_wrappers_are_in)
{
	static const char *const all[] = { "all" };
	const struct plan_options opt = { .packages = all, .n_packages = 1 };
	struct gobin *b = open_binary("kinds");
	struct plan *p = plan_of(b, &opt);
	size_t seen = 0;

	for (size_t i = 0; i < p->n_funcs; i++) {
		if (!strstr(p->funcs[i].name, ".deferwrap") && !strstr(p->funcs[i].name, ".gowrap"))
			continue;
		seen++;
		assert_int_not_equal(p->funcs[i].fate, PLAN_WRAPPER);
	}
	assert_true(seen > 0);
	plan_free(p);
	gobin_close(b);
}

/* The same functions with and without symbols, but for what only symbols tell. */
TEST(stripped_is_the_same)
{
	const struct plan_options opt = { .strategy = PROBE_EMULATED };
	struct gobin *full = open_binary("kinds"), *stripped = open_binary("kinds.stripped");
	struct plan *a = plan_of(full, &opt), *b = plan_of(stripped, &opt);

	assert_int_equal(a->n_funcs, b->n_funcs);
	assert_int_equal(a->n_probed, b->n_probed);
	assert_int_equal(a->n_sites, b->n_sites);
	for (size_t i = 0; i < a->n_sites; i++)
		assert_int_equal(a->sites[i].vaddr - a->sites[0].vaddr,
				 b->sites[i].vaddr - b->sites[0].vaddr);
	plan_free(a);
	plan_free(b);
	gobin_close(full);
	gobin_close(stripped);
}

TEST(inlined_is_listed)
{
	const struct plan_options opt = { .strategy = PROBE_EMULATED };
	struct gobin *b = open_binary("kinds"), *noinline = open_binary("kinds.noinline");
	struct plan *p = plan_of(b, &opt), *q = plan_of(noinline, &opt);
	bool small = false, tiny = false;

	for (size_t i = 0; i < p->n_inlined; i++) {
		small |= !strcmp(p->inlined[i].name, "main.small");
		tiny |= !strcmp(p->inlined[i].name, "main.tiny");
		assert_null(find(p, p->inlined[i].name));
	}
	assert_true(small && tiny);
	assert_non_null(find(q, "main.small"));
	plan_free(p);
	plan_free(q);
	gobin_close(b);
	gobin_close(noinline);
}

TEST(no_match_is_refused)
{
	static const char *const globs[] = { "main.recursiv" };
	const struct plan_options opt = { .globs = globs, .n_globs = 1 };
	struct gobin *b = open_binary("kinds");

	forget_log();
	errno = 0;
	assert_null(plan_build(b, &opt));
	assert_int_equal(errno, ENOENT);
	assert_int_equal(logged_count, 1);
	assert_non_null(strstr(logged, "main.recursive"));
	gobin_close(b);
}

/* No two sites of one kind at one place, all inside their functions, in every build. */
TEST(sites_are_sane)
{
	static const char *const names[] = { "kinds", "kinds.pie", "kinds.pie.stripped",
					     "kinds.noinline", "cgo" };
	static const char *const all[] = { "all" };

	for (size_t n = 0; n < sizeof(names) / sizeof(*names); n++) {
		const struct plan_options opt = { .packages = all,
						  .n_packages = 1,
						  .strategy = n % 2 };
		struct gobin *b = open_binary(names[n]);
		struct plan *p = plan_of(b, &opt);
		uint64_t last = 0;

		for (size_t i = 0; i < p->n_sites; i++) {
			const struct plan_site *s = &p->sites[i];

			assert_int_equal(s->number, i);
			if (s->func == PLAN_NO_FUNC)
				continue;
			const struct gofunc *fn = p->funcs[s->func].fn;
			assert_true(s->vaddr >= fn->vaddr && s->vaddr < fn->vaddr + fn->size);
			assert_int_equal(s->file_off - fn->file_off, s->vaddr - fn->vaddr);
			assert_int_not_equal(s->insn_class, INSN_REFUSED);
			assert_int_not_equal(s->vaddr, last);
			last = s->vaddr;
		}
		plan_free(p);
		gobin_close(b);
	}
}

TEST(shown_as_text_and_json)
{
	const struct plan_options opt = { .strategy = PROBE_EMULATED };
	struct gobin *b = open_binary("kinds");
	struct plan *p = plan_of(b, &opt);
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);

	assert_int_equal(plan_print_text(p, f), 0);
	fclose(f);
	assert_non_null(strstr(text, "main.recursive"));
	assert_non_null(strstr(text, "(never returns)"));
	assert_non_null(strstr(text, "inlined everywhere"));
	free(text);
	f = open_memstream(&text, &size);
	assert_int_equal(plan_print_summary(p, f), 0);
	fclose(f);
	char row[64];

	snprintf(row, sizeof(row), "\n%8zu %8zu  main\n", p->n_funcs, p->n_probed);
	assert_non_null(strstr(text, "SELECTED   PROBED  PACKAGE\n"));
	assert_non_null(strstr(text, row));
	assert_non_null(strstr(text, "inlined everywhere"));
	assert_null(strstr(text, "main.recursive"));
	free(text);
	f = open_memstream(&text, &size);
	assert_int_equal(plan_print_json(p, f), 0);
	fclose(f);
	assert_non_null(strstr(text, "\"fate\": \"probed\""));
	assert_non_null(strstr(text, "\"kind\": \"entry+exit\""));
	free(text);
	plan_free(p);
	gobin_close(b);
}

TEST(every_site_is_explained)
{
	static const char *const lines[] = {
		"main.recursive\n",
		"push",
		" %rbp ",
		" entry ",
		"after the stack check",
		"the function is one RET",
		"one probe for both",
		"calls that fault",
		"two traps*",
		" exits with a site of their own:\n",
	};

	for (enum probe_strategy s = 0; s < PROBE_STRATEGIES; s++) {
		const struct plan_options opt = { .strategy = s };
		struct gobin *b = open_binary("kinds");
		struct plan *p = plan_of(b, &opt);
		char *text = NULL;
		size_t size = 0, explained = 0, funcs = 0;
		FILE *f = open_memstream(&text, &size);

		assert_int_equal(plan_print_sites(p, f), 0);
		fclose(f);
		for (size_t i = 0; s != PROBE_THESIS && i < sizeof(lines) / sizeof(*lines); i++)
			if (!strstr(text, lines[i]) &&
			    !(plan_wants_inline(p) && !strcmp(lines[i], "two traps*")))
				fail_msg("'%s' is missing in:\n%s", lines[i], text);
		if (plan_wants_inline(p))
			assert_non_null(strstr(text, "its stub returns in its place"));
		for (size_t i = 0; i < p->n_sites; i++)
			funcs += p->sites[i].func != PLAN_NO_FUNC;
		for (const char *at = text; (at = strstr(at, "\n  +0x")); at++)
			explained++;
		assert_int_equal(explained, funcs);
		assert_null(strstr(text, "(null)"));
		free(text);
		plan_free(p);
		gobin_close(b);
	}
}

TESTS_BETWEEN(set_up_binaries, NULL, default_selection, lone_ret, one_probe_leaf, brief_function,
	      calls_that_fault, strategies_differ_in_their_entries, globs_excludes_and_wrappers,
	      statement_wrappers_are_in, stripped_is_the_same, inlined_is_listed,
	      no_match_is_refused, sites_are_sane, shown_as_text_and_json, every_site_is_explained)
