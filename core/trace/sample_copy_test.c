// SPDX-License-Identifier: BSD-2-Clause
/* Samples of some processes, and of several traces, as one trace. */
#include "base/test_fixture.h"
#include "trace/sample_trace_fixture.h"

#include "trace/keys.h"
#include "trace/sample_copy.h"
#include "trace/samples_fixture.h"

#define MINUTE 60000000000ull

/* The leaf and its caller, in both processes. */
static void name_all(struct sample_tables *symbols, const uint64_t pcs[2][2], unsigned at)
{
	for (unsigned i = 0; i < 2; i++) {
		const struct sample_symbol s = { .name = i ? "caller" : "leaf" };
		const struct sample_frame f = { .symbol = i, .line = 3 };

		assert_int_equal(sample_tables_symbol(symbols, &s), 0);
		for (unsigned k = 0; k < 2; k++) {
			const struct sample_location place = {
				.pc = pcs[(k + at) % 2][i], .process = k, .n = 1, .frames = &f
			};

			assert_int_equal(sample_tables_location(symbols, &place), 0);
		}
	}
}

/* A trace of two processes, `at` a minute: each takes n samples, the second ones twice as heavy. */
static void write_two(const char *path, unsigned at, unsigned n)
{
	const uint64_t pcs[2][2] = { { 0x401000, 0x402000 }, { 0x401000, 0x403000 } };
	const struct sample_process p[2] = {
		{ .pid = 11, .comm = "one", .exe = "/bin/one", .start_ns = 5 },
		{ .pid = 12, .comm = "two", .exe = "/bin/two", .start_ns = 6 },
	};
	const char *key = "url", *value = at % 2 ? "/odd" : "/even";
	const struct sample_labels l = { .n = 1, .keys = &key, .values = &value };
	struct sample_tables symbols = { 0 };
	struct trace_info info = { 0 };
	uint32_t number, stack[2], labels;
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(trace_info_set(&info, KEY_MODE, MODE_SAMPLES), 0);
	struct trace_writer *w = trace_writer_new(fd, &info);

	assert_non_null(w);
	for (unsigned i = 0; i < 2; i++) {
		/* The order differs from trace to trace. */
		const struct sample_process *x = &p[(i + at) % 2];
		const struct sample_image image = { .process = i,
						    .start = 0x400000,
						    .end = 0x500000,
						    .path = x->exe,
						    .from_ns = 7 };
		const struct sample_stack s = { .process = i, .n = 2, .pcs = pcs[(i + at) % 2] };

		assert_int_equal(trace_writer_process(w, x, &number), 0);
		assert_int_equal(number, i);
		assert_int_equal(trace_writer_image(w, &image, &number), 0);
		assert_int_equal(trace_writer_stack(w, &s, &stack[i]), 0);
		assert_int_equal(sample_tables_process(&symbols, x), 0);
	}
	assert_int_equal(trace_writer_labels(w, &l, &labels), 0);
	for (unsigned k = 0; k < 2 * n; k++) {
		const unsigned i = k % 2;
		const struct sample x = { .ts_ns = at * MINUTE + k * 1000,
					  .weight_ns = 100 * (1 + (i + at) % 2),
					  .process = i,
					  .tid = p[(i + at) % 2].pid,
					  .stack = stack[i],
					  .labels = labels };

		assert_int_equal(trace_writer_sample(w, &x), 0);
	}
	name_all(&symbols, pcs, at);
	assert_int_equal(trace_writer_symbols(w, &symbols), 0);
	const struct trace_kv end = { (char *)(uintptr_t)KEY_END_SAMPLES_LOST,
				      (char *)(uintptr_t) "3" };

	assert_int_equal(trace_writer_finish(w, &end, 1), 0);
	sample_tables_free(&symbols);
	trace_info_free(&info);
}

/* Copies three such traces. What is in the copy is checked by a reader of it. */
static struct trace_reader *copy(const char *dir, const struct sample_copy_options *opt,
				 struct sample_copy_counts *counts)
{
	struct trace_info info = { 0 };
	char path[256];

	assert_int_equal(trace_info_set(&info, KEY_MODE, MODE_SAMPLES), 0);
	snprintf(path, sizeof(path), "%s/to", dir);
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	struct trace_writer *w = trace_writer_new(fd, &info);
	struct sample_copy *c = sample_copy_new(w, opt);

	assert_non_null(w);
	assert_non_null(c);
	for (unsigned i = 0; i < 3; i++) {
		snprintf(path, sizeof(path), "%s/from", dir);
		write_two(path, i, 10);
		struct trace_reader *r = trace_reader_open(path);

		assert_non_null(r);
		assert_int_equal(sample_copy_add(c, r), 0);
		trace_reader_close(r);
		unlink(path);
	}
	assert_int_equal(sample_copy_end(c, counts), 0);
	sample_copy_free(c);
	assert_int_equal(trace_writer_finish(w, NULL, 0), 0);
	trace_info_free(&info);
	snprintf(path, sizeof(path), "%s/to", dir);
	struct trace_reader *r = trace_reader_open(path);

	assert_non_null(r);
	unlink(path);
	return r;
}

