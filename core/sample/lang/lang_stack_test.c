// SPDX-License-Identifier: BSD-2-Clause
/* Names of functions that a program gives, and stacks that have them. */
#include "base/test_fixture.h"
#include "sample/lang/lang_stack.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "trace/keys.h"

#define SERIAL 7

static void set_text(struct sample_text *t, uint8_t *to, const char *text)
{
	*t = (struct sample_text){ .length = (uint32_t)strlen(text), .width = 1 };
	memcpy(to, text, t->length);
}

static void take(struct lang_names *l, uint64_t code, const char *name, const char *file,
		 uint32_t line)
{
	struct sample_code_record r = { .serial = SERIAL, .code = code, .line = line };

	set_text(&r.name, r.name_bytes, name);
	set_text(&r.file, r.file_bytes, file);
	assert_int_equal(lang_names_take(l, &r), 0);
}

static const char *text_of(uint32_t length, uint32_t width, const void *bytes, size_t most)
{
	static char to[64];
	const struct sample_text t = { length, width };

	return lang_text(to, sizeof(to), &t, bytes, most) ? to : NULL;
}

TEST(test_text)
{
	static const uint16_t two[] = { 0x7a, 0x20ac, 0xd800 };
	static const uint32_t four[] = { 0x1f40d, 0x7fffffff };
	static uint8_t many[256];

	assert_string_equal(text_of(4, 1, "main", 4), "main");
	assert_string_equal(text_of(3, 1, "\xfc\n\x7f", 3), "\xc3\xbc??");
	assert_string_equal(text_of(3, 2, two, sizeof(two)), "z\xe2\x82\xac?");
	assert_string_equal(text_of(2, 4, four, sizeof(four)), "\xf0\x9f\x90\x8d?");
	assert_string_equal(text_of(3, 1, "\x1b\x9b\xa0", 3), "??\xc2\xa0");
	assert_string_equal(text_of(0, 1, "x", 1), "");
	/* It does not reach beyond the bytes, however long the text is by its length. */
	assert_string_equal(text_of(UINT32_MAX, 1, "main", 4), "main...");
	assert_string_equal(text_of(UINT32_MAX, 4, four, 5), "\xf0\x9f\x90\x8d...");
	memset(many, 'x', sizeof(many));
	assert_true(strlen(text_of(256, 1, many, 256)) < 64);
	assert_null(text_of(4, 0, "main", 4));
	assert_null(text_of(4, 3, "main", 4));
	assert_null(text_of(4, UINT32_MAX, "main", 4));
}

/* A trace of one process. */
static struct trace_writer *begin(uint32_t *process)
{
	struct trace_info info = { 0 };
	const struct sample_process p = { .pid = 4, .comm = "python3" };

	assert_int_equal(trace_info_set(&info, KEY_MODE, MODE_SAMPLES), 0);
	struct trace_writer *w = trace_writer_new(memfd_create("trace", MFD_CLOEXEC), &info);

	assert_non_null(w);
	assert_int_equal(trace_writer_process(w, &p, process), 0);
	trace_info_free(&info);
	return w;
}

static const struct sample_symbol *symbol_at(struct trace_writer *w, uint32_t process, uint64_t pc)
{
	const struct sample_tables *t = trace_writer_tables(w);
	const struct sample_location *l = sample_tables_find(t, process, pc);

	return l ? &t->symbols[l->frames[0].symbol] : NULL;
}

TEST(test_names)
{
	struct lang_names l = { 0 };
	uint32_t process;
	struct trace_writer *w = begin(&process);

	take(&l, 0x1000, "Shop.find", "/srv/shop.py", 12);
	take(&l, 0x2000, "<module>", "/srv/shop.py", 1);
	const uint64_t find = lang_names_address(&l, SERIAL, 0x1000, process);
	const uint64_t module = lang_names_address(&l, SERIAL, 0x2000, process);

	assert_true(find > LANG_ADDRESS_FROM && find < LANG_ADDRESS_TO);
	assert_int_equal(lang_names_address(&l, SERIAL, 0x1000, process), find);
	assert_int_equal(lang_names_address(&l, SERIAL, 0x3000, process), LANG_UNREADABLE);
	assert_int_equal(lang_names_address(&l, SERIAL + 1, 0x1000, process), LANG_UNREADABLE);
	assert_int_equal(lang_names_write(&l, w), 0);
	assert_string_equal(symbol_at(w, process, find)->name, "Shop.find");
	assert_string_equal(symbol_at(w, process, find)->file, "/srv/shop.py");
	assert_int_equal(symbol_at(w, process, find)->start_line, 12);
	assert_string_equal(symbol_at(w, process, module)->name, "shop.py:<module>");
	assert_string_equal(symbol_at(w, process, LANG_UNREADABLE)->name,
			    "[unreadable Python frame]");
	const size_t n = trace_writer_tables(w)->n_locations;

	assert_int_equal(lang_names_address(&l, SERIAL, 0x1000, process), find);
	assert_int_equal(lang_names_write(&l, w), 0);
	assert_int_equal(trace_writer_tables(w)->n_locations, n);
	/* The memory has another function's code now. */
	take(&l, 0x1000, "Shop.sell", "/srv/shop.py", 30);
	const uint64_t sell = lang_names_address(&l, SERIAL, 0x1000, process);

	assert_int_not_equal(sell, find);
	assert_int_equal(lang_names_write(&l, w), 0);
	assert_string_equal(symbol_at(w, process, sell)->name, "Shop.sell");
	trace_writer_abort(w);
	/* Each trace has the names. */
	w = begin(&process);
	lang_names_again(&l);
	assert_int_equal(lang_names_address(&l, SERIAL, 0x1000, process), sell);
	assert_int_equal(lang_names_write(&l, w), 0);
	assert_string_equal(symbol_at(w, process, sell)->name, "Shop.sell");
	trace_writer_abort(w);
	lang_names_free(&l);
}

