// SPDX-License-Identifier: BSD-2-Clause
/* Lines of calls, in a program of fixtures/binaries. */
#include "binary/binaries_fixture.h"
#include "base/test_fixture.h"
#include "trace/keys.h"

/* Test programs link the libraries only. */
#include "cli/call_lines.c"
#include "cli/trace_binary.c"

static const char *const names[] = { "main.main",      "main.largeFrame", "main.fill",
				     "main.recursive", "fmt.Println",     "main.withDefer",
				     "main.main.func1" };
enum { MAIN, LARGE, FILL, RECURSIVE, PRINTLN, DEFERS, CLOSURE, FUNCS };

/* Traces of the program, with that build id; NULL: its own. */
static void describe(struct trace_info *info, const char *program, const char *id)
{
	struct gobin *b = open_binary(program);

	*info = (struct trace_info){ 0 };
	for (size_t i = 0; i < FUNCS; i++) {
		const struct gofunc *f = gobin_func_named(b, names[i]);

		assert_non_null(f);
		assert_int_equal(trace_info_add_func(
					 info,
					 &(struct trace_func){ .name = (char *)(uintptr_t)names[i],
							       .vaddr = f->vaddr,
							       .size = f->size }),
				 0);
	}
	assert_int_equal(trace_info_set(info, KEY_BINARY_PATH, binary_path(program)), 0);
	assert_int_equal(trace_info_set(info, KEY_BINARY_BUILD_ID, id ? id : gobin_build_id(b)), 0);
	gobin_close(b);
}

/* The line of the source with this text. */
static uint32_t line_of(const char *text)
{
	FILE *f = fopen("fixtures/binaries/kinds/main.go", "r");
	char line[512];
	uint32_t n = 0, found = 0;

	assert_non_null(f);
	while (!found && fgets(line, sizeof(line), f)) {
		n++;
		found = strstr(line, text) ? n : 0;
	}
	fclose(f);
	assert_int_not_equal(found, 0);
	return found;
}

TEST(lines)
{
	struct trace_info info;

	describe(&info, "kinds.noinline", NULL);
	struct call_lines *l = call_lines_open(&info);

	assert_non_null(l);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(call_lines_find(l, LARGE, FILL), line_of("\tfill(a[:], n)"));
		assert_int_equal(call_lines_find(l, MAIN, LARGE),
				 line_of("largeFrame(n), hugeFrame"));
		assert_int_equal(call_lines_find(l, RECURSIVE, RECURSIVE),
				 line_of("return recursive(n-1) + n"));
		/* on several lines, by a pointer, and not at all */
		assert_int_equal(call_lines_find(l, MAIN, PRINTLN), 0);
		assert_int_equal(call_lines_find(l, DEFERS, CLOSURE), 0);
		assert_int_equal(call_lines_find(l, FILL, LARGE), 0);
	}
	call_lines_free(l);
	trace_info_free(&info);
}

TEST(another_program)
{
	struct trace_info info;

	describe(&info, "kinds.noinline", "of/another/build");
	assert_null(call_lines_open(&info));
	trace_info_free(&info);
}

TESTS_BETWEEN(set_up_binaries, NULL, lines, another_program)
