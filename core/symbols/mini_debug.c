// SPDX-License-Identifier: BSD-2-Clause
#include "symbols/mini_debug.h"

#include <errno.h>
#include <lzma.h>
#include <stdlib.h>

#define FIRST_BYTES (64u << 10)

/* The largest dictionary of xz's presets is as large as MINI_DEBUG_BYTES. */
#define STATE_BYTES (1u << 20)

/* More room behind what is there. */
static int grow(lzma_stream *s, uint8_t **buf, size_t *size, uint64_t most)
{
	const size_t used = *size - s->avail_out;
	size_t wanted = *size ? *size * 2 : FIRST_BYTES;

	wanted = wanted < most ? wanted : (size_t)most;
	if (wanted <= used)
		return -E2BIG;
	uint8_t *larger = realloc(*buf, wanted);

	if (!larger)
		return -ENOMEM;
	*buf = larger;
	*size = wanted;
	s->next_out = larger + used;
	s->avail_out = wanted - used;
	return 0;
}

static int error_of(lzma_ret ret)
{
	return ret == LZMA_MEMLIMIT_ERROR ? -E2BIG : ret == LZMA_MEM_ERROR ? -ENOMEM : -EINVAL;
}

int mini_debug_unpack(const void *packed, size_t n, uint64_t most, void **to, size_t *n_to)
{
	const uint64_t bytes = most < MINI_DEBUG_BYTES ? most : MINI_DEBUG_BYTES;
	lzma_stream s = LZMA_STREAM_INIT;
	lzma_ret ret = lzma_stream_decoder(&s, bytes + STATE_BYTES, 0);
	uint8_t *buf = NULL;
	size_t size = 0;
	int err = ret == LZMA_OK ? 0 : error_of(ret);

	s.next_in = packed;
	s.avail_in = n;
	while (!err && ret == LZMA_OK) {
		if (!s.avail_out)
			err = grow(&s, &buf, &size, bytes);
		if (!err)
			ret = lzma_code(&s, LZMA_FINISH);
	}
	if (!err && ret != LZMA_STREAM_END)
		err = error_of(ret);
	lzma_end(&s);
	if (err) {
		free(buf);
		return err;
	}
	*to = buf;
	*n_to = size - s.avail_out;
	return 0;
}
