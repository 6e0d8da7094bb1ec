/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which functions the addresses of samples are in: Go's by pclntab, inlined ones included; others
 * by .symtab or .dynsym, C++ names demangled; the kernel's by /proc/kallsyms; the vDSO's; perf
 * maps'. At the end of a recording, when processes and files are still there, or when it is read.
 */
#ifndef GOTRACE_SYMBOLS_H
#define GOTRACE_SYMBOLS_H

#include <sys/types.h>

#include "trace/samples.h"

/* Symbols that stay in memory from one call to the next: of files with a build id, and of the
 * kernel. A zeroed one is empty. */
struct symbols_cache {
	struct symbols_file *files;
	size_t n, cap;
	uint64_t now_ns; /* CLOCK_MONOTONIC of the last call */
	uint64_t asked;  /* how often a file was asked for */
	uint64_t closed; /* files, to make room for others */
};

#define SYMBOLS_MOST_NS    (60 * 1000000000ull)
#define SYMBOLS_MOST_BYTES (1ull << 30)

struct symbols_options {
	/* This machine has just been recorded: processes may be there, the kernel is the same,
	 * files without a build id are those that ran. Else only files of the same build id are
	 * used. */
	bool here;
	struct symbols_cache *cache; /* NULL: they are closed */
	/* Whose files a process of t may answer for; false: not known. NULL: /proc is asked. */
	bool (*owner)(void *ctx, uint32_t process, uid_t *owner);
	/* A descriptor, to be closed, of the file of an image as it was when it was seen first.
	 * -ENOENT: it was not; else it is not to be had as it was. NULL: files are found by
	 * path. */
	int (*file)(void *ctx, const struct sample_image *i);
	void *ctx;
	/* A limit for all files together: time, and memory of symbols. The last file may exceed it.
	 * Later addresses get no names, and a warning says so. 0: SYMBOLS_MOST_*. */
	uint64_t most_ns, most_bytes;
	/* So much is held at a time instead of most_bytes in all: what was used least recently is
	 * closed, and read again when it is needed. One file may take half of it while it is read,
	 * or gives no names (refused). 0: no such limit. */
	uint64_t hold_bytes;
	/* Only stacks of processes with these numbers, below n_only, are asked for. NULL: all. */
	const bool *only;
	size_t n_only;
};

/* What became of addresses. */
struct symbols_counts {
	uint64_t addresses, found;
	uint64_t no_image;  /* nothing was known to be mapped there */
	uint64_t no_file;   /* their file is not there any more, or another */
	uint64_t refused;   /* their file is none that is read: see foreign_file_open */
	uint64_t unread;    /* their file was not read: the others took all time, or memory */
	uint64_t no_symbol; /* their file has no symbol for them */
	uint64_t no_kernel; /* /proc/kallsyms could not be read, or hides addresses */
};

/*
 * Looks up the addresses of all stacks of t of which t does not say it yet. The symbols and
 * locations found are in `out`, to be freed, for trace_writer_symbols or sample_tables_merge. What
 * is not found is in neither. counts: NULL, not wanted. 0 or -ENOMEM (logged).
 */
int symbols_resolve(const struct sample_tables *t, const struct symbols_options *opt,
		    struct sample_tables *out, struct symbols_counts *counts);
void symbols_cache_free(struct symbols_cache *c);

#endif
