// SPDX-License-Identifier: BSD-2-Clause
/* OpenTelemetry's profiles: its rules for all stored traces, whose they are, and profiles that
 * somebody has damaged. */
#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/test_fixture.h"
#include "export/export_fixture.h"
#include "export/otlp/otlp_fixture.h"
#include "export/otlp/otlp_gz.h"

static Otlp__ProfilesData *export(const char *path, const struct export_options *opt)
{
	size_t n;
	char *data = fixture_export(path, "otlp", opt, &n);
	Otlp__ProfilesData *d = fixture_read_otlp(data, n);

	free(data);
	return d;
}

static size_t check_all(const char *pattern)
{
	glob_t found;

	assert_int_equal(glob(pattern, 0, NULL, &found), 0);
	for (size_t i = 0; i < found.gl_pathc; i++) {
		Otlp__ProfilesData *d = export(found.gl_pathv[i],
					       &(struct export_options){ .goroutines = true });

		assert_int_equal(d->n_resource_profiles, 1);
		otlp__profiles_data__free_unpacked(d, NULL);
	}
	const size_t n = found.gl_pathc;

	globfree(&found);
	return n;
}

TEST(test_rules)
{
	assert_true(check_all("fixtures/traces/*.gotrace") > 10);
	assert_true(check_all("fixtures/samples/*.gotrace") > 1);
}

static void expect_text(const Otlp__Value *v, const char *text)
{
	assert_non_null(v);
	assert_int_equal(v->value_case, OTLP__VALUE__VALUE_TEXT);
	assert_string_equal(v->text, text);
}

/* Each sample of a recording says which program, process and thread it is of. */
TEST(test_identities)
{
	Otlp__ProfilesData *d = export("fixtures/samples/leafs.gotrace",
				       &(struct export_options){ .goroutines = true });
	const Otlp__Profile *p = d->resource_profiles[0]->scope_profiles[0]->profiles[1];

	expect_text(fixture_otlp_resource(d->resource_profiles[0], "service.name"), "leafs");
	assert_string_equal(d->dictionary->string_table[p->sample_type->type], "cpu");
	assert_string_equal(d->dictionary->string_table[p->sample_type->unit], "nanoseconds");
	assert_true(p->n_samples > 1 && p->time_unix_nano && p->duration_nano && p->period > 0);
	for (size_t i = 0; i < p->n_samples; i++) {
		const int32_t *at = p->samples[i]->attribute_indices;
		const size_t n = p->samples[i]->n_attribute_indices;

		assert_true(fixture_otlp_attribute(d, at, n, "process.pid")->number > 0);
		assert_true(fixture_otlp_attribute(d, at, n, "thread.id")->number > 0);
		expect_text(fixture_otlp_attribute(d, at, n, "process.executable.name"), "leafs");
	}
	otlp__profiles_data__free_unpacked(d, NULL);
}

/* Frames have a type, and every sample of leafs is in a function of Go. */
TEST(test_frame_types)
{
	Otlp__ProfilesData *d = export("fixtures/samples/leafs.gotrace",
				       &(struct export_options){ .goroutines = true });
	const Otlp__Dictionary *x = d->dictionary;
	size_t n = 0;

	for (size_t i = 1; i < x->n_location_table; i++) {
		const Otlp__Location *l = x->location_table[i];
		const Otlp__Value *v = fixture_otlp_attribute(
			d, l->attribute_indices, l->n_attribute_indices, "profile.frame.type");
		const Otlp__Function *f = x->function_table[l->lines[0]->function_index];
		const char *name = x->string_table[f->name];

		if (!strncmp(name, "main.", 5)) {
			expect_text(v, "go");
			n++;
		}
	}
	assert_true(n > 0);
	otlp__profiles_data__free_unpacked(d, NULL);
}

/* ---- several profiles in one message */

static char *pprof_of(const char *path, size_t *n)
{
	return fixture_export(path, "pprof", &(struct export_options){ 0 }, n);
}

