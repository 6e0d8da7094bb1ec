// SPDX-License-Identifier: BSD-2-Clause
/* gotrace gives tables to walk stacks back when no process uses them. The test keeps the rows that
 * BPF programs would get. */
#include "binary/binaries_fixture.h"

#include "attach/sample/natives.h"
#include "attach/sample/processes.h"
#include "base/clock.h"
#include "trace/keys.h"

#define PROGRAMS (SAMPLE_BINARIES + 20)
#define MAPPED   64         /* processes whose mappings the kernel has room for */
#define FIRST    (5u << 22) /* no process has such a number (PID_MAX_LIMIT) */

/* ---- the kernel's side */

struct told {
	struct file_id key;
	struct sample_binary b;
};
static struct told told[SAMPLE_EXECUTABLES];
static size_t n_told, n_rows_held;
static struct {
	uint32_t pid;
	struct sample_images i;
} mapped[MAPPED];
static size_t n_mapped;
static size_t rows_of[SAMPLE_BINARIES + SAMPLE_NATIVES];

static int take_slot(uint32_t from, uint32_t n, size_t rows, uint32_t *slot)
{
	for (*slot = from; *slot < from + n; ++*slot)
		if (!rows_of[*slot]) {
			rows_of[*slot] = rows;
			n_rows_held += rows;
			return 0;
		}
	return -ENOSPC;
}

void sample_bpf_remove_native(struct sample_bpf *s, uint32_t slot)
{
	(void)s;
	assert_true(rows_of[slot] > 0);
	n_rows_held -= rows_of[slot];
	rows_of[slot] = 0;
}

static struct told *find_told(const struct file_id *key)
{
	for (size_t i = 0; i < n_told; i++)
		if (!memcmp(&told[i].key, key, sizeof(*key)))
			return &told[i];
	return NULL;
}

int sample_bpf_add(struct sample_bpf *s, const struct file_id *key, struct sample_binary *b,
		   const struct sample_row *rows, size_t n)
{
	(void)s;
	(void)rows;
	struct told *t = find_told(key);
	int err = n ? take_slot(0, SAMPLE_BINARIES, n, &b->slot) : 0;

	if (err || (!t && n_told == SAMPLE_EXECUTABLES))
		return err ? err : -E2BIG;
	b->n_rows = (uint32_t)n;
	t = t ? t : &told[n_told++];
	*t = (struct told){ *key, *b };
	return 0;
}

void sample_bpf_remove(struct sample_bpf *s, const struct file_id *key, const uint32_t *slot)
{
	struct told *t = find_told(key);

	assert_non_null(t);
	*t = told[--n_told];
	if (slot)
		sample_bpf_remove_native(s, *slot);
}

int sample_bpf_add_native(struct sample_bpf *s, const struct sample_row *rows, size_t n,
			  uint32_t *slot)
{
	(void)s;
	(void)rows;
	return take_slot(SAMPLE_BINARIES, SAMPLE_NATIVES, n, slot);
}

int sample_bpf_images(struct sample_bpf *s, uint32_t pid, const struct sample_images *i)
{
	size_t at = 0;

	(void)s;
	while (at < n_mapped && mapped[at].pid != pid)
		at++;
	if (!i->n) {
		if (at < n_mapped)
			mapped[at] = mapped[--n_mapped];
		return 0;
	}
	if (at == MAPPED)
		return -E2BIG;
	n_mapped += at == n_mapped;
	mapped[at].pid = pid;
	mapped[at].i = *i;
	return 0;
}

void sample_bpf_used(struct sample_bpf *s, bool (*lives)(void *ctx, uint32_t pid), void *ctx,
		     bool used[SAMPLE_BINARIES + SAMPLE_NATIVES])
{
	(void)s;
	for (size_t i = 0; i < n_mapped; i++)
		for (uint32_t k = 0; lives(ctx, mapped[i].pid) && k < mapped[i].i.n; k++)
			used[mapped[i].i.at[k].slot] = true;
}

static size_t watches;

int sample_bpf_watch_panics(struct sample_bpf *s, const char *path, uint64_t file_off,
			    struct bpf_link **watch)
{
	(void)s;
	(void)path;
	(void)file_off;
	*watch = (void *)&watches;
	watches++;
	return 0;
}

int sample_bpf_watch_unwinding(struct sample_bpf *s, const char *path, uint64_t file_off,
			       struct bpf_link **watch)
{
	return sample_bpf_watch_panics(s, path, file_off, watch);
}

void sample_bpf_unwatch(struct bpf_link *watch)
{
	watches -= watch != NULL;
}

/* ---- processes */

static char folder[] = "/tmp/gotrace-binaries.XXXXXX";

struct world {
	struct sample_bpf bpf;
	struct binaries b;
	struct natives n;
	struct processes p;
	uint64_t ts_ns;
};

static int set_up(void **state)
{
	struct world *w = calloc(1, sizeof(*w));
	struct trace_info info = { 0 };

	assert_non_null(w);
	strcpy(folder, "/tmp/gotrace-binaries.XXXXXX");
	assert_non_null(mkdtemp(folder));
	assert_int_equal(trace_info_set(&info, KEY_MODE, MODE_SAMPLES), 0);
	w->p.writer = trace_writer_new(memfd_create("x", MFD_CLOEXEC), &info);
	assert_non_null(w->p.writer);
	trace_info_free(&info);
	w->b.bpf = w->n.bpf = &w->bpf;
	w->bpf.deaths = (void *)w; /* panics are watched, too */
	processes_tell(&w->p, &w->b, &w->n);
	w->ts_ns = 1;
	forget_log();
	*state = w;
	return 0;
}

static int tear_down(void **state)
{
	struct world *w = *state;
	char command[64];

	trace_writer_abort(w->p.writer);
	processes_free(&w->p);
	binaries_free(&w->b);
	natives_free(&w->n);
	assert_int_equal(watches, 0);
	n_told = n_rows_held = n_mapped = 0;
	memset(rows_of, 0, sizeof(rows_of));
	snprintf(command, sizeof(command), "rm -r %s", folder);
	assert_int_equal(system(command), 0);
	free(w);
	return 0;
}

/* A copy of a program, with other contents at its end. */
static const char *copy_of(const char *name, unsigned i)
{
	static char path[64];
	uint8_t *bytes;
	size_t n;

	snprintf(path, sizeof(path), "%s/%s-%u", folder, name, i);
	if (access(path, F_OK)) {
		FILE *f = fopen(path, "we");

		bytes = load_binary(name, &n);
		assert_non_null(f);
		assert_int_equal(fwrite(bytes, 1, n, f), n);
		assert_true(fprintf(f, "%u", i) > 0);
		assert_int_equal(fclose(f), 0);
		free(bytes);
	}
	return path;
}

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

static void end(struct world *w, uint32_t pid)
{
	const struct side_band_reader r = processes_reader(&w->p);

	r.end(r.ctx, pid, ++w->ts_ns);
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
		w->b.known[0].identity ^= 1;
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

/* ---- code that is not Go's */

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

/* Another program has the number, and nothing mapped yet. Then it has ended before that was told.
 */
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
		cmocka_unit_test_setup_teardown(test_rows, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_slots, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_all_in_use, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_overwritten, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_executables, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_natives, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_native_files, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_quiet, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_crowd, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_another, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, set_up_binaries, NULL);
}
