// SPDX-License-Identifier: BSD-2-Clause
/* Samples into a file and out again. */
#include "base/test_fixture.h"
#include "trace/sample_trace_fixture.h"

#include <errno.h>

#include "trace/chunk.h"
#include "trace/keys.h"
#include "trace/sample_items.h"
#include "trace/samples_fixture.h"

static struct trace_writer *new_writer(int fd)
{
	struct trace_info info = { 0 };

	assert_int_equal(trace_info_set(&info, KEY_MODE, MODE_SAMPLES), 0);
	struct trace_writer *w = trace_writer_new(sample_dup(fd), &info);
	assert_non_null(w);
	trace_info_free(&info);
	return w;
}

static void put_process(struct trace_writer *w)
{
	const struct sample_process p = { .pid = 1, .comm = "x" };
	uint32_t number;

	assert_int_equal(trace_writer_process(w, &p, &number), 0);
}

static void assert_same_tables(const struct sample_tables *a, const struct sample_tables *b)
{
	assert_int_equal(a->n_processes, b->n_processes);
	assert_int_equal(a->n_images, b->n_images);
	assert_int_equal(a->n_labels, b->n_labels);
	assert_int_equal(a->n_stacks, b->n_stacks);
	assert_int_equal(a->n_symbols, b->n_symbols);
	assert_int_equal(a->n_locations, b->n_locations);
	for (size_t i = 0; i < a->n_processes; i++) {
		assert_int_equal(a->processes[i].pid, b->processes[i].pid);
		assert_string_equal(a->processes[i].comm, b->processes[i].comm);
		assert_same_str(a->processes[i].exe, b->processes[i].exe);
		assert_int_equal(a->processes[i].start_ns, b->processes[i].start_ns);
	}
	for (size_t i = 0; i < a->n_images; i++) {
		struct sample_image x = a->images[i], y = b->images[i];

		assert_string_equal(x.path, y.path);
		assert_true(x.process == y.process && x.start == y.start && x.end == y.end &&
			    x.file_off == y.file_off && x.kind == y.kind &&
			    x.from_ns == y.from_ns && x.build_id_len == y.build_id_len);
		assert_memory_equal(x.build_id, y.build_id, sizeof(x.build_id));
	}
	for (size_t i = 0; i < a->n_stacks; i++) {
		assert_int_equal(a->stacks[i].n, b->stacks[i].n);
		assert_int_equal(a->stacks[i].flags, b->stacks[i].flags);
		assert_memory_equal(a->stacks[i].pcs, b->stacks[i].pcs, a->stacks[i].n * 8);
	}
	for (size_t i = 0; i < a->n_labels; i++) {
		assert_int_equal(a->labels[i].n, b->labels[i].n);
		for (size_t k = 0; k < a->labels[i].n; k++) {
			assert_string_equal(a->labels[i].keys[k], b->labels[i].keys[k]);
			assert_string_equal(a->labels[i].values[k], b->labels[i].values[k]);
		}
	}
	for (size_t i = 0; i < a->n_symbols; i++) {
		assert_string_equal(a->symbols[i].name, b->symbols[i].name);
		assert_same_str(a->symbols[i].linker, b->symbols[i].linker);
		assert_same_str(a->symbols[i].file, b->symbols[i].file);
		assert_int_equal(a->symbols[i].start_line, b->symbols[i].start_line);
		assert_int_equal(a->symbols[i].kind, b->symbols[i].kind);
	}
	for (size_t i = 0; i < a->n_locations; i++) {
		const struct sample_location *x = &a->locations[i], *y = &b->locations[i];

		assert_true(x->pc == y->pc && x->process == y->process && x->n == y->n);
		assert_memory_equal(x->frames, y->frames, x->n * sizeof(*x->frames));
	}
}

TEST(fixture_comes_back)
{
	int fd = sample_file();
	struct trace_writer *w = new_writer(fd);
	struct sample_span span;
	struct sample_tables copy;
	uint64_t n = 0, weight = 0;

	assert_int_equal(samples_fixture_write(w, true), 0);
	assert_int_equal(trace_writer_flush(w), 0);
	struct trace_reader *r = trace_reader_open(sample_path(fd));
	assert_non_null(r);
	assert_true(trace_is_samples(trace_reader_info(r)));
	while (trace_reader_samples(r, &span) > 0)
		for (size_t i = 0; i < span.n; i++, n++) {
			weight += span.s[i].weight_ns;
			assert_int_equal(span.s[i].ts_ns, 1000000000 + n * FIXTURE_WEIGHT_NS);
		}
	assert_int_equal(n, FIXTURE_SAMPLES);
	assert_int_equal(weight, (uint64_t)FIXTURE_SAMPLES * FIXTURE_WEIGHT_NS);
	copy = *trace_reader_tables(r);
	assert_same_tables(trace_writer_tables(w), &copy);
	assert_int_equal(copy.n_stacks, 5);
	assert_int_equal(copy.n_labels, 1);
	const struct sample_location *two = sample_tables_find(&copy, 0, 0x403000);
	assert_int_equal(two->n, 2);
	assert_string_equal(copy.symbols[two->frames[0].symbol].name, "main.leaf");
	assert_non_null(sample_tables_find(&copy, 0, 0xffffffff81000010ull));
	assert_null(sample_tables_find(&copy, 0, 0x403001));
	assert_false(trace_reader_complete(r)); /* the writer was killed, in effect */
	trace_reader_close(r);
	trace_writer_abort(w);
	close(fd);
}

