/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Samples in a trace (FORMAT.md, "Samples"), the stacks of threads at some moments. Stacks are
 * addresses. Symbols, which are mostly written last, have the functions at these addresses. The key
 * "mode" of such a trace is "samples", and it has no sites.
 */
#ifndef GOTRACE_SAMPLES_H
#define GOTRACE_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/file_id.h"
#include "base/hash_index.h"
#include "trace/image_index.h"
#include "trace/trace.h"

/* Processes, images and stacks are numbered from 0 in the order in which they are written. Labels
 * are numbered from 1. */

struct sample_process {
	uint32_t pid;
	const char *comm, *exe; /* exe: path as the process sees it, NULL when not known */
	uint64_t start_ns;      /* when it began or was first seen, CLOCK_MONOTONIC */
};

enum sample_image_kind {
	IMAGE_FILE,
	IMAGE_VDSO,
	IMAGE_PERF_MAP, /* code made at run time; path is that of its perf-PID.map */
	IMAGE_KERNEL,   /* process is TRACE_NONE */
	IMAGE_KINDS,
};

#define SAMPLE_BUILD_ID_BYTES FILE_ID_BYTES

/* Code that is mapped at [start, end) of a process from from_ns on (CLOCK_MONOTONIC). Where images
 * overlap, the later one counts. */
struct sample_image {
	uint32_t process;
	uint64_t start, end, file_off; /* file_off: the offset in the file at start */
	const char *path;
	uint8_t build_id[SAMPLE_BUILD_ID_BYTES]; /* identity of the file, see file_id.h */
	uint8_t build_id_len;                    /* 0: not known */
	uint8_t kind;
	uint64_t from_ns;
	/* These are known while recording, and not stored. 0 means not known. A build ID proves
	 * nothing, because whoever makes a file chooses it. `file` is equal for one file with
	 * unchanged contents. `view` is foreign_file_view of the process. */
	uint64_t file, view;
};

/* Returns the length of the path without " (deleted)". The kernel appends that to the name of a
 * file that was unlinked while it was mapped (d_path, fs/d_path.c). */
size_t sample_image_path_len(const struct sample_image *i);

#define SAMPLE_UNKNOWN_PATH "a file of unknown path"

/* Returns the last part of that path, of *len bytes, or the whole path where nothing follows its
 * last slash. Returns SAMPLE_UNKNOWN_PATH for //toolong and //enomem. The kernel gives these names
 * to a mapped file where it has no room for the path (perf_event_mmap_event,
 * kernel/events/core.c). */
const char *sample_image_file(const struct sample_image *i, size_t *len);

#define STACK_CUT        1u  /* the stack was deeper than the recorded part */
#define STACK_UNREADABLE 2u  /* the stack could not be read from some frame on */
#define STACK_SYSTEM     4u  /* the stack began on a thread's system stack (g0) */
#define STACK_SIGNAL     8u  /* the stack began on a signal stack */
#define STACK_CURG       16u /* and went on where m.curg's registers are saved */
#define STACK_FLAGS      31u

/* Stands in place of a frame. Frames may be missing between the frames before and after it. */
#define STACK_MISSING_PC 1u
#define STACK_MISSING    "[missing]"

#define STACK_MAX_FRAMES 4096u

/* Frames from the leaf outward, kernel frames before all others. Every pc lies inside the
 * instruction that executes or calls. A return address is stored minus 1, an interrupted pc
 * unchanged. */
struct sample_stack {
	uint32_t process;
	uint32_t n; /* 0 to STACK_MAX_FRAMES */
	const uint64_t *pcs;
	uint32_t flags;
};

struct sample {
	uint64_t ts_ns, goid; /* goid 0: none */
	uint64_t weight_ns;   /* the time that it stands for */
	/* the standard error of weight_ns where state is set; 0 when not known */
	uint64_t error_ns;
	uint32_t process, tid, stack;
	uint32_t labels; /* 0: none */
	/* 0: the goroutine executed. Otherwise it was in STATE_RUNNABLE, STATE_WAITING or
	 * STATE_SYSCALL (bpf/event.h), or in SAMPLE_STATE_UNKNOWN. It was in this state for
	 * weight_ns up to about ts_ns. */
	uint8_t state;
	/* for STATE_WAITING, STATE_SYSCALL: number of its text in the key "states.reason", 0 when
	 * not known */
	uint8_t reason;
};
/* Stored in chunks CHUNK_STATED. No state of bpf/event.h may have this number. */
#define SAMPLE_STATE_UNKNOWN 5

