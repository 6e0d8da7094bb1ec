// SPDX-License-Identifier: BSD-2-Clause
/* gotrace gives tables of Go programs back when no process uses them. */
#include "sample/tables_fixture.h"

#define PROGRAMS (SAMPLE_BINARIES + 20)

/* A process that executes it, as far as is known. */
static uint64_t begin(struct world *w, uint32_t pid, const char *path)
{
	const struct side_band_reader r = processes_reader(&w->p);
	uint64_t number;

	r.exec(r.ctx, pid, "worker", ++w->ts_ns);
	binaries_learn(&w->b, path, path, &number);
	w->p.all[w->p.n - 1].binary = number;
	return number;
}

/* The BPF program has rows of it. */
static bool has_rows(const struct world *w, uint64_t number)
{
	for (size_t i = 0; i < w->b.n; i++)
		if (w->b.known[i].number == number) {
			const struct told *t = find_told(&w->b.known[i].key);

			assert_int_equal(w->b.known[i].n_rows, t ? t->b.n_rows : 0);
			assert_true(!t || !t->b.n_rows || rows_of[t->b.slot] == t->b.n_rows);
			return t && t->b.n_rows;
		}
	return false;
}

static size_t rows_of_one(struct world *w)
{
	begin(w, FIRST - 1, copy_of("kinds", 0));
	end(w, FIRST - 1);
	return w->b.n_rows;
}

/* Many have come and gone: the last ones have rows, and so has the first, which still runs. */
static void come_and_go(void **state, uint64_t most_programs)
{
	struct world *w = *state;
	uint64_t last[2] = { 0 };

	w->b.most_rows = most_programs * rows_of_one(w);
	const uint64_t first = begin(w, FIRST, copy_of("kinds", 1));

	for (unsigned i = 2; i < PROGRAMS; i++) {
		last[i % 2] = begin(w, FIRST + i, copy_of("kinds", i));
		assert_true(has_rows(w, last[i % 2]));
		end(w, FIRST + i);
		assert_int_equal(w->b.n_rows, n_rows_held);
		assert_true(!most_programs || n_rows_held <= w->b.most_rows);
	}
	assert_true(has_rows(w, first));
	assert_true(has_rows(w, last[0]) && has_rows(w, last[1])); /* the oldest go */
	const uint64_t room = most_programs ? most_programs : SAMPLE_BINARIES;

	assert_int_equal(w->b.given_back, PROGRAMS - room);
	assert_int_equal(w->b.n_slots, room);
	assert_true(watches <= 2 * room);
	assert_int_equal(logged_count, 0);
	/* One that was given back is learned anew. */
	assert_true(has_rows(w, begin(w, FIRST, copy_of("kinds", 2))));
}

static void test_rows(void **state)
{
	come_and_go(state, 4);
}

static void test_slots(void **state)
{
	come_and_go(state, 0);
}

/* Where all tables are in use, a new program has none, and one line says so. It gets its table as
 * soon as there is room. */
static void test_all_in_use(void **state)
{
	struct world *w = *state;

	w->b.most_rows = 2 * rows_of_one(w);
	begin(w, FIRST + 1, copy_of("kinds", 1));
	const uint64_t second = begin(w, FIRST + 2, copy_of("kinds", 2));
	uint64_t third = begin(w, FIRST + 3, copy_of("kinds", 3));

	assert_false(has_rows(w, third));
	assert_int_equal(w->b.given_back, 1);
	assert_int_equal(logged_count, 1);
	assert_non_null(strstr(logged, "tables of others take all room"));
	third = begin(w, FIRST + 4, copy_of("kinds", 3));
	assert_false(has_rows(w, third));
	/* A fork's executable is in use, too. */
	const struct side_band_reader r = processes_reader(&w->p);

	r.fork(r.ctx, FIRST + 2, FIRST + 5, ++w->ts_ns);
	end(w, FIRST + 1);
	end(w, FIRST + 2);
	assert_int_equal(begin(w, FIRST + 6, copy_of("kinds", 3)), third);
	assert_true(has_rows(w, third));
	assert_true(has_rows(w, second));
	assert_int_equal(w->b.given_back, 2);
	assert_int_equal(logged_count, 1);
}

