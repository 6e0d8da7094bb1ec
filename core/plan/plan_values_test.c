// SPDX-License-Identifier: BSD-2-Clause
/* What --args and --ret ask for, and where the values are found. */
#include "base/test_fixture.h"
#include "binary/binaries_fixture.h"
#include "bpf/event.h"
#include "plan/plan.h"

static struct plan *build(struct gobin *b, const char *const *args, size_t n_args,
			  const char *const *rets, size_t n_rets)
{
	const struct plan_options opt = { .strategy = PROBE_EMULATED,
					  .args = args,
					  .n_args = n_args,
					  .rets = rets,
					  .n_rets = n_rets };

	forget_log();
	return plan_build(b, &opt);
}

static const struct plan_func *find(const struct plan *p, const char *name)
{
	for (size_t i = 0; i < p->n_funcs; i++)
		if (!strcmp(p->funcs[i].name, name))
			return &p->funcs[i];
	fail_msg("no %s in the plan", name);
	return NULL;
}

/* A site's values, "n s": those of the only site of that kind. */
static void assert_values(const struct plan *p, const char *func, uint16_t kind, const char *want)
{
	const uint32_t number = (uint32_t)(find(p, func) - p->funcs);
	char got[256] = "";
	size_t sites = 0;

	for (size_t i = 0; i < p->n_sites; i++) {
		const struct plan_value *first = NULL;

		if (p->sites[i].func != number || p->sites[i].kind != kind)
			continue;
		if (sites++) /* all RETs have the same */
			continue;
		size_t n = site_values_of(p, &p->sites[i], &first);

		for (size_t k = 0; k < n; k++) {
			size_t at = strlen(got);

			snprintf(got + at, sizeof(got) - at, "%s%s", k ? " " : "", first[k].name);
			assert_int_equal(first[k].result, kind == EV_EXIT);
		}
	}
	assert_true(sites > 0);
	assert_string_equal(got, want);
}

/* Refused with one line that has these words. */
static void assert_no_plan(const char *binary, const char *text, bool result, const char *words)
{
	struct gobin *b = open_binary(binary);
	struct plan *p = build(b, &text, !result, &text, result);

	if (p || logged_count != 1 || !strstr(logged, words))
		fail_msg("%s: %s: a plan %p, and the log says %u times: %s", binary, text,
			 (void *)p, logged_count, logged);
	gobin_close(b);
}

TEST(requests_that_are_none)
{
	static const char *const bad[] = { "",
					   "(n)",
					   "main.strs(n,)",
					   "main.strs(,n)",
					   "main strs(n)",
					   "main.strs( ,n)",
					   "main.ints(a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a)" };

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		assert_no_plan("values", bad[i], false, "is not FUNCTION(ARGUMENT,...)");
		assert_no_plan("values", bad[i], true, "is not FUNCTION(RESULT,...)");
	}
}

TEST(named_values)
{
	static const char *const args[] = { "main.strs( n , s,n)", "main.pair.sum(x)",
					    "main.(*pair).add(x)", "main.div(a)",
					    "main.generic[...](n)" },
				 *const rets[] = { "main.div(err,quotient)", "main.label(1,0)" };
	struct gobin *b = open_binary("values");
	struct plan *p = build(b, args, 5, rets, 2);

	if (!p)
		fail_msg("%s", logged);
	assert_values(p, "main.strs", EV_ENTRY, "n s"); /* n was asked for twice */
	assert_values(p, "main.div", EV_ENTRY, "a");
	assert_values(p, "main.div", EV_EXIT, "err quotient");
	assert_values(p, "main.label", EV_EXIT, "1 0");
	assert_values(p, "main.(*pair).add", EV_ENTRY, "x");
	assert_int_equal(find(p, "main.ints")->n_args, 0);
	plan_free(p);
	gobin_close(b);
}

/* Without a list all that can be read; of many functions those that have the value. */
TEST(all_values_and_many_functions)
{
	static const char *const args[] = { "main.kinds", "main.*(n)" }, *const rets[] = {
		"main.big"
	};
	struct gobin *b = open_binary("values");
	struct plan *p = build(b, args, 2, rets, 1);

	if (!p)
		fail_msg("%s", logged);
	assert_values(p, "main.kinds", EV_ENTRY, "b s m c e a f");
	assert_values(p, "main.handle", EV_ENTRY, "n");
	assert_values(p, "main.strs", EV_ENTRY, "n");
	assert_int_equal(find(p, "main.div")->n_args, 0);
	assert_int_equal(find(p, "main.big")->n_results, 10);
	plan_free(p);
	gobin_close(b);
}

