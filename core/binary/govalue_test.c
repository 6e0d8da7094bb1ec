/* SPDX-License-Identifier: BSD-2-Clause */
/* Where the arguments and results of the program fixtures/programs/values are. */
#include "base/test_fixture.h"
#include "binary/binaries_fixture.h"

#include "binary/govalue.h"

static struct gobin *binary;
static struct godebug *debug;

static struct gosignature *read_func(const char *name)
{
	const struct gofunc *f = gobin_func_named(binary, name);

	if (!f)
		fail_msg("no function %s", name);
	struct gosignature *s = gosignature_read(debug, f);

	if (!s)
		fail_msg("%s has no signature", name);
	return s;
}

/* "int32 R2", "string @RBX+16+0", "string S8": what is read, and from where. */
static void put_place(const struct govalue *v, char *out, size_t size)
{
	static const char *const types[GOVALUE_TYPES] = { "?",       "int",    "uint",
							  "float",   "bool",   "string",
							  "pointer", "length", "type" };
	int n = snprintf(out, size, "%s%d%s%s %c", types[v->type], 8 * v->bytes,
			 v->counted ? " counted" : "", v->has_itab ? " itab" : "",
			 "RXS"[v->source]);

	if (v->source != GOVALUE_STACK)
		n += snprintf(out + n, size - (size_t)n, "%u", v->reg);
	for (unsigned i = 0; i < v->n_hops; i++)
		n += snprintf(out + n, size - (size_t)n, " +%d", v->off[i]);
}

static void expect(const char *func, bool result, const char *expr, const char *want)
{
	struct gosignature *s = read_func(func);
	struct govalue v;
	char why[200] = "", got[200];

	if (gosignature_find(s, result, expr, &v, why, sizeof(why)))
		snprintf(got, sizeof(got), "error: %s", why);
	else
		put_place(&v, got, sizeof(got));
	if (strncmp(got, want, strlen(want)) || (strncmp(want, "error", 5) && strcmp(got, want)))
		fail_msg("%s(%s): '%s', not '%s'", func, expr, got, want);
	gosignature_free(s);
}

TEST(numbers_in_registers)
{
	expect("main.ints", false, "a", "int8 R0");
	expect("main.ints", false, "b", "int16 R1");
	expect("main.ints", false, "c", "int32 R2");
	expect("main.ints", false, "d", "int64 R3");
	expect("main.ints", false, "e", "uint8 R4");
	expect("main.ints", false, "f", "uint16 R5");
	expect("main.ints", false, "g", "uint32 R6");
	expect("main.ints", false, "h", "uint64 R7");
	expect("main.ints", false, "i", "uint64 R8");
	expect("main.floats", false, "x", "float64 X0");
	expect("main.floats", false, "y", "float32 X1");
	expect("main.floats", false, "p", "pointer64 R0");
	expect("main.floats", false, "*p", "float64 R0 +0");
	expect("main.floats", false, "n", "int64 R1");
}

TEST(strings_and_structs)
{
	expect("main.strs", false, "s", "string128 R0");
	expect("main.strs", false, "t", "string128 R2");
	expect("main.strs", false, "n", "int64 R4");
	expect("main.byvalue", false, "p.a", "int64 R0");
	expect("main.byvalue", false, "p.b", "int64 R1");
	expect("main.byvalue", false, "w.name", "string128 R2");
	expect("main.byvalue", false, "w.n", "int32 R4");
	expect("main.byvalue", false, "w.ok", "bool8 R5");
	expect("main.byvalue", false, "day", "int8 R6");
	expect("main.pair.sum", false, "p.b", "int64 R1");
	expect("main.pair.sum", false, "x", "int64 R2");
	expect("main.(*pair).add", false, "p.b", "int64 R0 +8");
	expect("main.(*pair).add", false, "x", "int64 R1");
}

TEST(behind_pointers)
{
	expect("main.handle", false, "r", "pointer64 R0");
	expect("main.handle", false, "r.id", "uint16 R0 +0");
	expect("main.handle", false, "r.base.id", "uint16 R0 +0");
	expect("main.handle", false, "r.tag", "string128 R0 +8");
	expect("main.handle", false, "r.URL", "pointer64 R0 +24");
	expect("main.handle", false, "r.URL.Path", "string128 R0 +24 +0");
	expect("main.handle", false, "r.URL.port", "uint16 R0 +24 +16");
	expect("main.handle", false, "r.ratio", "float64 R0 +32");
	expect("main.handle", false, "r.next.URL.Path", "string128 R0 +40 +24 +0");
	expect("main.handle", false, "r.body", "length64 R0 +56");
	expect("main.handle", false, "r.meta", "length64 counted R0 +72");
	expect("main.handle", false, "r.jobs", "length64 counted R0 +80");
	expect("main.handle", false, "r.where.port", "uint16 R0 +104");
	expect("main.handle", false, "r.next.next.next.next.ratio", "error: more than 3 pointers");
	expect("main.handle", false, "r.nothing", "error: there is no field 'nothing'");
	expect("main.handle", false, "q", "error: there is no argument 'q'");
	expect("main.handle", false, "n.x", "error: '.x' is asked of what is no struct");
	expect("main.handle", false, "*n", "error: it is no pointer");
	expect("main.handle", false, "r.base", "error: it is a struct");
}