/* Samples and their weight by process; each has its own stack, whose names are those of its trace.
 */
static void read_copy(struct trace_reader *r, uint64_t samples[2], uint64_t weight[2])
{
	struct sample_span span;
	uint64_t last = 0;

	samples[0] = samples[1] = weight[0] = weight[1] = 0;
	while (trace_reader_samples(r, &span) > 0)
		for (size_t i = 0; i < span.n; i++) {
			const struct sample *x = &span.s[i];
			const struct sample_tables *t = trace_reader_tables(r);
			const unsigned two = t->processes[x->process].pid == 12;

			assert_true(x->ts_ns >= last);
			last = x->ts_ns;
			samples[two]++;
			weight[two] += x->weight_ns;
			assert_int_equal(x->tid, t->processes[x->process].pid);
			assert_int_equal(t->stacks[x->stack].process, x->process);
			assert_int_equal(t->stacks[x->stack].pcs[1], two ? 0x403000 : 0x402000);
			assert_string_equal(t->labels[x->labels - 1].values[0],
					    x->ts_ns / MINUTE % 2 ? "/odd" : "/even");
		}
	assert_int_equal(trace_reader_resolve(r), 0);
}

static void check_names(struct trace_reader *r)
{
	const struct sample_tables *t = trace_reader_tables(r);

	assert_int_equal(t->n_symbols, 2);
	for (uint32_t p = 0; p < t->n_processes; p++) {
		const uint64_t caller = t->processes[p].pid == 12 ? 0x403000 : 0x402000;
		const struct sample_location *l = sample_tables_find(t, p, 0x401000);

		assert_non_null(l);
		assert_string_equal(t->symbols[l->frames[0].symbol].name, "leaf");
		l = sample_tables_find(t, p, caller);
		assert_non_null(l);
		assert_string_equal(t->symbols[l->frames[0].symbol].name, "caller");
	}
}

static char dir[] = "/tmp/sample_copy_test.XXXXXX";

TEST(test_all)
{
	struct sample_copy_counts counts;
	uint64_t samples[2], weight[2];

	struct trace_reader *r = copy(dir, NULL, &counts);

	read_copy(r, samples, weight);
	assert_int_equal(samples[0], 30);
	assert_int_equal(samples[1], 30);
	assert_int_equal(weight[0], 3000);
	assert_int_equal(weight[1], 6000);
	assert_int_equal(counts.samples, 60);
	assert_int_equal(counts.weight_ns, 9000);
	assert_int_equal(counts.lost, 9);
	assert_false(counts.incomplete);
	/* each is told of once */
	assert_int_equal(trace_reader_tables(r)->n_processes, 2);
	assert_int_equal(trace_reader_tables(r)->n_images, 2);
	assert_int_equal(trace_reader_tables(r)->n_stacks, 2);
	assert_int_equal(trace_reader_tables(r)->n_labels, 2);
	assert_int_equal(trace_reader_tables(r)->n_locations, 4);
	check_names(r);
	trace_reader_close(r);
}

static bool is_two(void *ctx, uint32_t number, const struct sample_process *p)
{
	(void)ctx;
	(void)number;
	return p->pid == 12;
}

TEST(test_process)
{
	const struct sample_copy_options opt = { .process = is_two };
	struct sample_copy_counts counts;
	uint64_t samples[2], weight[2];

	struct trace_reader *r = copy(dir, &opt, &counts);

	read_copy(r, samples, weight);
	assert_int_equal(samples[0], 0);
	assert_int_equal(samples[1], 30);
	assert_int_equal(counts.weight_ns, 6000);
	assert_int_equal(trace_reader_tables(r)->n_processes, 1);
	assert_int_equal(trace_reader_tables(r)->n_images, 1);
	check_names(r);
	trace_reader_close(r);
}

/* From the second trace on, and of the third one half. */
TEST(test_time)
{
	const struct sample_copy_options opt = { .from_ns = MINUTE, .to_ns = 2 * MINUTE + 10000 };
	struct sample_copy_counts counts;
	uint64_t samples[2], weight[2];

	struct trace_reader *r = copy(dir, &opt, &counts);

	read_copy(r, samples, weight);
	assert_int_equal(samples[0], 15);
	assert_int_equal(samples[1], 15);
	trace_reader_close(r);
}

/* One process that waited three times: for the numbers' texts, and for what has none. */
static struct trace_reader *waited(const char *const texts[2])
{
	const uint64_t pcs[1] = { 0x401000 };
	const struct sample_process p = { .pid = 11, .comm = "one", .start_ns = 5 };
	const struct sample_stack s = { .n = 1, .pcs = pcs };
	struct trace_info info = { 0 };
	char path[256], key[48];
	uint32_t number, stack;

