// SPDX-License-Identifier: BSD-2-Clause
/* Arguments and results: one as bytes and as text, and those of events through a file. */
#include "base/test_fixture.h"
#include "trace/sample_trace_fixture.h"

#include <errno.h>

#include "bpf/event.h"
#include "trace/block_values.h"
#include "trace/format.h"

#define STORED "fixtures/formats/1.1.values.gotrace"

static const struct {
	struct trace_value v;
	const char *text, *plain;
} values[] = {
	{ { .type = TRACE_VALUE_INT, .v.i = -5 }, "-5", "-5" },
	{ { .type = TRACE_VALUE_INT, .v.i = INT64_MIN },
	  "-9223372036854775808",
	  "-9223372036854775808" },
	{ { .type = TRACE_VALUE_UINT, .v.u = UINT64_MAX },
	  "18446744073709551615",
	  "18446744073709551615" },
	{ { .type = TRACE_VALUE_FLOAT, .v.f = -2.25 }, "-2.25", "-2.25" },
	{ { .type = TRACE_VALUE_BOOL, .v.u = 1 }, "true", "true" },
	{ { .type = TRACE_VALUE_BOOL }, "false", "false" },
	{ { .type = TRACE_VALUE_POINTER, .v.u = 0xc000010000 }, "0xc000010000", "0xc000010000" },
	{ { .type = TRACE_VALUE_POINTER }, "nil", "nil" },
	{ { .type = TRACE_VALUE_LENGTH, .v.u = 3 }, "len 3", "len 3" },
	{ { .type = TRACE_VALUE_TYPE, .text = "*main.T", .text_bytes = 7 }, "*main.T", "*main.T" },
	{ { .type = TRACE_VALUE_TYPE, .text = "" }, "nil", "nil" },
	{ { .type = TRACE_VALUE_STRING, .v.u = 6, .text = "/index", .text_bytes = 6 },
	  "\"/index\"",
	  "/index" },
	{ { .type = TRACE_VALUE_STRING, .text = "" }, "\"\"", "" },
	{ { .type = TRACE_VALUE_STRING, .v.u = 500, .text = "ab", .text_bytes = 2 },
	  "\"ab\"... (500 bytes)",
	  "ab..." },
	{ { .type = TRACE_VALUE_STRING,
	    .v.u = 8,
	    .text = "a\"\\\n\x1b\0\xff\xc3",
	    .text_bytes = 8 },
	  "\"a\\\"\\\\\\n\\x1b\\x00\\xff\\xc3\"",
	  "a\"\\\\n\\x1b\\x00\\xff\\xc3" },
	{ { .type = TRACE_VALUE_STRING, .how = VALUE_NO_TEXT, .v.u = 9, .text = "" },
	  "?fault (9 bytes)",
	  "?fault" },
	{ { .type = TRACE_VALUE_INT, .how = VALUE_NIL }, "?nil", "?nil" },
	{ { .type = TRACE_VALUE_STRING, .how = VALUE_FAULT, .text = "" }, "?fault", "?fault" },
	{ { .type = TRACE_VALUE_FLOAT, .how = VALUE_IN_XMM }, "?xmm", "?xmm" },
};
#define N_VALUES (sizeof(values) / sizeof(values[0]))

static void assert_text(const struct trace_value *v,
			void (*put)(FILE *, const struct trace_value *), const char *want)
{
	char *text = NULL;
	size_t n;
	FILE *out = open_memstream(&text, &n);

	assert_non_null(out);
	put(out, v);
	fclose(out);
	assert_string_equal(text, want);
	free(text);
}

