// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/log.h"
#include "base/varint.h"
#include "base/vec.h"
#include "trace/packed.h"
#include "trace/writer_internal.h"

static int put_item(const struct trace_info *t, uint16_t type, size_t i, struct bytes *b)
{
	switch (type) {
	case CHUNK_KVS:
		return table_put_kv(b, &t->kvs[i]);
	case CHUNK_FUNCS:
		return table_put_func(b, &t->funcs[i]);
	case CHUNK_SITES:
		return table_put_site(b, &t->sites[i], t->n_funcs);
	case CHUNK_VALUES:
		return table_put_value(b, &t->values[i], t->n_funcs);
	default:
		return table_put_pc(b, &t->pcs[i]);
	}
}

/* All n items of one of info's tables, in as many chunks as it takes. */
static int write_items(struct trace_writer *w, const struct trace_info *t, uint16_t type, size_t n,
		       size_t max, const char *what)
{
	struct table out = { 0 };
	int err = 0;

	if (n > max) {
		log_error("a trace has room for %zu more %ss, not for %zu: select fewer functions",
			  max, what, n);
		err = chunk_file_refuse(w->file, -E2BIG);
	}
	for (size_t i = 0; i < n && !err; i++) {
		err = put_item(t, type, i, &out.b);
		if (err) {
			writer_refuse(w, err, what, i);
			break;
		}
		out.count++;
		if (out.b.n >= TABLE_CHUNK_BYTES)
			err = writer_put_table(w, type, &out);
	}
	if (!err)
		err = writer_put_table(w, type, &out);
	free(out.b.data);
	return err;
}

static int write_file_head(struct trace_writer *w)
{
	uint8_t head[FILE_HEAD_BYTES], *p = head;

	memcpy(p, FORMAT_MAGIC, 8);
	p = put_u16(p + 8, FORMAT_MAJOR);
	p = put_u16(p, FORMAT_MINOR);
	p = put_u32(p, FILE_HEAD_BYTES);
	p = put_u32(p, 0);
	put_u32(p, (uint32_t)crc32_z(0, head, FILE_HEAD_BYTES - 4));
	return chunk_file_raw(w->file, head, sizeof(head));
}

static int write_start(struct trace_writer *w, const struct trace_info *t)
{
	struct chunk_head start = { .type = CHUNK_START };
	int err = write_file_head(w);

	w->n_kvs = t->n_kvs;
	w->n_pcs = t->n_pcs;
	if (!err)
		err = write_items(w, t, CHUNK_KVS, t->n_kvs, KVS_MAX, "key");
	if (!err)
		err = write_items(w, t, CHUNK_FUNCS, t->n_funcs, FUNCS_MAX, "function");
	if (!err)
		err = write_items(w, t, CHUNK_SITES, t->n_sites, SITES_MAX, "site");
	if (!err)
		err = write_items(w, t, CHUNK_PCS, t->n_pcs, PCS_MAX, "program counter");
	if (!err)
		err = write_items(w, t, CHUNK_VALUES, t->n_values, VALUE_DEFS_MAX, "value");
	return err ? err : chunk_file_put(w->file, &start, NULL, 0);
}

/* Readers see by the lock that the trace is still being recorded. The kernel drops it with the
 * descriptor, however the writer ends. No matter when there are no locks, as on a pipe. */
static void lock_file(int fd, short type)
{
	struct flock lock = { .l_type = type, .l_whence = SEEK_SET };

	if (fcntl(fd, F_OFD_SETLK, &lock))
		log_debug("the trace file cannot be locked: %s", strerror(errno));
}

static int free_writer(struct trace_writer *w)
{
	chunk_file_free(w->file);
	/* A process forked meanwhile has the same file open, and with it the lock. */
	lock_file(w->fd, F_UNLCK);
	int err = close(w->fd) ? -errno : 0;

	block_encoder_free(w->encoder);
	free(w->kvs.b.data);
	free(w->pcs.b.data);
	value_items_free(&w->values);
	writer_free_samples(w);
	free(w);
	return err;
}

struct trace_writer *trace_writer_new(int fd, const struct trace_info *info)
{
	struct trace_writer *w = calloc(1, sizeof(*w));
	int err;

	if (!w) {
		log_no_memory("no memory for writing a trace");
		close(fd);
		errno = ENOMEM;
		return NULL;
	}
	w->fd = fd;
	lock_file(fd, F_WRLCK);
	w->file = chunk_file_new(fd);
	if (!w->file) {
		log_no_memory("no memory for writing a trace");
		err = -ENOMEM;
	} else {
		err = write_start(w, info);
	}
	if (!err)
		return w;
	free_writer(w);
	errno = -err;
	return NULL;
}