/* An executable that was overwritten has the rows of the new one. */
static void test_overwritten(void **state)
{
	struct world *w = *state;
	const uint64_t number = begin(w, FIRST, copy_of("kinds", 1));
	const size_t rows = w->b.n_rows, watched = watches;

	for (int i = 0; i < 3; i++) {
		/* Another file with this one's number, as the BPF program tells them apart. */
		w->b.known[0].inode_changed.tv_nsec ^= 1;
		w->b.known[0].digest ^= 2;
		assert_int_equal(begin(w, FIRST, copy_of("kinds", 1)), number);
		assert_int_equal(w->b.n_rows, rows);
		assert_int_equal(n_rows_held, rows);
		assert_int_equal(watches, watched);
	}
}

/* Programs that are not Go's, more than the BPF program can know. */
static void test_executables(void **state)
{
	struct world *w = *state;
	const uint64_t go = begin(w, FIRST, copy_of("kinds", 1));

	for (unsigned i = 0; i < SAMPLE_EXECUTABLES + 100; i++) {
		const uint64_t number = begin(w, FIRST + 1 + i, copy_of("notgo", i));

		assert_true(number > go);
		assert_non_null(find_told(&w->b.known[w->b.n - 1].key));
		end(w, FIRST + 1 + i);
		unlink(copy_of("notgo", i));
		assert_true(w->b.n <= SAMPLE_EXECUTABLES);
	}
	assert_true(has_rows(w, go));
	assert_int_equal(w->b.given_back, 0);
	assert_int_equal(logged_count, 0);
}

/* Copies of one program have one table, more of them than there is room for tables. It stays while
 * one of them runs. */
static void test_twins(void **state)
{
	struct world *w = *state;
	uint64_t number = 0;

	for (unsigned i = 0; i < PROGRAMS; i++) {
		number = begin(w, FIRST + i, write_copy("kinds", i, false));
		assert_true(has_rows(w, number));
		assert_int_equal(w->b.n_slots, 1);
		assert_int_equal(w->b.n_rows, n_rows_held);
	}
	w->b.most_rows = 2 * w->b.n_rows;
	for (unsigned i = 0; i + 1 < PROGRAMS; i++)
		end(w, FIRST + i);
	for (unsigned i = 0; i < 10; i++) {
		assert_true(has_rows(w, begin(w, FIRST + PROGRAMS, copy_of("kinds", 1000 + i))));
		assert_true(has_rows(w, number));
		assert_true(w->b.n_rows == n_rows_held && n_rows_held <= w->b.most_rows);
		end(w, FIRST + PROGRAMS);
	}
	/* The last of them has ended, too. */
	end(w, FIRST + PROGRAMS - 1);
	begin(w, FIRST, copy_of("kinds", 2000));
	assert_true(has_rows(w, begin(w, FIRST + 1, copy_of("kinds", 2001))));
	assert_false(has_rows(w, number));
	assert_int_equal(w->b.n_rows, n_rows_held);
	assert_int_equal(logged_count, 0);
}

/* Files of one build ID, and of one inode number, size and time on two file systems: the tables
 * tell them apart. Strangers can choose all the rest. */
static void test_chosen_build_id(void **state)
{
	struct world *w = *state;
	const char *path = write_copy("kinds", 1, false);
	const uint64_t number = begin(w, FIRST, path);

	for (unsigned i = 0; i < 3; i++) {
		w->b.known[0].dev ^= 1;
		assert_int_equal(begin(w, FIRST + 1 + i, path), number);
		assert_int_equal(w->b.known[0].n_same, 1); /* and is not read again */
		assert_true(has_rows(w, number));
	}
	w->b.known[0].digest ^= 2;
	path = write_copy("kinds", 2, false);
	assert_true(has_rows(w, begin(w, FIRST + 4, path)));
	assert_int_equal(w->b.n_slots, 2);

	w->b.known[1].dev ^= 1;
	w->b.known[1].digest ^= 2;
	begin(w, FIRST + 5, path);
	assert_true(w->b.known[1].ambiguous);
	assert_non_null(strstr(logged, "the same inode number, size and time"));
	assert_true(has_rows(w, number));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_rows, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_slots, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_all_in_use, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_overwritten, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_executables, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_twins, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_chosen_build_id, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, set_up_binaries, NULL);
}
