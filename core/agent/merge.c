// SPDX-License-Identifier: BSD-2-Clause
#include "agent/merge.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/log.h"
#include "export/export.h"
#include "symbols/open_trace.h"
#include "trace/keys.h"
#include "trace/sample_copy.h"

struct merging {
	const struct store *store;
	const struct store_query *query;
	int fd;
	struct trace_writer *w;
	struct sample_copy *copy;
	bool waiting; /* some have samples of what did not execute */
};

/* Of the first one, but what is of its stretch or service alone. */
static int begin(struct merging *m, const struct trace_info *from)
{
	struct trace_info info = { 0 };
	int err = sample_copy_head(&info, from, m->waiting);

	if (!err && m->query->service)
		err = trace_info_set(&info, KEY_SAMPLE_SERVICE, m->query->service);
	/* The writer closes its own. */
	int fd = err ? -1 : dup(m->fd);

	if (!err && fd < 0)
		err = -errno;
	m->w = err ? NULL : trace_writer_new(fd, &info);
	if (!err && !m->w)
		err = -errno;
	trace_info_free(&info);
	m->copy = err ? NULL : sample_copy_new(m->w, NULL);
	return err ? err : m->copy ? 0 : -ENOMEM;
}

static int look(void *ctx, const struct profile *p)
{
	struct merging *m = ctx;

	m->waiting |= p->waiting_ns > 0;
	return 0;
}

static int add(void *ctx, const struct profile *p)
{
	struct merging *m = ctx;
	char *file = NULL;

	if (asprintf(&file, "%s/%s.gotrace", m->store->directory, p->path) < 0)
		return -ENOMEM;
	struct trace_reader *r = open_trace(file);
	int err = r ? 0 : errno == ENOENT ? 0 : -errno; /* it was taken away meanwhile */

	free(file);
	if (r && !m->w)
		err = begin(m, trace_reader_info(r));
	if (r && !err)
		err = sample_copy_add(m->copy, r);
	trace_reader_close(r);
	return err;
}

static int end(struct merging *m)
{
	struct sample_copy_counts c;
	struct trace_info kvs = { 0 };
	int err = sample_copy_end(m->copy, &c);

	if (!err)
		err = sample_copy_reasons(m->copy, &kvs);
	if (!err)
		err = trace_info_setf(&kvs, KEY_END_SAMPLES, "%" PRIu64, c.samples);
	if (!err)
		err = trace_info_setf(&kvs, KEY_END_SAMPLES_LOST, "%" PRIu64, c.lost);
	if (!err && c.lost)
		err = trace_info_setf(&kvs, KEY_WARN_LOST_OF,
				      "up to %" PRIu64
				      " samples were lost; whose they were is not known",
				      c.lost);
	if (!err)
		err = trace_info_set(&kvs, KEY_END_REASON, REASON_INTERVAL);
	int closed = trace_writer_finish(m->w, kvs.kvs, kvs.n_kvs);

	m->w = NULL;
	trace_info_free(&kvs);
	return err ? err : closed;
}

int merge_trace(struct store *s, const struct store_query *q, int *fd, char *path, size_t size)
{
	struct merging m = { .store = s,
			     .query = q,
			     .fd = memfd_create("gotrace-merged", MFD_CLOEXEC) };
	int err = m.fd < 0 ? -errno : store_find(s, q, look, &m);

	if (!err)
		err = store_find(s, q, add, &m);
	if (!err)
		err = m.copy ? end(&m) : -ENOENT;
	if (m.w)
		trace_writer_abort(m.w);
	sample_copy_free(m.copy);
	if (err) {
		if (m.fd >= 0)
			close(m.fd);
		if (err == -ENOMEM)
			log_no_memory("no memory to put profiles together");
		return err;
	}
	*fd = m.fd;
	snprintf(path, size, "/proc/self/fd/%d", m.fd);
	return 0;
}

int merge_pprof(struct store *s, const struct store_query *q, char **bytes, size_t *n)
{
	const struct export_options opt = { 0 };
	const struct export_format *f = export_formats;
	char path[64];
	int fd, err = merge_trace(s, q, &fd, path, sizeof(path));

	*bytes = NULL;
	if (err)
		return err;
	struct trace_reader *r = open_trace(path);
	FILE *out = open_memstream(bytes, n);

	while (f->name && strcmp(f->name, "pprof") != 0)
		f++;
	err = r && out ? f->write(&r, 1, &opt, out) : -errno;
	if (out)
		fclose(out);
	trace_reader_close(r);
	close(fd);
	if (err) {
		free(*bytes);
		*bytes = NULL;
	}
	return err;
}
