/* SPDX-License-Identifier: BSD-2-Clause */
/* A gzip stream into a FILE. Equal data gives equal bytes, because the header has no time and no
 * name. */
#ifndef GOTRACE_GZOUT_H
#define GOTRACE_GZOUT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <zlib.h>

struct gzout {
	z_stream z;
	FILE *out; /* borrowed; a failed write sets its error flag */
	uint8_t buf[1 << 15];
};

/* 0 or -ENOMEM (logged). gzout_finish may be called in either case. */
int gzout_init(struct gzout *g, FILE *out);
void gzout_write(struct gzout *g, const void *data, size_t n);
/* Writes the rest and frees memory. */
void gzout_finish(struct gzout *g);

#endif
