// SPDX-License-Identifier: BSD-2-Clause
#include "agent/merge.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash_index.h"
#include "base/log.h"
#include "base/vec.h"
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
	uint64_t from_ns, to_ns; /* of all stretches, also those without a sample of it */
	bool waiting;            /* some have samples of what did not execute */
	/* files that were read: each is read once, whatever the index says */
	struct file_number {
		dev_t dev;
		ino_t ino;
	} * files;
	size_t n_files, cap_files;
	struct hash_index by_number;
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

static int add_stretch(void *ctx, const struct profile *p)
{
	struct merging *m = ctx;

	if (!m->from_ns || p->from_ns < m->from_ns)
		m->from_ns = p->from_ns;
	if (p->to_ns > m->to_ns)
		m->to_ns = p->to_ns;
	return 0;
}

/* 0, -EEXIST (logged): another row has it, -errno. */
static int note_file(struct merging *m, int fd, const struct profile *p)
{
	struct stat st;
	size_t at;

	if (fstat(fd, &st))
		return -errno;
	const uint32_t hash = hash_u64_pair(st.st_dev, st.st_ino);

	for (uint32_t i = hash_index_first(&m->by_number, hash, &at); i != HASH_NONE;
	     i = hash_index_next(&m->by_number, hash, &at))
		if (m->files[i].dev == st.st_dev && m->files[i].ino == st.st_ino) {
			log_error("%s/index.db: row %" PRId64 " names the file of another row",
				  m->store->directory, p->id);
			return -EEXIST;
		}
	if (vec_reserve(&m->files, &m->cap_files, m->n_files + 1) ||
	    hash_index_put(&m->by_number, hash, (uint32_t)m->n_files))
		return -ENOMEM;
	m->files[m->n_files++] = (struct file_number){ st.st_dev, st.st_ino };
	return 0;
}

static int add(void *ctx, const struct profile *p)
{
	struct merging *m = ctx;
	char *name = NULL;
	int fd = store_open_file(m->store, p->path, ".gotrace");
	int err = fd < 0 ? fd : note_file(m, fd, p);

	if (err == -ENOENT)
		return 0; /* it was taken away meanwhile */
	if (!err && asprintf(&name, "%s/%s.gotrace", m->store->directory, p->path) < 0)
		err = -ENOMEM;
	if (err) {
		if (fd >= 0)
			close(fd);
		return err;
	}
	struct trace_reader *r = open_trace_fd(fd, name);

	err = r ? 0 : -errno;
	free(name);
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
		err = trace_info_setf(&kvs, KEY_END_STRETCH_FROM_NS, "%" PRIu64, m->from_ns);
	if (!err)
		err = trace_info_setf(&kvs, KEY_END_STRETCH_TO_NS, "%" PRIu64, m->to_ns);
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

struct trace_reader *merge_trace(struct store *s, const struct store_query *q)
{
	struct merging m = { .store = s,
			     .query = q,
			     .fd = memfd_create("gotrace-merged", MFD_CLOEXEC) };
	struct store_query all = *q;
	int err = m.fd < 0 ? -errno : store_find(s, q, look, &m);

	all.service = NULL;
	all.labels = (struct pairs){ 0 };
	if (!err)
		err = store_find(s, &all, add_stretch, &m);
	if (!err)
		err = store_find(s, q, add, &m);
	if (!err)
		err = m.copy ? end(&m) : -ENOENT;
	if (m.w)
		trace_writer_abort(m.w);
	sample_copy_free(m.copy);
	hash_index_free(&m.by_number);
	free(m.files);
	if (err && m.fd >= 0)
		close(m.fd);
	if (err == -ENOMEM)
		log_no_memory("no memory to put profiles together");
	if (!err && lseek(m.fd, 0, SEEK_SET) < 0) {
		err = -errno;
		close(m.fd);
	}
	struct trace_reader *r = err ? NULL : open_trace_fd(m.fd, s->directory);

	errno = err ? -err : errno;
	return r;
}

int merge_pprof(struct store *s, const struct store_query *q, char **bytes, size_t *n)
{
	const struct export_options opt = { 0 };
	const struct export_format *f = export_formats;
	struct trace_reader *r = merge_trace(s, q);
	int err = r ? 0 : -errno;

	*bytes = NULL;
	if (err)
		return err;
	FILE *out = open_memstream(bytes, n);

	while (f->name && strcmp(f->name, "pprof") != 0)
		f++;
	err = out ? f->write(&r, 1, &opt, out) : -errno;
	if (out)
		fclose(out);
	trace_reader_close(r);
	if (err) {
		free(*bytes);
		*bytes = NULL;
	}
	return err;
}
