// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/log.h"
#include "base/vec.h"
#include "trace/reader_internal.h"

/* A payload is read in pieces: a header may promise more than the file holds. */
#define READ_STEP_BYTES (256u << 10)

/* Fills p; *got is less than n at the end of the file. 0 or -errno (logged). */
static int read_full(struct trace_reader *r, uint8_t *p, size_t n, size_t *got)
{
	for (*got = 0; *got < n;) {
		ssize_t k = read(r->fd, p + *got, n - *got);
		if (k < 0 && errno == EINTR)
			continue;
		if (k < 0) {
			int err = -errno;
			log_error("%s: cannot be read: %s", r->name, strerror(-err));
			return err;
		}
		if (!k)
			break;
		*got += (size_t)k;
	}
	r->off += *got;
	return 0;
}

static int corrupt(struct trace_reader *r, uint64_t off, const char *what)
{
	if (!*what) {
		log_no_memory("%s: no memory for reading it", r->name);
		return -ENOMEM;
	}
	log_error("%s: corrupt at byte %llu: %s. The %llu events before it are sound", r->name,
		  (unsigned long long)off, what, (unsigned long long)r->events);
	return -EBADMSG;
}

/* Reads a payload into r->stored. 1, 0 when the file ends inside it, or -errno. */
static int read_payload(struct trace_reader *r, size_t n)
{
	size_t have = 0, got;

	/* so that an empty one is somewhere, too */
	if (vec_reserve(&r->stored.data, &r->stored.cap, 1))
		return corrupt(r, r->off, "");
	while (have < n) {
		size_t step = n - have < READ_STEP_BYTES ? n - have : READ_STEP_BYTES;
		if (vec_reserve(&r->stored.data, &r->stored.cap, have + step))
			return corrupt(r, r->off, "");
		int err = read_full(r, r->stored.data + have, step, &got);
		if (err)
			return err;
		if (got < step)
			return 0;
		have += step;
	}
	return 1;
}

/* Whether there are only zeros up to the file's end, which is not far: what file systems leave
 * where writing ended with the machine. 1, 0 or -errno. */
static int only_zeros(struct trace_reader *r, const uint8_t *p, size_t n)
{
	uint8_t more[4096];

	for (size_t seen = 0; seen < CHUNK_HEAD_BYTES + STORED_MAX_BYTES; seen += n) {
		for (size_t i = 0; i < n; i++)
			if (p[i])
				return 0;
		p = more;
		int err = read_full(r, more, sizeof(more), &n);
		if (err)
			return err;
		if (!n)
			return 1;
	}
	return 0;
}

/* Reads a chunk and unpacks it. 1, 0 at the end of the file or inside a chunk, or -errno. */
static int read_chunk(struct trace_reader *r, struct chunk_head *h)
{
	uint8_t head[CHUNK_HEAD_BYTES];
	uint64_t off = r->off;
	const char *fault;
	size_t got;

	if (off >= r->until)
		return 0;
	int err = read_full(r, head, sizeof(head), &got);
	if (err || got < sizeof(head))
		return err;
	fault = chunk_head_get(h, head);
	int zeros = fault && !h->mark ? only_zeros(r, head, sizeof(head)) : 0;
	if (zeros)
		return zeros < 0 ? zeros : 0;
	if (!fault && h->seq != r->seq)
		fault = "a chunk is missing or out of order";
	if (fault)
		return corrupt(r, off, fault);
	int whole = read_payload(r, h->stored_bytes);
	if (whole <= 0)
		return whole;
	r->seq++;
	r->sound = r->off;
	if (h->type == CHUNK_SUMMARY)
		return 1;
	/* A chunk to be skipped may be packed in a way that is not known yet. */
	const bool known = h->type && h->type < CHUNK_TYPES && h->type != CHUNK_SUMMARY;

	if (h->flags & CHUNK_OPTIONAL && h->type && !known)
		return 1;
	if (h->flags & ~(CHUNK_OPTIONAL | CHUNK_ZSTD) || !known) {
		log_error("%s: the chunk of type %u at byte %llu is of a newer format: "
			  "read the trace with the gotrace that wrote it, or a newer one",
			  r->name, h->type, (unsigned long long)off);
		return -ENOTSUP;
	}
	fault = chunk_unpack(&r->unpacker, h, r->stored.data);
	return fault ? corrupt(r, off, fault) : 1;
}

static const char *take_table(struct trace_reader *r, const struct chunk_head *h)
{
	if (r->started && (h->type == CHUNK_FUNCS || h->type == CHUNK_SITES))
		return "functions or sites after the first event";
	const char *fault = reader_count_table(r, h);

	return fault ? fault
		     : table_get(&r->info, h->type, r->unpacker.raw, h->raw_bytes, h->count);
}

