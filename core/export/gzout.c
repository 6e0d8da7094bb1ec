// SPDX-License-Identifier: BSD-2-Clause
#include "export/gzout.h"

#include <errno.h>
#include <string.h>

#include "base/log.h"

#define GZIP_WINDOW (15 + 16) /* zlib.h: 16 more asks for a gzip header */

int gzout_init(struct gzout *g, FILE *out)
{
	memset(&g->z, 0, sizeof(g->z));
	g->out = out;
	if (deflateInit2(&g->z, 6, Z_DEFLATED, GZIP_WINDOW, 8, Z_DEFAULT_STRATEGY) == Z_OK)
		return 0;
	log_no_memory("no memory to compress the output");
	g->out = NULL;
	return -ENOMEM;
}

static void run(struct gzout *g, int flush)
{
	do {
		g->z.next_out = g->buf;
		g->z.avail_out = sizeof(g->buf);
		deflate(&g->z, flush); /* cannot fail: its state is sound and there is room */
		fwrite(g->buf, 1, sizeof(g->buf) - g->z.avail_out, g->out);
	} while (!g->z.avail_out);
}

void gzout_write(struct gzout *g, const void *data, size_t n)
{
	const uint8_t *at = data;

	while (n) {
		size_t part = n < 1 << 30 ? n : 1 << 30;

		g->z.next_in = (uint8_t *)(uintptr_t)at;
		g->z.avail_in = (uInt)part;
		run(g, Z_NO_FLUSH);
		at += part;
		n -= part;
	}
}

void gzout_finish(struct gzout *g)
{
	if (!g->out)
		return;
	run(g, Z_FINISH);
	deflateEnd(&g->z);
	g->out = NULL;
}
