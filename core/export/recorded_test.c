// SPDX-License-Identifier: BSD-2-Clause
/*
 * Calls and self time of each function of every recorded trace, as each format says: the calls are
 * those that the program counted itself, and fixtures/exports/recorded.txt shows both, with the
 * times. GOTRACE_UPDATE=1 rewrites it.
 */
#include <glob.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sqlite3.h>

#include "base/test_fixture.h"
#include "export/export_fixture.h"
#include "export/otlp/otlp_fixture.h"
#include "pprof.pb-c.h"

/* ---- each format as lines "FUNCTION\tCALLS\tSELF_NS", any number of a function */

static void put(FILE *out, const char *name, size_t len, uint64_t calls, uint64_t self_ns)
{
	fprintf(out, "%.*s\t%" PRIu64 "\t%" PRIu64 "\n", (int)len, name, calls, self_ns);
}

static void folded_lines(const char *path, enum export_weight weight, FILE *out)
{
	size_t n;
	char *text = fixture_export(
		path, "folded", &(struct export_options){ .weight = weight, .no_go_edges = true },
		&n);

	for (char *line = text, *end; *line; line = end + 1) {
		end = strchr(line, '\n');
		assert_non_null(end);
		*end = 0;
		char *blank = strrchr(line, ' '), *leaf;

		assert_non_null(blank);
		*blank = 0;
		leaf = strrchr(line, ';') ? strrchr(line, ';') + 1 : line;
		uint64_t v = strtoull(blank + 1, NULL, 10);

		put(out, leaf, strlen(leaf), weight == WEIGHT_CALLS ? v : 0,
		    weight == WEIGHT_CALLS ? 0 : v);
	}
	free(text);
}

static void of_folded(const char *path, FILE *out)
{
	folded_lines(path, WEIGHT_CALLS, out);
	folded_lines(path, WEIGHT_SELF, out);
}

static const char *leaf_of(const Pprof__Profile *p, const Pprof__Sample *s)
{
	for (size_t l = 0; l < p->n_location; l++)
		for (size_t f = 0; p->location[l]->id == s->location_id[0] && f < p->n_function;
		     f++)
			if (p->function[f]->id == p->location[l]->line[0]->function_id)
				return p->string_table[p->function[f]->name];
	fail_msg("a sample of no function");
	return NULL;
}

static void of_pprof(const char *path, FILE *out)
{
	size_t n, size;
	char *data = fixture_export(path, "pprof", &(struct export_options){ 0 }, &n),
	     *plain = fixture_gunzip(data, n, &size);
	Pprof__Profile *p = pprof__profile__unpack(NULL, size, (uint8_t *)plain);

	assert_non_null(p);
	for (size_t i = 0; i < p->n_sample; i++) {
		const char *leaf = leaf_of(p, p->sample[i]);

		put(out, leaf, strlen(leaf), (uint64_t)p->sample[i]->value[0],
		    (uint64_t)p->sample[i]->value[1]);
	}
	pprof__profile__free_unpacked(p, NULL);
	free(plain);
	free(data);
}

static void of_otlp(const char *path, FILE *out)
{
	size_t n;
	char *data = fixture_export(path, "otlp", &(struct export_options){ 0 }, &n);
	Otlp__ProfilesData *d = fixture_read_otlp(data, n);
	const Otlp__Dictionary *x = d->dictionary;
	const Otlp__ScopeProfiles *s = d->resource_profiles[0]->scope_profiles[0];

	for (size_t i = 0; i < 2; i++) /* calls, wall */
		for (size_t k = 0; k < s->profiles[i]->n_samples; k++) {
			const Otlp__Sample *one = s->profiles[i]->samples[k];
			const int32_t at = x->stack_table[one->stack_index]->location_indices[0];
			const Otlp__Line *line = x->location_table[at]->lines[0];
			const char *leaf =
				x->string_table[x->function_table[line->function_index]->name];

			put(out, leaf, strlen(leaf), i ? 0 : (uint64_t)one->values[0],
			    i ? (uint64_t)one->values[0] : 0);
		}
	otlp__profiles_data__free_unpacked(d, NULL);
	free(data);
}

