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
};

/* All copy their strings. 0 or -ENOMEM. trace_info_set replaces an existing key.
 * pcs stay sorted by address; adding a known address replaces its entry. */
int trace_info_add_func(struct trace_info *t, const struct trace_func *f);
int trace_info_add_site(struct trace_info *t, const struct trace_site *s);
int trace_info_add_pc(struct trace_info *t, const struct trace_pc *p);
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
/* Names a pc; to be called before the first event that carries it. */
int trace_writer_pc(struct trace_writer *w, const struct trace_pc *pc);
/* States something that was not known at the start, or differs now. */
int trace_writer_set(struct trace_writer *w, const char *key, const char *value);
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

/* ---- reading ---- */

struct trace_reader;

/* Opens `path` ("-": stdin) and reads all that precedes the first event.
 * NULL and errno after logging one line: ENOENT, EACCES, EBADMSG (not a trace, corrupt header),
 * ENOTSUP (a newer format version), ENOMEM. */
struct trace_reader *trace_reader_open(const char *path);

/* Whether the file at `path`, which is not followed if it is a link, begins as a trace. */
bool trace_file_is_one(const char *path);

/* The next event. 1 and *ev (all of it set, arg zero where the kind has none), 0 at the end, or
 * -EBADMSG when a block is corrupt, -ENOTSUP when it is of a newer format, -EIO, -ENOMEM (logged
 * once; reading may not go on, later calls return the same). A file cut off between or inside
 * blocks is no error: 0, and trace_reader_complete is false. */
int trace_reader_next(struct trace_reader *r, struct event_ext *ev);

/* Events as they lie in the reader's memory. */
struct trace_span {
	const struct event *ev;
	size_t n;
	/* of the events ev[arg_at[0]], ev[arg_at[1]], ..., which have some */
	const uint64_t (*args)[4];
	const uint32_t *arg_at;
	size_t n_args;
};

/* All events up to the end of a block at once, with no copy: what trace_reader_next would
 * return, and its results. Valid until r is used again. */
int trace_reader_span(struct trace_reader *r, struct trace_span *span);

/* Valid from open on; pcs and end keys fill in as reading goes on. Owned by r. */
const struct trace_info *trace_reader_info(const struct trace_reader *r);
/* Of the file, read so far. */
uint64_t trace_reader_bytes(const struct trace_reader *r);
/* After the end was reached: was there an end record? */
bool trace_reader_complete(const struct trace_reader *r);
/* Was it still being written when it was opened? */
bool trace_reader_growing(const struct trace_reader *r);
void trace_reader_close(struct trace_reader *r);

#endif
