/* SPDX-License-Identifier: BSD-2-Clause */
/* A mapped file, opened to look up addresses in it. */
#ifndef GOTRACE_IMAGE_FILE_H
#define GOTRACE_IMAGE_FILE_H

#include "binary/goframes.h"
#include "trace/samples.h"

struct image_file;

/* The file of an image of a process with that pid. here: as in symbols_options. NULL and errno:
 * ENOENT when it is not there or has another build id, EPERM when the kernel hides its symbols,
 * ENOMEM. Logs only what is wrong with a Go binary. */
struct image_file *image_file_open(const struct sample_image *i, uint32_t pid, bool here);
void image_file_close(struct image_file *f);

/* Frames at an address of an image of that file, innermost first; names are f's. Their number, 0:
 * no symbol. *kind: SYMBOL_*. */
size_t image_file_frames(const struct image_file *f, const struct sample_image *i, uint64_t pc,
			 struct goframe *frames, size_t max, uint8_t *kind);

#endif