static const char *take_events(struct trace_reader *r, const struct chunk_head *h)
{
	if (!r->started)
		return "events before the start of events";
	const char *fault = block_decode(&r->block, r->unpacker.raw, h->raw_bytes, h->count);
	if (fault) {
		r->block.n = 0;
		return fault;
	}
	r->events += h->count;
	r->at = r->args_at = r->values_at = 0;
	if (!r->values_wait)
		r->values.n = r->values.n_events = 0;
	r->values_wait = false;
	if (r->values.n_events > h->count) {
		r->block.n = r->values.n = 0;
		r->events -= h->count;
		return "values of an event that is not there";
	}
	return NULL;
}

/* Before the first event it is a table of those that there are. */
static const char *take_values(struct trace_reader *r, const struct chunk_head *h)
{
	if (!r->started)
		return take_table(r, h);
	if (r->values_wait)
		return "values of a block twice";
	r->values_wait = true;
	return block_values_read(&r->values, &r->info, r->unpacker.raw, h->raw_bytes, h->count);
}

static const char *take_end(struct trace_reader *r, const struct chunk_head *h)
{
	if (!r->started || h->raw_bytes < 8 || get_u64(r->unpacker.raw) != r->events)
		return "the number of events does not match the end record";
	if (r->n_samples != (h->raw_bytes < 16 ? 0 : get_u64(r->unpacker.raw + 8)))
		return "the number of samples does not match the end record";
	r->ended = r->complete = true;
	return NULL;
}

/* Takes in one chunk of any kind. 1, 0 at the end of the file, or -errno. */
static int next_chunk(struct trace_reader *r)
{
	struct chunk_head h;
	const char *fault = NULL;
	uint64_t off = r->off;
	int got = read_chunk(r, &h);

	if (got <= 0)
		return got;
	switch (h.type) {
	case CHUNK_KVS:
	case CHUNK_FUNCS:
	case CHUNK_SITES:
	case CHUNK_PCS:
		fault = take_table(r, &h);
		break;
	case CHUNK_START:
		fault = r->started ? "a second start of events" : NULL;
		r->started = true;
		break;
	case CHUNK_EVENTS:
		fault = take_events(r, &h);
		break;
	case CHUNK_END:
		fault = take_end(r, &h);
		break;
	case CHUNK_SUMMARY:
		fault = reader_take_summary(r, &h);
		break;
	case CHUNK_VALUES:
		fault = take_values(r, &h);
		break;
	case CHUNK_SAMPLES:
	case CHUNK_STATED:
	case CHUNK_WEIGHED:
		fault = reader_take_samples(r, &h);
		break;
	case CHUNK_STACKS:
	case CHUNK_PROCESSES:
	case CHUNK_IMAGES:
	case CHUNK_LABELS:
	case CHUNK_SYMBOLS:
	case CHUNK_LOCATIONS:
	case CHUNK_DEATHS:
		fault = reader_take_sample_table(r, &h);
		break;
	}
	return fault ? corrupt(r, off, fault) : 1;
}

/* The rest of a file header that a later minor version made longer. */
static int read_long_head(struct trace_reader *r, uint8_t *head, uint32_t n)
{
	size_t got;
	int err = read_full(r, head + FILE_HEAD_BYTES, n - FILE_HEAD_BYTES, &got);

	if (err)
		return err;
	return got < n - FILE_HEAD_BYTES ? corrupt(r, r->off, "the file ends in its header") : 0;
}

static int read_file_head(struct trace_reader *r)
{
	uint8_t head[FILE_HEAD_MAX_BYTES];
	size_t got;
	int err = read_full(r, head, FILE_HEAD_BYTES, &got);

	if (err)
		return err;
	if (!got || memcmp(head, FORMAT_MAGIC, got < 8 ? got : 8)) {
		log_error("%s: %s", r->name,
			  got ? "is not a trace written by gotrace record"
			      : "is empty: recording did not get as far as its header");
		return -EBADMSG;
	}
	if (got < FILE_HEAD_BYTES)
		return corrupt(r, r->off, "the file ends in its header");
	unsigned major = get_u16(head + 8), minor = get_u16(head + 10);
	uint32_t n = get_u32(head + 12);
	if (major != FORMAT_MAJOR) {
		log_error(
			"%s: is of format %u.%u, this gotrace reads %u.x: use the gotrace that wrote it",
			r->name, major, minor, FORMAT_MAJOR);
		return -ENOTSUP;
	}
	if (n < FILE_HEAD_BYTES || n > FILE_HEAD_MAX_BYTES)
		return corrupt(r, 12, "the length of the file header");
	if (n > FILE_HEAD_BYTES && (err = read_long_head(r, head, n)))
		return err;
	if (get_u32(head + n - 4) != (uint32_t)crc32_z(0, head, n - 4))
		return corrupt(r, 0, "the checksum of the file header does not match");
	return 0;
}

