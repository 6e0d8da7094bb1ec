// SPDX-License-Identifier: BSD-2-Clause
/* Which processes the BPF program reads the frames of an interpreter in. */
#include "sample/tables_fixture.h"

#define EXPORTS  "char PyCode_Type[8] = { 1 }; int run(void) { return 1; } "
#define A_PYTHON EXPORTS "unsigned long Py_Version = 0x030b02f0, _PyRuntime[500];"

static struct langs langs;

static int begin(void **state)
{
	int err = set_up(state);
	struct world *w = *state;

	w->p.langs = &langs;
	w->p.late = true;
	return err;
}

static int finish(void **state)
{
	int err = tear_down(state);

	langs_free(&langs);
	return err;
}

static uint32_t serial_of(uint32_t pid)
{
	for (size_t at = 0; at < n_pythons; at++)
		if (pythons[at].pid == pid)
			return pythons[at].serial;
	return 0;
}

static void execute(struct world *w, uint32_t pid)
{
	const struct side_band_reader r = processes_reader(&w->p);

	r.exec(r.ctx, pid, "python3", ++w->ts_ns);
}

/* Returns the path of a library with these definitions. */
static const char *build(const char *name, const char *text)
{
	static char path[128];
	char command[256];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	snprintf(command, sizeof(command), "cc -shared -fPIC -nostdlib -x c -o %s -", path);
	FILE *f = popen(command, "w");

	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(pclose(f), 0);
	return path;
}

static void map_from(struct world *w, uint32_t pid, uint64_t at, const char *path, uint64_t off)
{
	const struct side_band_map m = {
		.pid = pid, .start = at, .file_off = off, .bytes = 4096, .path = path
	};
	const struct side_band_reader r = processes_reader(&w->p);

	r.map(r.ctx, &m, ++w->ts_ns);
}

static void map(struct world *w, uint32_t pid, uint64_t at, const char *path)
{
	map_from(w, pid, at, path, 0);
}

static void again(struct world *w)
{
	struct trace_info info = { 0 };
	struct trace_writer *before = w->p.writer;

	assert_int_equal(trace_info_set(&info, KEY_MODE, MODE_SAMPLES), 0);
	processes_again(&w->p, trace_writer_new(memfd_create("x", MFD_CLOEXEC), &info));
	langs_again(&langs);
	trace_info_free(&info);
	trace_writer_abort(before);
}

/* The entry from before the exec is removed later. The process stays as it is. */
static void test_executed(void **state)
{
	struct world *w = *state;

	execute(w, FIRST);
	map(w, FIRST, 0x10000, "/usr/lib/nothing/libnothing.so.1");
	execute(w, FIRST);
	map(w, FIRST, 0x10000, build("python3.11", A_PYTHON));
	const uint32_t serial = serial_of(FIRST);

	assert_int_not_equal(serial, 0);
	for (unsigned i = 0; i < 3; i++) {
		again(w);
		assert_int_equal(processes_known(&w->p, FIRST, ++w->ts_ns), 0);
		assert_int_equal(serial_of(FIRST), serial);
	}
	assert_int_equal(w->p.n, 1);
	end(w, FIRST);
	assert_int_equal(n_pythons, 0);
	assert_int_equal(langs.n, 0);
}

/* Each has its own number, and what it executes next has another one. */
static void test_forked(void **state)
{
	struct world *w = *state;
	const struct side_band_reader r = processes_reader(&w->p);

	execute(w, FIRST);
	map(w, FIRST, 0x10000, build("python3.11", A_PYTHON));
	const uint32_t serial = serial_of(FIRST);

	r.fork(r.ctx, FIRST, FIRST + 1, ++w->ts_ns);
	assert_int_not_equal(serial_of(FIRST + 1), 0);
	assert_int_not_equal(serial_of(FIRST + 1), serial);
	execute(w, FIRST);
	assert_int_equal(serial_of(FIRST), 0);
	assert_int_equal(n_pythons, 1);
}