/* The field of a row, its quotes taken off; *len bytes. */
static const char *field(const char *row, unsigned column, size_t *len)
{
	for (;; column--) {
		const bool quoted = *row == '"';
		const char *end = quoted ? strchr(row + 1, '"') : row + strcspn(row, ",\n");

		assert_non_null(end);
		*len = (size_t)(end - row) - quoted;
		if (!column)
			return row + quoted;
		assert_int_equal(end[quoted], ',');
		row = end + quoted + 1;
	}
}

/* A point is passed over: milliseconds with six decimals are nanoseconds. */
static uint64_t number(const char *row, unsigned column)
{
	size_t len;
	const char *at = field(row, column, &len);
	uint64_t v = 0;

	for (const char *end = at + len; at < end; at++)
		if (*at != '.')
			v = 10 * v + (uint64_t)(*at - '0');
	return v;
}

static void csv_lines(const char *path, bool calls, FILE *out)
{
	size_t n, len;
	char *text = fixture_export(path, "csv", &(struct export_options){ .calls = calls }, &n);

	for (const char *row = strchr(text, '\n') + 1; *row; row = strchr(row, '\n') + 1) {
		const char *name = field(row, calls ? 4 : 0, &len);

		put(out, name, len, calls ? 1 : number(row, 2), number(row, 7));
	}
	free(text);
}

static void of_csv(const char *path, FILE *out)
{
	csv_lines(path, false, out);
}
static void of_csv_calls(const char *path, FILE *out)
{
	csv_lines(path, true, out);
}

/* After each occurrence of `name`, which a quote ends, numbers after `calls` (NULL: it is one) and
 * `self` (NULL: there is none) follow. */
static void json_lines(const char *text, const char *name, const char *calls, const char *self,
		       FILE *out)
{
	for (const char *at = text; (at = strstr(at, name));) {
		at += strlen(name);
		const char *c = calls ? strstr(at, calls) : NULL,
			   *s = self ? strstr(at, self) : NULL;

		assert_true((c || !calls) && (s || !self));
		put(out, at, strcspn(at, "\""), calls ? strtoull(c + strlen(calls), NULL, 10) : 1,
		    self ? strtoull(s + strlen(self), NULL, 10) : 0);
	}
}

static void of_perun(const char *path, FILE *out)
{
	size_t n;
	char *text = fixture_export(path, "perun", &(struct export_options){ 0 }, &n);

	json_lines(text, "\"uid\":\"", "\"ncalls\":", "\"amount\":", out);
	free(text);
}

static void of_chrome(const char *path, FILE *out)
{
	size_t n;
	char *text = fixture_export(path, "chrome", &(struct export_options){ .args = true }, &n);

	/* a thread's name and an arrow's are in lines of other kinds */
	for (char *line = text, *end; line; line = end) {
		end = strchr(line, '\n');
		if (end)
			*end++ = 0;
		if (strstr(line, "\"ph\":\"X\""))
			json_lines(line, "\"name\":\"", NULL, "\"self_ns\":", out);
	}
	free(text);
}

static void of_sqlite(const char *path, FILE *out)
{
	size_t n;
	char *data = fixture_export(path, "sqlite", &(struct export_options){ 0 }, &n);
	sqlite3 *db = fixture_open_sqlite(data, n);

	fixture_query(
		db,
		"SELECT name || char(9) || calls || char(9) || self_ns FROM functions WHERE calls > 0",
		out);
	sqlite3_close(db);
	free(data);
}

static void of_perfetto(const char *path, FILE *out)
{
	static const char end_of[] = ": end of ", after[] = " after ";
	size_t n, size;
	char *text = NULL,
	     *data = fixture_export(path, "perfetto", &(struct export_options){ 0 }, &n);
	FILE *printed = open_memstream(&text, &size);

	assert_non_null(printed);
	fixture_read_perfetto(data, n, printed);
	assert_int_equal(fclose(printed), 0);
	for (const char *at = text; (at = strstr(at, end_of));) {
		at += strlen(end_of);
		const char *end = strstr(at, after);

		assert_non_null(end);
		put(out, at, (size_t)(end - at), 1, 0);
	}
	free(text);
	free(data);
}

