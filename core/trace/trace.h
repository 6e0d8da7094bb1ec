/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The *.gotrace file: the data about a trace, and reading and writing it. FORMAT.md defines the
 * bytes.
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
	/* EV_TAIL, EV_ENTRY_TAIL: index of the function jumped to when it is probed, else
	 * TRACE_NONE */
	uint32_t target;
	uint64_t file_off; /* of the probed instruction */
	uint16_t kind;     /* EV_* that it emits */
};

struct trace_func {
	char *name; /* display spelling */
	char *file; /* source file, NULL when not known */
	uint32_t line;
	uint64_t vaddr; /* link-time */
	uint32_t size;
};

/* The warning (KEY_WARN) on functions that were left out begins so. */
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

/* Everything but the events. Owned by whoever fills it; free with trace_info_free. */
struct trace_info {
	struct trace_func *funcs;
	size_t n_funcs, cap_funcs;
	struct trace_site *sites;
	size_t n_sites, cap_sites;
	/* header first, then what the end record adds */
	struct trace_kv *kvs;
	size_t n_kvs, cap_kvs;
	struct trace_pc *pcs;
	size_t n_pcs, cap_pcs;
	/* arguments and results that calls are recorded with; a function's are next to each other
	 */
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
 * Starts a trace on `fd` (a regular file, empty; owned by the writer from now
 * on, also on failure). Writes the header and `info` at once. Events are
 * buffered into blocks of at most about 64 Ki events and written as soon as a
 * block is full or trace_writer_flush is called, so that a killed tracer leaves
 * whole blocks. The file is locked (OFD) until it is closed, which tells readers
 * that it grows. NULL and errno after logging.
 */
struct trace_writer *trace_writer_new(int fd, const struct trace_info *info);

/* Adds one event; `ev->arg` is read only for the 64-byte kinds. Events come in time order, except
 * EV_LOSS, whose ts_ns may be earlier. 0 or -errno (logged once; ENOSPC and the like: what was
 * written stays readable, later calls return the same error). */
int trace_writer_event(struct trace_writer *w, const struct event_ext *ev);
/* Adds n events at once, all of kinds that have no arguments; the fastest way. Results as
 * trace_writer_event. */
int trace_writer_many(struct trace_writer *w, const struct event *ev, size_t n);
/* Values of the event that is added next, which must be of one of its function's entries or exits;
 * v->at means nothing. */
int trace_writer_values(struct trace_writer *w, const struct trace_values *v);
/* Names a pc; to be called before the first event that carries it. */
int trace_writer_pc(struct trace_writer *w, const struct trace_pc *pc);
/* Whoever else wants to know of each that is given. */
void trace_writer_on_pc(struct trace_writer *w, void (*on_pc)(void *ctx, const struct trace_pc *pc),
			void *ctx);
/* States something that was not known at the start, or differs now. */
int trace_writer_set(struct trace_writer *w, const char *key, const char *value);
/* What is known without the events (FORMAT.md, "Summary"), packed. Zeroed: none. */
struct trace_summary {
	uint8_t *packed;
	uint32_t stored_bytes, raw_bytes, crc;
};
/* Packs n bytes; any thread may. 0, -E2BIG (above 64 MiB), -ENOMEM, -EIO; to be freed. */
int trace_summary_pack(struct trace_summary *s, const uint8_t *raw, size_t n);
void trace_summary_free(struct trace_summary *s);
/* Puts it into the file in place of the one before: of those written the last is what a reader
 * finds, also when the writer is killed at any moment. The file does not grow by it but when the
 * summary has doubled. Where nothing can be written over, as in a pipe, only the last one is
 * written. 0 or -errno, logged; -E2BIG: it has no room, the one before stays. */
int trace_writer_summary(struct trace_writer *w, const struct trace_summary *s, bool last);
/* All given so far is in the file when it returns 0. */
int trace_writer_flush(struct trace_writer *w);
/* Starts a thread that packs and writes full blocks while the caller goes on, not more than two at
 * a time: the caller waits while there are. The file is the same. When the disk is full a later
 * call says so, trace_writer_flush at the latest. At most once. 0 or -errno. */
int trace_writer_start_thread(struct trace_writer *w);
/* From the next block on: packs in half the time, into some 10 % more bytes. For a writer that
 * cannot keep up.
 */
void trace_writer_hurry(struct trace_writer *w, bool hurry);
uint64_t trace_writer_bytes(const struct trace_writer *w); /* in the file so far */
/* In the file at the most if it was flushed now. */
uint64_t trace_writer_bytes_max(const struct trace_writer *w);

/* Writes the last block and the end record with `kvs` (counters, the target's
 * status), syncs and closes. Frees w in every case. 0 or -errno. */
int trace_writer_finish(struct trace_writer *w, const struct trace_kv *kvs, size_t n);
/* Closes without an end record: the trace reads as incomplete. */
void trace_writer_abort(struct trace_writer *w);

/*
 * Where events of a recording go while it runs: a trace, or what decides which of them get into
 * it. Functions return 0 or -errno, which ends the recording.
 */
struct trace_sink {
	/* As trace_writer_event and trace_writer_many. */
	int (*event)(void *ctx, const struct event_ext *ev);
	int (*many)(void *ctx, const struct event *ev, size_t n);
	/* As trace_writer_values: of the event that is given next, until which they are there.
	 * NULL: no values may be asked for. */
	int (*values)(void *ctx, const struct trace_values *v);
	/* Every few milliseconds: all events older than now_ns have been given. NULL: not wanted.
	 */
	int (*round)(void *ctx, uint64_t now_ns);
	/* There are no more. Adds what is to be known to `end`, the keys of the end record. NULL:
	 * not wanted. */
	int (*finish)(void *ctx, struct trace_info *end);
	void *ctx;
};
/* All of them go to w, which is borrowed. */
struct trace_sink trace_writer_sink(struct trace_writer *w);

/* ---- reading ---- */

struct trace_reader;

/* Opens `path` ("-": stdin) and reads all that precedes the first event.
 * NULL and errno after logging one line: ENOENT, EACCES, EBADMSG (not a trace, corrupt header),
 * ENOTSUP (a newer format version), ENOMEM. */
struct trace_reader *trace_reader_open(const char *path);
/* The same of an open file, which is taken over even on failure; name: for messages. */
struct trace_reader *trace_reader_open_fd(int fd, const char *name);

/* Whether the file at `path`, which is not followed if it is a link, begins as a trace. */
bool trace_file_is_one(const char *path);

/* The next event. 1 and *ev (all of it set, arg zero where the kind has none), 0 at the end, or
 * -EBADMSG when a block is corrupt, -ENOTSUP when it is of a newer format, -EIO, -ENOMEM (logged
 * once; reading may not go on, later calls return the same). A file cut off between or inside
 * blocks is no error: 0, and trace_reader_complete is false. */
int trace_reader_next(struct trace_reader *r, struct event_ext *ev);
/* Values of the event that it returned last; NULL: none. Valid until r is used again. */
const struct trace_values *trace_reader_values(const struct trace_reader *r);

/* Events as they lie in the reader's memory. */
struct trace_span {
	const struct event *ev;
	size_t n;
	/* of the events ev[arg_at[0]], ev[arg_at[1]], ..., which have some */
	const uint64_t (*args)[4];
	const uint32_t *arg_at;
	size_t n_args;
	/* of the events ev[values[0].at], ev[values[1].at], ..., which have some */
	const struct trace_values *values;
	size_t n_values;
};

/* All events up to the end of a block at once, with no copy: what trace_reader_next would
 * return, and its results. Valid until r is used again. */
int trace_reader_span(struct trace_reader *r, struct trace_span *span);

/* Valid from open on; pcs and end keys fill in as reading goes on. Owned by r. */
const struct trace_info *trace_reader_info(const struct trace_reader *r);
/* The newest whole summary among what was read so far. 1 and *p, *n (valid until r is used again),
 * 0 when there is none, -EBADMSG when it cannot be unpacked, -ENOMEM. Not logged. */
int trace_reader_summary(struct trace_reader *r, const uint8_t **p, size_t *n);
/* After the end: goes on where the file has grown meanwhile, and looks for a newer summary. 0, or
 * -errno (logged): -ESPIPE when it cannot be read again. */
int trace_reader_again(struct trace_reader *r);
/* Of the file, read so far. */
uint64_t trace_reader_bytes(const struct trace_reader *r);
/* After the end was reached: was there an end record? */
bool trace_reader_complete(const struct trace_reader *r);
/* Was it still being written when it was opened? */
bool trace_reader_growing(const struct trace_reader *r);
void trace_reader_close(struct trace_reader *r);

#endif