/* The entries of the tables are there once, however often a profile is added. */
TEST(test_together)
{
	static const char leafs[] = "fixtures/samples/leafs.gotrace",
			  shares[] = "fixtures/samples/shares.gotrace";
	const struct otlp_attribute a[] = { { "service.name", "a \xff", 0 }, { "n", NULL, 7 } },
				    b[] = { { "service.name", "b", 0 } };
	struct otlp_out *o = otlp_out_new();
	size_t n_leafs, n_shares, n, entries[2];
	char *l = pprof_of(leafs, &n_leafs), *s = pprof_of(shares, &n_shares);

	assert_non_null(o);
	assert_int_equal(otlp_out_add_gz(o, (uint8_t *)l, n_leafs, SIZE_MAX,
					 &(struct otlp_source){ a, 2, "1.2", { 1 } }),
			 0);
	uint8_t *one = otlp_out_message(o, &n);
	Otlp__ProfilesData *d = fixture_read_otlp(one, n);
	const uint64_t leafs_ns = fixture_otlp_sum(d, "cpu");

	assert_true(leafs_ns > 0);
	entries[0] = d->dictionary->n_location_table;
	otlp__profiles_data__free_unpacked(d, NULL);
	free(one);
	for (int i = 0; i < 2; i++)
		assert_int_equal(otlp_out_add_gz(o, (uint8_t *)(i ? s : l), i ? n_shares : n_leafs,
						 SIZE_MAX,
						 &(struct otlp_source){ b, 1, NULL, { 0 } }),
				 0);
	one = otlp_out_message(o, &n);
	assert_true(n <= otlp_out_size(o));
	d = fixture_read_otlp(one, n);
	entries[1] = d->dictionary->n_location_table;
	assert_int_equal(d->n_resource_profiles, 3);
	expect_text(fixture_otlp_resource(d->resource_profiles[0], "service.name"),
		    "a \xef\xbf\xbd");
	assert_int_equal(fixture_otlp_resource(d->resource_profiles[0], "n")->number, 7);
	expect_text(fixture_otlp_resource(d->resource_profiles[2], "service.name"), "b");
	const Otlp__Profile *const *p =
		(const Otlp__Profile *const *)d->resource_profiles[0]->scope_profiles[0]->profiles;

	assert_int_equal(p[0]->profile_id.data[0], 1);
	assert_int_not_equal(p[0]->profile_id.data[15], p[1]->profile_id.data[15]);
	assert_int_equal(d->resource_profiles[1]->scope_profiles[0]->profiles[0]->profile_id.len,
			 0);
	assert_true(fixture_otlp_sum(d, "cpu") > 2 * leafs_ns);
	assert_true(entries[1] > entries[0]);
	otlp__profiles_data__free_unpacked(d, NULL);
	free(one);
	otlp_out_free(o);
	free(l);
	free(s);
}

/* ---- profiles that were damaged */

static int add(const void *gz, size_t n, size_t most)
{
	struct otlp_out *o = otlp_out_new();
	int err = otlp_out_add_gz(o, gz, n, most, &(struct otlp_source){ 0 });
	size_t size = 0;
	uint8_t *message = otlp_out_message(o, &size);

	if (!err)
		assert_non_null(message);
	free(message);
	otlp_out_free(o);
	return err;
}

TEST(test_gzip)
{
	size_t n;
	char *l = pprof_of("fixtures/samples/leafs.gotrace", &n), *longer = calloc(1, n + 1);

	assert_non_null(longer);
	memcpy(longer, l, n);
	assert_int_equal(add(l, n, 100), -E2BIG);
	assert_int_equal(add(l, 0, SIZE_MAX), -EINVAL);
	for (size_t i = 1; i < n; i += 7)
		assert_int_equal(add(l, i, SIZE_MAX), -EINVAL);
	assert_int_equal(add(longer, n + 1, SIZE_MAX), -EINVAL);
	assert_int_equal(add("not gzip at all, but long enough", 32, SIZE_MAX), -EINVAL);
	free(longer);
	free(l);
}

static int add_changed(void (*change)(Pprof__Profile *p))
{
	struct otlp_out *o = otlp_out_new();
	size_t n, size;
	char *l = pprof_of("fixtures/samples/leafs.gotrace", &n),
	     *plain = fixture_gunzip(l, n, &size);
	Pprof__Profile *p = pprof__profile__unpack(NULL, size, (uint8_t *)plain);

	assert_true(o && p);
	change(p);
	int err = otlp_out_add(o, p, &(struct otlp_source){ 0 });

	pprof__profile__free_unpacked(p, NULL);
	otlp_out_free(o);
	free(plain);
	free(l);
	return err;
}

static void nothing(Pprof__Profile *p)
{
	(void)p;
}
static void far_string(Pprof__Profile *p)
{
	p->function[0]->name = (int64_t)p->n_string_table;
}
static void negative_string(Pprof__Profile *p)
{
	p->sample_type[0]->unit = -1;
}
static void far_function(Pprof__Profile *p)
{
	p->location[0]->line[0]->function_id = p->n_function + 1;
}
static void far_mapping(Pprof__Profile *p)
{
	p->location[0]->mapping_id = UINT64_MAX;
}
static void far_location(Pprof__Profile *p)
{
	p->sample[0]->location_id[0] = p->n_location + 1;
}
static void other_id(Pprof__Profile *p)
{
	p->location[0]->id = 2;
}
static void fewer_values(Pprof__Profile *p)
{
	p->sample[0]->n_value--;
}
static void far_comment(Pprof__Profile *p)
{
	p->comment[0] = INT64_MAX;
}

TEST(test_damaged)
{
	static void (*const changes[])(Pprof__Profile * p) = {
		far_string,   negative_string, far_function, far_mapping,
		far_location, other_id,        fewer_values, far_comment,
	};

	assert_int_equal(add_changed(nothing), 0);
	for (size_t i = 0; i < sizeof(changes) / sizeof(*changes); i++)
		assert_int_equal(add_changed(changes[i]), -EINVAL);
}

TESTS(test_rules, test_identities, test_frame_types, test_together, test_gzip, test_damaged)
