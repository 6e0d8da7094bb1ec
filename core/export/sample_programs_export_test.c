// SPDX-License-Identifier: BSD-2-Clause
/* Exports of samples of several programs: which sample is of which. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sqlite3.h>

#include "base/test_fixture.h"
#include "export/export_fixture.h"
#include "pprof.pb-c.h"
#include "trace/programs_fixture.h"
#include "trace/samples_fixture.h"

#define MS_10 10000000

static char path[] = "/tmp/programs-XXXXXX";

FIXTURE(set_up)
{
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	close(fd);
	return programs_fixture_file(path, "/opt/kid");
}

FIXTURE(tear_down)
{
	return unlink(path);
}

TEST(folded)
{
	size_t n;
	char *text = fixture_export(path, "folded", &(struct export_options){ 0 }, &n);

	assert_string_equal(text, "[kid];main.main;[kid+0x3000] 10000000\n"
				  "[kid];main.main;main.work 30000000\n"
				  "[prog];main.main;main.work 60000000\n");
	free(text);
}

static void has(const char *format, const char *what)
{
	size_t n;
	char *text = fixture_export(path, format, &(struct export_options){ 0 }, &n);

	if (!memmem(text, n, what, strlen(what)))
		fail_msg("%s: no '%s'", format, what);
	free(text);
}

TEST(other_formats_have_roots)
{
	has("html", "[kid]");
	has("speedscope", "[kid]");
	has("chrome", "[kid]");
	has("perfetto", "[kid]");
}

static Pprof__Profile *profile(const char *of)
{
	size_t n, size;
	char *data = fixture_export(of, "pprof", &(struct export_options){ 0 }, &n),
	     *plain = fixture_gunzip(data, n, &size);
	Pprof__Profile *p = pprof__profile__unpack(NULL, size, (uint8_t *)plain);

	assert_non_null(p);
	free(plain);
	free(data);
	return p;
}

/* Nanoseconds of samples with a label. */
static int64_t labelled(const Pprof__Profile *p, const char *key, const char *value)
{
	int64_t ns = 0;

	for (size_t i = 0; i < p->n_sample; i++)
		for (size_t k = 0; k < p->sample[i]->n_label; k++) {
			const Pprof__Label *l = p->sample[i]->label[k];

			if (!strcmp(p->string_table[l->key], key) &&
			    !strcmp(p->string_table[l->str], value))
				ns += p->sample[i]->value[1];
		}
	return ns;
}

/* pprof compares it with the GNU build ID of a local file. */
TEST(pprof_has_no_build_id_of_go)
{
	Pprof__Profile *p = profile(path);
	size_t gnu = 0;

	for (size_t i = 0; i < p->n_mapping; i++) {
		const char *id = p->string_table[p->mapping[i]->build_id];

		assert_true(!*id || strlen(id) == 6);
		gnu += *id != '\0';
	}
	assert_int_equal(gnu, 3);
	assert_int_equal(p->n_mapping, 5);
	pprof__profile__free_unpacked(p, NULL);
}

TEST(pprof_has_labels)
{
	Pprof__Profile *p = profile(path);

	assert_int_equal(labelled(p, "program", "prog"), 6 * MS_10);
	assert_int_equal(labelled(p, "program", "kid"), 4 * MS_10);
	pprof__profile__free_unpacked(p, NULL);

	char one[] = "/tmp/programs-XXXXXX";
	int fd = mkstemp(one);

	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(samples_fixture_file(one, true), 0);
	p = profile(one);
	assert_int_equal(labelled(p, "program", "prog"), 0);
	pprof__profile__free_unpacked(p, NULL);
	unlink(one);
}

TEST(database_has_processes)
{
	size_t n, size;
	char *data = fixture_export(path, "sqlite", &(struct export_options){ 0 }, &n), *got;
	sqlite3 *db = fixture_open_sqlite(data, n);
	FILE *out = open_memstream(&got, &size);

	fixture_query(db, "SELECT * FROM processes", out);
	fixture_query(db,
		      "SELECT p.program, sum(s.weight_ns) FROM samples s JOIN processes p ON "
		      "p.image = s.image AND p.process = s.process GROUP BY 1 ORDER BY 1",
		      out);
	fixture_query(db, "SELECT name, self_ns FROM functions WHERE name = 'main.work' ORDER BY 2",
		      out);
	fclose(out);
	assert_string_equal(got, "0|10|sh|/bin/sh|sh|-1009999995\n"
				 "1|11|prog|/bin/prog|prog|-1009999994\n"
				 "2|12|kid|/opt/kid|kid|-1009999993\n"
				 "3|13|kid|/opt/kid|kid|-1009999992\n"
				 "4|14|kid|/opt/kid|kid|-1009999991\n"
				 "kid|40000000\nprog|60000000\n"
				 "main.work|30000000\nmain.work|60000000\n");
	free(got);
	sqlite3_close(db);
	free(data);
}

TESTS_BETWEEN(set_up, tear_down, folded, other_formats_have_roots, pprof_has_no_build_id_of_go,
	      pprof_has_labels, database_has_processes)