int trace_writer_start_thread(struct trace_writer *w)
{
	return chunk_file_start_thread(w->file);
}

/* Those of the block, which follows. */
static int end_values(struct trace_writer *w)
{
	struct chunk_head h = { .type = CHUNK_VALUES,
				.flags = CHUNK_OPTIONAL,
				.count = w->values.count,
				.first_ns = 0 };
	struct block_piece piece = { w->values.b.data, w->values.b.n };

	value_items_clear(&w->values);
	return chunk_file_hand_over(w->file, &h, &piece, 1);
}

/* The block's. */
static uint32_t n_events(const struct trace_writer *w)
{
	return w->encoder ? (uint32_t)block_events(w->encoder) : 0;
}

/* Room for events, which traces of samples do not have. 0 or -ENOMEM (logged) */
static int need_encoder(struct trace_writer *w)
{
	if (!w->encoder)
		w->encoder = block_encoder_new();
	if (w->encoder)
		return 0;
	log_no_memory("no memory for writing a trace");
	return -ENOMEM;
}

/* Writes what is waiting; the events by the writer's thread, if it has one. */
static int end_block(struct trace_writer *w)
{
	struct chunk_head h = { .type = CHUNK_EVENTS, .count = n_events(w) };
	/* What events name is written before them. */
	int err = writer_put_table(w, CHUNK_PCS, &w->pcs);

	if (!err)
		err = writer_put_table(w, CHUNK_KVS, &w->kvs);
	if (!err)
		err = writer_put_samples(w);
	if (!err && w->values.count)
		err = end_values(w);
	if (err || !h.count)
		return err;
	h.first_ns = block_first_ns(w->encoder);
	return chunk_file_hand_over(w->file, &h, block_end(w->encoder), N_COLS + 1);
}

int trace_writer_flush(struct trace_writer *w)
{
	int err = chunk_file_error(w->file);

	if (!err)
		err = end_block(w);
	return err ? err : chunk_file_wait(w->file);
}

void trace_writer_hurry(struct trace_writer *w, bool hurry)
{
	chunk_file_hurry(w->file, hurry);
}

static int bad_event(struct trace_writer *w, unsigned kind)
{
	if (!w->bad_event_logged)
		log_error("an event of unknown kind %u cannot be written into the trace", kind);
	w->bad_event_logged = true;
	return -EINVAL;
}

int trace_writer_event(struct trace_writer *w, const struct event_ext *ev)
{
	unsigned kind = ev->h.kind;
	int err = chunk_file_error(w->file);

	if (__builtin_expect(err, 0))
		return err;
	if (__builtin_expect(!kind || kind > EV_KIND_MAX, 0))
		return bad_event(w, kind);
	if (__builtin_expect(!w->encoder, 0) && need_encoder(w))
		return -ENOMEM;
	block_add(w->encoder, &ev->h, 1, &ev->arg);
	w->events++;
	return block_events(w->encoder) == BLOCK_EVENTS ? end_block(w) : 0;
}

int trace_writer_many(struct trace_writer *w, const struct event *ev, size_t n)
{
	int err = chunk_file_error(w->file);

	if (!err)
		err = need_encoder(w);
	for (size_t done = 0; done < n && !err;) {
		size_t added = block_add(w->encoder, ev + done, n - done, NULL);

		done += added;
		w->events += added;
		err = block_events(w->encoder) == BLOCK_EVENTS ? end_block(w) : 0;
	}
	return err;
}

int trace_writer_values(struct trace_writer *w, const struct trace_values *v)
{
	int err = chunk_file_error(w->file);

	/* A block's first event must not come with a whole chunk of values before it. */
	if (!err && w->values.b.n + v->bytes > VALUES_END_BYTES)
		err = end_block(w);
	return err ? err : value_items_put(&w->values, n_events(w), v);
}

int trace_writer_packed(struct trace_writer *w, const struct packed_block *b)
{
	struct chunk_head h = { .type = CHUNK_EVENTS,
				.flags = b->flags,
				.stored_bytes = b->stored_bytes,
				.raw_bytes = b->raw_bytes,
				.count = b->events,
				.first_ns = b->first_ns,
				.payload_crc = b->crc };
	struct chunk_head values = { .type = CHUNK_VALUES,
				     .flags = b->values.flags,
				     .stored_bytes = b->values.stored_bytes,
				     .raw_bytes = b->values.raw_bytes,
				     .count = b->values.n,
				     .payload_crc = b->values.crc };
	int err = trace_writer_flush(w);

	if (!err && values.count)
		err = chunk_file_put_packed(w->file, &values, b->stored + b->stored_bytes);
	if (err)
		return err;
	w->events += b->events;
	return chunk_file_put_packed(w->file, &h, b->stored);
}

