/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads and writes *.gotrace files, and has the data about a trace. FORMAT.md defines the bytes.
 */
#ifndef GOTRACE_TRACE_H
#define GOTRACE_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/event_kinds.h"
#include "bpf/event.h"
#include "trace/trace_values.h"

#define TRACE_NONE UINT32_MAX

/* Roles of a site, stable numbers. A site that emits no event of a function
 * (runtime probes) has func TRACE_NONE. */
struct trace_site {
	uint32_t func; /* index into funcs, or TRACE_NONE */
	/* EV_TAIL, EV_ENTRY_TAIL: index of the function that is jumped to, if it is probed.
	 * Otherwise TRACE_NONE. */
	uint32_t target;
	uint64_t file_off; /* offset of the probed instruction */
	uint16_t kind;     /* EV_* of its events */
};

struct trace_func {
	char *name; /* display spelling */
	char *file; /* source file, NULL when not known */
	uint32_t line;
	uint64_t vaddr; /* link-time */
	uint32_t size;
};

/* The begin of the warning (KEY_WARN) on functions that were left out. */
#define WARN_UNTRACED "not traced:"

/* A free-form statement about the trace. Keys are in trace/keys.h. */
struct trace_kv {
	char *key, *value;
};

/* A program counter that events name (of go statements and of the functions they start). */
struct trace_pc {
	uint64_t pc; /* link-time address, as in the events */
	char *func;  /* display spelling */
	char *file;  /* NULL when not known */
	uint32_t line;
};

/* All data of a trace except the events. The code that fills it owns it; free with
 * trace_info_free. */
struct trace_info {
	struct trace_func *funcs;
	size_t n_funcs, cap_funcs;
	struct trace_site *sites;
	size_t n_sites, cap_sites;
	/* keys of the header first, then those of the end record */
	struct trace_kv *kvs;
	size_t n_kvs, cap_kvs;
	struct trace_pc *pcs;
	size_t n_pcs, cap_pcs;
	/* arguments and results recorded with calls; those of a function are next to each other */
	struct trace_value_def *values;
	size_t n_values, cap_values;
};

/* All copy their strings. 0 or -ENOMEM. trace_info_set replaces an existing key.
 * pcs stay sorted by address; adding a known address replaces its entry. */