/* Their number has a bound, and no address is used for two functions of a trace. */
TEST(test_many_names)
{
	struct lang_names l = { 0 };
	uint32_t process;
	struct trace_writer *w = begin(&process);
	uint64_t last = 0;

	for (uint32_t i = 0; i < LANG_CODES_MAX + 1000; i++) {
		take(&l, 0x1000 + 16ull * i, "f", "g.py", i % 5000);
		if (i % 50000)
			continue;
		const uint64_t at = lang_names_address(&l, SERIAL, 0x1000 + 16ull * i, process);

		assert_true(at > last || i >= 5000);
		last = at > last ? at : last;
	}
	assert_int_equal(l.n_codes, LANG_CODES_MAX);
	assert_int_equal(lang_names_write(&l, w), 0);
	assert_int_equal(l.n_codes, 0);
	assert_int_equal(l.n_dropped, 1);
	assert_int_equal(lang_names_address(&l, SERIAL, 0x1000, process), LANG_UNREADABLE);
	take(&l, 0x1000, "f", "g.py", 0);
	assert_true(lang_names_address(&l, SERIAL, 0x1000, process) > last);
	trace_writer_abort(w);
	lang_names_free(&l);
}

/* A program that changes its functions all the time takes no more memory, nor do two that have
 * frames without names. */
TEST(test_unwritten)
{
	struct lang_names l = { 0 };
	uint32_t process;
	struct trace_writer *w = begin(&process);
	uint64_t first = 0, last = 0;

	for (uint32_t i = 0; i < 100000; i++) {
		take(&l, 0x1000, i % 2 ? "odd" : "even", "g.py", 1);
		last = lang_names_address(&l, SERIAL, 0x1000, process);
		first = i ? first : last;
		lang_names_address(&l, SERIAL, 0x3000, process + i % 2);
	}
	assert_int_equal(l.n_unwritten, 4);
	assert_int_equal(trace_writer_process(w, &(struct sample_process){ .comm = "x" }, &process),
			 0);
	assert_int_equal(lang_names_write(&l, w), 0);
	assert_string_equal(symbol_at(w, 0, first)->name, "even");
	assert_string_equal(symbol_at(w, 0, last)->name, "odd");
	assert_int_equal(l.n_unwritten, 0);
	trace_writer_abort(w);
	lang_names_free(&l);
}

/* Functions that all have the address of one have a bound, too. */
TEST(test_many_of_one)
{
	struct lang_names l = { 0 };
	uint32_t process;
	struct trace_writer *w = begin(&process);

	for (uint32_t i = 0; i < LANG_CODES_MAX - SAMPLE_PYTHON_FRAMES; i++) {
		assert_false(lang_names_full(&l));
		take(&l, 0x1000, "f", "", i);
		lang_names_address(&l, SERIAL, 0x1000, process);
	}
	assert_true(lang_names_full(&l));
	for (uint32_t i = LANG_CODES_MAX; i < 2 * LANG_CODES_MAX; i++)
		take(&l, 0x1000, "f", "", i);
	assert_int_equal(l.n, LANG_CODES_MAX);
	assert_int_equal(lang_names_write(&l, w), 0);
	assert_false(lang_names_full(&l));
	trace_writer_abort(w);
	lang_names_free(&l);
}

/* ---- stacks */

#define RUN(n, code) ((uint64_t)(n) << PYTHON_RUN_BIT | (code))

static struct lang_names names;
static uint64_t f[5]; /* addresses of functions whose code is at 0x100, 0x200 and so on */

FIXTURE(name_them)
{
	char name[8];

	for (uint64_t i = 1; i < 5; i++) {
		snprintf(name, sizeof(name), "f%u", (unsigned)i);
		take(&names, 0x100 * i, name, "f.py", 1);
		f[i] = lang_names_address(&names, SERIAL, 0x100 * i, 0);
	}
	return 0;
}