static void of_speedscope(const char *path, FILE *out)
{
	static const char opens[] = "{\"type\":\"O\",\"frame\":", name[] = "{\"name\":\"";
	size_t n;
	char *text = fixture_export(path, "speedscope", &(struct export_options){ .calls = true },
				    &n);
	const char *frames = strstr(text, "\"frames\":[");

	assert_non_null(frames);
	for (const char *at = text; (at = strstr(at, opens));) {
		at += strlen(opens);
		const char *frame = strstr(frames, name);

		for (unsigned long i = strtoul(at, NULL, 10); i; i--) {
			assert_non_null(frame);
			frame = strstr(frame + 1, name);
		}
		assert_non_null(frame);
		frame += strlen(name);
		put(out, frame, strcspn(frame, "\""), 1, 0);
	}
	free(text);
}

static const struct {
	const char *name;
	void (*lines)(const char *path, FILE *out);
	bool has_self;
} formats[] = {
	{ "folded", of_folded, true },
	{ "pprof", of_pprof, true },
	{ "otlp", of_otlp, true },
	{ "csv", of_csv, true },
	{ "csv --calls", of_csv_calls, true },
	{ "perun", of_perun, true },
	{ "chrome --args", of_chrome, true },
	{ "sqlite", of_sqlite, true },
	{ "perfetto", of_perfetto, false },
	{ "speedscope", of_speedscope, false },
};

/* ---- added up */

#define FUNCS_MAX 64

struct func {
	char name[128];
	uint64_t calls, self_ns;
	bool optional;
};

struct funcs {
	struct func list[FUNCS_MAX];
	size_t n;
};

static struct func *find(struct funcs *f, const char *name, size_t len)
{
	size_t i = 0;

	while (i < f->n && (strncmp(f->list[i].name, name, len) || f->list[i].name[len]))
		i++;
	if (i == f->n) {
		assert_true(f->n < FUNCS_MAX && len < sizeof(f->list[i].name));
		f->list[f->n++] = (struct func){ 0 };
		memcpy(f->list[i].name, name, len);
	}
	return &f->list[i];
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct func *)a)->name, ((const struct func *)b)->name);
}

static struct funcs add_up(const char *lines)
{
	struct funcs all = { .n = 0 };

	for (const char *at = lines; *at; at = strchr(at, '\n') + 1) {
		const char *tab = strchr(at, '\t');
		struct func *f = find(&all, at, (size_t)(tab - at));
		char *end;

		f->calls += strtoull(tab + 1, &end, 10);
		f->self_ns += strtoull(end + 1, NULL, 10);
	}
	qsort(all.list, all.n, sizeof(*all.list), by_name);
	return all;
}

/* What the program printed. */
static struct funcs counted(const char *base)
{
	struct funcs all = { .n = 0 };
	char file[300], *text;

	snprintf(file, sizeof(file), "%s.counts", base);
	text = fixture_text(file);
	for (char *line = text, *end; (end = strchr(line, '\n')); line = end + 1) {
		bool optional = !strncmp(line, "optional ", 9);

		*end = 0;
		if (!optional && strncmp(line, "count ", 6) != 0)
			continue;
		const char *name = line + (optional ? 9 : 6), *blank = strrchr(name, ' ');

		assert_non_null(blank);
		struct func *f = find(&all, name, (size_t)(blank - name));

		f->calls = strtoull(blank + 1, NULL, 10);
		f->optional = optional;
	}
	free(text);
	qsort(all.list, all.n, sizeof(*all.list), by_name);
	return all;
}

/* Of a trace that lost events there may be less. */
static void compare(const char *trace, const char *format, struct funcs *got, struct funcs *want)
{
	const bool lost = strstr(trace, ".lost.");

	for (size_t i = 0; i < want->n; i++) {
		const struct func *w = &want->list[i];
		uint64_t calls = find(got, w->name, strlen(w->name))->calls;

		if (lost ? calls > w->calls : calls != w->calls && (calls || !w->optional))
			fail_msg("%s, %s: %" PRIu64 " calls of %s, the program counted %" PRIu64,
				 trace, format, calls, w->name, w->calls);
	}
	for (size_t i = 0; i < got->n; i++)
		if (strcmp(got->list[i].name, "[stack growth]") != 0 &&
		    strcmp(got->list[i].name, "[preempted]") != 0 &&
		    strcmp(got->list[i].name, "[parked]") != 0 &&
		    !bsearch(&got->list[i], want->list, want->n, sizeof(*want->list), by_name))
			fail_msg("%s, %s: the program does not know %s", trace, format,
				 got->list[i].name);
}