/* Every cut of the bytes is refused, every value comes back. */
TEST(one_by_one)
{
	uint8_t bytes[64];
	struct trace_value v;

	for (size_t i = 0; i < N_VALUES; i++) {
		const struct trace_value *w = &values[i].v;
		uint8_t *end = trace_value_put(bytes, w);

		assert_true((size_t)(end - bytes) <= trace_value_room(w));
		assert_ptr_equal(trace_value_get(bytes, end, w->type, &v), end);
		assert_int_equal(v.how, w->how);
		assert_text(&v, trace_value_text, values[i].text);
		assert_text(&v, trace_value_plain, values[i].plain);
		for (uint8_t *cut = bytes; cut < end; cut++)
			assert_null(trace_value_get(bytes, cut, w->type, &v));
	}
	bytes[0] = VALUE_HOW_MAX + 1;
	assert_null(trace_value_get(bytes, bytes + 64, TRACE_VALUE_INT, &v));
}

/* ---- in a file */

/* Function 0 has an argument of each kind, function 1 results. */
static void add_defs(struct trace_info *info)
{
	for (uint32_t i = 0; i < 2 * N_VALUES; i++) {
		char name[32];
		const struct trace_value_def d = { .func = i >= N_VALUES,
						   .result = i >= N_VALUES,
						   .type = values[i % N_VALUES].v.type,
						   .name = name };

		snprintf(name, sizeof(name), "v.%u", i % (uint32_t)N_VALUES);
		assert_int_equal(trace_info_add_value(info, &d), 0);
	}
}

/* Values of the i-th event; n 0: it has none. */
static struct trace_values values_of(size_t i, uint8_t *data)
{
	struct trace_values v = { .first = (uint32_t)(i % N_VALUES), .data = data };
	uint8_t *p = data;

	if (i % 3 && i < 600)
		return v;
	v.n = 1 + (uint32_t)i % 3;
	if (v.first + v.n > N_VALUES)
		v.n = 1;
	for (uint32_t k = 0; k < v.n; k++)
		p = trace_value_put(p, &values[(v.first + k) % N_VALUES].v);
	if (i & 1)
		v.first += N_VALUES;
	v.bytes = (uint32_t)(p - data);
	return v;
}

#define N_EVENTS 700

static int write_file(struct trace_info *info)
{
	int fd = sample_file();
	uint64_t seed = 5;
	struct event_ext *ev = sample_events(N_EVENTS, 0, &seed);
	uint8_t data[256];

	sample_info(info);
	add_defs(info);
	struct trace_writer *w = trace_writer_new(sample_dup(fd), info);

	assert_non_null(w);
	for (size_t i = 0; i < N_EVENTS; i++) {
		struct trace_values v = values_of(i, data);

		if (v.n)
			assert_int_equal(trace_writer_values(w, &v), 0);
		assert_int_equal(trace_writer_event(w, &ev[i]), 0);
		if (i % 100 == 50)
			assert_int_equal(trace_writer_flush(w), 0);
	}
	assert_int_equal(trace_writer_finish(w, NULL, 0), 0);
	free(ev);
	return fd;
}

static void assert_values(const struct trace_values *got, size_t i)
{
	uint8_t data[256];
	struct trace_values want = values_of(i, data);

	assert_int_equal(!got, !want.n);
	if (!got)
		return;
	assert_int_equal(got->first, want.first);
	assert_int_equal(got->n, want.n);
	assert_int_equal(got->bytes, want.bytes);
	assert_memory_equal(got->data, data, want.bytes);
}

TEST(event_by_event)
{
	struct trace_info info;
	struct event_ext ev;
	size_t i = 0;
	int fd = write_file(&info);
	struct trace_reader *r = trace_reader_open(sample_path(fd));
	const struct trace_info *got = trace_reader_info(r);

	assert_int_equal(got->n_values, info.n_values);
	for (size_t k = 0; k < info.n_values; k++) {
		assert_string_equal(got->values[k].name, info.values[k].name);
		assert_int_equal(got->values[k].func, info.values[k].func);
		assert_int_equal(got->values[k].type, info.values[k].type);
		assert_int_equal(got->values[k].result, info.values[k].result);
	}
	assert_null(trace_reader_values(r));
	for (; trace_reader_next(r, &ev) == 1; i++)
		assert_values(trace_reader_values(r), i);
	assert_int_equal(i, N_EVENTS);
	assert_true(trace_reader_complete(r));
	trace_reader_close(r);
	trace_info_free(&info);
	close(fd);
}

