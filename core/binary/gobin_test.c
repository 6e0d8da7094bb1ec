/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/test_fixture.h"
#include "binary/binaries_fixture.h"

#include "binary/gobin_impl.h"

static const struct {
	const char *name;
	bool pie, symtab;
} variants[] = {
	{ "kinds", false, true },          { "kinds.stripped", false, false },
	{ "kinds.pie", true, true },       { "kinds.pie.stripped", true, false },
	{ "kinds.noinline", false, true }, { "cgo", false, true },
	{ "user", false, true },           { "cgo.pie.stripped", true, false },
};
#define N_VARIANTS (sizeof(variants) / sizeof(variants[0]))

TEST(test_header)
{
	for (size_t i = 0; i < N_VARIANTS; i++) {
		struct gobin *b = open_binary(variants[i].name);
		char minor[16];

		assert_int_equal(gobin_is_pie(b), variants[i].pie);
		assert_int_equal(gobin_has_dwarf(b), variants[i].symtab);
		snprintf(minor, sizeof(minor), "go1.%d", gobin_go_minor(b));
		assert_non_null(strstr(gobin_go_version(b), minor));
		assert_true(gobin_go_minor(b) >= 19);
		char module[32];
		snprintf(module, sizeof(module), "example.org/%.*s",
			 (int)strcspn(variants[i].name, "."), variants[i].name);
		assert_string_equal(gobin_main_module(b)->path, module);
		assert_true(strlen(gobin_build_id(b)) >= 20);
		gobin_close(b);
	}
}

/* The module lines of a real binary, its main module turned into a dependency: none is left. */
TEST(test_modules)
{
	size_t size;
	uint8_t *p = load_binary("kinds.stripped", &size);
	/* the runtime has a copy elsewhere */
	uint8_t *info = memmem(p, size, "\xff Go buildinf:", 14);
	assert_non_null(info);
	uint8_t *line = memmem(info, size - (size_t)(info - p), "\nmod\texample.org/kinds\t", 23);
	assert_non_null(line);
	memcpy(line + 1, "dep", 3);
	struct gobin *b = open_bytes(p, size);
	free(p);
	assert_non_null(b);
	assert_string_equal(gobin_main_module(b)->path, "");
	gobin_close(b);
}

/* Only what symtab spells otherwise may differ: T·2 is T.2 there, and Go 1.19's
 * pclntab shortens generics. */
static bool same_name(const char *sym, const char *pcln)
{
	const char *dot = strstr(pcln, "\u00b7"), *dots = strstr(pcln, "[...]");

	if (dot)
		return strncmp(sym, pcln, (size_t)(dot - pcln)) == 0;
	if (dots)
		return strncmp(sym, pcln, (size_t)(dots - pcln)) == 0;
	return strcmp(sym, pcln) == 0;
}

static void same_functions(const char *with, const char *without)
{
	struct gobin *a = open_binary(with), *b = open_binary(without);
	const struct gofunc *fa, *fb;
	size_t n = gobin_funcs(a, &fa);

	assert_true(n > 1000);
	assert_int_equal(gobin_funcs(b, &fb), n);
	for (size_t i = 0; i < n; i++) {
		if (!same_name(fa[i].name, fb[i].name))
			fail_msg("function %zu: %s and %s", i, fa[i].name, fb[i].name);
		assert_int_equal(fa[i].size, fb[i].size);
		assert_int_equal(fa[i].flags & ~GOFUNC_ABI0, fb[i].flags);
		assert_int_equal(fa[i].start_line, fb[i].start_line);
		assert_true(i == 0 || fa[i].vaddr > fa[i - 1].vaddr);
		assert_true(i == 0 || fa[i].vaddr >= fa[i - 1].vaddr + fa[i - 1].size);
	}
	gobin_close(a);
	gobin_close(b);
}

TEST(test_stripped_has_the_same_functions)
{
	same_functions("kinds", "kinds.stripped");
	same_functions("kinds.pie", "kinds.pie.stripped");
}

TEST(test_flags)
{
	struct gobin *b = open_binary("kinds");

	assert_int_equal(gobin_func_named(b, "main.leaf")->flags, 0);
	assert_true(gobin_func_named(b, "main.(*named).Area")->flags & GOFUNC_WRAPPER);
	assert_false(gobin_func_named(b, "main.(*named).Name")->flags & GOFUNC_WRAPPER);
	/* the compiler marks it only where it calls the method; where it jumps there, it has no
	 * source */
	assert_true(gobin_func_named(b, "main.(*outer).Name")->flags & GOFUNC_WRAPPER);
	assert_false(gobin_func_named(b, "main.main")->flags & GOFUNC_WRAPPER);
	assert_true(gobin_func_named(b, "runtime.gogo")->flags & GOFUNC_ASM);
	assert_true(gobin_func_named(b, "runtime.gogo")->flags & GOFUNC_ABI0);
	assert_null(gobin_func_named(b, "main.nothing"));
	assert_null(gobin_func_named(b, "runtime.gogo.abi0"));
	gobin_close(b);
}