static void show(const struct funcs *f, bool self, FILE *out)
{
	const char *comma = " ";

	for (size_t i = 0; i < f->n; i++) {
		if (!f->list[i].calls)
			continue;
		fprintf(out, "%s%s %" PRIu64, comma, f->list[i].name, f->list[i].calls);
		if (self)
			fprintf(out, " in %" PRIu64 " ns", f->list[i].self_ns);
		comma = ", ";
	}
	fputc('\n', out);
}

static char *shown(const char *path, const char *trace, size_t format, struct funcs *want)
{
	char *lines = NULL, *text = NULL;
	size_t size;
	FILE *out = open_memstream(&lines, &size);

	assert_non_null(out);
	formats[format].lines(path, out);
	assert_int_equal(fclose(out), 0);
	struct funcs got = add_up(lines);

	out = open_memstream(&text, &size);
	assert_non_null(out);
	show(&got, formats[format].has_self, out);
	assert_int_equal(fclose(out), 0);
	compare(trace, formats[format].name, &got, want);
	free(lines);
	return text;
}

/* Formats that say the same share a line. */
static void show_trace(const char *path, FILE *out)
{
	const char *file = strrchr(path, '/') + 1;
	char base[256], *last = NULL;

	snprintf(base, sizeof(base), "%.*s", (int)(strlen(path) - strlen(".gotrace")), path);
	const char *trace = base + (file - path);
	struct funcs want = counted(base);

	fprintf(out, "%s\n  the program:", trace);
	show(&want, false, out);
	for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++) {
		char *text = shown(path, trace, i, &want);

		if (last && strcmp(last, text) != 0)
			fprintf(out, ":%s", last);
		fprintf(out, "%s%s", last && !strcmp(last, text) ? ", " : "  ", formats[i].name);
		free(last);
		last = text;
	}
	fprintf(out, ":%s", last);
	free(last);
}

TEST(test_recorded)
{
	char *got = NULL;
	size_t n;
	FILE *out = open_memstream(&got, &n);
	glob_t g;

	assert_non_null(out);
	assert_int_equal(glob("fixtures/traces/*.gotrace", 0, NULL, &g), 0);
	assert_true(g.gl_pathc >= 130);
	for (size_t k = 0; k < g.gl_pathc; k++)
		show_trace(g.gl_pathv[k], out);
	assert_int_equal(fclose(out), 0);
	globfree(&g);
	fixture_same("fixtures/exports/recorded.txt", got);
	free(got);
}

#define QUERY "fixtures/answers/query.gotrace" /* a goroutine of it is parked */

/* The sum of all lines, and of those that end with `frame`. */
static uint64_t folded_ns(const struct trace_view *view, const char *frame, uint64_t *of_frame)
{
	size_t n;
	char *text = fixture_export(QUERY, "folded", &(struct export_options){ .view = view }, &n),
	     *rest = text;
	uint64_t sum = 0;

	*of_frame = 0;
	for (char *line; (line = strsep(&rest, "\n")) && *line;) {
		const char *blank = strrchr(line, ' ');
		const uint64_t ns = strtoull(blank + 1, NULL, 10);

		sum += ns;
		if (!strncmp(blank - strlen(frame), frame, strlen(frame)))
			*of_frame += ns;
	}
	free(text);
	return sum;
}

/* Waits of parked goroutines stand apart, and nothing is lost. */
TEST(test_parked)
{
	const struct trace_view with = { .parked = true, .said = true };
	uint64_t apart, none, labelled = 0;
	size_t n, size;

	assert_int_equal(folded_ns(NULL, ";[parked]", &apart),
			 folded_ns(&with, ";[parked]", &none));
	assert_true(apart > 0 && none == 0);
	char *data = fixture_export(QUERY, "pprof", &(struct export_options){ 0 }, &n),
	     *plain = fixture_gunzip(data, n, &size);
	Pprof__Profile *p = pprof__profile__unpack(NULL, size, (uint8_t *)plain);

	assert_non_null(p);
	for (size_t i = 0; i < p->n_sample; i++)
		for (size_t k = 0; k < p->sample[i]->n_label; k++)
			if (!strcmp(p->string_table[p->sample[i]->label[k]->key], "parked"))
				labelled += (uint64_t)p->sample[i]->value[1];
	assert_int_equal(labelled, apart);
	pprof__profile__free_unpacked(p, NULL);
	free(plain);
	free(data);
}

TESTS(test_recorded, test_parked)
