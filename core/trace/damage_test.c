// SPDX-License-Identifier: BSD-2-Clause
/* Reading traces that are cut off, damaged or made to do harm. */
#include "base/test_fixture.h"
#include "trace/sample_trace_fixture.h"

#include <errno.h>
#include <zlib.h>

#include "trace/block.h"
#include "trace/format.h"

#define N_EVENTS 60

struct sample {
	int fd;
	uint8_t *data;
	size_t n;
	size_t head_n; /* bytes up to the first block */
	struct event_ext *ev;
	struct trace_info info;
	struct sample_log log;
};

/* A small trace of three blocks, with a name added in the middle. */
static int set_up(void **state)
{
	struct trace_pc pc = { .pc = 0x402000, .func = (char *)(uintptr_t) "main.late" };
	const struct trace_kv end[] = { { (char *)(uintptr_t) "end.status",
					  (char *)(uintptr_t) "0" } };
	struct sample *s = calloc(1, sizeof(*s));
	uint64_t seed = 11;

	assert_non_null(s);
	s->ev = sample_events(N_EVENTS, 10, &seed);
	sample_info(&s->info);
	s->fd = sample_file();
	struct trace_writer *w = trace_writer_new(sample_dup(s->fd), &s->info);
	assert_non_null(w);
	s->head_n = (size_t)trace_writer_bytes(w);
	for (size_t i = 0; i < N_EVENTS; i++) {
		if (i == 20)
			assert_int_equal(trace_writer_pc(w, &pc), 0);
		if (i % 20 == 19)
			assert_int_equal(trace_writer_flush(w), 0);
		assert_int_equal(trace_writer_event(w, &s->ev[i]), 0);
	}
	assert_int_equal(trace_writer_finish(w, end, 1), 0);
	s->data = sample_bytes(s->fd, &s->n);
	log_set_sink(sample_sink, &s->log);
	*state = s;
	return 0;
}

static int tear_down(void **state)
{
	struct sample *s = *state;

	log_set_sink(NULL, NULL);
	trace_info_free(&s->info);
	close(s->fd);
	free(s->data);
	free(s->ev);
	free(s);
	return 0;
}

/* What came of reading a damaged copy of the sample. */
struct outcome {
	int err;     /* of opening or of the last read; 0 at the end */
	size_t seen; /* events, all of them right */
	bool opened, complete;
};

/* Reads data to its end. Events must be those of the sample, in order. */
static struct outcome read_damaged(struct sample *s, const uint8_t *data, size_t n)
{
	struct outcome o = { 0 };
	struct event_ext ev;
	int got;

	s->log.lines = 0;
	sample_fill(s->fd, data, n);
	struct trace_reader *r = trace_reader_open(sample_path(s->fd));
	o.opened = r != NULL;
	if (!r) {
		o.err = -errno;
	} else {
		assert_same_info(&s->info, trace_reader_info(r));
		while ((got = trace_reader_next(r, &ev)) == 1) {
			assert_true(o.seen < N_EVENTS);
			assert_memory_equal(&ev, &s->ev[o.seen], sizeof(ev));
			o.seen++;
		}
		o.err = got;
		assert_int_equal(trace_reader_next(r, &ev), got);
		o.complete = trace_reader_complete(r);
		trace_reader_close(r);
	}
	/* One line when there is a fault, none when there is none. */
	assert_int_equal(s->log.lines, o.err != 0);
	return o;
}

static void test_truncated(void **state)
{
	struct sample *s = *state;

	for (size_t n = 0; n <= s->n; n++) {
		struct outcome o = read_damaged(s, s->data, n);
		if (n < s->head_n) {
			assert_false(o.opened);
			assert_int_equal(o.err, -EBADMSG);
		} else {
			assert_int_equal(o.err, 0);
			assert_int_equal(o.complete, n == s->n);
			assert_true(o.seen == N_EVENTS || n < s->n);
		}
	}
}

/* Zeros in place of the last chunks: what some file systems leave of a machine that went down. */
static void test_zeros(void **state)
{
	struct sample *s = *state;
	uint8_t *copy = calloc(1, s->n + 10000);

	assert_non_null(copy);
	for (size_t n = s->head_n; n < s->n; n += CHUNK_HEAD_BYTES + get_u32(s->data + n + 8)) {
		memcpy(copy, s->data, n);
		memset(copy + n, 0, s->n - n);
		for (size_t zeros = 1; zeros < 10000; zeros += zeros < 100 ? 1 : 977) {
			struct outcome o = read_damaged(s, copy, n + zeros);

			assert_int_equal(o.err, 0);
			assert_true(o.opened && !o.complete);
			copy[n + zeros - 1] = 1;
			o = read_damaged(s, copy, n + zeros);
			copy[n + zeros - 1] = 0;
			assert_int_equal(o.err, zeros < CHUNK_HEAD_BYTES ? 0 : -EBADMSG);
		}
	}
	free(copy);
}

/* One byte changed anywhere: never a wrong event, never taken for a whole trace. */
static void test_one_byte(void **state)
{
	static const uint8_t change[] = { 0x01, 0x80, 0xff, 0x10 };
	struct sample *s = *state;
	size_t refused = 0, cut = 0;

	for (size_t i = 0; i < s->n; i++) {
		for (size_t c = 0; c < sizeof(change); c++) {
			s->data[i] ^= change[c];
			struct outcome o = read_damaged(s, s->data, s->n);
			s->data[i] ^= change[c];
			assert_false(o.complete);
			assert_true(o.err == -EBADMSG || (o.err == -ENOTSUP && i < 12));
			if (i >= s->head_n)
				assert_non_null(strstr(s->log.last, "corrupt at byte "));
			refused += !o.opened;
			cut += o.opened;
		}
	}
	assert_int_equal(refused, s->head_n * sizeof(change));
	assert_int_equal(cut, (s->n - s->head_n) * sizeof(change));
}

