// SPDX-License-Identifier: BSD-2-Clause
#include "export/otlp/otlp_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "export/export_fixture.h"

struct encoded {
	uint8_t *data;
	size_t n;
};

static int by_bytes(const void *x, const void *y)
{
	const struct encoded *a = x, *b = y;
	const int c = memcmp(a->data, b->data, a->n < b->n ? a->n : b->n);

	return c ? c : a->n < b->n ? -1 : a->n > b->n;
}

/* The first is nothing (`least` bytes), no two are the same. */
static void check_table(void *const *entries, size_t n, size_t least)
{
	struct encoded *all = calloc(n + 1, sizeof(*all));

	assert_non_null(all);
	assert_true(n > 0);
	for (size_t i = 0; i < n; i++) {
		all[i].n = protobuf_c_message_get_packed_size(entries[i]);
		all[i].data = malloc(all[i].n + 1);
		assert_non_null(all[i].data);
		protobuf_c_message_pack(entries[i], all[i].data);
	}
	assert_int_equal(all[0].n, least);
	qsort(all, n, sizeof(*all), by_bytes);
	for (size_t i = 1; i < n; i++)
		assert_int_not_equal(by_bytes(&all[i - 1], &all[i]), 0);
	for (size_t i = 0; i < n; i++)
		free(all[i].data);
	free(all);
}

#define CHECK_TABLE(table, least) \
	check_table((void *const *)d->dictionary->table, d->dictionary->n_##table, least)
#define IN(index, table) assert_true((index) >= 0 && (size_t)(index) < d->dictionary->n_##table)

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void check_strings(const Otlp__ProfilesData *d)
{
	const size_t n = d->dictionary->n_string_table;
	char **all = calloc(n + 1, sizeof(*all));

	assert_true(all && n);
	assert_string_equal(d->dictionary->string_table[0], "");
	memcpy(all, d->dictionary->string_table, n * sizeof(*all));
	qsort(all, n, sizeof(*all), by_text);
	for (size_t i = 1; i < n; i++)
		assert_string_not_equal(all[i - 1], all[i]);
	free(all);
}

static void check_attributes(const Otlp__ProfilesData *d, const int32_t *at, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		IN(at[i], attribute_table);
		for (size_t k = 0; k < i; k++) /* each key once */
			assert_int_not_equal(d->dictionary->attribute_table[at[i]]->key,
					     d->dictionary->attribute_table[at[k]]->key);
	}
}

static void check_dictionary(const Otlp__ProfilesData *d)
{
	const Otlp__Dictionary *x = d->dictionary;

	CHECK_TABLE(mapping_table, 0);
	CHECK_TABLE(location_table, 0);
	CHECK_TABLE(function_table, 0);
	CHECK_TABLE(link_table, 2 + 16 + 2 + 8);
	CHECK_TABLE(attribute_table, 0);
	CHECK_TABLE(stack_table, 0);
	check_strings(d);
	for (size_t i = 1; i < x->n_mapping_table; i++) {
		IN(x->mapping_table[i]->filename, string_table);
		check_attributes(d, x->mapping_table[i]->attribute_indices,
				 x->mapping_table[i]->n_attribute_indices);
	}
	for (size_t i = 1; i < x->n_function_table; i++) {
		IN(x->function_table[i]->name, string_table);
		IN(x->function_table[i]->system_name, string_table);
		IN(x->function_table[i]->filename, string_table);
		assert_true(x->function_table[i]->name);
	}
	for (size_t i = 1; i < x->n_location_table; i++) {
		const Otlp__Location *l = x->location_table[i];

		IN(l->mapping_index, mapping_table);
		check_attributes(d, l->attribute_indices, l->n_attribute_indices);
		assert_true(l->n_lines > 0);
		for (size_t k = 0; k < l->n_lines; k++) {
			IN(l->lines[k]->function_index, function_table);
			assert_true(l->lines[k]->function_index);
		}
	}
	for (size_t i = 1; i < x->n_stack_table; i++)
		for (size_t k = 0; k < x->stack_table[i]->n_location_indices; k++) {
			IN(x->stack_table[i]->location_indices[k], location_table);
			assert_true(x->stack_table[i]->location_indices[k]);
		}
	for (size_t i = 1; i < x->n_attribute_table; i++) {
		IN(x->attribute_table[i]->key, string_table);
		assert_true(x->attribute_table[i]->key && x->attribute_table[i]->value);
	}
}

static void check_profile(const Otlp__ProfilesData *d, const Otlp__Profile *p)
{
	assert_non_null(p->sample_type);
	IN(p->sample_type->type, string_table);
	IN(p->sample_type->unit, string_table);
	assert_true(p->sample_type->type && p->sample_type->unit);
	assert_true(p->profile_id.len == 0 || p->profile_id.len == 16);
	check_attributes(d, p->attribute_indices, p->n_attribute_indices);
	for (size_t i = 0; i < p->n_samples; i++) {
		IN(p->samples[i]->stack_index, stack_table);
		assert_true(p->samples[i]->stack_index);
		assert_int_equal(p->samples[i]->n_values, 1);
		assert_true(p->samples[i]->values[0] != 0);
		check_attributes(d, p->samples[i]->attribute_indices,
				 p->samples[i]->n_attribute_indices);
	}
}

