// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/log.h"
#include "trace/chunk_file.h"
#include "trace/trace.h"

/* A table chunk ends after the item that makes it larger than this. */
#define TABLE_CHUNK_BYTES (256u << 10)

struct trace_writer {
	int fd;
	bool bad_event_logged, pcs_full_logged;
	uint64_t events; /* given */
	uint64_t tables_bytes;
	size_t n_kvs, n_pcs; /* given so far */
	struct chunk_file *file;
	struct block_encoder *encoder;
	/* items that no chunk carries yet */
	struct table {
		struct bytes b;
		uint32_t count;
	} kvs, pcs;
};

/* Writes what was collected of a table, if anything, and empties it. */
static int write_table(struct trace_writer *w, uint16_t type, struct table *t)
{
	struct chunk_head h = { .type = type, .count = t->count };
	struct block_piece piece = { t->b.data, t->b.n };

	if (!t->count)
		return 0;
	w->tables_bytes += t->b.n;
	if (w->tables_bytes > TABLES_MAX_BYTES) {
		log_error("the trace's tables are larger than %u MiB: select fewer functions",
			  TABLES_MAX_BYTES >> 20);
		return chunk_file_refuse(w->file, -E2BIG);
	}
	t->count = 0;
	t->b.n = 0;
	return chunk_file_put(w->file, &h, &piece, 1);
}

static int refuse_item(struct trace_writer *w, int err, const char *what, size_t i)
{
	log_error("%s %zu cannot be written into the trace: %s", what, i,
		  err == -E2BIG    ? "one of its strings is too long, or there are too many"
		  : err == -EINVAL ? "its function, its kind or its name does not exist"
				   : strerror(-err));
	return chunk_file_refuse(w->file, err);
}

static int put_item(const struct trace_info *t, uint16_t type, size_t i, struct bytes *b)
{
	switch (type) {
	case CHUNK_KVS:
		return table_put_kv(b, &t->kvs[i]);
	case CHUNK_FUNCS:
		return table_put_func(b, &t->funcs[i]);
	case CHUNK_SITES:
		return table_put_site(b, &t->sites[i], t->n_funcs);
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
			refuse_item(w, err, what, i);
			break;
		}
		out.count++;
		if (out.b.n >= TABLE_CHUNK_BYTES)
			err = write_table(w, type, &out);
	}
	if (!err)
		err = write_table(w, type, &out);
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
	free(w);
	return err;
}

struct trace_writer *trace_writer_new(int fd, const struct trace_info *info)
{
	struct trace_writer *w = calloc(1, sizeof(*w));
	int err;

	if (!w) {
		log_error("no memory for writing a trace");
		close(fd);
		errno = ENOMEM;
		return NULL;
	}
	w->fd = fd;
	lock_file(fd, F_WRLCK);
	w->file = chunk_file_new(fd);
	w->encoder = block_encoder_new();
	if (!w->file || !w->encoder) {
		log_error("no memory for writing a trace");
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

/* Writes what is waiting; the events by the writer's thread, if it has one. */
static int end_block(struct trace_writer *w)
{
	struct chunk_head h = { .type = CHUNK_EVENTS, .count = (uint32_t)block_events(w->encoder) };
	/* What events name is written before them. */
	int err = write_table(w, CHUNK_PCS, &w->pcs);

	if (!err)
		err = write_table(w, CHUNK_KVS, &w->kvs);
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
	block_add(w->encoder, &ev->h, 1, &ev->arg);
	w->events++;
	return block_events(w->encoder) == BLOCK_EVENTS ? end_block(w) : 0;
}

int trace_writer_many(struct trace_writer *w, const struct event *ev, size_t n)
{
	int err = chunk_file_error(w->file);

	for (size_t done = 0; done < n && !err;) {
		size_t added = block_add(w->encoder, ev + done, n - done, NULL);

		done += added;
		w->events += added;
		err = block_events(w->encoder) == BLOCK_EVENTS ? end_block(w) : 0;
	}
	return err;
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
		return refuse_item(w, err, "program counter", w->n_pcs);
	w->n_pcs++;
	w->pcs.count++;
	return w->pcs.b.n >= TABLE_CHUNK_BYTES ? write_table(w, CHUNK_PCS, &w->pcs) : 0;
}

int trace_writer_set(struct trace_writer *w, const char *key, const char *value)
{
	const struct trace_kv kv = { (char *)(uintptr_t)key, (char *)(uintptr_t)value };
	int err = chunk_file_error(w->file);

	if (err)
		return err;
	err = w->n_kvs >= KVS_MAX ? -E2BIG : table_put_kv(&w->kvs.b, &kv);
	if (err)
		return refuse_item(w, err, "key", w->n_kvs);
	w->n_kvs++;
	w->kvs.count++;
	return w->kvs.b.n >= TABLE_CHUNK_BYTES ? write_table(w, CHUNK_KVS, &w->kvs) : 0;
}

uint64_t trace_writer_bytes(const struct trace_writer *w)
{
	return chunk_file_bytes(w->file);
}

uint64_t trace_writer_bytes_max(const struct trace_writer *w)
{
	return chunk_file_bytes_max(w->file) + chunk_bytes_max(w->pcs.b.n) +
	       chunk_bytes_max(w->kvs.b.n) + chunk_bytes_max(block_bytes(w->encoder));
}

static int write_end(struct trace_writer *w, const struct trace_kv *kvs, size_t n)
{
	/* Borrowed: only the counts and pointers of a table of keys are needed. */
	const struct trace_info t = { .kvs = (struct trace_kv *)(uintptr_t)kvs, .n_kvs = n };
	struct chunk_head h = { .type = CHUNK_END };
	uint8_t events[8];
	struct block_piece piece = { events, sizeof(events) };

	put_u64(events, w->events);
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