static void test_chunk_missing(void **state)
{
	struct sample *s = *state;
	size_t first = CHUNK_HEAD_BYTES + get_u32(s->data + s->head_n + 8);
	uint8_t *copy = malloc(s->n);

	assert_non_null(copy);
	memcpy(copy, s->data, s->head_n);
	memcpy(copy + s->head_n, s->data + s->head_n + first, s->n - s->head_n - first);
	struct outcome o = read_damaged(s, copy, s->n - first);
	assert_int_equal(o.err, -EBADMSG);
	assert_int_equal(o.seen, 0);
	assert_non_null(strstr(s->log.last, "missing"));
	free(copy);
}

/* Puts right the checksums of all chunks that can be found from the start. */
static void mend(uint8_t *p, size_t n)
{
	size_t off = FILE_HEAD_BYTES;

	put_u32(p + FILE_HEAD_BYTES - 4, (uint32_t)crc32_z(0, p, FILE_HEAD_BYTES - 4));
	while (off + CHUNK_HEAD_BYTES <= n) {
		size_t stored = get_u32(p + off + 8);
		if (stored > n - off - CHUNK_HEAD_BYTES)
			stored = n - off - CHUNK_HEAD_BYTES;
		put_u32(p + off + 32, (uint32_t)crc32_z(0, p + off + CHUNK_HEAD_BYTES, stored));
		put_u32(p + off + 36, (uint32_t)crc32_z(0, p + off, CHUNK_HEAD_BYTES - 4));
		off += CHUNK_HEAD_BYTES + stored;
	}
}

/* With right checksums only the meaning is wrong: anything may come out but a crash. */
static void test_mended(void **state)
{
	struct sample *s = *state;
	uint64_t seed = sample_seed("mended");
	uint8_t *copy = malloc(s->n);
	size_t opened = 0, refused = 0;

	assert_non_null(copy);
	for (int round = 0; round < 20000; round++) {
		struct event_ext ev;
		int got = 0;
		memcpy(copy, s->data, s->n);
		for (uint64_t k = 1 + sample_random(&seed) % 3; k; k--)
			copy[sample_random(&seed) % s->n] = (uint8_t)sample_extreme(&seed);
		mend(copy, s->n);
		sample_fill(s->fd, copy, s->n);
		s->log.lines = 0;
		struct trace_reader *r = trace_reader_open(sample_path(s->fd));
		opened += r != NULL;
		while (r && (got = trace_reader_next(r, &ev)) == 1)
			assert_int_not_equal(ev.h.kind, 0);
		refused += !r || got < 0;
		assert_int_equal(s->log.lines, !r || got < 0);
		trace_reader_close(r);
	}
	assert_true(opened > 100 && refused > 100); /* both sides were tried */
	free(copy);
}

/* The same for the unpacked payload of a block: zstd hides it from the test above. */
static void test_block_payload(void **state)
{
	uint64_t seed = sample_seed("block payload");
	struct block_encoder *e = block_encoder_new();
	uint8_t raw[8192], copy[8192];
	struct event plain[N_EVENTS];
	uint64_t args[N_EVENTS][4];
	struct sample *s = *state;
	struct block b = { 0 };
	size_t n = 0, taken = 0, refused = 0, n_args = 0;

	assert_non_null(e);
	for (size_t i = 0; i < N_EVENTS; i++) {
		plain[i] = s->ev[i].h;
		if (event_kind_has_args(plain[i].kind))
			memcpy(args[n_args++], s->ev[i].arg, sizeof(args[0]));
	}
	assert_int_equal(block_add(e, plain, N_EVENTS, (const uint64_t(*)[4])args), N_EVENTS);
	const struct block_piece *pieces = block_end(e);
	for (size_t i = 0; i < N_COLS + 1; i++) {
		assert_true(pieces[i].n <= sizeof(raw) - n);
		memcpy(raw + n, pieces[i].data, pieces[i].n);
		n += pieces[i].n;
	}
	assert_null(block_decode(&b, raw, n, N_EVENTS));
	assert_memory_equal(b.ev, plain, sizeof(plain));
	assert_memory_equal(b.args, args, n_args * sizeof(args[0]));
	for (int round = 0; round < 100000; round++) {
		size_t len = n - (sample_random(&seed) % 8 == 0 ? sample_random(&seed) % n : 0);
		memcpy(copy, raw, n);
		for (uint64_t k = sample_random(&seed) % 3; k; k--)
			copy[sample_random(&seed) % n] = (uint8_t)sample_extreme(&seed);
		const char *fault = block_decode(&b, copy, len,
						 N_EVENTS + (sample_random(&seed) % 16 == 0));
		taken += !fault;
		refused += fault && *fault;
	}
	assert_true(taken > 1000 && refused > 1000);
	block_free(&b);
	block_encoder_free(e);
}

TESTS_EACH(set_up, tear_down, test_truncated, test_zeros, test_one_byte, test_chunk_missing,
	   test_mended, test_block_payload)
