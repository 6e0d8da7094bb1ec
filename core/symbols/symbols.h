/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds the functions of samples' addresses. Go's are found by pclntab, inlined ones included.
 * Others are found by .symtab or .dynsym, with C++ names demangled. The kernel's are in
 * /proc/kallsyms. The vDSO's and those of perf maps are found, too. This runs at the end of a
 * recording, when processes and files are still there, or when a trace is read.
 */
#ifndef GOTRACE_SYMBOLS_H
#define GOTRACE_SYMBOLS_H

#include <sys/types.h>

#include "trace/samples.h"

/* Symbols that stay in memory from one call to the next. They are those of files with a number
 * (struct sample_image), and of the kernel. A zeroed cache is empty. */
struct symbols_cache {
	struct symbols_file *files;
	size_t n, cap;
	uint64_t now_ns; /* CLOCK_MONOTONIC of the last call */
	uint64_t asked;  /* number of requests for a file */
	uint64_t closed; /* number of files closed to make room for others */
};

#define SYMBOLS_MOST_NS    (60 * 1000000000ull)
#define SYMBOLS_MOST_BYTES (1ull << 30)

struct symbols_options {
	/* Set when this machine has just been recorded. Then processes may be there, the kernel is
	 * the same, and files without a build id are those that ran. Otherwise only files of the
	 * same build id are used. */
	bool here;
	struct symbols_cache *cache; /* NULL: files are closed at the end */
	/* Finds the user whose files a process of t may use. Returns false when not known. NULL
	 * means that /proc is asked. */
	bool (*owner)(void *ctx, uint32_t process, uid_t *owner);
	/* Returns a descriptor, to be closed, of an image's file in the state in which it was first
	 * seen. Returns -ENOENT when it was not seen, or another error when that state is gone.
	 * NULL means that files are found by path. */
	int (*file)(void *ctx, const struct sample_image *i);
	void *ctx;
	/* A limit for all files together: time, and memory of symbols. The last file may exceed it.
	 * Later addresses get no names, and a warning reports that. 0 means SYMBOLS_MOST_*. */
	uint64_t most_ns, most_bytes;
	/* Bytes that are held at a time, instead of most_bytes in all. The least recently used
	 * symbols are closed, and read again when needed. One file may take half of it while it is
	 * read, or else gives no names (refused). 0 for no such limit. */
	uint64_t hold_bytes;
	/* Servers that the environment names are asked for debug files, with these rights
	 * (debuginfod.h). NULL: none is asked. */
	const struct debuginfod_rights *debuginfod;
	/* Only stacks of processes with these numbers, below n_only, are looked up. NULL for
	 * all. */
	const bool *only;
	size_t n_only;
};

/* The results by number of addresses. */
struct symbols_counts {
	uint64_t addresses, found;
	uint64_t no_image; /* no known image was mapped there */
	uint64_t no_file;  /* their file is not there any more, or has been replaced */
	uint64_t refused;  /* their file may not be read: see foreign_file_open */
	/* their file was not read, because the others took all time, or memory */
	uint64_t unread;
	uint64_t no_symbol; /* their file has no symbol for them */
	uint64_t no_kernel; /* /proc/kallsyms could not be read, or hides addresses */
};

/*
 * Looks up the addresses of all stacks of t that t has no names for. `out` gets the symbols and
 * locations found, for trace_writer_symbols or sample_tables_merge. The caller frees it. Addresses
 * that were not found are in neither. counts may be NULL. Returns 0 or -ENOMEM (logged).
 */
int symbols_resolve(const struct sample_tables *t, const struct symbols_options *opt,
		    struct sample_tables *out, struct symbols_counts *counts);
void symbols_cache_free(struct symbols_cache *c);

#endif
