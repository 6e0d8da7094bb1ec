// SPDX-License-Identifier: BSD-2-Clause

#include "base/test_fixture.h"
#include "trace/trace.h"

TEST(test_kv)
{
	struct trace_info t = { 0 };

	assert_null(trace_info_get(&t, "pid"));
	assert_int_equal(trace_info_u64(&t, "pid", 7), 7);
	assert_int_equal(trace_info_set(&t, "pid", "12"), 0);
	assert_int_equal(trace_info_setf(&t, "big", "%llu", 18446744073709551615ull), 0);
	assert_true(trace_info_u64(&t, "big", 0) == UINT64_MAX);
	assert_int_equal(trace_info_u64(&t, "pid", 7), 12);
	assert_int_equal(trace_info_set(&t, "pid", "13"), 0);
	assert_int_equal(t.n_kvs, 2);
	assert_string_equal(trace_info_get(&t, "pid"), "13");

	static const char *const no_number[] = {
		"", "-1", " 1", "1x", "18446744073709551616", "+1"
	};
	for (size_t i = 0; i < sizeof(no_number) / sizeof(no_number[0]); i++) {
		assert_int_equal(trace_info_set(&t, "pid", no_number[i]), 0);
		assert_int_equal(trace_info_u64(&t, "pid", 7), 7);
	}
	trace_info_free(&t);
	assert_int_equal(t.n_kvs, 0);
}

TEST(test_pcs)
{
	struct trace_info t = { 0 };

	/* 37 is prime to 101: every address below 101 once, in a mixed order, then all again. */
	for (uint64_t i = 0; i < 202; i++) {
		struct trace_pc p = { .pc = i * 37 % 101,
				      .func = i < 101 ? "main.a" : "main.b",
				      .file = i < 101 ? NULL : "a.go",
				      .line = (uint32_t)i };
		assert_int_equal(trace_info_add_pc(&t, &p), 0);
	}
	assert_int_equal(t.n_pcs, 101);
	for (uint64_t i = 101; i < 202; i++) {
		const struct trace_pc *p = trace_info_pc(&t, i * 37 % 101);
		assert_non_null(p);
		assert_string_equal(p->func, "main.b");
		assert_string_equal(p->file, "a.go");
		assert_int_equal(p->line, i);
	}
	assert_null(trace_info_pc(&t, 101));
	trace_info_free(&t);
}

TEST(test_copies)
{
	struct trace_info t = { 0 };
	char name[] = "main.f";
	struct trace_func f = { .name = name, .line = 3, .vaddr = 0x401000, .size = 9 };
	struct trace_site s = { .func = 0, .target = TRACE_NONE, .file_off = 5, .kind = EV_EXIT };

	assert_int_equal(trace_info_add_func(&t, &f), 0);
	assert_int_equal(trace_info_add_site(&t, &s), 0);
	name[0] = 'X';
	assert_string_equal(t.funcs[0].name, "main.f");
	assert_null(t.funcs[0].file);
	assert_int_equal(t.funcs[0].vaddr, 0x401000);
	assert_int_equal(t.sites[0].kind, EV_EXIT);
	trace_info_free(&t);
}

TESTS(test_kv, test_pcs, test_copies)
