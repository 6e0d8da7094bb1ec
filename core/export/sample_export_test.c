// SPDX-License-Identifier: BSD-2-Clause
/* Exports of samples: each format has the same totals, and says what a stack is. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "base/log.h"
#include "export/export_fixture.h"
#include "pprof.pb-c.h"
#include "trace/samples_fixture.h"

#define TOTAL_NS (FIXTURE_SAMPLES * (uint64_t)FIXTURE_WEIGHT_NS)

static char path[] = "/tmp/samples-XXXXXX";

static int set_up(void **state)
{
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	close(fd);
	return samples_fixture_file(path, true);
}

static int tear_down(void **state)
{
	(void)state;
	return unlink(path);
}

static void folded(void **state)
{
	size_t n;
	char *text = fixture_export(path, "folded", &(struct export_options){ 0 }, &n);

	(void)state;
	assert_string_equal(text, "[cut off];runtime.goexit;[nowhere+0x999000] 10000000\n"
				  "[unreadable];work(int) 10000000\n"
				  "runtime.goexit;main.main;main.one;do_syscall_64 10000000\n"
				  "runtime.goexit;main.main;main.one;main.leaf 40000000\n"
				  "runtime.goexit;main.main;main.two;main.leaf 30000000\n");
	free(text);
	text = fixture_export(path, "folded", &(struct export_options){ .weight = WEIGHT_CALLS },
			      &n);
	assert_non_null(strstr(text, "main.two;main.leaf 3\n"));
	free(text);
}

static const char *str(const Pprof__Profile *p, int64_t i)
{
	assert_true(i >= 0 && (size_t)i < p->n_string_table);
	return p->string_table[i];
}

static const Pprof__Function *function(const Pprof__Profile *p, uint64_t id)
{
	for (size_t i = 0; i < p->n_function; i++)
		if (p->function[i]->id == id)
			return p->function[i];
	fail_msg("no function %" PRIu64, id);
	return NULL;
}

static Pprof__Profile *profile(const struct export_options *opt)
{
	size_t n, size;
	char *data = fixture_export(path, "pprof", opt, &n),
	     *plain = fixture_gunzip(data, n, &size);
	Pprof__Profile *p = pprof__profile__unpack(NULL, size, (uint8_t *)plain);

	assert_non_null(p);
	free(plain);
	free(data);
	return p;
}

/* What go build -pgo asks for: types, lines where functions start, inlined frames in one location,
 * names as the linker has them. */
static void pprof_as_go_has_it(void **state)
{
	Pprof__Profile *p = profile(&(struct export_options){ 0 });
	int64_t samples = 0, ns = 0, labelled = 0;
	bool inlined = false, abi0 = false;

	(void)state;
	assert_string_equal(str(p, p->sample_type[0]->type), "samples");
	assert_string_equal(str(p, p->sample_type[0]->unit), "count");
	assert_string_equal(str(p, p->sample_type[1]->type), "cpu");
	assert_string_equal(str(p, p->sample_type[1]->unit), "nanoseconds");
	for (size_t i = 0; i < p->n_sample; i++) {
		samples += p->sample[i]->value[0];
		ns += p->sample[i]->value[1];
		for (size_t k = 0; k < p->sample[i]->n_label; k++)
			labelled += !strcmp(str(p, p->sample[i]->label[k]->str), "/index")
					    ? p->sample[i]->value[0]
					    : 0;
	}
	assert_int_equal(samples, FIXTURE_SAMPLES);
	assert_int_equal(ns, TOTAL_NS);
	assert_int_equal(labelled, 3);
	for (size_t i = 0; i < p->n_location; i++) {
		const Pprof__Location *l = p->location[i];

		if (l->address != 0x403000)
			continue;
		assert_int_equal(l->n_line, 2);
		assert_string_equal(str(p, function(p, l->line[0]->function_id)->name),
				    "main.leaf");
		assert_string_equal(str(p, function(p, l->line[1]->function_id)->name), "main.two");
		assert_int_equal(l->line[1]->line, 32);
		assert_int_equal(function(p, l->line[1]->function_id)->start_line, 30);
		assert_int_equal(l->mapping_id, 1);
		inlined = true;
	}
	for (size_t i = 0; i < p->n_function; i++)
		abi0 |= !strcmp(str(p, p->function[i]->name), "runtime.goexit.abi0");
	assert_true(inlined && abi0);
	assert_string_equal(str(p, p->mapping[0]->build_id), "010203");
	pprof__profile__free_unpacked(p, NULL);
	p = profile(&(struct export_options){ .goroutines = true });
	for (size_t i = 0, of_7 = 0; i < p->n_sample; i++)
		for (size_t k = 0; k < p->sample[i]->n_label; k++) {
			of_7 += p->sample[i]->label[k]->num == 7 ? (size_t)p->sample[i]->value[0]
								 : 0;
			if (i + 1 == p->n_sample && k + 1 == p->sample[i]->n_label)
				assert_int_equal(of_7, 4);
		}
	pprof__profile__free_unpacked(p, NULL);
}

static int64_t number(sqlite3 *db, const char *sql)
{
	sqlite3_stmt *s;

	assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &s, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_step(s), SQLITE_ROW);
	int64_t n = sqlite3_column_int64(s, 0);
	sqlite3_finalize(s);
	return n;
}

static void database(void **state)
{
	size_t n;
	char *data = fixture_export(path, "sqlite", &(struct export_options){ 0 }, &n);
	sqlite3 *db = fixture_open_sqlite(data, n);

	(void)state;
	assert_int_equal(number(db, "SELECT sum(self_ns) FROM functions"), TOTAL_NS);
	assert_int_equal(number(db, "SELECT sum(self_ns) FROM paths"), TOTAL_NS);
	assert_int_equal(number(db, "SELECT sum(calls) FROM paths"), FIXTURE_SAMPLES);
	assert_int_equal(number(db, "SELECT sum(self_ns) FROM goroutines"), TOTAL_NS);
	sqlite3_close(db);
	free(data);
}

static uint64_t sum_after(const char *text, const char *key)
{
	uint64_t sum = 0;

	for (const char *at = text; (at = strstr(at, key)); at += strlen(key))
		sum += strtoull(at + strlen(key), NULL, 10);
	return sum;
}

static void perun(void **state)
{
	size_t n;
	char *text = fixture_export(path, "perun", &(struct export_options){ 0 }, &n);

	(void)state;
	assert_int_equal(sum_after(text, "\"amount\":"), TOTAL_NS);
	assert_int_equal(sum_after(text, "\"ncalls\":"), FIXTURE_SAMPLES);
	free(text);
}

static void keep(void *ctx, enum log_level level, const char *line)
{
	(void)level;
	snprintf(ctx, 512, "%s", line);
}

/* Formats of single calls say why not. */
static void timelines_are_refused(void **state)
{
	static const char *const formats[] = { "chrome", "perfetto" };
	char said[512] = "";

	(void)state;
	log_set_sink(keep, said);
	for (size_t i = 0; i < 2; i++) {
		struct trace_reader *r = trace_reader_open(path);
		FILE *out = fopen("/dev/null", "w");

		assert_int_not_equal(fixture_format(formats[i])
					     ->write(&r, 1, &(struct export_options){ 0 }, out),
				     0);
		assert_non_null(strstr(said, "has samples, not calls"));
		fclose(out);
		trace_reader_close(r);
	}
	log_set_sink(NULL, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(folded),
		cmocka_unit_test(pprof_as_go_has_it),
		cmocka_unit_test(database),
		cmocka_unit_test(perun),
		cmocka_unit_test(timelines_are_refused),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