/* `singles` events one by one before each span. */
TEST(by_spans)
{
	struct trace_info info;
	int fd = write_file(&info);

	for (unsigned singles = 0; singles < 8; singles++) {
		struct trace_reader *r = trace_reader_open(sample_path(fd));
		struct trace_span span;
		struct event_ext ev;
		size_t i = 0;

		for (bool more = true; more;) {
			for (unsigned s = 0; s < singles && (more = trace_reader_next(r, &ev) == 1);
			     s++)
				assert_values(trace_reader_values(r), i++);
			more = more && trace_reader_span(r, &span) == 1;
			for (size_t k = 0, next = 0; more && k < span.n; k++) {
				bool has = next < span.n_values && span.values[next].at == k;

				assert_values(has ? &span.values[next] : NULL, i++);
				next += has;
			}
		}
		assert_int_equal(i, N_EVENTS);
		trace_reader_close(r);
	}
	trace_info_free(&info);
	close(fd);
}

/* A block ends before its values are more than a chunk holds. */
TEST(many_large_ones)
{
	static char text[TRACE_VALUE_TEXT_MAX];
	const struct trace_value_def d = { .type = TRACE_VALUE_STRING,
					   .name = (char *)(uintptr_t) "s" };
	const struct trace_value one = { .type = TRACE_VALUE_STRING,
					 .v.u = sizeof(text),
					 .text = text,
					 .text_bytes = sizeof(text) };
	struct event_ext ev = { .h = { .kind = EV_ENTRY, .goid = 1, .tid = 1 } };
	uint8_t data[sizeof(text) + 32];
	struct trace_info info;
	int fd = sample_file();
	size_t n = 0;

	memset(text, 'x', sizeof(text));
	sample_info(&info);
	assert_int_equal(trace_info_add_value(&info, &d), 0);
	struct trace_writer *w = trace_writer_new(sample_dup(fd), &info);
	const struct trace_values v = { .n = 1,
					.data = data,
					.bytes = (uint32_t)(trace_value_put(data, &one) - data) };

	for (int i = 0; i < 20000; i++, ev.h.ts_ns += 100) {
		assert_int_equal(trace_writer_values(w, &v), 0);
		assert_int_equal(trace_writer_event(w, &ev), 0);
	}
	assert_int_equal(trace_writer_finish(w, NULL, 0), 0);
	struct trace_reader *r = trace_reader_open(sample_path(fd));

	for (; trace_reader_next(r, &ev) == 1; n++)
		assert_non_null(trace_reader_values(r));
	assert_int_equal(n, 20000);
	assert_true(trace_reader_complete(r));
	trace_reader_close(r);
	trace_info_free(&info);
	close(fd);
}

/* ---- what is not sound */

static uint8_t *find_chunk(uint8_t *p, const uint8_t *end, unsigned type, unsigned nth)
{
	for (; p + CHUNK_HEAD_BYTES < end; p++)
		if (get_u32(p) == CHUNK_MARK && get_u16(p + 4) == type && !nth--)
			return p;
	return NULL;
}

/* A reader of format 1.0 passes over these chunks: they say that it may. */
TEST(chunks_are_optional)
{
	struct trace_info info;
	int fd = write_file(&info);
	size_t n, seen = 0;
	uint8_t *data = sample_bytes(fd, &n);

	for (uint8_t *p; (p = find_chunk(data, data + n, CHUNK_VALUES, (unsigned)seen)); seen++)
		assert_true(get_u16(p + 6) & CHUNK_OPTIONAL);
	assert_int_equal(seen, 1 + 8);
	free(data);
	trace_info_free(&info);
	close(fd);
}

