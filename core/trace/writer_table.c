// SPDX-License-Identifier: BSD-2-Clause
/* How the writer's files put tables into a trace. */
#include <errno.h>
#include <string.h>

#include "base/log.h"
#include "trace/writer_internal.h"

int writer_put_table(struct trace_writer *w, uint16_t type, struct table *t)
{
	struct chunk_head h = { .type = type,
				.count = t->count,
				.flags = type == CHUNK_VALUES ? CHUNK_OPTIONAL : 0 };
	struct block_piece piece = { t->b.data, t->b.n };

	if (!t->count)
		return 0;
	w->tables_bytes += t->b.n;
	if (w->tables_bytes > TABLES_MAX_BYTES) {
		log_error("the trace's tables are larger than %u MiB: record less",
			  TABLES_MAX_BYTES >> 20);
		return chunk_file_refuse(w->file, -E2BIG);
	}
	t->count = 0;
	t->b.n = 0;
	return chunk_file_put(w->file, &h, &piece, 1);
}

int writer_refuse(struct trace_writer *w, int err, const char *what, size_t i)
{
	log_error("%s %zu cannot be written into the trace: %s", what, i,
		  err == -E2BIG    ? "one of its strings is too long, or there are too many"
		  : err == -EINVAL ? "its function, its kind or its name does not exist"
				   : strerror(-err));
	return chunk_file_refuse(w->file, err);
}
