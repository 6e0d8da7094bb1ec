/* SPDX-License-Identifier: BSD-2-Clause */
/* The files of the images of a trace, each read once, within one budget for all of them. */
#ifndef GOTRACE_SYMBOL_FILES_H
#define GOTRACE_SYMBOL_FILES_H

#include <sys/types.h>
#include <time.h>

#include "base/hash_index.h"
#include "symbols/image_file.h"
#include "symbols/symbols.h"

/* Tells files without a build id apart. */
struct symbols_contents {
	bool known; /* a descriptor of the file, as it was when it was seen, said so */
	dev_t dev;
	ino_t ino;
	off_t bytes;
	struct timespec changed;
};

struct symbols_file {
	struct image_file *file; /* NULL: it could not be opened */
	struct sample_image of;  /* the first of it; its path is owned */
	struct symbols_contents contents;
	uint32_t pid;
	int err;          /* as image_file_open; ETIMEDOUT: nothing was left for it */
	bool alone;       /* only this process has it so: others could not read it, or could */
	bool had_debug;   /* image_file_has_debug, when it was read first */
	uint64_t used_ns; /* CLOCK_MONOTONIC, by the last call */
	uint64_t asked;   /* when it was asked for last, by the cache's count */
	bool closed;      /* to make room: it is read again */
};

struct symbol_files {
	const struct sample_tables *t;
	const struct symbols_options *opt;
	struct symbols_cache own, *cache; /* own: where the caller has none */
	uint64_t begin_ns, deadline_ns;   /* CLOCK_MONOTONIC, of reading what others name */
	uint64_t left_bytes;              /* that symbols may still take */
	uint32_t *file_of;                /* of each image: 0 not tried, else its index + 1 */
	struct hash_index opened;         /* files of the cache that were read */
	struct hash_index missed;         /* those that were not, or are alone, by place */
	uint32_t unread_again; /* files that were closed to make room, and are not to be had now */
	char *unread_path;     /* the first of them */
	bool too_long, too_much; /* files were left out: for the time, for the bytes */
};

/* 0 or -ENOMEM; symbol_files_end in either case, once. */
int symbol_files_begin(struct symbol_files *f, const struct sample_tables *t,
		       const struct symbols_options *opt);
/* The file of an image, as long as no other is asked for. NULL: no memory. */
const struct symbols_file *symbol_files_get(struct symbol_files *f, uint32_t image);
/* Closes what the cache does not keep. */
void symbol_files_end(struct symbol_files *f);

#endif
