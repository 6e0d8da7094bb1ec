/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Samples in a trace (FORMAT.md, "Samples"): what threads were doing at some moments. Stacks are
 * addresses; which functions these are in is said by symbols, which are mostly written last. The
 * key "mode" of such a trace is "samples", and it has no sites.
 */
#ifndef GOTRACE_SAMPLES_H
#define GOTRACE_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash_index.h"
#include "trace/image_index.h"
#include "trace/trace.h"

/* Numbers of processes, images and stacks count from 0 in the order in which they were given;
 * those of labels from 1. */

struct sample_process {
	uint32_t pid;
	const char *comm, *exe; /* exe: path as the process sees it, NULL when not known */
	uint64_t start_ns;      /* CLOCK_MONOTONIC, when it began or was first seen */
};

enum sample_image_kind {
	IMAGE_FILE,
	IMAGE_VDSO,
	IMAGE_PERF_MAP, /* code made at run time: path is that of its perf-PID.map */
	IMAGE_KERNEL,   /* process is TRACE_NONE */
	IMAGE_KINDS,
};

#define SAMPLE_BUILD_ID_BYTES 20

/* Code that is mapped at [start, end) of a process from from_ns on (CLOCK_MONOTONIC). Of those that
 * overlap, the later one counts. */
struct sample_image {
	uint32_t process;
	uint64_t start, end, file_off; /* file_off: what is mapped at start */
	const char *path;
	uint8_t build_id[SAMPLE_BUILD_ID_BYTES]; /* GNU build id */
	uint8_t build_id_len;                    /* 0: not known */
	uint8_t kind;
	uint64_t from_ns;
};

/* Bytes of a path, without " (deleted)": the kernel appends it to the name of a file that was
 * unlinked while it was mapped (d_path, fs/d_path.c). */
size_t sample_image_path_len(const struct sample_image *i);

#define SAMPLE_UNKNOWN_PATH "a file of unknown path"

/* The last part of that path, of *len bytes; the whole path where nothing follows its last slash.
 * SAMPLE_UNKNOWN_PATH for //toolong and //enomem: the kernel maps a file under these names where it
 * has no room for the path (perf_event_mmap_event, kernel/events/core.c). */
const char *sample_image_file(const struct sample_image *i, size_t *len);

#define STACK_CUT        1u  /* it was deeper than what is recorded */
#define STACK_UNREADABLE 2u  /* from some frame on it could not be read */
#define STACK_SYSTEM     4u  /* it began on a thread's system stack (g0) */
#define STACK_SIGNAL     8u  /* it began on a signal stack */
#define STACK_CURG       16u /* and went on where m.curg's registers are saved */
#define STACK_FLAGS      31u

/* In the place of a frame: between the one before and the next one, frames may be missing. */
#define STACK_MISSING_PC 1u
#define STACK_MISSING    "[missing]"

#define STACK_MAX_FRAMES 4096u

/* Leaf first, kernel frames before all others; every pc lies inside the instruction that is
 * executing or calling: a return address is stored minus 1, an interrupted pc as it is. */
struct sample_stack {
	uint32_t process;
	uint32_t n; /* 0 to STACK_MAX_FRAMES */
	const uint64_t *pcs;
	uint32_t flags;
};

struct sample {
	uint64_t ts_ns, goid; /* goid 0: none */
	uint64_t weight_ns;   /* the time that it stands for */
	uint64_t error_ns;    /* its standard error, where there is a state; 0: not known */
	uint32_t process, tid, stack;
	uint32_t labels; /* 0: none */
	/* 0: it was executing. Else what the goroutine did instead, since a time before that the
	 * weight is: STATE_RUNNABLE, STATE_WAITING or STATE_SYSCALL (bpf/event.h), or
	 * SAMPLE_STATE_UNKNOWN. */
	uint8_t state;
	uint8_t reason; /* STATE_WAITING, STATE_SYSCALL: number of its text in the key
			   "states.reason", 0: not known */
};
/* Stored in chunks STATED: no state of bpf/event.h may have this number. */
#define SAMPLE_STATE_UNKNOWN 5

enum sample_death_kind {
	DEATH_THREAD, /* another thread of a process that is ending */
	DEATH_SIGNAL, /* the thread that a fatal signal was delivered to */
	DEATH_PANIC,  /* where Go's runtime ends the process: a panic, a fault, a fatal error */
	DEATH_PARKED, /* a goroutine of such a process that no thread executed; tid is 0 */
	DEATH_KINDS,
};

/* Where a thread or a goroutine was when its process died. No sample: it stands for no time. */
struct sample_death {
	uint64_t ts_ns, goid; /* goid 0: none */
	uint32_t process, tid, stack;
	uint8_t signal; /* which it died of; DEATH_PANIC: which fault came before; 0: none */
	uint8_t kind;   /* DEATH_* */
};

#define LABELS_MAX_PAIRS  256u
#define LABELS_MAX_STRING 4096u /* bytes of a key or a value */

struct sample_labels {
	size_t n;
	const char *const *keys, *const *values;
};

/* ---- symbols: which functions addresses are in */

enum sample_symbol_kind {
	SYMBOL_GO,
	SYMBOL_NATIVE, /* of another language */
	SYMBOL_KERNEL,
	SYMBOL_UNKNOWN,    /* its name is the file's and the address's, or less */
	SYMBOL_GO_WRAPPER, /* made by Go's compiler around a method: no caller, as in Go's
			      tracebacks */
	SYMBOL_KINDS,
};

