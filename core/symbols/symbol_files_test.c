// SPDX-License-Identifier: BSD-2-Clause
/* What all files of a trace may take. */
#include "binary/binaries_fixture.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "symbols/symbol_files.h"

/* A path that stays as it is. */
static const char *binary_path_of(unsigned i, const char *name)
{
	static char path[2][PATH_MAX];

	return realpath(binary_path(name), path[i]);
}

struct heard {
	int lines;
	char last[200];
};

static void hear(void *ctx, enum log_level level, const char *line)
{
	struct heard *h = ctx;

	if (level != LOG_LEVEL_WARN)
		return;
	h->lines++;
	snprintf(h->last, sizeof(h->last), "%s", line);
}

/* All files that a trace names share the time and the memory: one line says that some were left. */
static void one_budget(void **state)
{
	const struct symbols_options options[] = { { .here = true },
						   { .here = true, .most_bytes = 1 },
						   { .here = true, .most_ns = 1 } };
	static const char *const said[] = {
		"", "2 addresses have no name: reading symbols took more",
		"3 addresses have no name: reading symbols took too long"
	};
	const char *const paths[] = { "/proc/self/exe", binary_path("kinds"), binary_path("cgo") };
	const uint64_t pcs[] = { 0x1000, 0x10001000, 0x20001000 };
	struct sample_tables t = { 0 }, out;
	struct symbols_counts c;

	(void)state;
	assert_int_equal(
		sample_tables_process(&t, &(struct sample_process){ .pid = (uint32_t)getpid() }),
		0);
	for (unsigned i = 0; i < 3; i++) {
		struct sample_image x = { .start = 0x10000000ull * i,
					  .end = 0x10000000ull * (i + 1) };
		char whole[PATH_MAX];

		x.path = realpath(paths[i], whole);
		assert_int_equal(sample_tables_image(&t, &x), 0);
	}
	assert_int_equal(sample_tables_stack(&t, &(struct sample_stack){ .n = 3, .pcs = pcs }), 0);
	for (unsigned i = 0; i < 3; i++) {
		struct heard h = { 0 };

		log_set_sink(hear, &h);
		assert_int_equal(symbols_resolve(&t, &options[i], &out, &c), 0);
		log_set_sink(NULL, NULL);
		assert_int_equal(c.unread, i ? i + 1 : 0);
		assert_int_equal(h.lines, i > 0);
		assert_memory_equal(h.last, said[i], strlen(said[i]));
		sample_tables_free(&out);
	}
	sample_tables_free(&t);
}

static void add_stack(struct sample_tables *t, const uint64_t *pcs, uint32_t n)
{
	assert_int_equal(sample_tables_stack(t, &(struct sample_stack){ .n = n, .pcs = pcs }), 0);
}

static uint64_t held(const struct symbols_cache *c)
{
	uint64_t n = 0;

	for (size_t i = 0; i < c->n; i++)
		n += c->files[i].file ? image_file_bytes(c->files[i].file) : 0;
	return n;
}

/* The images of some files, of one process, a gigabyte each. */
static void map_files(struct sample_tables *t, const char *const *paths, unsigned n)
{
	char whole[PATH_MAX];

	assert_int_equal(
		sample_tables_process(t, &(struct sample_process){ .pid = (uint32_t)getpid() }), 0);
	for (unsigned i = 0; i < n; i++) {
		const struct sample_image x = { .start = (uint64_t)i << 30,
						.end = (uint64_t)(i + 1) << 30,
						.path = realpath(paths[i % 2], whole) };

		assert_int_equal(sample_tables_image(t, &x), 0);
	}
}

/* Where so much is held at a time, all addresses have names: what was used least recently is closed
 * and read again. */
static void held_at_a_time(void **state)
{
	enum { IMAGES = 8 };
	struct symbols_cache c = { 0 };
	struct symbols_options opt = { .here = true, .cache = &c };
	const char *const paths[] = { binary_path_of(0, "kinds"), binary_path_of(1, "cgo") };
	uint64_t pcs[IMAGES], all;
	struct sample_tables t = { 0 }, out;
	struct symbols_counts n;

	(void)state;
	map_files(&t, paths, IMAGES);
	for (unsigned i = 0; i < IMAGES; i++)
		pcs[i] = ((uint64_t)i << 30) + 0x2000;
	add_stack(&t, pcs, IMAGES);
	assert_int_equal(symbols_resolve(&t, &opt, &out, &n), 0);
	sample_tables_free(&out);
	assert_int_equal(n.found, IMAGES);

	struct symbol_files f;

	assert_int_equal(symbol_files_begin(&f, &t, &opt), 0);
	for (uint32_t i = 0; i < IMAGES; i++)
		assert_non_null(symbol_files_get(&f, i)->file);
	all = held(&c);
	symbol_files_end(&f);

	/* room for some of them */
	opt.hold_bytes = all;
	assert_int_equal(symbol_files_begin(&f, &t, &opt), 0);
	for (uint32_t k = 0; k < 3 * IMAGES; k++) {
		const uint32_t i = k % IMAGES;

		assert_non_null(symbol_files_get(&f, i)->file);
		assert_true(held(&c) <= opt.hold_bytes);
	}
	assert_true(c.closed > IMAGES);
	symbol_files_end(&f);
	assert_true(held(&c) <= opt.hold_bytes / 2);

	assert_int_equal(symbols_resolve(&t, &opt, &out, &n), 0);
	sample_tables_free(&out);
	assert_int_equal(n.found, IMAGES);

	/* One alone that takes more gives none, which is counted. */
	opt.hold_bytes = 200000;
	assert_int_equal(symbols_resolve(&t, &opt, &out, &n), 0);
	sample_tables_free(&out);
	assert_int_equal(n.found, 0);
	assert_int_equal(n.refused, IMAGES);
	symbols_cache_free(&c);
	sample_tables_free(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_budget),
		cmocka_unit_test(held_at_a_time),
	};

	return cmocka_run_group_tests(tests, set_up_binaries, NULL);
}