	assert_int_equal(trace_info_set(&info, KEY_MODE, MODE_SAMPLES), 0);
	for (unsigned i = 0; i < 2; i++) {
		snprintf(key, sizeof(key), KEY_STATES_REASON ".%u", i + 1);
		assert_int_equal(trace_info_set(&info, key, texts[i]), 0);
	}
	snprintf(path, sizeof(path), "%s/waited", dir);
	struct trace_writer *w = trace_writer_new(
		open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600), &info);

	assert_non_null(w);
	assert_int_equal(trace_writer_process(w, &p, &number), 0);
	assert_int_equal(trace_writer_stack(w, &s, &stack), 0);
	for (unsigned i = 0; i < 4; i++) {
		const struct sample x = { .ts_ns = i,
					  .weight_ns = 100,
					  .stack = stack,
					  .state = i ? STATE_WAITING : 0,
					  .reason = (uint8_t)i };

		assert_int_equal(trace_writer_sample(w, &x), 0);
	}
	assert_int_equal(trace_writer_finish(w, NULL, 0), 0);
	trace_info_free(&info);
	struct trace_reader *r = trace_reader_open(path);

	assert_non_null(r);
	unlink(path);
	return r;
}

TEST(test_reasons)
{
	static const char *const texts[2][2] = { { "select", "sleep" }, { "sleep", "IO wait" } };
	struct sample_copy_counts counts;
	struct trace_info info = { 0 }, names = { 0 };
	struct sample_span span;
	char path[256], got[256] = "";

	assert_int_equal(trace_info_set(&info, KEY_MODE, MODE_SAMPLES), 0);
	snprintf(path, sizeof(path), "%s/to", dir);
	struct trace_writer *w = trace_writer_new(
		open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600), &info);
	struct sample_copy *c = sample_copy_new(w, NULL);

	assert_non_null(c);
	for (unsigned i = 0; i < 2; i++) {
		struct trace_reader *r = waited(texts[i]);

		assert_int_equal(sample_copy_add(c, r), 0);
		trace_reader_close(r);
	}
	assert_int_equal(sample_copy_end(c, &counts), 0);
	assert_int_equal(counts.weight_ns, 200);
	assert_int_equal(counts.waiting_ns, 600);
	assert_int_equal(sample_copy_reasons(c, &names), 0);
	sample_copy_free(c);
	assert_int_equal(trace_writer_finish(w, names.kvs, names.n_kvs), 0);
	struct trace_reader *r = trace_reader_open(path);

	while (trace_reader_samples(r, &span) > 0)
		for (size_t i = 0; i < span.n; i++) {
			char key[48];

			snprintf(key, sizeof(key), KEY_STATES_REASON ".%u", span.s[i].reason);
			strcat(got, span.s[i].reason ? trace_info_get(&names, key) : "-");
			strcat(got, ", ");
		}
	assert_string_equal(got, "-, select, sleep, reason 3, -, sleep, IO wait, reason 3, ");
	trace_reader_close(r);
	trace_info_free(&info);
	trace_info_free(&names);
	unlink(path);
}

/* Names that are given name the source's numbers, which stay: whoever copies has written them
 * already.
 */
TEST(test_reasons_given)
{
	static const char *const texts[2] = { "select", "sleep" };
	struct trace_info info = { 0 }, given = { 0 }, names = { 0 };
	struct sample_span span;
	char path[256], got[64] = "";

	assert_int_equal(trace_info_set(&info, KEY_MODE, MODE_SAMPLES), 0);
	/* the first sample has reason 1, which is not the first of these to be copied */
	assert_int_equal(trace_info_set(&given, KEY_STATES_REASON ".1", "IO wait"), 0);
	assert_int_equal(trace_info_set(&given, KEY_STATES_REASON ".2", "sleep"), 0);
	assert_int_equal(trace_info_set(&given, KEY_STATES_REASON ".3", "select"), 0);
	assert_int_equal(trace_info_set(&given, KEY_STATES_REASON ".4", "mutex"), 0);
	snprintf(path, sizeof(path), "%s/to", dir);
	struct trace_writer *w = trace_writer_new(
		open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600), &info);
	const struct sample_copy_options opt = { .reasons = &given, .from_ns = 2 };
	struct sample_copy *c = sample_copy_new(w, &opt);
	struct trace_reader *r = waited(texts);

	assert_int_equal(sample_copy_add(c, r), 0);
	trace_reader_close(r);
	assert_int_equal(sample_copy_reasons(c, &names), 0);
	assert_int_equal(names.n_kvs, 4);
	assert_string_equal(trace_info_get(&names, KEY_STATES_REASON ".3"), "select");
	sample_copy_free(c);
	assert_int_equal(trace_writer_finish(w, NULL, 0), 0);
	r = trace_reader_open(path);
	while (trace_reader_samples(r, &span) > 0)
		for (size_t i = 0; i < span.n; i++)
			snprintf(got + strlen(got), sizeof(got) - strlen(got), "%u ",
				 span.s[i].reason);
	assert_string_equal(got, "2 3 ");
	trace_reader_close(r);
	trace_info_free(&info);
	trace_info_free(&given);
	trace_info_free(&names);
	unlink(path);
}

FIXTURE(make_dir)
{
	return mkdtemp(dir) ? 0 : -1;
}
FIXTURE(remove_dir)
{
	return rmdir(dir);
}

TESTS_BETWEEN(make_dir, remove_dir, test_all, test_process, test_time, test_reasons,
	      test_reasons_given)