struct sample_symbol {
	const char *name;    /* as it is shown */
	const char *linker;  /* as the linker has it; NULL: the same */
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

/* ---- all tables of a trace, as read or as written so far. Strings and arrays are the tables' own.
 */
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
	uint64_t bytes; /* of memory that all of it takes, about; indexes are not in it */
	/* locations by process and address, of those up to n_sorted */
	uint32_t *order;
	size_t n_sorted;
	struct hash_index by_symbol; /* the first n_indexed */
	size_t n_indexed;
	struct image_index by_address; /* the first n_images_indexed */
	size_t n_images_indexed;
};

/*
 * Each adds a copy of what it is given. 0, -ENOMEM, -EINVAL (it names what is not there, or breaks
 * a limit), -E2BIG (there are too many); t is unchanged then.
 */
int sample_tables_process(struct sample_tables *t, const struct sample_process *p);
int sample_tables_image(struct sample_tables *t, const struct sample_image *i);
int sample_tables_labels(struct sample_tables *t, const struct sample_labels *l);
int sample_tables_stack(struct sample_tables *t, const struct sample_stack *s);
int sample_tables_symbol(struct sample_tables *t, const struct sample_symbol *s);
/* The same of one that may be there already: *number, and whether it was added. */
int sample_tables_symbol_once(struct sample_tables *t, const struct sample_symbol *s,
			      uint32_t *number, bool *added);
int sample_tables_location(struct sample_tables *t, const struct sample_location *l);
int sample_tables_death(struct sample_tables *t, const struct sample_death *d);
/* Does it name what is there? */
bool sample_tables_has(const struct sample_tables *t, const struct sample *s);
/* Are they the same in all that is known of them? And a hash of that. */
bool sample_image_same(const struct sample_image *a, const struct sample_image *b);
uint32_t sample_image_hash(const struct sample_image *x);
/* To be called after locations or images were added, before sample_tables_find or
 * sample_tables_image_at. 0 or -ENOMEM. */
int sample_tables_sort(struct sample_tables *t);
/* The first that was given of that address; NULL: nothing is known of it. Kernel addresses may be
 * asked for with any process. */
const struct sample_location *sample_tables_find(const struct sample_tables *t, uint32_t process,
						 uint64_t pc);
/* The index of the image at an address, of several the last; TRACE_NONE: there is none. Kernel
 * addresses as above. */
uint32_t sample_tables_image_at(const struct sample_tables *t, uint32_t process, uint64_t pc);
/* Adds the symbols of `from` that are not there and its locations, and sorts. 0, -ENOMEM, -EINVAL,
 * -E2BIG; some may have been added. */
int sample_tables_merge(struct sample_tables *t, const struct sample_tables *from);
void sample_tables_free(struct sample_tables *t);

/* An address in the kernel's half? */
static inline bool sample_in_kernel(uint64_t pc)
{
	return pc >> 63;
}

/* ---- writing. 0 or -errno, as trace_writer_event: errors are logged, and later calls return them,
 * but for -EINVAL and -E2BIG of what is refused alone (logged once, the trace goes on). */

/* *number: what it is called in the file. Labels and stacks that are the same, by content, have one
 * number; a process and an image that are given again have another. */
int trace_writer_process(struct trace_writer *w, const struct sample_process *p, uint32_t *number);
int trace_writer_image(struct trace_writer *w, const struct sample_image *i, uint32_t *number);
int trace_writer_labels(struct trace_writer *w, const struct sample_labels *l, uint32_t *number);
int trace_writer_stack(struct trace_writer *w, const struct sample_stack *s, uint32_t *number);
/* In time order as far as it is known. Written when a block is full, or by trace_writer_flush. */
int trace_writer_sample(struct trace_writer *w, const struct sample *s);
int trace_writer_death(struct trace_writer *w, const struct sample_death *d);
/* Symbols and locations of s that the trace does not have yet; its other tables mean nothing. */
int trace_writer_symbols(struct trace_writer *w, const struct sample_tables *s);
/* What was given so far; NULL: nothing. */
const struct sample_tables *trace_writer_tables(const struct trace_writer *w);

/* ---- reading */

/* Samples as they lie in the reader's memory; what they name is in the tables. */
struct sample_span {
	const struct sample *s;
	size_t n;
};

/* As trace_reader_span, of samples. Events that come between are passed over, as samples are by
 * trace_reader_next and trace_reader_span. */
int trace_reader_samples(struct trace_reader *r, struct sample_span *span);
/* Read so far; symbols may come last. NULL: nothing. */
const struct sample_tables *trace_reader_tables(const struct trace_reader *r);
/* The same before all is read, without the order that sample_tables_sort makes. Asked for after
 * each span, that would take its time again and again. */
const struct sample_tables *trace_reader_tables_so_far(const struct trace_reader *r);
/* Who looks up addresses that the trace itself does not tell of: called by trace_reader_resolve,
 * adds symbols and locations to t. 0 or -errno (logged). */
typedef int sample_resolve_fn(void *ctx, struct sample_tables *t);
void trace_reader_on_resolve(struct trace_reader *r, sample_resolve_fn *resolve, void *ctx);
/* To be called when all was read. 0 or -errno; also when nobody looks up. */
int trace_reader_resolve(struct trace_reader *r);
/* Is it a trace of samples (key "mode")? */
bool trace_is_samples(const struct trace_info *t);
/* CLOCK_REALTIME from when to when they were taken. False: it does not say. */
bool trace_info_stretch(const struct trace_info *t, uint64_t *from_ns, uint64_t *to_ns);

#endif