TEST(test_fips_range)
{
	struct gobin *b = open_path("/proc/self/exe"); /* no Go at all: no range, no crash */

	assert_null(b);
	b = open_binary("kinds.stripped");
	const struct gofunc *funcs;
	size_t n = gobin_funcs(b, &funcs), marked = 0;
	for (size_t i = 0; i < n; i++)
		marked += !!(funcs[i].flags & GOFUNC_FIPS);
	/* Go 1.24 brought the range; it always holds its two marks */
	assert_int_equal(marked >= 2, gobin_go_minor(b) >= 24);
	assert_false(gobin_func_named(b, "main.main")->flags & GOFUNC_FIPS);
	gobin_close(b);
}

TEST(test_func_at)
{
	for (size_t v = 0; v < N_VARIANTS; v++) {
		struct gobin *b = open_binary(variants[v].name);
		const struct gofunc *funcs;
		size_t n = gobin_funcs(b, &funcs);

		for (size_t i = 0; i < n; i++) {
			uint64_t end = funcs[i].vaddr + funcs[i].size;

			assert_ptr_equal(gobin_func_at(b, funcs[i].vaddr), &funcs[i]);
			assert_ptr_equal(gobin_func_at(b, end - 1), &funcs[i]);
			assert_ptr_not_equal(gobin_func_at(b, end), &funcs[i]);
		}
		assert_null(gobin_func_at(b, 0));
		assert_null(gobin_func_at(b, UINT64_MAX));
		gobin_close(b);
	}
}

struct symbols {
	const struct gobin *stripped;
	size_t n;
};

/* A function read off pclntab for each of .symtab's, of the same size. */
static int check_symbol(void *ctx, const struct gosym *sym)
{
	struct symbols *s = ctx;

	if (sym->type != STT_FUNC || !sym->size)
		return 0;
	const struct gofunc *f = gobin_func_at(s->stripped, sym->value);
	if (!f || f->vaddr != sym->value || f->size != sym->size)
		fail_msg("%s: %llu bytes; pclntab: %u", sym->name, (unsigned long long)sym->size,
			 f ? f->size : 0);
	s->n++;
	return 0;
}

TEST(test_symtab_has_the_same_functions)
{
	static const char *const pairs[][2] = {
		{ "kinds", "kinds.stripped" },
		{ "kinds.pie", "kinds.pie.stripped" },
	};

	for (size_t i = 0; i < 2; i++) {
		struct gobin *with = open_binary(pairs[i][0]), *without = open_binary(pairs[i][1]);
		struct symbols s = { .stripped = without };
		const struct gofunc *funcs;

		assert_int_equal(gosyms_each(with, check_symbol, &s), 0);
		assert_int_equal(s.n, gobin_funcs(without, &funcs));
		gobin_close(with);
		gobin_close(without);
	}
}

static int find_allgs(void *ctx, const struct gosym *sym)
{
	if (strcmp(sym->name, "runtime.allgs") == 0)
		*(uint64_t *)ctx = sym->value;
	return 0;
}

TEST(test_list_of_goroutines)
{
	static const char *const pairs[][2] = {
		{ "kinds", "kinds.stripped" },
		{ "kinds.pie", "kinds.pie.stripped" },
		{ "cgo", "cgo.pie.stripped" },
	};

	for (size_t i = 0; i < 3; i++) {
		struct gobin *with = open_binary(pairs[i][0]), *without = open_binary(pairs[i][1]);
		uint64_t symbol = 0, found = 0;

		assert_int_equal(gosyms_each(with, find_allgs, &symbol), 0);
		assert_int_equal(gobin_allgs(with, &found), 0);
		assert_int_equal(found, symbol);
		assert_int_equal(gobin_allgs(without, &found), 0);
		gobin_close(with);
		gobin_close(without);
	}
}

TEST(test_only_go_functions)
{
	for (size_t v = 0; v < N_VARIANTS; v++) {
		struct gobin *b = open_binary(variants[v].name);
		const struct gofunc *funcs;
		size_t n = gobin_funcs(b, &funcs);

		for (size_t i = 0; i < n; i++)
			if (!funcs[i].file && strncmp(funcs[i].name, "go:", 3) != 0)
				fail_msg("%s: %s has no source", variants[v].name, funcs[i].name);
		assert_null(gobin_func_named(b, "x_cgo_init"));
		gobin_close(b);
	}
}

/* The line of fixtures/binaries/kinds/main.go that starts with `text`. */
static uint32_t source_line(const char *text)
{
	FILE *f = fopen("fixtures/binaries/kinds/main.go", "r");
	char line[512];
	uint32_t n = 0, found = 0;

	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		n++;
		if (strncmp(line, text, strlen(text)) == 0)
			found = n;
	}
	fclose(f);
	assert_true(found > 0);
	return found;
}