/* What DWARF is not needed for. */
TEST(registers)
{
	static const char *const args[] = { "main.recursive(%0,%1:string,%3:uint8,%8:len)" };
	struct gobin *b = open_binary("kinds.stripped");
	struct plan *p = build(b, args, 1, NULL, 0);

	if (!p)
		fail_msg("%s", logged);
	const struct plan_func *f = find(p, "main.recursive");
	const struct plan_value *v = p->values.list + f->first_value;
	static const struct {
		uint8_t type, bytes, reg;
	} want[] = { { GOVALUE_INT, 8, 0 },
		     { GOVALUE_STRING, 16, 1 },
		     { GOVALUE_UINT, 1, 3 },
		     { GOVALUE_LENGTH, 8, 8 } };

	assert_int_equal(f->n_args, 4);
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(v[i].v.type, want[i].type);
		assert_int_equal(v[i].v.bytes, want[i].bytes);
		assert_int_equal(v[i].v.reg, want[i].reg);
		assert_int_equal(v[i].v.source, GOVALUE_REG);
		assert_int_equal(v[i].v.n_hops, 0);
	}
	plan_free(p);
	gobin_close(b);
}

TEST(values_that_are_not_there)
{
	static const char *const registers[] = {
		"main.recursive(%9)",
		"main.recursive(%)",
		"main.recursive(%0:float)",
		"main.recursive(%0int)",
		"main.recursive(%-18446744073709551613)",
		"main.recursive(%+1)",
		"main.recursive(%8:string)" /* its length has no register */
	};

	for (size_t i = 0; i < sizeof(registers) / sizeof(*registers); i++)
		assert_no_plan("kinds", registers[i], false, "is not %N or %N:TYPE");
	assert_no_plan("kinds.stripped", "main.recursive(n)", false, "the binary has no DWARF");
	assert_no_plan("kinds.stripped", "main.recursive", true, "results of main.recursive");
	assert_no_plan("values", "main.strs(q)", false, "; it has s, t, n");
	assert_no_plan("values", "main.strs(0)", true, "0 of main.strs");
	assert_no_plan("values", "main.strs", true, "none can be read");
	assert_no_plan("values", "main.*(nothing)", false,
		       "no function that matches has such a value");
	assert_no_plan("values", "main.strz(n)", false, "similar names: main.strs");
	assert_no_plan("values", "zzzzzzzzz(n)", false, "no function matches 'zzzzzzzzz'");
}

/* Values of a function that is not probed cannot be had. */
TEST(of_what_is_not_probed)
{
	static const char *const text[] = { "main.strs(n)" }, *const out[] = { "main.strs" };
	struct gobin *b = open_binary("values");
	struct plan_options opt = { .strategy = PROBE_EMULATED,
				    .args = text,
				    .n_args = 1,
				    .excludes = out,
				    .n_excludes = 1 };

	forget_log();
	assert_null(plan_build(b, &opt));
	assert_non_null(strstr(logged, "--args: the values of main.strs cannot be recorded"));
	opt = (struct plan_options){ .strategy = PROBE_EMULATED,
				     .rets = (const char *const[]){ "main.label(0)" },
				     .n_rets = 1,
				     .excludes = (const char *const[]){ "main.label" },
				     .n_excludes = 1 };
	forget_log();
	assert_null(plan_build(b, &opt));
	assert_non_null(strstr(logged, "--ret: the values of main.label cannot be recorded"));
	gobin_close(b);
}

TEST(too_many_of_one_function)
{
	static const char *const args[] = { "main.onstack(a,b,c,d,e,f,g,h,i,j,k,s)",
					    "main.onstack(%0,%1,%2,%3)", "main.onstack(%4)" };
	struct gobin *b = open_binary("values");
	struct plan *p = build(b, args, 2, NULL, 0);

	if (!p)
		fail_msg("%s", logged);
	assert_int_equal(find(p, "main.onstack")->n_args, VALUES_MAX);
	plan_free(p);
	assert_null(build(b, args, 3, NULL, 0));
	assert_non_null(strstr(logged, "more than 16 values of main.onstack"));
	gobin_close(b);
}

