// SPDX-License-Identifier: BSD-2-Clause
/*
 * Whoever reads profiles may ask for more than a decoder: pprof's CheckValid, and Parca, which
 * takes numbers from 1 on in their order alone. Every profile of every stored trace is as they want
 * it.
 */
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/test_fixture.h"
#include "export/export_fixture.h"
#include "pprof.pb-c.h"

static void expect_text(const Pprof__Profile *p, int64_t index)
{
	assert_true(index >= 0 && (uint64_t)index < p->n_string_table);
}

static void check_types(const Pprof__Profile *p)
{
	assert_true(p->n_sample_type > 0);
	for (size_t i = 0; i < p->n_sample_type; i++) {
		expect_text(p, p->sample_type[i]->type);
		expect_text(p, p->sample_type[i]->unit);
		assert_true(p->sample_type[i]->type && p->sample_type[i]->unit);
	}
	expect_text(p, p->default_sample_type);
	for (size_t i = 0; i < p->n_comment; i++)
		expect_text(p, p->comment[i]);
}

static void check_mappings(const Pprof__Profile *p)
{
	for (size_t i = 0; i < p->n_mapping; i++) {
		const Pprof__Mapping *m = p->mapping[i];

		assert_int_equal(m->id, i + 1);
		expect_text(p, m->filename);
		expect_text(p, m->build_id);
		assert_true(m->memory_start <= m->memory_limit);
	}
}

static void check_functions(const Pprof__Profile *p)
{
	for (size_t i = 0; i < p->n_function; i++) {
		const Pprof__Function *f = p->function[i];

		assert_int_equal(f->id, i + 1);
		expect_text(p, f->name);
		expect_text(p, f->system_name);
		expect_text(p, f->filename);
		assert_true(f->name);
	}
}

static void check_locations(const Pprof__Profile *p)
{
	for (size_t i = 0; i < p->n_location; i++) {
		const Pprof__Location *l = p->location[i];

		assert_int_equal(l->id, i + 1);
		assert_true(l->mapping_id <= p->n_mapping);
		assert_true(l->n_line > 0);
		for (size_t k = 0; k < l->n_line; k++)
			assert_true(l->line[k]->function_id > 0 &&
				    l->line[k]->function_id <= p->n_function);
	}
}

static void check_samples(const Pprof__Profile *p)
{
	for (size_t i = 0; i < p->n_sample; i++) {
		const Pprof__Sample *s = p->sample[i];

		assert_int_equal(s->n_value, p->n_sample_type);
		assert_true(s->n_location_id > 0);
		for (size_t k = 0; k < s->n_location_id; k++)
			assert_true(s->location_id[k] > 0 && s->location_id[k] <= p->n_location);
		for (size_t k = 0; k < s->n_label; k++) {
			const Pprof__Label *l = s->label[k];

			expect_text(p, l->key);
			expect_text(p, l->str);
			/* pprof takes it for a text or for a number; a number of 0 is none. */
			assert_true(l->key && !l->str != !l->num);
		}
	}
}

static void check(const char *path, const struct export_options *opt)
{
	size_t n, size;
	char *data = fixture_export(path, "pprof", opt, &n),
	     *plain = fixture_gunzip(data, n, &size);
	Pprof__Profile *p = pprof__profile__unpack(NULL, size, (uint8_t *)plain);

	assert_non_null(p);
	assert_true(p->n_string_table > 0);
	assert_string_equal(p->string_table[0], "");
	check_types(p);
	check_mappings(p);
	check_functions(p);
	check_locations(p);
	check_samples(p);
	pprof__profile__free_unpacked(p, NULL);
	free(plain);
	free(data);
}

/* How many traces. */
static size_t check_all(const char *pattern)
{
	glob_t found;

	assert_int_equal(glob(pattern, 0, NULL, &found), 0);
	for (size_t i = 0; i < found.gl_pathc; i++) {
		check(found.gl_pathv[i], &(struct export_options){ 0 });
		check(found.gl_pathv[i], &(struct export_options){ .goroutines = true });
		check(found.gl_pathv[i],
		      &(struct export_options){ .no_go_edges = true, .raw = true });
	}
	const size_t n = found.gl_pathc;

	globfree(&found);
	return n;
}

TEST(test_recorded)
{
	assert_true(check_all("fixtures/traces/*.gotrace") > 10);
	assert_true(check_all("fixtures/answers/*.gotrace") > 5);
}

TEST(test_samples)
{
	assert_true(check_all("fixtures/samples/*.gotrace") > 1);
}

TEST(test_cases)
{
	glob_t found;

	assert_int_equal(glob("fixtures/cases/*.events", 0, NULL, &found), 0);
	assert_true(found.gl_pathc > 10);
	for (size_t i = 0; i < found.gl_pathc; i++) {
		char path[TRACE_PATH_BYTES], *text = fixture_text(found.gl_pathv[i]);

		fixture_write_text(text, true, path);
		check_all(path);
		unlink(path);
		free(text);
	}
	globfree(&found);
}

TESTS(test_recorded, test_samples, test_cases)