Otlp__ProfilesData *fixture_read_otlp(const void *data, size_t n)
{
	Otlp__ProfilesData *d = otlp__profiles_data__unpack(NULL, n, data);

	assert_non_null(d);
	assert_non_null(d->dictionary);
	check_dictionary(d);
	for (size_t i = 0; i < d->n_resource_profiles; i++) {
		const Otlp__ResourceProfiles *r = d->resource_profiles[i];

		assert_int_equal(r->n_scope_profiles, 1);
		assert_string_equal(r->scope_profiles[0]->scope->name, "gotrace");
		for (size_t k = 0; k < r->scope_profiles[0]->n_profiles; k++)
			check_profile(d, r->scope_profiles[0]->profiles[k]);
	}
	return d;
}

const Otlp__Value *fixture_otlp_attribute(const Otlp__ProfilesData *d, const int32_t *attributes,
					  size_t n, const char *key)
{
	for (size_t i = 0; i < n; i++) {
		const Otlp__Attribute *a = d->dictionary->attribute_table[attributes[i]];

		if (!strcmp(d->dictionary->string_table[a->key], key))
			return a->value;
	}
	return NULL;
}

const Otlp__Value *fixture_otlp_resource(const Otlp__ResourceProfiles *r, const char *key)
{
	for (size_t i = 0; r->resource && i < r->resource->n_attributes; i++)
		if (!strcmp(r->resource->attributes[i]->key, key))
			return r->resource->attributes[i]->value;
	return NULL;
}

uint64_t fixture_otlp_sum(const Otlp__ProfilesData *d, const char *type)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < d->n_resource_profiles; i++) {
		const Otlp__ScopeProfiles *s = d->resource_profiles[i]->scope_profiles[0];

		for (size_t k = 0; k < s->n_profiles; k++) {
			const Otlp__Profile *p = s->profiles[k];

			if (strcmp(d->dictionary->string_table[p->sample_type->type], type) != 0)
				continue;
			for (size_t x = 0; x < p->n_samples; x++)
				sum += (uint64_t)p->samples[x]->values[0];
		}
	}
	return sum;
}

/* ---- as text */

static void print_value(const Otlp__Value *v, FILE *out)
{
	if (v->value_case == OTLP__VALUE__VALUE_NUMBER)
		fprintf(out, "%lld", (long long)v->number);
	else if (v->value_case == OTLP__VALUE__VALUE_TEXT)
		fprintf(out, "%s", v->text);
	for (size_t i = 0; v->value_case == OTLP__VALUE__VALUE_LIST && i < v->list->n_values; i++) {
		fputs(i ? " | " : "", out);
		print_value(v->list->values[i], out);
	}
}

static void print_attributes(const Otlp__Dictionary *x, const int32_t *at, size_t n, FILE *out)
{
	for (size_t i = 0; i < n; i++) {
		fprintf(out, " {%s ", x->string_table[x->attribute_table[at[i]]->key]);
		print_value(x->attribute_table[at[i]]->value, out);
		fputc('}', out);
	}
}

static void print_location(const Otlp__Dictionary *x, const Otlp__Location *l, FILE *out)
{
	for (size_t i = 0; i < l->n_lines; i++) {
		const Otlp__Function *f = x->function_table[l->lines[i]->function_index];

		fprintf(out, " %s", x->string_table[f->name]);
		if (f->filename || l->address)
			fprintf(out, "(%s:%d %#llx M%d)", x->string_table[f->filename],
				(int)l->lines[i]->line, (unsigned long long)l->address,
				(int)l->mapping_index);
	}
}

static void print_profile(const Otlp__Dictionary *x, const Otlp__Profile *p, FILE *out)
{
	fprintf(out, "%s/%s, %llu ns at %llu", x->string_table[p->sample_type->type],
		x->string_table[p->sample_type->unit], (unsigned long long)p->duration_nano,
		(unsigned long long)p->time_unix_nano);
	print_attributes(x, p->attribute_indices, p->n_attribute_indices, out);
	fputc('\n', out);
	for (size_t i = 0; i < p->n_samples; i++) {
		const Otlp__Sample *s = p->samples[i];
		const Otlp__Stack *k = x->stack_table[s->stack_index];

		fprintf(out, "%lld :", (long long)s->values[0]);
		for (size_t l = 0; l < k->n_location_indices; l++)
			print_location(x, x->location_table[k->location_indices[l]], out);
		print_attributes(x, s->attribute_indices, s->n_attribute_indices, out);
		fputc('\n', out);
	}
}

void fixture_print_otlp(const char *data, size_t n, FILE *out)
{
	Otlp__ProfilesData *d = fixture_read_otlp(data, n);

	for (size_t i = 0; i < d->n_resource_profiles; i++) {
		const Otlp__ResourceProfiles *r = d->resource_profiles[i];

		for (size_t k = 0; r->resource && k < r->resource->n_attributes; k++) {
			fprintf(out, "%s ", r->resource->attributes[k]->key);
			print_value(r->resource->attributes[k]->value, out);
			fputc('\n', out);
		}
		for (size_t k = 0; k < r->scope_profiles[0]->n_profiles; k++)
			print_profile(d->dictionary, r->scope_profiles[0]->profiles[k], out);
	}
	otlp__profiles_data__free_unpacked(d, NULL);
}
