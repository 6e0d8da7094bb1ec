// SPDX-License-Identifier: BSD-2-Clause
/* Exports that cannot succeed, and exports of very much. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <sqlite3.h>

#include "base/test_fixture.h"
#include "base/log.h"
#include "export/export_fixture.h"
#include "trace/samples_fixture.h"

#define FOLDER "fixtures/cases"
#ifdef __SANITIZE_ADDRESS__ /* ten times slower, and keeps what is freed */
#define MANY_GOROUTINES 100000
#else
#define MANY_GOROUTINES 1000000
#endif

static void count_lines(void *ctx, enum log_level level, const char *line)
{
	(void)level;
	(void)line;
	++*(int *)ctx;
}

/* The result of a format, and how often it said why. */
static int try(const struct export_format *f, const char *path, FILE *out, int *logged)
{
	struct trace_reader *r = trace_reader_open(path);

	assert_non_null(r);
	*logged = 0;
	log_set_sink(count_lines, logged);
	int err = f->write(&r, 1, &(struct export_options){ 0 }, out);

	log_set_sink(NULL, NULL);
	trace_reader_close(r);
	return err;
}

TEST(test_full_disk)
{
	char path[TRACE_PATH_BYTES];
	struct evlist l;
	int logged;

	assert_int_equal(evlist_load(&l, FOLDER "/go.events"), 0);
	fixture_write(&l, path);
	/* noticed at the end, and at once, in the midst of the work; of calls, and of samples */
	for (int i = 0; i < 4; i++) {
		if (i == 2) {
			assert_int_equal(unlink(path), 0);
			assert_int_equal(samples_fixture_file(path, true), 0);
		}
		for (const struct export_format *f = export_formats; f->name; f++) {
			FILE *full = fopen("/dev/full", "w");

			assert_non_null(full);
			if (i & 1)
				setvbuf(full, NULL, _IONBF, 0);
			int err = try(f, path, full, &logged);

			if ((err != -ENOSPC && err != -EIO) || logged != 1)
				fail_msg("%d: %s: %d, said %d times", i, f->name, err, logged);
			fclose(full);
		}
	}
	unlink(path);
	evlist_free(&l);
}

/* No room for what some formats put aside. */
TEST(test_no_temporary)
{
	char path[TRACE_PATH_BYTES], *data = NULL;
	struct evlist l;
	size_t size;
	int logged;

	assert_int_equal(evlist_load(&l, FOLDER "/go.events"), 0);
	fixture_write(&l, path);
	assert_int_equal(setenv("TMPDIR", "/nowhere", 1), 0);
	for (const struct export_format *f = export_formats; f->name; f++) {
		bool aside = !strcmp(f->name, "sqlite") || !strcmp(f->name, "chrome") ||
			     !strcmp(f->name, "speedscope");
		FILE *out = open_memstream(&data, &size);

		assert_non_null(out);
		int err = try(f, path, out, &logged);

		if (err != (aside ? -ENOENT : 0) || logged != aside)
			fail_msg("%s: %d, said %d times", f->name, err, logged);
		fclose(out);
		free(data);
	}
	unsetenv("TMPDIR");
	unlink(path);
	evlist_free(&l);
}

/* A trace whose recorder was killed is exported as far as it goes; one with wrong bytes is not. */
TEST(test_damaged)
{
	static const char text[] =
		"1 entry main.f 100 1000\n1 entry main.g 200 1100\n1 exit main.g 200 1200\n";
	char cut[TRACE_PATH_BYTES], wrong[TRACE_PATH_BYTES], *data;
	size_t size;
	int logged;

	fixture_write_text(text, false, cut);
	fixture_write_text(text, false, wrong);
	int fd = open(wrong, O_RDWR);
	off_t end = lseek(fd, 0, SEEK_END);

	assert_true(fd >= 0 && end > 8);
	assert_int_equal(pwrite(fd, "\xff\xff", 2, end - 4), 2);
	close(fd);
	for (const struct export_format *f = export_formats; f->name; f++) {
		FILE *out = open_memstream(&data, &size);

		assert_non_null(out);
		assert_int_equal(try(f, cut, out, &logged), 0);
		assert_int_equal(logged, 0);
		if (try(f, wrong, out, &logged) != -EBADMSG || logged != 1)
			fail_msg("%s takes wrong bytes", f->name);
		fclose(out);
		free(data);
	}
	unlink(cut);
	unlink(wrong);
}