TEST(on_the_stack)
{
	expect("main.onstack", false, "i", "int64 R8");
	expect("main.onstack", false, "j", "int64 S +8");
	expect("main.onstack", false, "k", "int8 S +16");
	expect("main.onstack", false, "s", "string128 S +24");
	expect("main.kinds", false, "f", "pointer64 R8");
}

TEST(other_kinds)
{
	expect("main.kinds", false, "b", "bool8 R0");
	expect("main.kinds", false, "s", "length64 R2");
	expect("main.kinds", false, "m", "length64 counted R4");
	expect("main.kinds", false, "c", "length64 counted R5");
	expect("main.kinds", false, "e", "type64 itab R6");
	expect("main.kinds", false, "a", "type64 S +8");
}

/* Go 1.19 does not tell DWARF of arguments without a name. */
TEST(without_names)
{
	expect("main.blank", false, "s", "string128 R1");
	expect("main.blank", false, "n", "int64 R5");
}

/* A function of a type parameter has its dictionary before its arguments, a method after the
 * receiver; DWARF of Go 1.19 has it nowhere. */
TEST(generics)
{
	const struct gofunc *funcs;
	size_t n = gobin_funcs(binary, &funcs), seen = 0;

	for (size_t i = 0; i < n; i++) {
		if (strncmp(funcs[i].name, "main.generic[go.shape.", 22))
			continue;
		bool text = strstr(funcs[i].name, "string") != NULL;

		seen++;
		expect(funcs[i].name, false, "n", "int64 R3");
		if (text)
			expect(funcs[i].name, false, "x", "string128 R1");
	}
	assert_int_equal(seen, 2);
}

TEST(results)
{
	expect("main.div", true, "quotient", "int64 R0");
	expect("main.div", true, "err", "type64 itab R1");
	expect("main.div", true, "0", "int64 R0");
	expect("main.div", true, "1", "type64 itab R1");
	expect("main.div", true, "2", "error: there is no result '2'");
	expect("main.div", false, "0", "error: there is no argument '0'");
	expect("main.label", true, "0", "string128 R0");
	expect("main.label", true, "1", "bool8 R2");
	expect("main.floats", true, "0", "float64 X0");
	expect("main.big", true, "i", "int64 R8");
	expect("main.big", true, "j", "int64 S +8");
	expect("main.onstack", true, "0", "int64 R0");
	expect("main.deferring", true, "0", "string128 R0");
	expect("main.deferring", true, "1", "length64 R3");
	expect("main.deferring", true, "2", "type64 itab R5");
	expect("main.deferring", true, "3", "error: there is no result '3'");
	expect("main.escaping", false, "n", "int64 R0");
	expect("main.escaping", false, "s", "string128 R1");
	expect("main.escaping", true, "1", "pointer64 R1");
}

TEST(names)
{
	static const char *const want[] = { "e", "a", "f", NULL };
	struct gosignature *s = read_func("main.kinds");

	for (size_t i = 0; i < 4; i++) {
		const char *name = gosignature_name(s, false, 4 + i);

		if (want[i])
			assert_string_equal(name, want[i]);
		else
			assert_null(name);
	}
	gosignature_free(s);
	s = read_func("main.label");
	assert_string_equal(gosignature_name(s, true, 0), "0");
	assert_string_equal(gosignature_name(s, true, 1), "1");
	assert_null(gosignature_name(s, true, 2));
	gosignature_free(s);
}

TEST(without_dwarf)
{
	struct gobin *b = open_binary("kinds.stripped");

	errno = 0;
	assert_null(godebug_open(b));
	assert_int_equal(errno, ENOENT);
	gobin_close(b);
}

/* By address of their descriptors, which begin where runtime.types is. */
TEST(types_by_address)
{
	assert_null(godebug_type_at(debug, 1));
	assert_null(godebug_type_at(debug, UINT64_MAX));
}

/* libelf changes the section headers of what it unpacks. */
TEST(opened_again)
{
	struct golayout l;

	for (int i = 0; i < 2; i++) {
		assert_int_equal(gobin_layout(binary, &l), 0);
		assert_true(l.from_dwarf);
		struct godebug *d = godebug_open(binary);

		assert_non_null(d);
		struct gosignature *s = gosignature_read(d, gobin_func_named(binary, "main.strs"));

		assert_non_null(s);
		gosignature_free(s);
		godebug_close(d);
	}
	expect("main.strs", false, "n", "int64 R4");
}

static int set_up(void **state)
{
	if (set_up_binaries(state))
		return -1;
	binary = open_binary("values");
	debug = godebug_open(binary);
	return debug ? 0 : -1;
}

FIXTURE(tear_down)
{
	godebug_close(debug);
	gobin_close(binary);
	return 0;
}

TESTS_BETWEEN(set_up, tear_down, numbers_in_registers, strings_and_structs, behind_pointers,
	      on_the_stack, other_kinds, without_names, generics, results, names, without_dwarf,
	      opened_again, types_by_address)