static int read_start(struct trace_reader *r)
{
	int err = read_file_head(r);

	while (!err && !r->started) {
		int got = next_chunk(r);
		if (got < 0)
			err = got;
		else if (!got)
			err = corrupt(r, r->off,
				      "the file ends before the first event could stand: "
				      "recording did not begin");
	}
	return err;
}

struct trace_reader *trace_reader_open_fd(int fd, const char *name)
{
	struct trace_reader *r = calloc(1, sizeof(*r));
	int err = -ENOMEM;

	if (r)
		r->fd = fd;
	else
		close(fd);
	if (!r || !(r->name = strdup(name)) || chunk_unpacker_init(&r->unpacker)) {
		log_no_memory("%s: no memory for reading it", name);
	} else {
		r->until = UINT64_MAX;
		err = read_start(r);
		reader_look_how_far(r);
	}
	if (err) {
		trace_reader_close(r);
		errno = -err;
	}
	return err ? NULL : r;
}

/* Goes on to the next block that holds events, or samples: of which *count is the number read. 1, 0
 * at the end, or -errno. */
static int next_block(struct trace_reader *r, const uint64_t *count)
{
	int got = r->err;

	while (!got && !r->ended) {
		uint64_t before = *count;
		int chunk = next_chunk(r);
		if (chunk < 0)
			got = r->err = chunk;
		else if (!chunk)
			r->ended = true;
		else if (*count != before)
			return 1;
	}
	return got;
}

/* Sees to it that there is a next event. 1, 0 at the end, or -errno. */
static inline int ready(struct trace_reader *r)
{
	if (__builtin_expect(r->at < r->block.n, 1))
		return 1;
	r->block.n = r->at = 0;
	return next_block(r, &r->events);
}

int trace_reader_next(struct trace_reader *r, struct event_ext *ev)
{
	struct block *b = &r->block;
	int got = ready(r);

	if (__builtin_expect(got <= 0, 0))
		return got;
	ev->h = b->ev[r->at];
	if (__builtin_expect(r->args_at < b->n_args && b->arg_at[r->args_at] == r->at, 0))
		memcpy(ev->arg, b->args[r->args_at++], sizeof(ev->arg));
	else
		memset(ev->arg, 0, sizeof(ev->arg));
	while (r->values_at < r->values.n && r->values.list[r->values_at].at < r->at)
		r->values_at++;
	r->at++;
	return 1;
}

const struct trace_values *trace_reader_values(const struct trace_reader *r)
{
	const struct trace_values *v = r->values_at < r->values.n ? &r->values.list[r->values_at]
								  : NULL;

	return v && r->at && v->at == r->at - 1 && r->at <= r->block.n ? v : NULL;
}

int trace_reader_span(struct trace_reader *r, struct trace_span *span)
{
	struct block *b = &r->block;
	int got = ready(r);

	*span = (struct trace_span){ 0 };
	if (got <= 0)
		return got;
	for (size_t k = r->args_at; k < b->n_args; k++)
		b->arg_at[k] -= (uint32_t)r->at; /* they count from the block's first event */
	span->ev = b->ev + r->at;
	span->n = b->n - r->at;
	span->n_args = b->n_args - r->args_at;
	if (span->n_args) {
		span->args = (const uint64_t(*)[4])b->args + r->args_at;
		span->arg_at = b->arg_at + r->args_at;
	}
	block_values_span(&r->values, &r->values_at, r->at, span);
	r->at = b->n;
	r->args_at = b->n_args;
	return 1;
}

int trace_reader_samples(struct trace_reader *r, struct sample_span *span)
{
	int got = next_block(r, &r->n_samples);

	*span = (struct sample_span){ 0 };
	if (got > 0) {
		span->s = r->samples;
		span->n = r->n_block;
	}
	return got;
}

const struct trace_info *trace_reader_info(const struct trace_reader *r)
{
	return &r->info;
}

void trace_reader_close(struct trace_reader *r)
{
	if (!r)
		return;
	if (r->fd >= 0)
		close(r->fd);
	free(r->name);
	free(r->stored.data);
	free(r->slots);
	summary_newest_free(&r->summary);
	chunk_unpacker_free(&r->unpacker);
	block_free(&r->block);
	block_values_free(&r->values);
	trace_info_free(&r->info);
	reader_free_samples(r);
	free(r);
}
