// SPDX-License-Identifier: BSD-2-Clause
/* What all files of a trace may take. */
#include "base/test_fixture.h"
#include "binary/binaries_fixture.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/foreign_file.h"
#include "base/log.h"
#include "symbols/elf_symbols.h"
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
TEST(one_budget)
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
TEST(held_at_a_time)
{
	enum { IMAGES = 8 };
	struct symbols_cache c = { 0 };
	struct symbols_options opt = { .here = true, .cache = &c };
	const char *const paths[] = { binary_path_of(0, "kinds"), binary_path_of(1, "cgo") };
	uint64_t pcs[IMAGES], all;
	struct sample_tables t = { 0 }, out;
	struct symbols_counts n;

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

/* ---- files that are closed to make room, and cannot be read again */

#define FOLDER "/tmp/gotrace-symbols.XXXXXX"
static char folder[] = FOLDER;

static int run(const char *command)
{
	char text[2 * PATH_MAX + 64];

	snprintf(text, sizeof(text), "cd %s && %s", folder, command);
	return system(text);
}

/* Two copies of a program without symbols, `a` with its debug file beside it, and a perf map. */
FIXTURE(make_files)
{
	char binary[PATH_MAX], text[2 * PATH_MAX];

	strcpy(folder, FOLDER);
	if (!mkdtemp(folder) || !realpath(binary_path("notgo"), binary))
		return -1;
	snprintf(text, sizeof(text), "mkdir -p a/.debug b && cp %s notgo", binary);
	return run(text) ||
	       run("objcopy --only-keep-debug notgo a/.debug/p.debug && "
		   "strip -o a/p notgo && objcopy --add-gnu-debuglink=a/.debug/p.debug a/p && "
		   "cp a/p b/p && echo '1000 10 made' >map");
}

FIXTURE(remove_files)
{
	char text[64];

	snprintf(text, sizeof(text), "rm -r %s", folder);
	return system(text);
}

static void put_image(struct sample_tables *t, const char *name, uint8_t kind, bool with_id)
{
	const struct sample_process p = { .pid = (uint32_t)getpid() };
	char path[128];
	struct sample_image x = {
		.process = (uint32_t)t->n_processes, .end = 1 << 30, .path = path, .kind = kind
	};

	x.view = foreign_file_view(p.pid);

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	if (with_id) {
		int fd = open(path, O_RDONLY | O_CLOEXEC);
		struct elf_symbols *e = elf_symbols_open(fd, NULL, 0, 0);
		const uint8_t *id;

		assert_non_null(e);
		x.build_id_len = (uint8_t)elf_symbols_build_id(e, &id);
		assert_true(x.build_id_len > 0);
		memcpy(x.build_id, id, x.build_id_len);
		elf_symbols_close(e);
		close(fd);
	}
	assert_int_equal(sample_tables_process(t, &p), 0);
	assert_int_equal(sample_tables_image(t, &x), 0);
}

static void close_all(struct symbols_cache *c)
{
	for (size_t i = 0; i < c->n; i++) {
		if (!c->files[i].file)
			continue;
		image_file_close(c->files[i].file);
		c->files[i].file = NULL;
		c->files[i].closed = true;
	}
}

/* Who cannot read it has no names, and others have theirs. Later it is tried again. */
TEST(read_again)
{
	struct symbols_cache c = { 0 };
	const struct symbols_options opt = { .here = true, .cache = &c, .hold_bytes = 1 << 30 };
	struct sample_tables t = { 0 };
	struct symbol_files f;

	put_image(&t, "a/p", IMAGE_FILE, true);
	put_image(&t, "b/p", IMAGE_FILE, true);
	put_image(&t, "b/p", IMAGE_FILE, true);
	put_image(&t, "map", IMAGE_PERF_MAP, false);
	t.processes[2].pid = 1; /* another one */
	for (int i = 0; i < 3; i++)
		t.images[i].file = 1;
	assert_int_equal(symbol_files_begin(&f, &t, &opt), 0);
	const struct symbols_file *a = symbol_files_get(&f, 0);

	assert_true(image_file_has_debug(a->file));
	assert_ptr_equal(symbol_files_get(&f, 1)->file, a->file);
	assert_non_null(symbol_files_get(&f, 3)->file);

	/* It has no debug file there. */
	close_all(&c);
	assert_non_null(symbol_files_get(&f, 1)->file);
	assert_false(image_file_has_debug(symbol_files_get(&f, 1)->file));
	assert_int_equal(f.unread_again, 1);
	assert_true(image_file_has_debug(symbol_files_get(&f, 0)->file));

	/* It is gone there. */
	close_all(&c);
	assert_int_equal(run("mv b c && mv map map2"), 0);
	assert_null(symbol_files_get(&f, 2)->file);
	assert_null(symbol_files_get(&f, 2)->file);
	assert_null(symbol_files_get(&f, 3)->file);
	assert_true(image_file_has_debug(symbol_files_get(&f, 0)->file));
	assert_int_equal(f.unread_again, 3);
	assert_non_null(strstr(f.unread_path, "b/p"));
	symbol_files_end(&f);

	/* The next call finds them. */
	assert_int_equal(run("mv c b && mv map2 map"), 0);
	assert_int_equal(symbol_files_begin(&f, &t, &opt), 0);
	for (uint32_t i = 0; i < t.n_images; i++)
		assert_non_null(symbol_files_get(&f, i)->file);
	assert_int_equal(f.unread_again, 0);
	symbol_files_end(&f);
	symbols_cache_free(&c);
	sample_tables_free(&t);
}

/* ---- which images share a file */

static int open_seen(void *ctx, const struct sample_image *i)
{
	(void)ctx;
	return open(i->path, O_RDONLY | O_CLOEXEC);
}

static size_t ask_all(struct symbols_cache *c, const struct sample_tables *t)
{
	const struct symbols_options opt = { .here = true, .cache = c, .file = open_seen };
	struct symbol_files f;
	size_t n;

	assert_int_equal(symbol_files_begin(&f, t, &opt), 0);
	for (uint32_t i = 0; i < t->n_images; i++)
		assert_non_null(symbol_files_get(&f, i)->file);
	n = c->n;
	symbol_files_end(&f);
	return n;
}

/* Processes that share one, and images of one process that share a perf map, have it read once; the
 * next call has the file still. */
static void check_once(bool with_id)
{
	enum { PROCESSES = 20 };
	struct symbols_cache c = { 0 };
	struct sample_tables t = { 0 };

	for (uint32_t i = 0; i < PROCESSES; i++) {
		put_image(&t, "notgo", IMAGE_FILE, with_id);
		t.images[i].file = 1;
		t.images[i].start += i << 20; /* each at another place */
		t.processes[i].pid += i;
	}
	assert_int_equal(ask_all(&c, &t), 1);
	const struct image_file *file = c.files[0].file;

	assert_int_equal(c.n, 1);
	assert_int_equal(ask_all(&c, &t), 1);
	assert_ptr_equal(c.files[0].file, file);

	/* Another file has the path now. */
	assert_int_equal(run("cp a/p x && mv x notgo"), 0);
	for (uint32_t i = 0; i < PROCESSES; i++)
		t.images[i].file = 2;
	assert_int_equal(ask_all(&c, &t), 2);

	put_image(&t, "map", IMAGE_PERF_MAP, false);
	put_image(&t, "map", IMAGE_PERF_MAP, false);
	t.images[PROCESSES + 1].process = PROCESSES; /* of the one before */
	t.images[PROCESSES + 1].start = 1 << 30;
	put_image(&t, "map", IMAGE_PERF_MAP, false);
	assert_int_equal(ask_all(&c, &t), 4);
	assert_int_equal(c.n, 2);
	symbols_cache_free(&c);
	sample_tables_free(&t);
}

TEST(read_once)
{
	check_once(false);
}

TEST(read_once_with_id)
{
	check_once(true);
}

/* Somebody has made files of a chosen build ID, and a debug file for a file of somebody else. */
TEST(chosen_build_id)
{
	struct symbols_cache c = { 0 };
	struct symbols_options opt = { .here = true, .cache = &c, .file = open_seen };
	struct sample_tables t = { 0 };
	struct symbol_files f;

	for (unsigned i = 0; i < 4; i++)
		put_image(&t, i % 2 ? "b/p" : "a/p", IMAGE_FILE, true);
	t.images[2].file = 1;
	t.images[3].file = 2;
	assert_int_equal(symbol_files_begin(&f, &t, &opt), 0);
	for (unsigned i = 0; i < 4; i += 2) {
		const struct image_file *a = symbol_files_get(&f, i)->file;
		const struct image_file *b = symbol_files_get(&f, i + 1)->file;

		assert_true(image_file_has_debug(a) && !image_file_has_debug(b));
	}
	symbol_files_end(&f);
	symbols_cache_free(&c);

	/* One file, below two roots: each has its own debug files. */
	t.images[3].file = 1;
	t.images[3].view = t.images[2].view ^ 2;
	assert_int_equal(symbol_files_begin(&f, &t, &opt), 0);
	assert_true(image_file_has_debug(symbol_files_get(&f, 2)->file));
	assert_false(image_file_has_debug(symbol_files_get(&f, 3)->file));
	symbol_files_end(&f);
	symbols_cache_free(&c);

	/* When a trace is read there are no numbers. */
	opt = (struct symbols_options){ .cache = &c };
	t.images[0].view = t.images[1].view = 0;
	assert_int_equal(symbol_files_begin(&f, &t, &opt), 0);
	assert_true(image_file_has_debug(symbol_files_get(&f, 0)->file));
	assert_false(image_file_has_debug(symbol_files_get(&f, 1)->file));
	symbol_files_end(&f);
	symbols_cache_free(&c);
	sample_tables_free(&t);
}

/* A name of megabytes is cut, and takes no other name away. */
TEST(long_name)
{
	const struct symbols_options opt = { .here = true };
	struct sample_tables t = { 0 }, out;
	char path[128];
	uint64_t pc;

	assert_int_equal(run("awk 'BEGIN { printf \"main \"; for (i = 0; i < 500000; i++) printf "
			     "\"abcdefghij\"; print \"\" }' >names && "
			     "objcopy --redefine-syms=names notgo long && "
			     "nm notgo | awk '$3 == \"main\" { print $1 }' >main"),
			 0);
	snprintf(path, sizeof(path), "%s/main", folder);
	FILE *f = fopen(path, "r");

	assert_non_null(f);
	assert_int_equal(fscanf(f, "%" SCNx64, &pc), 1);
	fclose(f);
	pc %= 0x400000; /* where a program that is not PIE begins */
	put_image(&t, "long", IMAGE_FILE, true);
	add_stack(&t, &pc, 1);
	assert_int_equal(symbols_resolve(&t, &opt, &out, NULL), 0);
	assert_int_equal(out.n_symbols, 1);
	const size_t n = strlen(out.symbols[0].name);

	assert_true(n > 1000 && n <= 16384);
	assert_memory_equal(out.symbols[0].name, "abcdefghij", 10);
	assert_string_equal(out.symbols[0].name + n - 3, "...");
	sample_tables_free(&out);
	sample_tables_free(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_budget),
		cmocka_unit_test(held_at_a_time),
		cmocka_unit_test_setup_teardown(read_again, make_files, remove_files),
		cmocka_unit_test_setup_teardown(read_once, make_files, remove_files),
		cmocka_unit_test_setup_teardown(read_once_with_id, make_files, remove_files),
		cmocka_unit_test_setup_teardown(chosen_build_id, make_files, remove_files),
		cmocka_unit_test_setup_teardown(long_name, make_files, remove_files),
	};

	return cmocka_run_group_tests(tests, set_up_binaries, NULL);
}
