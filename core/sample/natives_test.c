// SPDX-License-Identifier: BSD-2-Clause
/* gotrace gives tables of code that is not Go's back when no process uses them, and what a process
 * has mapped is known while it lives. */
#include "sample/tables_fixture.h"

#include "sample/maps.h"

/* A process has one such file mapped. */
static void map(struct world *w, uint32_t pid, unsigned i)
{
	const struct side_band_reader r = processes_reader(&w->p);
	const struct sample_image x = { .start = 0x10000,
					.end = 0x20000,
					.path = copy_of("notgo", i),
					.from_ns = clock_monotonic_ns() };

	r.exec(r.ctx, pid, "worker", ++w->ts_ns);
	natives_map(&w->n, pid, &x, 1);
}

static bool is_walked(uint32_t pid)
{
	for (size_t i = 0; i < n_mapped; i++)
		if (mapped[i].pid == pid)
			return mapped[i].i.n && rows_of[mapped[i].i.at[0].slot];
	return false;
}

static void test_natives(void **state)
{
	struct world *w = *state;

	map(w, FIRST, 0);
	assert_true(is_walked(FIRST));
	w->n.most_rows = 3 * w->n.n_rows;
	for (unsigned i = 1; i < 40; i++) {
		map(w, FIRST + i, i);
		assert_true(is_walked(FIRST + i) && is_walked(FIRST));
		assert_true(w->n.n_rows == n_rows_held && n_rows_held <= w->n.most_rows);
		end(w, FIRST + i);
	}
	assert_int_equal(w->n.given_back, 40 - 3);
	assert_int_equal(w->n.no_room, 0);
	/* All are in use. */
	map(w, FIRST + 41, 41);
	map(w, FIRST + 42, 42);
	map(w, FIRST + 43, 43);
	assert_true(is_walked(FIRST) && is_walked(FIRST + 41) && is_walked(FIRST + 42));
	assert_false(is_walked(FIRST + 43));
	assert_int_equal(w->n.no_room, 1);
	end(w, FIRST + 41);
	w->n.tried_ns = 0; /* it is time to look again */
	map(w, FIRST + 44, 43);
	assert_true(is_walked(FIRST) && is_walked(FIRST + 42) && is_walked(FIRST + 44));
	assert_int_equal(w->n.no_room, 1);
}

static void test_native_files(void **state)
{
	struct world *w = *state;

	w->n.most_rows = 1; /* none has rows */
	for (unsigned i = 0; i < NATIVES_FILES + 100; i++) {
		map(w, FIRST, i);
		unlink(copy_of("notgo", i));
		assert_true(w->n.n <= NATIVES_FILES);
	}
}

static void map_numbered(struct world *w, uint32_t pid, unsigned i)
{
	struct sample_image x = {
		.start = 0x10000, .end = 0x20000, .path = write_copy("notgo", i, false), .file = i
	};

	maps_read_build_id(&x, (uint32_t)getpid(), x.path);
	assert_true(x.build_id_len);
	assert_int_equal(natives_map(&w->n, pid, &x, 1), 1);
}

static uint32_t slot_of(uint32_t pid)
{
	for (size_t i = 0; i < n_mapped; i++)
		if (mapped[i].pid == pid)
			return mapped[i].i.at[0].slot;
	return UINT32_MAX;
}

/* Files with one build ID share rows only if these are equal: strangers choose a build ID. */
static void test_chosen_build_id(void **state)
{
	struct world *w = *state;

	map_numbered(w, FIRST, 1);
	map_numbered(w, FIRST + 1, 2);
	map_numbered(w, FIRST + 2, 2);
	assert_int_equal(w->n.n_known, 2);
	assert_int_equal(w->n.n_slots, 1);
	assert_int_equal(w->n.n_rows, n_rows_held);
	assert_int_equal(slot_of(FIRST), slot_of(FIRST + 1));
	for (size_t i = 0; i < w->n.n; i++)
		w->n.files[i].digest ^= 2; /* as if they had other rows */
	map_numbered(w, FIRST + 3, 3);
	assert_int_equal(w->n.n_known, 3);
	assert_int_equal(w->n.n_slots, 2);
	assert_int_equal(w->n.n_rows, n_rows_held);
	assert_true(slot_of(FIRST) != slot_of(FIRST + 3));
	assert_int_equal(slot_of(FIRST), slot_of(FIRST + 2));
}

/* ---- whose mappings the kernel has */

/* It executes a program and maps a file that has tables. */
static void begin_native(struct world *w, uint32_t pid)
{
	const struct side_band_reader r = processes_reader(&w->p);
	const struct side_band_map m = {
		.pid = pid, .start = 0x10000, .bytes = 0x10000, .path = copy_of("notgo", 1)
	};

	r.exec(r.ctx, pid, "worker", ++w->ts_ns);
	r.map(r.ctx, &m, w->ts_ns);
}

/* One that is quiet while many come and go. */
static void test_quiet(void **state)
{
	struct world *w = *state;

	begin_native(w, FIRST);
	for (uint32_t i = 1; i < 20 * MAPPED; i++) {
		begin_native(w, FIRST + i);
		assert_true(is_walked(FIRST + i) && is_walked(FIRST));
		end(w, FIRST + i);
		assert_int_equal(n_mapped, 1);
	}
}

/* More live than there is room for. Who had no sample for longest gives way, and a sample brings it
 * back. */
static void test_crowd(void **state)
{
	struct world *w = *state;

	for (uint32_t i = 0; i < 5 * MAPPED; i++) {
		begin_native(w, FIRST + i);
		assert_true(is_walked(FIRST + i));
		processes_find(&w->p, FIRST, ++w->ts_ns);
		assert_true(is_walked(FIRST));
	}
	assert_false(is_walked(FIRST + 1));
	processes_find(&w->p, FIRST + 1, ++w->ts_ns);
	assert_true(is_walked(FIRST + 1));
	for (uint32_t i = 0; i < 5 * MAPPED; i++)
		end(w, FIRST + i);
	assert_int_equal(n_mapped, 0);
}

/* A new program has the pid and no mappings yet. Then it ends before its mappings are known. */
static void test_another(void **state)
{
	struct world *w = *state;
	const struct side_band_reader r = processes_reader(&w->p);

	begin_native(w, FIRST);
	r.exec(r.ctx, FIRST, "another", ++w->ts_ns);
	assert_false(is_walked(FIRST));
	begin_native(w, FIRST);
	assert_true(is_walked(FIRST));
	r.fork(r.ctx, FIRST + 1, FIRST, ++w->ts_ns); /* of a parent that is not known */
	assert_false(is_walked(FIRST));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_natives, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_native_files, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_chosen_build_id, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_quiet, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_crowd, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_another, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, set_up_binaries, NULL);
}
