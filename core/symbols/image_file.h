/* SPDX-License-Identifier: BSD-2-Clause */
/* A mapped file, opened to look up addresses in it. */
#ifndef GOTRACE_IMAGE_FILE_H
#define GOTRACE_IMAGE_FILE_H

#include <sys/types.h>

#include "binary/goframes.h"
#include "trace/samples.h"

struct image_file;

/* What is known of the process that had it mapped. */
struct image_place {
	uint32_t pid;
	int fd;    /* of the file itself; -ENOENT: it is found by path; else only by build id */
	bool here; /* as in symbols_options */
	const uid_t *owner;   /* of its files; NULL: not known, they must be root's */
	uint64_t deadline_ns; /* of reading, foreign_file_deadline */
	uint64_t most_bytes;  /* that reading may take; 0: no limit */
};

/* The file of an image, all that is needed of it, in memory. NULL and errno: ENOENT when it is not
 * there or has another build id, EPERM when the kernel hides its symbols, ECANCELED when it is no
 * file to be read (foreign_file_open, foreign_file_read) or takes too much, ENOMEM. Logs only what
 * is wrong with a Go binary. */
struct image_file *image_file_open(const struct sample_image *i, const struct image_place *at);
/* Are its symbols in a file of their own, which was found? */
bool image_file_has_debug(const struct image_file *f);
/* The memory that it takes. */
size_t image_file_bytes(const struct image_file *f);
void image_file_close(struct image_file *f);

/* Frames at an address of an image of that file, innermost first; names are f's. Their number, 0:
 * no symbol. *kind: SYMBOL_*. */
size_t image_file_frames(const struct image_file *f, const struct sample_image *i, uint64_t pc,
			 struct goframe *frames, size_t max, uint8_t *kind);

/* The offset in the file at which the function begins that has no symbol. False: it is not known.
 */
bool image_file_start(const struct image_file *f, const struct sample_image *i, uint64_t pc,
		      uint64_t *off);

#endif
