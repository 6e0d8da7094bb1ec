// SPDX-License-Identifier: BSD-2-Clause
/*
 * Arbitrary files into the trace reader (libFuzzer; ci/fuzz.sh).
 *
 * Checksums, sequence numbers and sizes would stop nearly every change at the
 * door. So the mutator puts them right again afterwards, most of the time, and
 * unpacks what zstd has packed, so that changes reach the columns inside.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

#include "base/log.h"
#include "trace/chunk.h"
#include "trace/samples.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
/* And once more, as a file that is still written is read. */
static void use_summary(struct trace_reader *r)
{
	const uint8_t *p;
	size_t n;
	int got = trace_reader_summary(r, &p, &n);
	uint64_t sum = 0;

	for (size_t i = 0; got > 0 && i < n; i++)
		sum += p[i];
	(void)sum;
	if (!trace_reader_again(r) && trace_reader_summary(r, &p, &n) != got)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

static void silence(void *ctx, enum log_level level, const char *line)
{
	(void)ctx;
	(void)level;
	if (!*line)
		abort(); /* an error has words */
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	log_set_sink(silence, NULL);
	return 0;
}

static void use_info(const struct trace_info *info)
{
	size_t chars = 0;

	for (size_t i = 0; i < info->n_funcs; i++)
		chars += strlen(info->funcs[i].name);
	for (size_t i = 0; i < info->n_kvs; i++)
		chars += strlen(info->kvs[i].key) + strlen(info->kvs[i].value);
	for (size_t i = 0; i < info->n_pcs; i++)
		if (trace_info_pc(info, info->pcs[i].pc) != &info->pcs[i])
			abort();
	for (size_t i = 0; i < info->n_sites; i++)
		if (info->sites[i].func != TRACE_NONE && info->sites[i].func >= info->n_funcs)
			abort();
	if (chars > TABLES_MAX_BYTES)
		abort();
}

/* Values are sound, whatever the file says. */
static size_t use_values(const struct trace_info *info, const struct trace_values *v)
{
	const uint8_t *p = v ? v->data : NULL, *end = v ? p + v->bytes : NULL;
	struct trace_value one;

	for (uint32_t i = 0; v && i < v->n; i++) {
		if (v->first + i >= info->n_values)
			abort();
		p = trace_value_get(p, end, info->values[v->first + i].type, &one);
		if (!p)
			abort();
	}
	if (p != end)
		abort();
	return v ? v->n : 0;
}

/* Reads all one by one. The number of events; *got what the reader said at the end. */
static uint64_t read_singly(struct trace_reader *r, int *got)
{
	static const uint64_t none[4];
	struct event_ext ev;
	uint64_t n = 0;

	while ((*got = trace_reader_next(r, &ev)) > 0) {
		if (!ev.h.kind)
			abort();
		if (ev.h.kind <= EV_KIND_MAX && !event_kind_has_args(ev.h.kind) &&
		    memcmp(ev.arg, none, sizeof(none)))
			abort();
		n += 1 + use_values(trace_reader_info(r), trace_reader_values(r));
	}
	if (trace_reader_next(r, &ev) != *got) /* the same result is returned again */
		abort();
	return n;
}

static uint64_t read_spans(struct trace_reader *r, int *got)
{
	struct trace_span span;
	uint64_t n = 0;

	while ((*got = trace_reader_span(r, &span)) > 0) {
		for (size_t k = 0; k < span.n_args; k++) {
			if (span.arg_at[k] >= span.n || (k && span.arg_at[k] <= span.arg_at[k - 1]))
				abort();
		}
		for (size_t k = 0; k < span.n_values; k++) {
			if (span.values[k].at >= span.n ||
			    (k && span.values[k].at <= span.values[k - 1].at))
				abort();
			n += use_values(trace_reader_info(r), &span.values[k]);
		}
		n += span.n;
	}
	return n;
}

/* What samples and tables name is there, whatever the file says. */
static void use_samples(struct trace_reader *r)
{
	struct sample_span span;
	int got;

	while ((got = trace_reader_samples(r, &span)) > 0) {
		for (size_t i = 0; i < span.n; i++)
			if (!sample_tables_has(trace_reader_tables(r), &span.s[i]))
				abort();
	}
	if (got < 0 && trace_reader_complete(r))
		abort();
	const struct sample_tables *t = trace_reader_tables(r);
	for (size_t i = 0; t && i < t->n_stacks; i++)
		for (uint32_t k = 0; k < t->stacks[i].n; k++) {
			uint64_t pc = t->stacks[i].pcs[k];
			const struct sample_location *l = sample_tables_find(
				t, t->stacks[i].process, pc);

			if (l && (l->pc != pc || l->frames[l->n - 1].symbol >= t->n_symbols))
				abort();
		}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char path[32];
	uint64_t events[2];
	int got[2], fd = memfd_create("trace", MFD_CLOEXEC);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	for (int spans = 0; spans < 2; spans++) {
		struct trace_reader *r = trace_reader_open(path);

		if (!r)
			break;
		events[spans] = spans ? read_spans(r, &got[1]) : read_singly(r, &got[0]);
		if (got[spans] < 0 && trace_reader_complete(r))
			abort();
		if (spans && (events[0] != events[1] || got[0] != got[1]))
			abort();
		use_info(trace_reader_info(r));
		use_summary(r);
		trace_reader_close(r);
	}
	struct trace_reader *r = trace_reader_open(path);
	if (r)
		use_samples(r);
	trace_reader_close(r);
	close(fd);
	return 0;
}

/* ---- the mutator ---- */

static uint8_t *find_chunk(uint8_t *p, uint8_t *end)
{
	uint8_t mark[4];

	put_u32(mark, CHUNK_MARK);
	return end - p >= CHUNK_HEAD_BYTES ? memmem(p, (size_t)(end - p), mark, sizeof(mark))
					   : NULL;
}

/* Puts in what the payload of n bytes decides. */
static void seal_chunk(uint8_t *p, size_t n, uint32_t seq, uint64_t *events, uint64_t *samples)
{
	uint16_t type = get_u16(p + 4), flags = get_u16(p + 6);

	if (type == CHUNK_EVENTS)
		*events += get_u32(p + 16);
	if (type == CHUNK_SAMPLES || type == CHUNK_STATED || type == CHUNK_WEIGHED)
		*samples += get_u32(p + 16);
	if (type == CHUNK_END && n >= 8)
		put_u64(p + CHUNK_HEAD_BYTES, *events);
	if (type == CHUNK_END && n >= 16)
		put_u64(p + CHUNK_HEAD_BYTES + 8, *samples);
	if (type == CHUNK_SUMMARY && n >= SLOT_HEAD_BYTES) {
		uint8_t *slot = p + CHUNK_HEAD_BYTES;
		uint32_t stored = get_u32(slot + 16);

		if (stored <= n - SLOT_HEAD_BYTES)
			put_u32(slot + 4, (uint32_t)crc32_z(0, slot + SLOT_HEAD_BYTES, stored));
		put_u32(slot + SLOT_HEAD_BYTES - 4,
			(uint32_t)crc32_z(0, slot, SLOT_HEAD_BYTES - 4));
	}
	put_u32(p + 8, (uint32_t)n);
	if (!(flags & CHUNK_ZSTD))
		put_u32(p + 12, (uint32_t)n);
	put_u32(p + 20, seq);
	put_u32(p + 32, (uint32_t)crc32_z(0, p + CHUNK_HEAD_BYTES, n));
	put_u32(p + 36, (uint32_t)crc32_z(0, p, CHUNK_HEAD_BYTES - 4));
}

static void seal(uint8_t *data, size_t size)
{
	uint8_t *end = data + size;
	uint64_t events = 0, samples = 0;
	uint32_t seq = 0;

	if (size < FILE_HEAD_BYTES)
		return;
	uint32_t head = get_u32(data + 12);

	if (head >= FILE_HEAD_BYTES && head <= size)
		put_u32(data + head - 4, (uint32_t)crc32_z(0, data, head - 4));
	for (uint8_t *p = find_chunk(data + FILE_HEAD_BYTES, end); p;) {
		uint8_t *next = find_chunk(p + CHUNK_HEAD_BYTES, end);

		if (p + CHUNK_HEAD_BYTES > end)
			return;
		seal_chunk(p, (size_t)((next ? next : end) - p) - CHUNK_HEAD_BYTES, seq++, &events,
			   &samples);
		p = next;
	}
}

/* Unpacks the first packed chunk. The new size. */
static size_t unpack(uint8_t *data, size_t size, size_t max_size)
{
	static uint8_t raw[1 << 16]; /* the fuzzer is one thread */
	uint8_t *end = data + size,
		*p = size < FILE_HEAD_BYTES ? NULL : find_chunk(data + FILE_HEAD_BYTES, end);

	while (p && (p + CHUNK_HEAD_BYTES > end || !(get_u16(p + 6) & CHUNK_ZSTD)))
		p = p + CHUNK_HEAD_BYTES > end ? NULL : find_chunk(p + CHUNK_HEAD_BYTES, end);
	if (!p)
		return size;
	size_t stored = get_u32(p + 8), room = (size_t)(end - p) - CHUNK_HEAD_BYTES;

	if (stored > room)
		return size;
	size_t n = ZSTD_decompress(raw, sizeof(raw), p + CHUNK_HEAD_BYTES, stored);

	if (ZSTD_isError(n) || size - stored + n > max_size)
		return size;
	memmove(p + CHUNK_HEAD_BYTES + n, p + CHUNK_HEAD_BYTES + stored, room - stored);
	memcpy(p + CHUNK_HEAD_BYTES, raw, n);
	put_u16(p + 6, get_u16(p + 6) & (uint16_t)~CHUNK_ZSTD);
	return size - stored + n;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
	if (seed % 4 == 0)
		size = unpack(data, size, max_size);
	size = LLVMFuzzerMutate(data, size, max_size);
	if (seed / 4 % 8)
		seal(data, size);
	return size;
}
