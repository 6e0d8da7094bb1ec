// SPDX-License-Identifier: BSD-2-Clause
#include "symbols/open_trace.h"

#include "symbols/symbols.h"

static int look_up(void *ctx, struct sample_tables *t)
{
	const struct symbols_options opt = { .here = false };
	struct sample_tables found;

	(void)ctx;
	int err = symbols_resolve(t, &opt, &found, NULL);
	if (!err)
		err = sample_tables_merge(t, &found);
	sample_tables_free(&found);
	return err;
}

static struct trace_reader *with_names(struct trace_reader *r)
{
	if (r)
		trace_reader_on_resolve(r, look_up, NULL);
	return r;
}

struct trace_reader *open_trace(const char *path)
{
	return with_names(trace_reader_open(path));
}

struct trace_reader *open_trace_fd(int fd, const char *name)
{
	return with_names(trace_reader_open_fd(fd, name));
}

int trace_writer_resolve(struct trace_writer *w, const struct symbols_options *opt,
			 struct symbols_counts *counts)
{
	const struct sample_tables *t = trace_writer_tables(w);
	struct sample_tables found;

	*counts = (struct symbols_counts){ 0 };
	if (!t)
		return 0;
	int err = symbols_resolve(t, opt, &found, counts);
	if (!err)
		err = trace_writer_symbols(w, &found);
	sample_tables_free(&found);
	return err;
}