/* A file is opened when it is mapped, not again when other ones are mapped. */
static void test_looked_at_once(void **state)
{
	struct world *w = *state;
	const char *path = build("python3.11", EXPORTS);
	size_t calls;

	execute(w, FIRST);
	map(w, FIRST, 0x10000, path);
	assert_int_equal(n_pythons, 0);
	build("python3.11", A_PYTHON);
	for (uint64_t i = 2; i < 10; i++)
		map(w, FIRST, 0x10000 * i, "/usr/lib/nothing/libnothing.so.1");
	assert_int_equal(n_pythons, 0);
	/* Another part of an interpreter that is known is not another interpreter. */
	map(w, FIRST, 0x100000, path);
	assert_int_equal(n_pythons, 1);
	calls = python_calls;
	map_from(w, FIRST, 0x101000, path, 0x1000);
	assert_int_equal(python_calls, calls);
}

static const char *image_of_functions(struct world *w, uint32_t pid)
{
	const uint32_t process = processes_known(&w->p, pid, w->ts_ns);
	const struct sample_record s = { .h.tid = pid, .h.ts_ns = 5, .flags = SAMPLE_PYTHON };
	struct sample_python_record r = { .h = s.h, .serial = serial_of(pid), .n = 1 };
	uint64_t to[STACK_MAX_FRAMES];

	r.frames[0] = 0x1000;
	langs_take_frames(&langs, &r);
	langs_stack(&langs, w->p.writer, &s, process, NULL, 0, to);
	assert_int_equal(langs_write(&langs, w->p.writer), 0);
	const struct sample_tables *t = trace_writer_tables(w->p.writer);
	const uint32_t i = sample_tables_image_at(t, process, LANG_ADDRESS_FROM + 16);

	return i == TRACE_NONE ? NULL : t->images[i].path;
}

/* Many files of many processes: none has the name of another one's file. */
static void test_many_files(void **state)
{
	struct world *w = *state;
	char first[128], path[128], command[300];

	snprintf(first, sizeof(first), "%s", build("python3.11", A_PYTHON));
	execute(w, FIRST);
	map(w, FIRST, 0x10000, first);
	execute(w, FIRST + 1);
	for (uint64_t i = 0; i < 3 * LANG_FILES; i++) {
		snprintf(path, sizeof(path), "%s/python-%u", folder, (unsigned)i);
		snprintf(command, sizeof(command), "cp %s %s", first, path);
		assert_int_equal(system(command), 0);
		map(w, FIRST + 1, 0x10000 * (i + 2), path);
	}
	assert_string_equal(image_of_functions(w, FIRST), first);
	assert_string_equal(image_of_functions(w, FIRST + 1), path);
}

/* Records of two threads come in any order. */
static void test_two_threads(void **state)
{
	static struct langs l;
	struct sample_record s = { .h.tid = 7, .h.ts_ns = 5, .flags = SAMPLE_PYTHON };
	struct sample_python_record r = {
		.h = s.h, .serial = 1, .n = 1, .frames = { 0x1000, 0x1000 }
	};
	uint64_t to[STACK_MAX_FRAMES];
	struct world *w = *state;

	langs_take_frames(&l, &r);
	r.h.tid = 8;
	r.n = 2;
	langs_take_frames(&l, &r);
	execute(w, FIRST);
	const uint32_t process = processes_known(&w->p, FIRST, w->ts_ns);

	assert_int_equal(langs_stack(&l, w->p.writer, &s, process, NULL, 0, to), 2);
	s.h.tid = 8;
	assert_int_equal(langs_stack(&l, w->p.writer, &s, process, NULL, 0, to), 3);
	assert_int_equal(l.lost, 0);
	langs_free(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_executed, begin, finish),
		cmocka_unit_test_setup_teardown(test_forked, begin, finish),
		cmocka_unit_test_setup_teardown(test_looked_at_once, begin, finish),
		cmocka_unit_test_setup_teardown(test_many_files, begin, finish),
		cmocka_unit_test_setup_teardown(test_two_threads, begin, finish),
	};

	return cmocka_run_group_tests(tests, set_up_binaries, NULL);
}
