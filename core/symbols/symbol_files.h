/* SPDX-License-Identifier: BSD-2-Clause */
/* The files of the images of a trace, each read once, within one budget for all of them. */
#ifndef GOTRACE_SYMBOL_FILES_H
#define GOTRACE_SYMBOL_FILES_H

#include "base/hash_index.h"
#include "symbols/image_file.h"
#include "symbols/symbols.h"

struct symbols_file {
	struct image_file *file; /* NULL when it could not be opened */
	struct sample_image of;  /* the first image of it, whose path is owned */
	uint32_t pid;
	/* 0 when its symbols come from the file alone. Otherwise they come from other files of a
	 * process, too, and are for processes of that view. */
	uint64_t of_view;
	/* errno of image_file_open, or ETIMEDOUT when no time or memory was left for it */
	int err;
	/* it serves this process only, which could not read again what another had read */
	bool alone;
	bool had_debug;   /* result of image_file_has_debug at its first reading */
	uint64_t used_ns; /* CLOCK_MONOTONIC of its last use by a call */
	uint64_t asked;   /* the cache's count when it was last asked for */
	bool closed;      /* closed to make room, and read again when needed */
};

struct symbol_files {
	const struct sample_tables *t;
	const struct symbols_options *opt;
	struct symbols_cache own, *cache; /* own serves when the caller has none */
	uint64_t begin_ns, deadline_ns;   /* CLOCK_MONOTONIC, for reading files that others name */
	uint64_t left_bytes;              /* bytes that symbols may still take */
	struct inline_budget inlines;
	struct debuginfod *debuginfod; /* NULL if no servers are asked */
	uint32_t *file_of;             /* by image: 0 when not tried, else its index + 1 */
	struct hash_index opened;      /* files of the cache that were read */
	struct hash_index missed;      /* files that were not read, or are alone, by place */
	/* number of files that were closed to make room and can no longer be read */
	uint32_t unread_again;
	char *unread_path;       /* path of the first of them */
	bool too_long, too_much; /* files were left out for lack of time, or of bytes */
};

/* Returns 0 or -ENOMEM. The caller calls symbol_files_end once in either case. */
int symbol_files_begin(struct symbol_files *f, const struct sample_tables *t,
		       const struct symbols_options *opt);
/* Returns the file of an image, valid until another is asked for. NULL when there is no memory. */
const struct symbols_file *symbol_files_get(struct symbol_files *f, uint32_t image);
/* Closes files that the cache does not keep. */
void symbol_files_end(struct symbol_files *f);

#endif