/* A pattern leaves out what it cannot have, and keeps the rest. */
TEST(too_many_by_a_pattern)
{
	static const char *const args[] = { "main.*(a,b,c,d,e,f,g,h,i,j,k,s)",
					    "main.*(%0,%1,%2,%3,%4)" };
	struct gobin *b = open_binary("values");
	struct plan *p = build(b, args, 2, NULL, 0);

	if (!p)
		fail_msg("%s", logged);
	assert_int_equal(find(p, "main.onstack")->n_args, 0);
	assert_int_not_equal(find(p, "main.strs")->n_args, 0);
	assert_non_null(strstr(logged, "--args: the values of main.onstack are not recorded: "
				       "more than 16 values of one function"));
	/* A record names a value by its place among those of the functions in order. */
	size_t next = 0;

	for (size_t i = 0; i < p->n_funcs; i++) {
		const struct plan_func *f = &p->funcs[i];

		if (f->n_args + f->n_results)
			assert_int_equal(f->first_value, next);
		next += f->n_args + f->n_results;
	}
	assert_int_equal(p->values.n, next);
	plan_free(p);
	gobin_close(b);
}

TEST(excluded_from_a_pattern)
{
	struct gobin *b = open_binary("values");
	struct plan_options opt = { .strategy = PROBE_EMULATED,
				    .args = (const char *const[]){ "main.*(s)" },
				    .n_args = 1,
				    .excludes = (const char *const[]){ "main.strs" },
				    .n_excludes = 1 };
	forget_log();
	struct plan *p = plan_build(b, &opt);

	if (!p)
		fail_msg("%s", logged);
	assert_int_equal(find(p, "main.strs")->fate, PLAN_EXCLUDED);
	assert_int_equal(find(p, "main.strs")->n_args, 0);
	assert_int_equal(logged_count, 0);
	plan_free(p);
	gobin_close(b);
}

/* How a BPF program reads them: slots in a row, strings share what is left. */
TEST(recipes)
{
	const struct plan_value list[] = {
		{ .v = { .type = GOVALUE_INT, .source = GOVALUE_REG, .reg = 3, .bytes = 4 } },
		{ .v = { .type = GOVALUE_STRING,
			 .source = GOVALUE_STACK,
			 .n_hops = 2,
			 .bytes = 16,
			 .off = { 8, 24 } } },
		{ .v = { .type = GOVALUE_LENGTH,
			 .source = GOVALUE_REG,
			 .counted = true,
			 .bytes = 8 } },
		{ .v = { .type = GOVALUE_TYPE,
			 .source = GOVALUE_REG,
			 .has_itab = true,
			 .bytes = 8 } },
		{ .v = { .type = GOVALUE_FLOAT, .source = GOVALUE_FP, .bytes = 8 } },
	};
	static const uint8_t kinds[] = { VALUE_WORD, VALUE_TEXT, VALUE_COUNT, VALUE_ITAB,
					 VALUE_WORD },
			     from[] = { 3, VALUE_FROM_STACK, 0, 0, VALUE_FROM_XMM },
			     bytes[] = { 4, 8, 8, 8, 8 };
	const unsigned slot = sizeof(struct value_slot);
	struct site_values out;

	site_values_recipes(list, 5, &out);
	assert_int_equal(out.n, 5);
	assert_true(out.has_text);
	for (unsigned i = 0; i < 5; i++) {
		assert_int_equal(out.recipe[i].kind, kinds[i]);
		assert_int_equal(out.recipe[i].from, from[i]);
		assert_int_equal(out.recipe[i].bytes, bytes[i]);
		assert_int_equal(out.recipe[i].at, i * slot + (i > 1 ? VALUE_TEXT_MAX : 0));
		assert_int_equal(out.recipe[i].room, i == 1 ? VALUE_TEXT_MAX : 0);
	}
	assert_int_equal(out.recipe[1].hops, 2);
	assert_int_equal(out.recipe[1].off[1], 24);
	site_values_recipes(list, 1, &out);
	assert_false(out.has_text);
	/* Sixteen strings: they share the room, none may reach beyond it. */
	struct plan_value many[VALUES_MAX];

	for (size_t i = 0; i < VALUES_MAX; i++)
		many[i] = list[1];
	site_values_recipes(many, VALUES_MAX, &out);
	assert_true(out.recipe[0].room > 0 && out.recipe[0].room % 8 == 0);
	assert_true(out.recipe[VALUES_MAX - 1].at + slot + out.recipe[VALUES_MAX - 1].room <=
		    VALUES_BYTES);
}

TESTS_BETWEEN(set_up_binaries, NULL, requests_that_are_none, named_values,
	      all_values_and_many_functions, registers, values_that_are_not_there,
	      of_what_is_not_probed, too_many_of_one_function, too_many_by_a_pattern,
	      excluded_from_a_pattern, recipes)