/* What block_values_read finds in a payload that the writer would not make. */
TEST(wrong_ones_are_refused)
{
	static const struct {
		uint8_t raw[16];
		size_t n;
		uint32_t count;
		bool good;
	} payloads[] = {
		{ { 0, 0, 1, 2, 0, 2 }, 6, 1, true },
		{ { 0, 0, 1, 2, 0, 2, 1, 0, 1, 2, 0, 2 }, 12, 2, true },
		{ { 0, 0, 1, 2, 0, 2, 0, 0, 1, 2, 0, 2 }, 12, 2, false },   /* one event twice */
		{ { 0xff, 0xff, 0xff, 0x7f, 0, 1, 2, 0, 2 }, 9, 1, false }, /* no such event */
		{ { 0, 0x7f, 1, 2, 0, 2 }, 6, 1, false },                   /* no such value */
		{ { 0, 0, 0x7f, 2, 0, 2 }, 6, 1, false },                   /* nor so many */
		{ { 0, 0, 1, 0x7f, 0, 2 }, 6, 1, false },                   /* cut off */
		{ { 0, 0, 1, 3, 0, 2, 0 }, 7, 1, false },                   /* more than it is */
		{ { 0, 0, 1, 2, 9, 2 }, 6, 1, false },                      /* no way of reading */
		{ { 0, 0, 0, 0 }, 4, 1, false },                            /* none */
		{ { 0, 0, 1, 2, 0, 2, 0 }, 7, 1, false },                   /* something behind */
		{ { 0, 18, 2, 2, 3, 1 }, 6, 1, false },                     /* of two functions */
		{ { 0 }, 0, 1, false },
		{ { 0 }, 0, UINT32_MAX, false },
	};
	struct block_values b = { 0 };
	struct trace_info info;

	sample_info(&info);
	add_defs(&info);
	assert_int_equal(N_VALUES, 19);
	for (size_t i = 0; i < sizeof(payloads) / sizeof(payloads[0]); i++) {
		const char *fault = block_values_read(&b, &info, payloads[i].raw, payloads[i].n,
						      payloads[i].count);

		if (!fault != payloads[i].good)
			fail_msg("payload %zu: %s", i, fault ? fault : "is taken");
		assert_int_equal(b.n, payloads[i].good ? payloads[i].count : 0);
	}
	block_values_free(&b);
	trace_info_free(&info);
}

/* Values of an event that the block does not have. */
TEST(of_no_event)
{
	struct sample_log log = { 0 };
	struct event_ext ev = { .h = { .kind = EV_ENTRY, .goid = 1, .tid = 1 } };
	uint8_t data[8];
	const struct trace_value one = { .type = TRACE_VALUE_INT };
	const struct trace_values v = { .n = 1,
					.data = data,
					.bytes = (uint32_t)(trace_value_put(data, &one) - data) };
	struct trace_info info;
	int fd = sample_file();

	sample_info(&info);
	add_defs(&info);
	struct trace_writer *w = trace_writer_new(sample_dup(fd), &info);

	assert_int_equal(trace_writer_event(w, &ev), 0);
	assert_int_equal(trace_writer_values(w, &v), 0); /* and no event */
	assert_int_equal(trace_writer_finish(w, NULL, 0), 0);
	log_set_sink(sample_sink, &log);
	struct trace_reader *r = trace_reader_open(sample_path(fd));

	assert_int_equal(trace_reader_next(r, &ev), -EBADMSG);
	assert_non_null(strstr(log.last, "values of an event that is not there"));
	trace_reader_close(r);
	log_set_sink(NULL, NULL);
	trace_info_free(&info);
	close(fd);
}

/* The stored trace was written by this test: GOTRACE_STORE=1 makes it where it is missing. */
TEST(stored)
{
	struct trace_info info;
	size_t n;
	int fd = write_file(&info), out;

	if (access(STORED, F_OK) && getenv("GOTRACE_STORE")) {
		uint8_t *data = sample_bytes(fd, &n);

		out = open(STORED, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
		assert_int_equal(write(out, data, n), n);
		close(out);
		free(data);
	}
	assert_int_equal(access(STORED, F_OK), 0);
	trace_info_free(&info);
	close(fd);
}

TESTS(one_by_one, event_by_event, by_spans, many_large_ones, chunks_are_optional,
      wrong_ones_are_refused, of_no_event, stored)