/* Goroutines that come and go: each makes a call and starts the next. */
static void write_goroutines(char path[TRACE_PATH_BYTES], uint64_t n)
{
	struct trace_info info = { 0 };

	assert_int_equal(trace_info_add_func(
				 &info,
				 &(struct trace_func){ .name = (char *)(uintptr_t) "main.step" }),
			 0);
	for (uint16_t kind = EV_ENTRY; kind <= EV_EXIT; kind++)
		assert_int_equal(
			trace_info_add_site(&info, &(struct trace_site){ 0, TRACE_NONE, 0, kind }),
			0);
	assert_int_equal(trace_info_add_site(&info, &(struct trace_site){ TRACE_NONE, TRACE_NONE, 0,
									  EV_END }),
			 0);
	strcpy(path, "/tmp/gotrace-many-XXXXXX");
	struct trace_writer *w = trace_writer_new(mkstemp(path), &info);

	assert_non_null(w);
	for (uint64_t g = 1; g <= n; g++) {
		/* Irregular as times are: what a reader believes goes by the bytes of the file. */
		uint64_t random = g * 0x9e3779b97f4a7c15ull, at = 1000 * g + (random >> 40) % 600;
		const struct event_ext events[] = {
			{ .h = { at, g, 0, 64, 1, EV_ENTRY, 0 } },
			{ .h = { at + 100, g, 0, 0, 1, EV_CREATE, 0 }, .arg = { g + 1, 0x401000 } },
			{ .h = { at + 200, g, 1, 64, 1, EV_EXIT, 0 } },
			{ .h = { at + 300 + (random >> 50) % 100, g, 2, 0, 1, EV_END, 0 } },
		};

		for (int i = 0; i < 4; i++)
			if (i != 1 || g < n)
				assert_int_equal(trace_writer_event(w, &events[i]), 0);
	}
	assert_int_equal(trace_writer_finish(w, NULL, 0), 0);
	trace_info_free(&info);
}

static size_t count(const char *text, const char *what)
{
	size_t n = 0;

	for (; (text = strstr(text, what)) != NULL; text++)
		n++;
	return n;
}

TEST(test_many_goroutines)
{
	char path[TRACE_PATH_BYTES], line[256];
	size_t n;

	write_goroutines(path, MANY_GOROUTINES);
	char *text = fixture_export(path, "folded", &(struct export_options){ .no_go_edges = true },
				    &n);

	snprintf(line, sizeof(line), "main.step %llu\n", 200ull * MANY_GOROUTINES);
	assert_string_equal(text, line);
	free(text);
	text = fixture_export(path, "folded", &(struct export_options){ .weight = WEIGHT_CALLS },
			      &n);
	snprintf(line, sizeof(line), "main.step 1\nmain.step;[go]main.step;main.step %d\n",
		 MANY_GOROUTINES - 1);
	assert_string_equal(text, line);
	free(text);
	text = fixture_export(path, "speedscope", &(struct export_options){ 0 }, &n);
	assert_int_equal(count(text, "\"type\":\"evented\""), 50);
	free(text);
	/* A goroutine that is over costs no memory; a million that were kept would need 100 MB and
	 * more. */
	struct rusage before, after;
	struct trace_reader *r = trace_reader_open(path);
	FILE *out = fopen("/dev/null", "w");

	assert_true(r && out);
	assert_int_equal(getrusage(RUSAGE_SELF, &before), 0);
	assert_int_equal(
		fixture_format("perfetto")->write(&r, 1, &(struct export_options){ 0 }, out), 0);
	assert_int_equal(getrusage(RUSAGE_SELF, &after), 0);
#ifndef __SANITIZE_ADDRESS__                                    /* which keeps what is freed */
	assert_true(after.ru_maxrss - before.ru_maxrss < 4096); /* KiB */
#endif
	trace_reader_close(r);
	fclose(out);
	unlink(path);
}

/* ---- the same in every format */

struct exported {
	const char *data;
	size_t n;
	char path[64];
};

/* In a file: some are hundreds of megabytes. */
static struct exported export_mapped(const char *trace, const char *format,
				     const struct export_options *opt)
{
	struct exported e = { .path = "/tmp/gotrace-export-XXXXXX" };
	struct trace_reader *r = trace_reader_open(trace);
	int fd = mkstemp(e.path);
	FILE *out = fdopen(fd, "w+");
	struct stat st;

	assert_true(r && out);
	assert_int_equal(fixture_format(format)->write(&r, 1, opt, out), 0);
	assert_int_equal(fflush(out), 0);
	assert_int_equal(fstat(fd, &st), 0);
	e.n = (size_t)st.st_size;
	e.data = mmap(NULL, e.n, PROT_READ, MAP_PRIVATE, fd, 0);
	assert_true(e.data != MAP_FAILED);
	trace_reader_close(r);
	fclose(out);
	return e;
}