TEST(test_lines)
{
	static const char *const names[] = { "kinds", "kinds.pie", "kinds.pie.stripped" };

	for (size_t i = 0; i < 3; i++) {
		struct gobin *b = open_binary(names[i]);
		const struct gofunc *f = gobin_func_named(b, "main.leaf");
		const char *file = NULL;
		uint32_t line = 0, want = source_line("func leaf(");

		assert_non_null(f);
		assert_int_equal(f->start_line, want);
		assert_non_null(strstr(f->file, "binaries/kinds/main.go"));
		assert_int_equal(gobin_line(b, f->vaddr, &file, &line), 0);
		assert_int_equal(line, want);
		assert_string_equal(file, f->file);
		f = gobin_func_named(b, "main.table");
		assert_int_equal(gobin_line(b, f->vaddr + f->size - 1, &file, &line), 0);
		assert_int_equal(line, source_line("func table(")); /* morestack's way back */
		assert_int_equal(gobin_line(b, 1, &file, &line), -ENOENT);
		gobin_close(b);
	}
}

struct seen {
	unsigned tiny, small, all;
};

static void see(void *ctx, const char *name)
{
	struct seen *s = ctx;

	s->all++;
	s->tiny += strcmp(name, "main.tiny") == 0;
	s->small += strcmp(name, "main.small") == 0;
}

TEST(test_inlined)
{
	for (size_t i = 0; i < 4; i++) {
		struct gobin *b = open_binary(variants[i].name);
		struct seen s = { 0 };

		assert_int_equal(
			gobin_inlined(b, gobin_func_named(b, "main.callsInlined"), see, &s), 0);
		assert_int_equal(s.tiny, 1); /* inlined twice, named once */
		assert_int_equal(s.small, 1);
		s = (struct seen){ 0 };
		assert_int_equal(gobin_inlined(b, gobin_func_named(b, "main.leaf"), see, &s), 0);
		assert_int_equal(s.all, 0);
		assert_null(gobin_func_named(b, "main.tiny"));
		const struct gofunc *funcs;
		size_t n = gobin_funcs(b, &funcs);
		for (size_t k = 0; k < n; k++)
			assert_int_equal(gobin_inlined(b, &funcs[k], see, &s), 0);
		assert_true(s.all > 1000);
		gobin_close(b);
	}
	struct gobin *b = open_binary("kinds.noinline");
	struct seen s = { 0 };
	assert_int_equal(gobin_inlined(b, gobin_func_named(b, "main.callsInlined"), see, &s), 0);
	assert_int_equal(s.all, 0);
	assert_non_null(gobin_func_named(b, "main.tiny"));
	gobin_close(b);
}

/* The displacement of the first `mov %fs:disp32,REG` in the text: what the code itself uses. */
static int64_t fs_offset_in_code(const struct gobin *b)
{
	const struct gofunc *f = gobin_func_named(b, "runtime.morestack");
	const uint8_t *p = gobin_bytes(b, f->vaddr, f->size);

	for (size_t i = 0; p && i + 9 <= f->size; i++)
		if (p[i] == 0x64 && p[i + 1] == 0x48 && p[i + 2] == 0x8b && p[i + 4] == 0x25)
			return (int32_t)load32(p + i + 5);
	return 0;
}

TEST(test_tls_slot)
{
	int64_t off;

	for (size_t i = 0; i < 5; i++) {
		struct gobin *b = open_binary(variants[i].name);

		assert_int_equal(gobin_tls_g(b, &off), 0);
		assert_int_equal(off, -8);
		gobin_close(b);
	}
	struct gobin *b = open_binary("cgo");
	assert_int_equal(gobin_tls_g(b, &off), 0);
	assert_true(off < -8); /* C's array lies there too */
	assert_int_equal(off, fs_offset_in_code(b));
	gobin_close(b);
	int64_t stripped = 0;
	b = open_binary("cgo.pie.stripped"); /* the same C variables; read off the code */
	assert_int_equal(gobin_tls_g(b, &stripped), 0);
	assert_int_equal(stripped, off);
	gobin_close(b);
}

/* A rebuild in place, while the program is looked at: the file is cut off, nothing notices. */
TEST(test_cut_off)
{
	char copy[] = "/tmp/gotrace-gobin-XXXXXX", command[4200];
	size_t text = 0;

	close(mkstemp(copy));
	snprintf(command, sizeof(command), "cp '%s' %s", binary_path("kinds"), copy);
	assert_int_equal(system(command), 0);
	struct gobin *b = open_path(copy);

	assert_non_null(b);
	assert_int_equal(truncate(copy, 100), 0);
	const struct gofunc *f;
	size_t n = gobin_funcs(b, &f);

	for (size_t i = 0; i < n; i++) {
		const uint8_t *code = gobin_bytes(b, f[i].vaddr, 1);

		text += code && *code;
	}
	assert_true(text > 100);
	gobin_close(b);
	unlink(copy);
}

TESTS_BETWEEN(set_up_binaries, NULL, test_header, test_modules,
	      test_stripped_has_the_same_functions, test_flags, test_fips_range, test_func_at,
	      test_symtab_has_the_same_functions, test_list_of_goroutines, test_only_go_functions,
	      test_lines, test_inlined, test_tls_slot, test_cut_off)
