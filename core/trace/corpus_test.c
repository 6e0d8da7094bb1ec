// SPDX-License-Identifier: BSD-2-Clause
/* The traces of fixtures/formats, one for each version of the format there ever was: every one
 * still says what it said when it was written. */
#include "base/test_fixture.h"
#include "trace/sample_trace_fixture.h"

#include <dirent.h>
#include <errno.h>

#include "trace/evlist.h"
#include "trace/format.h"

#define FOLDER "fixtures/formats/"

/* Adds what is not there, for a new version. */
static bool storing(void)
{
	return getenv("GOTRACE_STORE") != NULL;
}

/* ---- a trace as text */

/* Sites in their order: the stored texts are older than the lists' @site lines. */
static void put_sites(FILE *out, const struct trace_info *info)
{
	for (size_t i = 0; i < info->n_sites; i++) {
		const struct trace_site *s = &info->sites[i];

		fprintf(out, "# site %zu: func %d target %d off 0x%llx kind %u\n", i, (int)s->func,
			(int)s->target, (unsigned long long)s->file_off, s->kind);
	}
}

/* Takes out all lines that begin so; the length of what is left. */
static size_t cut_lines(char *text, const char *start)
{
	char *to = text;

	for (char *line = text, *next; *line; line = next) {
		next = strchrnul(line, '\n');
		next += *next != '\0';
		if (strncmp(line, start, strlen(start))) {
			memmove(to, line, (size_t)(next - line));
			to += next - line;
		}
	}
	*to = '\0';
	return (size_t)(to - text);
}

/* All that a trace says; free it. `name` stands for it in messages. */
static char *text_of(const char *path, const char *name, size_t *bytes)
{
	struct sample_log log = { 0 };
	char *text = NULL;
	FILE *out = open_memstream(&text, bytes);

	assert_non_null(out);
	log_set_sink(sample_sink, &log);
	struct trace_reader *r = trace_reader_open(path);
	if (!r)
		fail_msg("%s cannot be read any more: %s", name, log.last);
	put_sites(out, trace_reader_info(r));
	if (evlist_dump(out, r))
		fail_msg("%s cannot be read to its end any more: %s", name, log.last);
	trace_reader_close(r);
	log_set_sink(NULL, NULL);
	assert_int_equal(fclose(out), 0);
	*bytes = cut_lines(text, "@site ");
	return text;
}

static char *contents_of(const char *path, size_t *bytes)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		fail_msg("%s: %s", path, strerror(errno));
	char *data = (char *)sample_bytes(fd, bytes);
	close(fd);
	data[*bytes] = '\0';
	return data;
}

static size_t line_that_differs(const char *a, const char *b)
{
	size_t line = 1;

	for (; *a && *a == *b; a++, b++)
		line += *a == '\n';
	return line;
}

/* ---- the trace of this version */

/* One event of every kind, with every flag and in every way of coming about. */
static void write_kinds(struct trace_writer *w, uint64_t ts_ns)
{
	for (unsigned kind = 1; kind <= EV_KIND_MAX; kind++) {
		struct event_ext ev = { .h = { .ts_ns = ts_ns + kind,
					       .goid = 40 + kind,
					       .site = kind % 6,
					       .depth = 16 * kind,
					       .tid = 1003,
					       .kind = (uint16_t)kind,
					       .flags = (uint16_t)(kind % 8 |
								   kind % (HOW_MAX + 1)
									   << EVF_HOW_SHIFT) } };
		for (unsigned a = 0; a < 4 && event_kind_has_args(kind); a++)
			ev.arg[a] = kind * 1000 + a;
		assert_int_equal(trace_writer_event(w, &ev), 0);
	}
}

/* A loop through many sites: so many pairs of codes that some share a place in the tables that
 * guess, and a reader with another hash reads other depths. */
static void write_loop(struct trace_writer *w, uint64_t ts_ns)
{
	for (uint32_t i = 0; i < 600; i++) {
		uint32_t site = i % 300;
		struct event_ext ev = { .h = { .ts_ns = ts_ns + 300 * i,
					       .goid = 1,
					       .site = site,
					       .tid = 1000,
					       .depth = 8 * (site * site % 97),
					       .kind = EV_ENTRY } };

		assert_int_equal(trace_writer_event(w, &ev), 0);
	}
}

/* Every type of chunk, tables and keys that come late, blocks of several sizes, events that are
 * easy to guess and some that are not. */