void trace_writer_on_pc(struct trace_writer *w, void (*on_pc)(void *ctx, const struct trace_pc *pc),
			void *ctx)
{
	w->on_pc = on_pc;
	w->on_pc_ctx = ctx;
}

int trace_writer_pc(struct trace_writer *w, const struct trace_pc *pc)
{
	int err = chunk_file_error(w->file);

	if (err)
		return err;
	if (w->n_pcs >= PCS_MAX) { /* the address stays without a name, which harms no call */
		if (!w->pcs_full_logged)
			log_warn(
				"more than %u places of go statements: further ones stay without a name",
				PCS_MAX);
		w->pcs_full_logged = true;
		return 0;
	}
	err = table_put_pc(&w->pcs.b, pc);
	if (err)
		return writer_refuse(w, err, "program counter", w->n_pcs);
	w->n_pcs++;
	if (w->on_pc)
		w->on_pc(w->on_pc_ctx, pc);
	w->pcs.count++;
	return w->pcs.b.n >= TABLE_CHUNK_BYTES ? writer_put_table(w, CHUNK_PCS, &w->pcs) : 0;
}

int trace_writer_set(struct trace_writer *w, const char *key, const char *value)
{
	const struct trace_kv kv = { (char *)(uintptr_t)key, (char *)(uintptr_t)value };
	int err = chunk_file_error(w->file);

	if (err)
		return err;
	err = w->n_kvs >= KVS_MAX ? -E2BIG : table_put_kv(&w->kvs.b, &kv);
	if (err)
		return writer_refuse(w, err, "key", w->n_kvs);
	w->n_kvs++;
	w->kvs.count++;
	return w->kvs.b.n >= TABLE_CHUNK_BYTES ? writer_put_table(w, CHUNK_KVS, &w->kvs) : 0;
}

int trace_writer_summary(struct trace_writer *w, const struct trace_summary *s, bool last)
{
	/* What it names is written before it. */
	int err = trace_writer_flush(w);

	return err ? err : summary_slots_write(&w->slots, w->file, s, last);
}

uint64_t trace_writer_bytes(const struct trace_writer *w)
{
	return chunk_file_bytes(w->file);
}

uint64_t trace_writer_bytes_max(const struct trace_writer *w)
{
	return chunk_file_bytes_max(w->file) + writer_samples_bytes_max(w) +
	       chunk_bytes_max(w->pcs.b.n) + chunk_bytes_max(w->kvs.b.n) +
	       chunk_bytes_max(w->values.b.n) +
	       (w->encoder ? chunk_bytes_max(block_bytes(w->encoder)) : 0);
}

static int write_end(struct trace_writer *w, const struct trace_kv *kvs, size_t n)
{
	/* Borrowed: only the counts and pointers of a table of keys are needed. */
	const struct trace_info t = { .kvs = (struct trace_kv *)(uintptr_t)kvs, .n_kvs = n };
	struct chunk_head h = { .type = CHUNK_END };
	uint8_t counts[16];
	struct block_piece piece = { counts, w->samples ? 16 : 8 };

	put_u64(put_u64(counts, w->events), writer_samples(w));
	int err = trace_writer_flush(w);
	if (!err)
		err = write_items(w, &t, CHUNK_KVS, n, KVS_MAX - w->n_kvs, "key");
	if (!err)
		err = chunk_file_put(w->file, &h, &piece, 1);
	return err ? err : chunk_file_sync(w->file);
}

int trace_writer_finish(struct trace_writer *w, const struct trace_kv *kvs, size_t n)
{
	int err = write_end(w, kvs, n), close_err = free_writer(w);

	if (!err && close_err)
		log_error("closing the trace failed: %s; it may be incomplete",
			  strerror(-close_err));
	return err ? err : close_err;
}

void trace_writer_abort(struct trace_writer *w)
{
	if (w)
		free_writer(w);
}

static int sink_event(void *ctx, const struct event_ext *ev)
{
	return trace_writer_event(ctx, ev);
}

static int sink_many(void *ctx, const struct event *ev, size_t n)
{
	return trace_writer_many(ctx, ev, n);
}

static int sink_values(void *ctx, const struct trace_values *v)
{
	return trace_writer_values(ctx, v);
}

struct trace_sink trace_writer_sink(struct trace_writer *w)
{
	return (struct trace_sink){
		.event = sink_event, .many = sink_many, .values = sink_values, .ctx = w
	};
}