/* Random stacks, many blocks, also from several flushes: each sample comes back as it was. */
TEST(random_ones_come_back)
{
	enum { N = 40000 };
	/* the first have none */
	static const uint8_t states[] = { 0, STATE_RUNNABLE, STATE_WAITING, STATE_SYSCALL,
					  SAMPLE_STATE_UNKNOWN };
	uint64_t seed = sample_seed("samples"), pcs[64];
	struct sample *given = calloc(N, sizeof(*given));
	int fd = sample_file();
	struct trace_writer *w = new_writer(fd);
	struct sample_span span;
	size_t n = 0;

	put_process(w);
	for (size_t i = 0; i < N; i++) {
		struct sample_stack x = { .n = sample_random(&seed) % 64, .pcs = pcs };

		for (uint32_t k = 0; k < x.n; k++)
			pcs[k] = i % 2 ? sample_extreme(&seed) : 0x400000 + k % 3;
		given[i] = (struct sample){ sample_extreme(&seed),
					    sample_extreme(&seed),
					    sample_extreme(&seed),
					    0,
					    0,
					    (uint32_t)sample_extreme(&seed),
					    0,
					    0,
					    i < N / 4 ? 0 : states[i % 5],
					    0 };
		if (given[i].state) {
			given[i].reason = (uint8_t)sample_random(&seed);
			given[i].error_ns = sample_extreme(&seed);
		}
		assert_int_equal(trace_writer_stack(w, &x, &given[i].stack), 0);
		assert_int_equal(trace_writer_sample(w, &given[i]), 0);
		if (sample_random(&seed) % 5000 == 0) {
			uint64_t most = trace_writer_bytes_max(w);

			assert_int_equal(trace_writer_flush(w), 0);
			assert_true(trace_writer_bytes(w) <= most);
		}
	}
	assert_int_equal(trace_writer_finish(w, NULL, 0), 0);
	struct trace_reader *r = trace_reader_open(sample_path(fd));
	assert_non_null(r);
	while (trace_reader_samples(r, &span) > 0)
		for (size_t i = 0; i < span.n; i++, n++)
			assert_memory_equal(&span.s[i], &given[n],
					    offsetof(struct sample, reason) + 1);
	assert_int_equal(n, N);
	assert_true(trace_reader_complete(r));
	trace_reader_close(r);
	/* whoever wants events finds none, and no fault */
	struct event_ext ev;
	r = trace_reader_open(sample_path(fd));
	assert_int_equal(trace_reader_next(r, &ev), 0);
	assert_true(trace_reader_complete(r));
	trace_reader_close(r);
	free(given);
	close(fd);
}

/* The numbers of states are those of stored traces, whatever states are added to others. */
TEST(stored_states_are_fixed)
{
	/* time, goid, weight, process, tid, stack, labels, state, reason */
	uint8_t bytes[] = { 2, 2, 2, 0, 2, 0, 0, 0, 0 };
	static const uint8_t none[] = { 1, 6, 7 };
	const uint64_t pcs[] = { 7 };
	const struct sample_stack stack = { .n = 1, .pcs = pcs };
	int fd = sample_file();
	struct trace_writer *w = new_writer(fd);
	struct sample s;
	uint32_t number;

	put_process(w);
	assert_int_equal(trace_writer_stack(w, &stack, &number), 0);
	const struct sample_tables *t = trace_writer_tables(w);
	for (uint8_t k = 2; k <= 5; k++) {
		bytes[7] = k;
		assert_null(sample_get(t, bytes, sizeof(bytes), 1, CHUNK_STATED, &s));
		assert_int_equal(s.state, k);
	}
	assert_int_equal(s.state, SAMPLE_STATE_UNKNOWN);
	for (size_t i = 0; i < sizeof(none); i++) {
		bytes[7] = none[i];
		assert_non_null(sample_get(t, bytes, sizeof(bytes), 1, CHUNK_STATED, &s));
	}
	trace_writer_abort(w);
	close(fd);
}

