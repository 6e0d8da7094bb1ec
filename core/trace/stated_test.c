// SPDX-License-Identifier: BSD-2-Clause
/* Samples with states, in a chunk of their own (CHUNK_STATED): a reader that does not know the
 * chunk refuses the trace and asks for a newer gotrace. It must not skip it: waiting would be gone
 * from every sum without a word. Of a recording (fixtures/samples/walls.gotrace). */
#include "base/test_fixture.h"
#include "trace/sample_trace_fixture.h"

#include <errno.h>

#include "trace/chunk.h"
#include "trace/sample_items.h"

#define RECORDED "fixtures/samples/walls.gotrace"

/* The file's bytes; to be freed. */
static uint8_t *recorded(size_t *n)
{
	int fd = open(RECORDED, O_RDONLY | O_CLOEXEC);

	assert_true(fd >= 0); /* to be run from the top of the source tree */
	uint8_t *data = sample_bytes(fd, n);
	close(fd);
	return data;
}

/* Every chunk of samples with states becomes one of type `to`; how many there were. None may be
 * flagged optional. */
static unsigned renumber(uint8_t *data, size_t n, uint16_t to)
{
	unsigned changed = 0;
	struct chunk_head h;

	for (size_t off = get_u32(data + 12); off < n; off += CHUNK_HEAD_BYTES + h.stored_bytes) {
		assert_true(off + CHUNK_HEAD_BYTES <= n);
		assert_null(chunk_head_get(&h, data + off));
		if (h.type != CHUNK_STATED)
			continue;
		assert_int_equal(h.flags & CHUNK_OPTIONAL, 0);
		h.type = to;
		chunk_head_put(data + off, &h);
		changed++;
	}
	return changed;
}

/* Samples read; *states of them with a state. *err: how reading ended. */
static uint64_t read_all(const uint8_t *data, size_t n, uint64_t *states, int *err)
{
	int fd = sample_file();
	struct sample_span span;
	uint64_t seen = 0;

	*states = 0;
	assert_int_equal(write(fd, data, n), n);
	struct trace_reader *r = trace_reader_open(sample_path(fd));
	assert_non_null(r);
	while ((*err = trace_reader_samples(r, &span)) > 0)
		for (size_t i = 0; i < span.n; i++, seen++)
			*states += span.s[i].state != 0;
	trace_reader_close(r);
	close(fd);
	return seen;
}

TEST(a_reader_that_knows_it)
{
	uint64_t states;
	size_t n;
	int err;
	uint8_t *data = recorded(&n);

	assert_true(renumber(data, n, CHUNK_STATED) > 0);
	assert_true(read_all(data, n, &states, &err) > 0);
	assert_int_equal(err, 0);
	assert_true(states > 0);
	free(data);
}

/* What an older reader sees: a type that has no meaning to it. */
TEST(a_reader_that_does_not)
{
	struct sample_log log = { 0 };
	uint64_t states;
	size_t n;
	int err;
	uint8_t *data = recorded(&n);

	assert_true(renumber(data, n, CHUNK_TYPES) > 0);
	log_set_sink(sample_sink, &log);
	read_all(data, n, &states, &err);
	log_set_sink(NULL, NULL);
	assert_int_equal(err, -ENOTSUP);
	assert_int_equal(states, 0);
	assert_int_equal(log.lines, 1);
	assert_non_null(strstr(log.last, "is of a newer format"));
	free(data);
}

/* How sure a weight is comes back with the sample. */
TEST(errors_come_back)
{
	const struct sample in = {
		.ts_ns = 7, .weight_ns = 900, .state = 3, .error_ns = 123456789
	};
	struct sample_tables t = { .n_processes = 1, .n_stacks = 1 };
	struct sample last = { 0 }, out;
	struct bytes b = { 0 };

	t.stacks = &(struct sample_stack){ 0 };
	assert_int_equal(sample_put(&b, &last, &in, CHUNK_WEIGHED), 0);
	assert_null(sample_get(&t, b.data, b.n, 1, CHUNK_WEIGHED, &out));
	assert_int_equal(out.error_ns, 123456789);
	assert_int_equal(out.weight_ns, 900);
	assert_non_null(sample_get(&t, b.data, b.n - 1, 1, CHUNK_WEIGHED, &out));
	assert_non_null(sample_get(&t, b.data, b.n, 1, CHUNK_STATED, &out));
	free(b.data);
}

TESTS(a_reader_that_knows_it, a_reader_that_does_not, errors_come_back)
