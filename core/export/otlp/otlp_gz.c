// SPDX-License-Identifier: BSD-2-Clause
#include "export/otlp/otlp_gz.h"

#include <errno.h>
#include <stdlib.h>
#include <zlib.h>

#include "base/vec.h"

#define GZIP_WINDOW (15 + 16) /* zlib.h: 16 more asks for a gzip header */
#define PIECE       (1u << 16)
#define AT_ONCE     (1u << 30)

/* One stream, to its end: *to, *size bytes, to be freed in any case. */
static int unpack(const uint8_t *gz, size_t n, size_t most, uint8_t **to, size_t *size)
{
	z_stream z = { 0 };
	size_t cap = 0;
	int code = Z_OK, err = inflateInit2(&z, GZIP_WINDOW) == Z_OK ? 0 : -ENOMEM;

	while (!err && code != Z_STREAM_END) {
		const size_t some = n < AT_ONCE ? n : AT_ONCE;

		if (vec_reserve(to, &cap, *size + PIECE)) {
			err = -ENOMEM;
			break;
		}
		z.next_in = (Bytef *)(uintptr_t)gz;
		z.avail_in = (uInt)some;
		z.next_out = *to + *size;
		z.avail_out = PIECE;
		code = inflate(&z, Z_NO_FLUSH);
		gz += some - z.avail_in;
		n -= some - z.avail_in;
		*size += PIECE - z.avail_out;
		if (code == Z_MEM_ERROR)
			err = -ENOMEM;
		else if (code != Z_OK && code != Z_STREAM_END) /* also where it ends too soon */
			err = -EINVAL;
		else if (*size > most)
			err = -E2BIG;
	}
	if (!err && n)
		err = -EINVAL;
	inflateEnd(&z);
	return err;
}

int otlp_out_add_gz(struct otlp_out *o, const uint8_t *gz, size_t n, size_t most,
		    const struct otlp_source *of)
{
	uint8_t *plain = NULL;
	size_t size = 0;
	int err = unpack(gz, n, most, &plain, &size);
	Pprof__Profile *p = err ? NULL : pprof__profile__unpack(NULL, size, plain);

	free(plain);
	if (!err)
		err = p ? otlp_out_add(o, p, of) : -EINVAL;
	if (p)
		pprof__profile__free_unpacked(p, NULL);
	return err;
}
