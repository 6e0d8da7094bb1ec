// SPDX-License-Identifier: BSD-2-Clause
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include <cmocka.h>

#include "export/export_fixture.h"
#include "pprof.pb-c.h"

/* ASan measures all that is left of a text at each strstr: time in the square of its length. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "intercept_strstr=0";
}

const struct export_format *fixture_format(const char *name)
{
	const struct export_format *f = export_formats;

	while (f->name && strcmp(f->name, name))
		f++;
	assert_non_null(f->name);
	return f;
}

char *fixture_export(const char *path, const char *format, const struct export_options *opt,
		     size_t *n)
{
	char *data = NULL;
	FILE *out = open_memstream(&data, n);
	struct trace_reader *r = trace_reader_open(path);

	assert_true(out && r);
	assert_int_equal(fixture_format(format)->write(&r, 1, opt, out), 0);
	trace_reader_close(r);
	assert_int_equal(fclose(out), 0);
	return data;
}

char *fixture_gunzip(const char *data, size_t size, size_t *n)
{
	z_stream z = { .next_in = (Bytef *)(uintptr_t)data, .avail_in = (uInt)size };
	size_t cap = 1 << 16;
	char *text = malloc(cap);
	int got;

	assert_non_null(text);
	assert_int_equal(inflateInit2(&z, 15 + 16), Z_OK);
	do {
		if (cap - z.total_out < 1 << 15)
			text = realloc(text, cap *= 2);
		assert_non_null(text);
		z.next_out = (Bytef *)text + z.total_out;
		z.avail_out = (uInt)(cap - z.total_out - 1);
		got = inflate(&z, Z_NO_FLUSH);
		assert_true(got == Z_OK || got == Z_STREAM_END);
	} while (got != Z_STREAM_END);
	assert_int_equal(z.avail_in, 0);
	*n = z.total_out;
	text[*n] = '\0';
	inflateEnd(&z);
	return text;
}

/* The data is between the only element of its kind and the script's end tag. */
char *fixture_page_data(const char *page)
{
	static const char start[] = "<script type=\"application/json\" id=\"data\">";
	const char *from = strstr(page, start), *to;

	assert_non_null(from);
	from += strlen(start);
	assert_null(strstr(from, start));
	to = strchr(from, '<'); /* no '<' in the data */
	assert_non_null(to);
	assert_int_equal(strncmp(to, "</script>", 9), 0);
	return strndup(from, (size_t)(to - from));
}

static const char *string(const Pprof__Profile *p, int64_t i)
{
	assert_in_range(i, 0, p->n_string_table - 1);
	return p->string_table[i];
}

static const Pprof__Location *location(const Pprof__Profile *p, uint64_t id)
{
	for (size_t i = 0; i < p->n_location; i++)
		if (p->location[i]->id == id)
			return p->location[i];
	fail_msg("a sample names location %d, which there is not", (int)id);
	return NULL;
}

static void print_frame(const Pprof__Profile *p, uint64_t id, FILE *out)
{
	const Pprof__Location *l = location(p, id);
	size_t i = 0;

	assert_int_equal(l->n_line, 1);
	while (i < p->n_function && p->function[i]->id != l->line[0]->function_id)
		i++;
	assert_true(i < p->n_function);
	const Pprof__Function *f = p->function[i];

	fprintf(out, " %s", string(p, f->name));
	if (f->filename || l->address)
		fprintf(out, "(%s:%d %#llx M%d)", string(p, f->filename), (int)l->line[0]->line,
			(unsigned long long)l->address, (int)l->mapping_id);
}

void fixture_print_pprof(const char *data, size_t n, FILE *out)
{
	size_t size;
	char *plain = fixture_gunzip(data, n, &size);
	Pprof__Profile *p = pprof__profile__unpack(NULL, size, (uint8_t *)plain);

	assert_non_null(p);
	assert_string_equal(string(p, 0), "");
	for (size_t i = 0; i < p->n_sample_type; i++)
		fprintf(out, "%s/%s%s", string(p, p->sample_type[i]->type),
			string(p, p->sample_type[i]->unit), i + 1 < p->n_sample_type ? " " : "\n");
	fprintf(out, "default %s, %lld ns at %lld\n", string(p, p->default_sample_type),
		(long long)p->duration_nanos, (long long)p->time_nanos);
	for (size_t i = 0; i < p->n_comment; i++)
		fprintf(out, "# %s\n", string(p, p->comment[i]));
	for (size_t i = 0; i < p->n_mapping; i++)
		fprintf(out, "mapping %d %#llx-%#llx %#llx %s %s\n", (int)p->mapping[i]->id,
			(unsigned long long)p->mapping[i]->memory_start,
			(unsigned long long)p->mapping[i]->memory_limit,
			(unsigned long long)p->mapping[i]->file_offset,
			string(p, p->mapping[i]->filename), string(p, p->mapping[i]->build_id));
	for (size_t i = 0; i < p->n_sample; i++) {
		const Pprof__Sample *s = p->sample[i];

		assert_int_equal(s->n_value, p->n_sample_type);
		for (size_t v = 0; v < s->n_value; v++)
			fprintf(out, "%lld ", (long long)s->value[v]);
		fputc(':', out);
		for (size_t l = 0; l < s->n_location_id; l++)
			print_frame(p, s->location_id[l], out);
		for (size_t l = 0; l < s->n_label; l++)
			fprintf(out, " {%s %lld}", string(p, s->label[l]->key),
				(long long)s->label[l]->num);
		fputc('\n', out);
	}
	pprof__profile__free_unpacked(p, NULL);
	free(plain);
}