static void drop(struct exported *e)
{
	munmap((void *)(uintptr_t)e->data, e->n);
	unlink(e->path);
}

static size_t count_of(const char *data, size_t n, const char *what)
{
	size_t len = strlen(what), found = 0;

	for (const char *p = data; (p = memmem(p, n - (size_t)(p - data), what, len)); p += len)
		found++;
	return found;
}

static size_t varint(const char *data, size_t *at)
{
	size_t v = 0;

	for (int shift = 0;; shift += 7) {
		unsigned char c = (unsigned char)data[(*at)++];

		v |= (size_t)(c & 127) << shift;
		if (c < 128)
			return v;
	}
}

/* How many messages stand in field `number` of the outermost one. */
static size_t messages(const char *data, size_t n, size_t number)
{
	size_t at = 0, found = 0;

	while (at < n) {
		size_t tag = varint(data, &at), v = varint(data, &at);

		assert_true((tag & 7) == 2 || (tag & 7) == 0);
		found += tag >> 3 == number;
		at += (tag & 7) == 2 ? v : 0;
	}
	assert_int_equal(at, n);
	return found;
}

static void many_in_tables(const char *trace)
{
	struct exported e = export_mapped(trace, "sqlite", &(struct export_options){ 0 });
	char *text = NULL;
	struct sqlite3 *db;
	size_t n;
	FILE *out = open_memstream(&text, &n);
	char want[64];

	assert_non_null(out);
	assert_int_equal(sqlite3_open_v2(e.path, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
	fixture_query(
		db,
		"SELECT (SELECT count(*) FROM goroutines), count(*), count(DISTINCT goroutine) FROM calls",
		out);
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
	assert_int_equal(fclose(out), 0);
	snprintf(want, sizeof(want), "%d|%d|%d\n", MANY_GOROUTINES, MANY_GOROUTINES,
		 MANY_GOROUTINES);
	assert_string_equal(text, want);
	free(text);
	drop(&e);
}

TEST(test_many_everywhere)
{
	char path[TRACE_PATH_BYTES], totals[64], *text;
	struct exported e;
	size_t n;

	write_goroutines(path, MANY_GOROUTINES);
	e = export_mapped(path, "pprof",
			  &(struct export_options){ .goroutines = true, .no_go_edges = true });
	text = fixture_gunzip(e.data, e.n, &n);
	assert_int_equal(messages(text, n, 2), MANY_GOROUTINES); /* Profile.sample */
	free(text);
	drop(&e);
	e = export_mapped(path, "perfetto", &(struct export_options){ 0 });
	/* The clocks, the process, its counters, of which one has a value; of each: track, begin,
	 * go statement, end; the last starts none. There is one in a microsecond, and a value of
	 * the other counter in a millisecond. */
	n = messages(e.data, e.n, 1) - (5 + 4 * (size_t)MANY_GOROUTINES - 1);
	assert_in_range(n, MANY_GOROUTINES / 1000 - 1, MANY_GOROUTINES / 1000 + 2);
	drop(&e);
	e = export_mapped(path, "chrome", &(struct export_options){ 0 });
	assert_int_equal(count_of(e.data, e.n, "\"ph\":\"X\""), MANY_GOROUTINES);
	assert_int_equal(count_of(e.data, e.n, "\"thread_name\""), MANY_GOROUTINES);
	drop(&e);
	e = export_mapped(path, "csv", &(struct export_options){ .calls = true });
	assert_int_equal(count_of(e.data, e.n, "\n"), MANY_GOROUTINES + 1);
	drop(&e);
	/* What they did is two paths, whoever did it. */
	e = export_mapped(path, "csv", &(struct export_options){ 0 });
	assert_int_equal(count_of(e.data, e.n, "\n"), 3);
	drop(&e);
	e = export_mapped(path, "perun", &(struct export_options){ 0 });
	assert_int_equal(count_of(e.data, e.n, "\"uid\""), 2);
	drop(&e);
	e = export_mapped(path, "html", &(struct export_options){ 0 });
	snprintf(totals, sizeof(totals), "\"calls\":%d,\"goroutines\":%d", MANY_GOROUTINES,
		 MANY_GOROUTINES);
	assert_int_equal(count_of(e.data, e.n, totals), 1);
	assert_true(e.n < 300000);
	drop(&e);
	many_in_tables(path);
	unlink(path);
}

/* test_many_goroutines is first, because it looks at the peak of memory. */
TESTS(test_many_goroutines, test_many_everywhere, test_full_disk, test_no_temporary, test_damaged)