int trace_info_add_func(struct trace_info *t, const struct trace_func *f);
int trace_info_add_site(struct trace_info *t, const struct trace_site *s);
int trace_info_add_pc(struct trace_info *t, const struct trace_pc *p);
int trace_info_add_value(struct trace_info *t, const struct trace_value_def *d);
int trace_info_set(struct trace_info *t, const char *key, const char *value);
int trace_info_setf(struct trace_info *t, const char *key, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* NULL when the key is not there. */
const char *trace_info_get(const struct trace_info *t, const char *key);
/* `missing` when the key is not there or no decimal number. */
uint64_t trace_info_u64(const struct trace_info *t, const char *key, uint64_t missing);
const struct trace_pc *trace_info_pc(const struct trace_info *t, uint64_t pc); /* NULL: not known */
void trace_info_free(struct trace_info *t);

/* ---- writing ---- */

struct trace_writer;

/*
 * Starts a trace on `fd`, an empty regular file, which the writer owns from now on, also on
 * failure. Writes the header and `info` at once. Buffers events into blocks of at most about 64 Ki
 * events. Writes a block as soon as it is full or trace_writer_flush is called, so that a killed
 * tracer leaves whole blocks. Locks the file (OFD) until it is closed. Readers know by the lock
 * that it grows. NULL and errno after logging.
 */
struct trace_writer *trace_writer_new(int fd, const struct trace_info *info);

/* Adds one event; `ev->arg` is read only for the 64-byte kinds. Events come in time order, except
 * EV_LOSS, whose ts_ns may be earlier. 0 or -errno, logged once. After ENOSPC and other errors the
 * bytes written before stay readable, and later calls return the same error. */
int trace_writer_event(struct trace_writer *w, const struct event_ext *ev);
/* Adds n events at once, all of kinds without arguments. This is the fastest way. Returns like
 * trace_writer_event. */
int trace_writer_many(struct trace_writer *w, const struct event *ev, size_t n);
/* Sets the values of the next event, which must be an entry or exit of their function. v->at is not
 * used. */
int trace_writer_values(struct trace_writer *w, const struct trace_values *v);
/* Adds the name of a pc. To be called before the first event with this pc. */
int trace_writer_pc(struct trace_writer *w, const struct trace_pc *pc);
/* Sets a function that trace_writer_pc calls for each pc. */
void trace_writer_on_pc(struct trace_writer *w, void (*on_pc)(void *ctx, const struct trace_pc *pc),
			void *ctx);
/* Sets a key that was not known at the start, or has another value now. */
int trace_writer_set(struct trace_writer *w, const char *key, const char *value);
/* A packed summary (FORMAT.md, "Summary"), the numbers known without the events. A zeroed struct
 * has none. */
struct trace_summary {
	uint8_t *packed;
	uint32_t stored_bytes, raw_bytes, crc;
};
/* Packs n bytes; any thread may call it. 0, -E2BIG (above 64 MiB), -ENOMEM, -EIO. The caller frees
 * *s. */
int trace_summary_pack(struct trace_summary *s, const uint8_t *raw, size_t n);
void trace_summary_free(struct trace_summary *s);
/* Writes a summary in place of the one before. A reader finds the last summary written, also when
 * the writer is killed at any moment. The file grows by it only when the summary has doubled. Where
 * overwriting is not possible, as in a pipe, only the last one is written. 0 or -errno, logged.
 * -E2BIG: it has no room, and the one before stays. */
int trace_writer_summary(struct trace_writer *w, const struct trace_summary *s, bool last);
/* Writes all events and keys given so far. 0 or -errno. */
int trace_writer_flush(struct trace_writer *w);
/* Starts a thread that packs and writes full blocks while the caller goes on. The caller waits
 * while two blocks wait for it. The file is the same as without a thread. A later call reports that
 * the disk is full, trace_writer_flush at the latest. At most once. 0 or -errno. */
int trace_writer_start_thread(struct trace_writer *w);
/* From the next block on packs in half the time, into some 10 % more bytes. For a writer that
 * cannot keep up. */
void trace_writer_hurry(struct trace_writer *w, bool hurry);
uint64_t trace_writer_bytes(const struct trace_writer *w); /* size of the file so far */
/* Returns the largest size that the file may have after a flush now. */
uint64_t trace_writer_bytes_max(const struct trace_writer *w);

/* Writes the last block and the end record with `kvs` (counters, the target's
 * status), syncs and closes. Frees w in every case. 0 or -errno. */
int trace_writer_finish(struct trace_writer *w, const struct trace_kv *kvs, size_t n);
/* Closes without an end record. Readers report the trace as incomplete. */
void trace_writer_abort(struct trace_writer *w);

/*
 * Receives the events of a recording while it runs. It is a trace, or code that decides which
 * events get into the trace. Functions return 0 or -errno, which ends the recording.
 */
struct trace_sink {
	/* They work like trace_writer_event and trace_writer_many. */
	int (*event)(void *ctx, const struct event_ext *ev);
	int (*many)(void *ctx, const struct event *ev, size_t n);
	/* Sets the values of the next event, as trace_writer_values does. They are valid until that
	 * event. NULL: no values may be asked for. */
	int (*values)(void *ctx, const struct trace_values *v);
	/* Called every few milliseconds, when all events older than now_ns have been given. May be
	 * NULL. */
	int (*round)(void *ctx, uint64_t now_ns);
	/* Called after the last event. Adds keys of the end record to `end`. May be NULL. */
	int (*finish)(void *ctx, struct trace_info *end);
	void *ctx;
};
/* Returns a sink that gives everything to w, which is borrowed. */
struct trace_sink trace_writer_sink(struct trace_writer *w);

/* ---- reading ---- */

struct trace_reader;

/* Opens `path` ("-" is stdin) and reads everything before the first event. NULL and errno after
 * logging one line: ENOENT, EACCES, EBADMSG (not a trace, corrupt header), ENOTSUP (a newer format
 * version), ENOMEM. */
struct trace_reader *trace_reader_open(const char *path);
/* Reads an open file, and owns fd even on failure. name is for messages. */
struct trace_reader *trace_reader_open_fd(int fd, const char *name);

/* Returns whether the file at `path` begins as a trace. Does not follow a link. */
bool trace_file_is_one(const char *path);

/* Reads the next event. Returns 1 and sets all of *ev, with arg zero where the kind has no
 * arguments. Returns 0 at the end. Errors: -EBADMSG for a corrupt block, -ENOTSUP for a block of a
 * newer format, -EIO, -ENOMEM. They are logged once, reading may not go on, and later calls return
 * the same. A file cut off between or inside blocks is no error. Then it returns 0, and
 * trace_reader_complete is false. */
int trace_reader_next(struct trace_reader *r, struct event_ext *ev);
/* Returns the values of the last event read; NULL: none. Valid until r is used again. */
const struct trace_values *trace_reader_values(const struct trace_reader *r);

/* Events in the reader's memory. */
struct trace_span {
	const struct event *ev;
	size_t n;
	/* args[i] are the arguments of ev[arg_at[i]] */
	const uint64_t (*args)[4];
	const uint32_t *arg_at;
	size_t n_args;
	/* values[i] are the values of ev[values[i].at] */
	const struct trace_values *values;
	size_t n_values;
};

/* Reads all events up to the end of a block at once, without a copy. Returns like
 * trace_reader_next. Valid until r is used again. */
int trace_reader_span(struct trace_reader *r, struct trace_span *span);

/* Returns data that is valid since opening. Reading adds pcs and the keys of the end. r owns it. */
const struct trace_info *trace_reader_info(const struct trace_reader *r);
/* Finds the newest whole summary read so far. Returns 1 and sets *p and *n, valid until r is used
 * again. Returns 0 when there is none, -EBADMSG when it cannot be unpacked, -ENOMEM. Not logged. */
int trace_reader_summary(struct trace_reader *r, const uint8_t **p, size_t *n);
/* Goes on after the end, where the file has grown meanwhile, and looks for a newer summary. 0, or
 * -errno (logged). -ESPIPE: the file cannot be read again. */
int trace_reader_again(struct trace_reader *r);
/* Returns the number of bytes of the file read so far. */
uint64_t trace_reader_bytes(const struct trace_reader *r);
/* Returns, after the end, whether there was an end record. */
bool trace_reader_complete(const struct trace_reader *r);
/* Returns whether the file was still being written when it was opened. */
bool trace_reader_growing(const struct trace_reader *r);
void trace_reader_close(struct trace_reader *r);

#endif