/* Deaths come back, in traces of events as well; what names nothing is refused. */
TEST(deaths_come_back)
{
	const uint64_t pcs[] = { 7, 8 };
	const struct sample_stack stack = { .n = 2, .pcs = pcs };
	const struct sample_death given = { UINT64_MAX, 9, 0, UINT32_MAX, 0, 11, DEATH_SIGNAL };
	struct sample_death bad[] = { given, given, given };
	struct trace_info info = { 0 };
	int fd = sample_file();
	struct trace_writer *w = trace_writer_new(sample_dup(fd), &info);
	struct event_ext ev = { .h = { .kind = EV_ENTRY } };
	uint32_t number;

	bad[0].process = bad[1].stack = 1;
	bad[2].kind = DEATH_KINDS;
	assert_int_equal(trace_writer_event(w, &ev), 0);
	put_process(w);
	assert_int_equal(trace_writer_stack(w, &stack, &number), 0);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(trace_writer_death(w, &bad[i]), -EINVAL);
	assert_int_equal(trace_writer_death(w, &given), 0);
	assert_int_equal(trace_writer_event(w, &ev), 0);
	assert_int_equal(trace_writer_finish(w, NULL, 0), 0);

	struct trace_reader *r = trace_reader_open(sample_path(fd));
	for (int i = 0; i < 2; i++)
		assert_int_equal(trace_reader_next(r, &ev), 1);
	assert_int_equal(trace_reader_next(r, &ev), 0);
	assert_true(trace_reader_complete(r));
	const struct sample_tables *t = trace_reader_tables(r);
	assert_int_equal(t->n_deaths, 1);
	const struct sample_death *d = t->deaths;
	assert_true(d->ts_ns == UINT64_MAX && d->goid == 9 && d->tid == UINT32_MAX &&
		    d->signal == 11 && d->kind == DEATH_SIGNAL && !d->process && !d->stack);
	trace_reader_close(r);
	close(fd);
}

/* What is the same has one number, what differs in anything has another. */
TEST(stacks_are_told_apart)
{
	static const uint64_t a[] = { 1, 2, 3 }, b[] = { 1, 2, 4 };
	const struct sample_stack stacks[] = { { 0, 3, a, 0 }, { 0, 2, a, 0 }, { 0, 3, b, 0 },
					       { 0, 3, a, 1 }, { 1, 3, a, 0 }, { 0, 0, a, 0 } };
	static const char *const k[] = { "a", "b" }, *const v[] = { "b", "a" };
	const struct sample_labels labels[] = {
		{ 1, k, v }, { 2, k, v }, { 1, v, k }, { 0, k, v }
	};
	int fd = sample_file();
	struct trace_writer *w = new_writer(fd);
	uint32_t number;

	put_process(w);
	put_process(w);
	for (int again = 0; again < 2; again++) {
		for (uint32_t i = 0; i < 6; i++) {
			assert_int_equal(trace_writer_stack(w, &stacks[i], &number), 0);
			assert_int_equal(number, i);
		}
		for (uint32_t i = 0; i < 4; i++) {
			assert_int_equal(trace_writer_labels(w, &labels[i], &number), 0);
			assert_int_equal(number, i + 1);
		}
	}
	trace_writer_abort(w);
	close(fd);
}

/* What is refused is refused alone: the trace goes on. */
TEST(nonsense_is_refused)
{
	static const uint64_t pcs[STACK_MAX_FRAMES + 1];
	struct sample_log log = { 0 };
	int fd = sample_file();
	struct trace_writer *w = new_writer(fd);
	struct sample_span span;
	uint32_t number;

	log_set_sink(sample_sink, &log);
	put_process(w);
	assert_int_equal(trace_writer_stack(w, &(struct sample_stack){ 1, 1, pcs, 0 }, &number),
			 -EINVAL);
	assert_int_equal(trace_writer_stack(w, &(struct sample_stack){ 0, 1, pcs, 32 }, &number),
			 -EINVAL);
	assert_int_equal(
		trace_writer_stack(w, &(struct sample_stack){ 0, STACK_MAX_FRAMES + 1, pcs, 0 },
				   &number),
		-EINVAL);
	assert_int_equal(trace_writer_sample(w, &(struct sample){ .ts_ns = 1 }), -EINVAL);
	assert_int_equal(trace_writer_image(w, &(struct sample_image){ .start = 2, .end = 1 },
					    &number),
			 -EINVAL);
	assert_int_equal(log.lines, 3); /* once for each kind of thing */
	assert_int_equal(trace_writer_stack(w, &(struct sample_stack){ 0, 1, pcs, 0 }, &number), 0);
	assert_int_equal(number, 0);
	assert_int_equal(trace_writer_sample(w, &(struct sample){ .ts_ns = 1 }), 0);
	assert_int_equal(trace_writer_finish(w, NULL, 0), 0);
	struct trace_reader *r = trace_reader_open(sample_path(fd));
	assert_int_equal(trace_reader_samples(r, &span), 1);
	assert_int_equal(span.n, 1);
	trace_reader_close(r);
	log_set_sink(NULL, NULL);
	close(fd);
}