FIXTURE(forget_them)
{
	lang_names_free(&names);
	return 0;
}

static void check(const struct sample_python_record *r, const uint64_t *pcs, uint32_t n,
		  const uint64_t *want, uint32_t n_want)
{
	uint64_t to[16];

	assert_int_equal(lang_stack(&names, r, 0, pcs, n, to, 16), n_want);
	assert_memory_equal(to, want, n_want * sizeof(*to));
}
#define COUNT(x) (sizeof(x) / sizeof((x)[0]))

/* f1 called f2, C called f3 back, which called f4, which is in C. */
TEST(test_runs)
{
	const uint64_t pcs[] = { 10, 11, 12, 13, 14, 15 };
	const struct sample_python_record r = { .serial = SERIAL,
						.n = 4,
						.n_runs = 2,
						.evaluator = { 1, 4 },
						.frames = { RUN(0, 0x400), RUN(0, 0x300),
							    RUN(1, 0x200), RUN(1, 0x100) } };
	const uint64_t want[] = { 10, f[4], f[3], 12, 13, f[2], f[1], 15 };

	check(&r, pcs, COUNT(pcs), want, COUNT(want));
}

/* An evaluator that begins or ends has an entry frame and no other. */
TEST(test_empty_run)
{
	const uint64_t pcs[] = { 10, 11, 12, 13 };
	const struct sample_python_record r = { .serial = SERIAL,
						.n = 1,
						.n_runs = 2,
						.evaluator = { 0, 2 },
						.frames = { RUN(1, 0x100) } };
	const uint64_t want[] = { 10, 11, f[1], 13 };

	check(&r, pcs, COUNT(pcs), want, COUNT(want));
}

/* The walk ended early, or had no tables for C: the rest is outermost. */
TEST(test_short_walk)
{
	const uint64_t pcs[] = { 10, 11 };
	const struct sample_python_record r = { .serial = SERIAL,
						.n = 3,
						.n_runs = 2,
						.evaluator = { 1, PYTHON_NOWHERE },
						.frames = { RUN(0, 0x300), RUN(1, 0x200),
							    RUN(1, 0x100) } };
	const uint64_t want[] = { 10, f[3], STACK_MISSING_PC, f[2], f[1] };

	check(&r, pcs, COUNT(pcs), want, COUNT(want));
}

/* The chain was damaged, or too long. */
TEST(test_missing)
{
	const uint64_t pcs[] = { 10, 11, 12 };
	const struct sample_python_record r = { .serial = SERIAL,
						.n = 3,
						.n_runs = 1,
						.evaluator = { 1 },
						.frames = { RUN(0, 0x100), RUN(0, 0x999),
							    RUN(0, PYTHON_MISSING) } };
	const uint64_t want[] = { 10, f[1], LANG_UNREADABLE, STACK_MISSING_PC, 12 };

	check(&r, pcs, COUNT(pcs), want, COUNT(want));
	/* More runs than are kept: frames are missing once. */
	const struct sample_python_record many = {
		.serial = SERIAL, .n = 1, .frames = { RUN(SAMPLE_PYTHON_RUNS, PYTHON_MISSING) }
	};
	const uint64_t once[] = { 10, 11, 12, STACK_MISSING_PC };

	check(&many, pcs, COUNT(pcs), once, COUNT(once));
}

TEST(test_room)
{
	const uint64_t pcs[] = { 10, 11 };
	const struct sample_python_record r = { .serial = SERIAL,
						.n = 2,
						.n_runs = 1,
						.evaluator = { 1 },
						.frames = { RUN(0, 0x100), RUN(0, 0x200) } };
	uint64_t to[2] = { 0, 0 };

	assert_int_equal(lang_stack(&names, &r, 0, pcs, 2, to, 2), 2);
	assert_int_equal(to[1], f[1]);
}

/* Records of any content. */
TEST(test_random)
{
	static struct sample_python_record r;
	uint64_t pcs[64], to[128], seed = 1;

	for (unsigned k = 0; k < 20000; k++) {
		uint8_t *bytes = (uint8_t *)&r;

		for (size_t i = 0; i < sizeof(r); i++) {
			seed = seed * 6364136223846793005u + 1442695040888963407u;
			bytes[i] = (uint8_t)(seed >> 56 & (k % 2 ? 3 : 255));
		}
		for (size_t i = 0; i < 64; i++)
			pcs[i] = i + 10;
		assert_true(lang_stack(&names, &r, 0, pcs, 64, to, 128) <= 128);
	}
}

TESTS_BETWEEN(name_them, forget_them, test_text, test_names, test_many_names, test_runs,
	      test_empty_run, test_short_walk, test_missing, test_room, test_random, test_unwritten,
	      test_many_of_one)