static void write_sample(int fd)
{
	const struct trace_kv end[] = { { (char *)(uintptr_t) "end.reason",
					  (char *)(uintptr_t) "exited" } };
	struct trace_pc late = { .pc = 0x402000,
				 .func = (char *)(uintptr_t) "main.late",
				 .file = (char *)(uintptr_t) "l.go",
				 .line = 3 };
	uint64_t seed = 1;
	const size_t n = 300;
	struct event_ext *ev = sample_events(n, 10, &seed);
	struct trace_info info;

	sample_info(&info);
	struct trace_writer *w = trace_writer_new(sample_dup(fd), &info);
	assert_non_null(w);
	trace_info_free(&info);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(trace_writer_event(w, &ev[i]), 0);
		if (i == 0 || i == 100 || i == 101)
			assert_int_equal(trace_writer_flush(w), 0);
		if (i == 100) {
			assert_int_equal(trace_writer_pc(w, &late), 0);
			assert_int_equal(trace_writer_set(w, "warn.0", "said in the middle"), 0);
		}
	}
	write_loop(w, 1ull << 40);
	write_kinds(w, 1ull << 41);
	assert_int_equal(trace_writer_finish(w, end, 1), 0);
	free(ev);
}

static const char *sample_of(unsigned minor, const char *suffix)
{
	static char path[64];

	snprintf(path, sizeof(path), FOLDER "%u.%u%s", FORMAT_MAJOR, minor, suffix);
	return path;
}

static void store_file(const char *path, const void *data, size_t n)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);

	if (fd < 0)
		fail_msg("%s: %s: what was released stays as it is", path, strerror(errno));
	assert_int_equal(write(fd, data, n), n);
	assert_int_equal(close(fd), 0);
}

static void store_sample(void)
{
	int fd = sample_file();
	size_t n;

	write_sample(fd);
	uint8_t *data = sample_bytes(fd, &n);
	store_file(sample_of(FORMAT_MINOR, ".gotrace"), data, n);
	free(data);
	close(fd);
}

/* ---- the tests */

/* A file's name begins with the version in its header, and its text is what it was. */
static void check_file(const char *name)
{
	char path[512], version[32];
	size_t n, n_text, n_want;

	snprintf(path, sizeof(path), FOLDER "%s", name);
	uint8_t *head = (uint8_t *)contents_of(path, &n);
	assert_true(n > FILE_HEAD_BYTES);
	snprintf(version, sizeof(version), "%u.%u.", get_u16(head + 8), get_u16(head + 10));
	if (strncmp(name, version, strlen(version)))
		fail_msg("%s is of version %s", name, version);
	free(head);
	char *text = text_of(path, name, &n_text);
	memcpy(strrchr(path, '.'), ".events", sizeof(".events"));
	if (storing() && access(path, F_OK))
		store_file(path, text, n_text);
	char *want = contents_of(path, &n_want);
	if (n_text != n_want || memcmp(text, want, n_text))
		fail_msg("%s says something else than when it was written, from line %zu of %s on",
			 name, line_that_differs(text, want), path);
	free(text);
	free(want);
}

TEST(test_every_version_reads)
{
	DIR *dir = opendir(FOLDER);
	struct dirent *d;
	unsigned files = 0;

	assert_non_null(dir);
	if (storing() && access(sample_of(FORMAT_MINOR, ".gotrace"), F_OK))
		store_sample();
	while ((d = readdir(dir)) != NULL) {
		const char *dot = strrchr(d->d_name, '.');

		if (!dot || strcmp(dot, ".gotrace"))
			continue;
		check_file(d->d_name);
		files++;
	}
	closedir(dir);
	assert_true(files > 0);
}

/* The version that is written now is one of them, and has all that it can say. */
TEST(test_this_version_is_there)
{
	bool seen[EV_KIND_MAX + 1] = { false };
	struct event_ext ev;

	for (unsigned minor = 0; minor <= FORMAT_MINOR; minor++)
		if (access(sample_of(minor, ".gotrace"), F_OK))
			fail_msg(
				"there is no %s; run GOTRACE_STORE=1 build/test/trace/corpus_test, see " FOLDER
				"README.md",
				sample_of(minor, ".gotrace"));
	struct trace_reader *r = trace_reader_open(sample_of(FORMAT_MINOR, ".gotrace"));
	assert_non_null(r);
	while (trace_reader_next(r, &ev) == 1)
		if (ev.h.kind <= EV_KIND_MAX)
			seen[ev.h.kind] = true;
	trace_reader_close(r);
	for (unsigned kind = 1; kind <= EV_KIND_MAX; kind++)
		if (!seen[kind])
			fail_msg("kind %u, %s, came after format %u.%u: FORMAT_MINOR is to grow",
				 kind, event_kind_name(kind), FORMAT_MAJOR, FORMAT_MINOR);
}

TESTS(test_every_version_reads, test_this_version_is_there)