/* A program that recurses for ever packs well; what the writer makes of it a reader believes. */
TEST(deep_recursion_is_believed)
{
	static uint64_t pcs[STACK_MAX_FRAMES];
	int fd = sample_file();
	struct trace_writer *w = new_writer(fd);
	struct sample_span span;
	size_t n = 0, i;

	put_process(w);
	for (i = 0; i < STACK_MAX_FRAMES; i++)
		pcs[i] = 0x401000;
	for (i = 0; i < 3000; i++) {
		struct sample_stack x = { 0, STACK_MAX_FRAMES - (uint32_t)i, pcs, 0 };
		struct sample s = { .ts_ns = i };

		assert_int_equal(trace_writer_stack(w, &x, &s.stack), 0);
		assert_int_equal(trace_writer_sample(w, &s), 0);
	}
	assert_int_equal(trace_writer_finish(w, NULL, 0), 0);
	struct trace_reader *r = trace_reader_open(sample_path(fd));
	while (trace_reader_samples(r, &span) > 0)
		n += span.n;
	assert_true(trace_reader_complete(r));
	assert_int_equal(n, i);
	trace_reader_close(r);
	close(fd);
}

/* A chunk appended by hand, packed. */
static void put_chunk(int fd, uint16_t type, uint32_t count, uint32_t seq, const uint8_t *p,
		      size_t n)
{
	struct chunk_packer packer;
	struct chunk_head h = { .type = type, .count = count, .seq = seq };
	const struct block_piece piece = { p, n };

	assert_int_equal(chunk_packer_init(&packer), 0);
	assert_int_equal(chunk_pack(&packer, &h, &piece, 1), 0);
	assert_int_equal(write(fd, packer.out.data, packer.out.n), packer.out.n);
	chunk_packer_free(&packer);
}

/* Megabytes of zeros in a few bytes: stacks of 4,096 times the same address. */
TEST(bombs_are_refused)
{
	enum { BYTES = 8 << 20 };
	uint8_t *p = calloc(1, BYTES), *at = p;
	struct sample_log log = { 0 };
	int fd = sample_file();
	struct trace_writer *w = new_writer(fd);
	struct sample_span span;
	uint32_t stacks = 0;

	put_process(w);
	assert_int_equal(trace_writer_flush(w), 0);
	while (at + STACK_MAX_FRAMES + 4 <= p + BYTES) {
		at[2] = 0x80; /* 4096 */
		at[3] = 0x20;
		at += STACK_MAX_FRAMES + 4;
		stacks++;
	}
	assert_true(lseek(fd, 0, SEEK_END) > 0);
	put_chunk(fd, CHUNK_STACKS, stacks, 3, p, (size_t)(at - p));
	log_set_sink(sample_sink, &log);
	struct trace_reader *r = trace_reader_open(sample_path(fd));
	assert_non_null(r);
	assert_int_equal(trace_reader_samples(r, &span), -EBADMSG);
	assert_non_null(strstr(log.last, "unpack to far more"));
	trace_reader_close(r);
	log_set_sink(NULL, NULL);
	trace_writer_abort(w);
	close(fd);
	free(p);
}

#define STORED "fixtures/formats/1.2.samples.gotrace"

/* What was written by the first version that had samples says the same for ever. */
TEST(stored_ones_read)
{
	int fd = sample_file();
	struct sample_span span;
	size_t n = 0;

	if (getenv("GOTRACE_STORE") && access(STORED, F_OK))
		assert_int_equal(samples_fixture_file(STORED, true), 0);
	assert_int_equal(samples_fixture_file(sample_path(fd), true), 0);
	struct trace_reader *r = trace_reader_open(sample_path(fd)),
			    *old = trace_reader_open(STORED);
	assert_non_null(r);
	assert_non_null(old);
	while (trace_reader_samples(r, &span) > 0)
		;
	while (trace_reader_samples(old, &span) > 0)
		for (size_t i = 0; i < span.n; i++)
			n += span.s[i].weight_ns == FIXTURE_WEIGHT_NS;
	assert_int_equal(n, FIXTURE_SAMPLES);
	assert_true(trace_reader_complete(old));
	assert_same_tables(trace_reader_tables(old), trace_reader_tables(r));
	trace_reader_close(old);
	trace_reader_close(r);
	close(fd);
}

TESTS(fixture_comes_back, random_ones_come_back, deaths_come_back, stacks_are_told_apart,
      nonsense_is_refused, deep_recursion_is_believed, bombs_are_refused, stored_ones_read,
      stored_states_are_fixed)