enum sample_death_kind {
	DEATH_THREAD, /* any other thread of a process that is ending */
	DEATH_SIGNAL, /* the thread that a fatal signal was delivered to */
	DEATH_PANIC, /* the thread in which Go's runtime ends the process: a panic, a fault, a fatal
			error */
	DEATH_PARKED, /* a goroutine of such a process that no thread executed; tid is 0 */
	DEATH_KINDS,
};

/* The stack of a thread or a goroutine when its process died. It is no sample, because it stands
 * for no time. */
struct sample_death {
	uint64_t ts_ns, goid; /* goid 0: none */
	uint32_t process, tid, stack;
	/* the signal that it died of; with DEATH_PANIC, the signal of the fault before it; 0 for
	 * none */
	uint8_t signal;
	uint8_t kind; /* DEATH_* */
};

#define LABELS_MAX_PAIRS  256u
#define LABELS_MAX_STRING 4096u /* bytes of a key or a value */

struct sample_labels {
	size_t n;
	const char *const *keys, *const *values;
};

/* ---- symbols: the functions of addresses */

enum sample_symbol_kind {
	SYMBOL_GO,
	SYMBOL_NATIVE, /* a function of another language */
	SYMBOL_KERNEL,
	SYMBOL_UNKNOWN, /* its name has the file and the address, or less */
	/* Go's compiler made it around a method. It is no caller, as in Go's tracebacks. */
	SYMBOL_GO_WRAPPER,
	SYMBOL_KINDS,
};

struct sample_symbol {
	const char *name;    /* the name to show */
	const char *linker;  /* the linker's name; NULL when equal */
	const char *file;    /* NULL: not known */
	uint32_t start_line; /* 0: not known */
	uint8_t kind;
};

struct sample_frame {
	uint32_t symbol; /* index */
	uint32_t line;   /* 0: not known */
};

#define LOCATION_MAX_FRAMES 256u

/* Frames of an address, the innermost inlined one first. process is TRACE_NONE in the kernel. */
struct sample_location {
	uint64_t pc;
	uint32_t process, n;
	const struct sample_frame *frames;
};

/* ---- all tables of a trace, as far as they are read or written. They own their strings and
 * arrays. */
struct sample_tables {
	struct sample_process *processes;
	struct sample_image *images;
	struct sample_labels *labels; /* number 1 at index 0 */
	struct sample_stack *stacks;
	struct sample_symbol *symbols;
	struct sample_location *locations;
	struct sample_death *deaths;
	size_t n_deaths, cap_deaths;
	size_t n_processes, n_images, n_labels, n_stacks, n_symbols, n_locations;
	size_t cap_processes, cap_images, cap_labels, cap_stacks, cap_symbols, cap_locations;
	uint64_t n_pcs; /* in all stacks */
	uint64_t bytes; /* about the memory of all tables, without indexes */
	/* the first n_sorted locations, by process and address */
	uint32_t *order;
	size_t n_sorted;
	struct hash_index by_symbol; /* the first n_indexed */
	size_t n_indexed;
	struct image_index by_address; /* the first n_images_indexed */
	size_t n_images_indexed;
};

/*
 * Each adds a copy of its argument. 0, -ENOMEM, -EINVAL (it refers to an item that is missing, or
 * breaks a limit), -E2BIG (there are too many). After an error t is unchanged.
 */
int sample_tables_process(struct sample_tables *t, const struct sample_process *p);
int sample_tables_image(struct sample_tables *t, const struct sample_image *i);
int sample_tables_labels(struct sample_tables *t, const struct sample_labels *l);
int sample_tables_stack(struct sample_tables *t, const struct sample_stack *s);
int sample_tables_symbol(struct sample_tables *t, const struct sample_symbol *s);
/* Adds the symbol if it is not there yet. Sets *number to its index, and *added to whether it was
 * added. */
int sample_tables_symbol_once(struct sample_tables *t, const struct sample_symbol *s,
			      uint32_t *number, bool *added);
