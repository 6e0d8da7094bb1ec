/* SPDX-License-Identifier: BSD-2-Clause */
/* A gzip stream into a FILE: the same bytes for the same data, no time and no name in its header.
 */
#ifndef GOTRACE_GZOUT_H
#define GOTRACE_GZOUT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <zlib.h>

struct gzout {
	z_stream z;
	FILE *out; /* borrowed; its error flag is set when something could not be written */
	uint8_t buf[1 << 15];
};

/* 0 or -ENOMEM (logged); gzout_finish in that case as well does no harm. */
int gzout_init(struct gzout *g, FILE *out);
void gzout_write(struct gzout *g, const void *data, size_t n);
/* Writes what is left and frees. */
void gzout_finish(struct gzout *g);

#endif
