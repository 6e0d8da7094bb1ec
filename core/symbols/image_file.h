/* SPDX-License-Identifier: BSD-2-Clause */
/* A mapped file, opened to look up addresses in it. */
#ifndef GOTRACE_IMAGE_FILE_H
#define GOTRACE_IMAGE_FILE_H

#include <sys/types.h>

#include "binary/goframes.h"
#include "trace/samples.h"

struct image_file;
struct debuginfod;

/* Facts about the process that had the file mapped. */
struct image_place {
	uint32_t pid;
	/* a descriptor of the file itself; -ENOENT to find it by path; another error to find it
	 * only by build id */
	int fd;
	bool here; /* see symbols_options */
	/* owner of its files; NULL when not known, then they must be root's */
	const uid_t *owner;
	uint64_t deadline_ns; /* deadline of reading, foreign_file_deadline */
	uint64_t most_bytes;  /* limit of the memory that reading takes, 0 for none */
	/* it is asked for debug files that this machine does not have; may be NULL */
	struct debuginfod *debuginfod;
};

/* Reads all needed parts of an image's file into memory. Returns NULL with errno on an error.
 * ENOENT means that the file is not there or has another build id, EPERM that the kernel hides its
 * symbols. ECANCELED means that it may not be read (foreign_file_open, foreign_file_read) or takes
 * too much. ENOMEM is possible, too. Logs only faults of a Go binary. */
struct image_file *image_file_open(const struct sample_image *i, const struct image_place *at);
/* Returns true when its symbols are in a file of their own, which was found. */
bool image_file_has_debug(const struct image_file *f);
/* Returns true when files that the process chose were read, besides that of the descriptor: below
 * its root others may lie than below another one. */
bool image_file_of_process(const struct image_file *f);
/* Returns the bytes of memory that it takes. */
size_t image_file_bytes(const struct image_file *f);
void image_file_close(struct image_file *f);

/* The processor time and the memory that reading DWARF may still take, for all files together. */
struct inline_budget {
	uint64_t ns, bytes;
};

/* Finds the frames at an address of an image of that file, innermost first. f owns the names.
 * Returns their number, 0 when there is no symbol. *kind becomes SYMBOL_*. Functions of C, C++ and
 * Rust that are inlined there are left out once the budget is used up. */
size_t image_file_frames(struct image_file *f, const struct sample_image *i, uint64_t pc,
			 struct goframe *frames, size_t max, uint8_t *kind,
			 struct inline_budget *budget);

/* Finds the offset in the file where a function without a symbol begins. Returns false when it is
 * not known. */
bool image_file_start(const struct image_file *f, const struct sample_image *i, uint64_t pc,
		      uint64_t *off);

#endif