int sample_tables_location(struct sample_tables *t, const struct sample_location *l);
int sample_tables_death(struct sample_tables *t, const struct sample_death *d);
/* Returns whether all items that s refers to are in t. */
bool sample_tables_has(const struct sample_tables *t, const struct sample *s);
/* Returns whether all fields of two images are equal, and a hash of these fields. */
bool sample_image_same(const struct sample_image *a, const struct sample_image *b);
uint32_t sample_image_hash(const struct sample_image *x);
/* To be called after locations or images were added, before sample_tables_find or
 * sample_tables_image_at. 0 or -ENOMEM. */
int sample_tables_sort(struct sample_tables *t);
/* Returns the first location given for an address; NULL when there is none. For kernel addresses
 * any process will do. */
const struct sample_location *sample_tables_find(const struct sample_tables *t, uint32_t process,
						 uint64_t pc);
/* Returns the index of the last image at an address, or TRACE_NONE. For kernel addresses any
 * process will do. */
uint32_t sample_tables_image_at(const struct sample_tables *t, uint32_t process, uint64_t pc);
/* Adds the symbols of `from` that t does not have, adds its locations, and sorts. 0, -ENOMEM,
 * -EINVAL, -E2BIG; after an error some may have been added. */
int sample_tables_merge(struct sample_tables *t, const struct sample_tables *from);
void sample_tables_free(struct sample_tables *t);

/* Returns whether an address is in the kernel's half. */
static inline bool sample_in_kernel(uint64_t pc)
{
	return pc >> 63;
}

/* Returns whether an address stands for a function that an interpreter executes. */
static inline bool sample_interpreted(uint64_t pc)
{
	return pc >> 62 == 1;
}

/* ---- writing. 0 or -errno. Errors are logged, and later calls return them, as with
 * trace_writer_event. -EINVAL and -E2BIG refuse one item only; they are logged once, and the trace
 * goes on. */

/* Sets *number to the item's number in the file. Labels with equal contents share a number, and so
 * do stacks. A process or an image that is given again gets another number. */
int trace_writer_process(struct trace_writer *w, const struct sample_process *p, uint32_t *number);
int trace_writer_image(struct trace_writer *w, const struct sample_image *i, uint32_t *number);
int trace_writer_labels(struct trace_writer *w, const struct sample_labels *l, uint32_t *number);
int trace_writer_stack(struct trace_writer *w, const struct sample_stack *s, uint32_t *number);
/* Samples come in time order as far as it is known. They are written when a block is full, or by
 * trace_writer_flush. */
int trace_writer_sample(struct trace_writer *w, const struct sample *s);
int trace_writer_death(struct trace_writer *w, const struct sample_death *d);
/* Writes symbols and locations of s that the trace does not have yet. The other tables of s are not
 * used. */
int trace_writer_symbols(struct trace_writer *w, const struct sample_tables *s);
/* Returns the tables given so far; NULL when there are none. */
const struct sample_tables *trace_writer_tables(const struct trace_writer *w);

/* ---- reading */

/* Samples in the reader's memory. The tables have the items that they refer to. */
struct sample_span {
	const struct sample *s;
	size_t n;
};

/* Reads samples as trace_reader_span reads events. It passes over events between them.
 * trace_reader_next and trace_reader_span pass over samples. */
int trace_reader_samples(struct trace_reader *r, struct sample_span *span);
/* Returns the tables read so far; NULL when there are none. Symbols may come last. */
const struct sample_tables *trace_reader_tables(const struct trace_reader *r);
/* Returns the tables before all is read, without the order that sample_tables_sort makes. Sorting
 * after each span would take its time again and again. */
const struct sample_tables *trace_reader_tables_so_far(const struct trace_reader *r);
/* Looks up addresses that the trace has no symbols for, and adds symbols and locations to t.
 * trace_reader_resolve calls it. 0 or -errno (logged). */
typedef int sample_resolve_fn(void *ctx, struct sample_tables *t);
void trace_reader_on_resolve(struct trace_reader *r, sample_resolve_fn *resolve, void *ctx);
/* To be called when all is read. 0 or -errno. Returns 0 where no function was set. */
int trace_reader_resolve(struct trace_reader *r);
/* Returns whether it is a trace of samples (key "mode"). */
bool trace_is_samples(const struct trace_info *t);
/* Sets the begin and the end of the time in which samples were taken, CLOCK_REALTIME. False when
 * the trace does not have them. */
bool trace_info_stretch(const struct trace_info *t, uint64_t *from_ns, uint64_t *to_ns);

#endif
