// SPDX-License-Identifier: BSD-2-Clause
#include "agent/profile_merge.h"

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

#define MOST_LINES 10

struct merging {
	struct store *store;
	const struct store_query *query;
	int fd;
	struct trace_writer *w;
	struct sample_copy *copy;
	uint64_t from_ns, to_ns; /* of all stretches, also those without a sample of it */
	bool waiting;            /* some have samples of what did not execute */
	uint64_t n_rows;         /* that were looked at */
	uint64_t n_cut;          /* whose file has no end */
	/* rows whose file cannot be read */
	int64_t *bad;
	size_t n_bad, cap_bad;
	struct hash_index by_id;
	uint64_t bad_samples; /* that they have, as the index says */
	bool looking; /* one was found: the copy has a part of it, and is not gone on with */
	bool again;   /* all was read once */
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

/* It is logged why. 0 or -ENOMEM. */
static int note_bad(struct merging *m, const struct profile *p)
{
	if (vec_reserve(&m->bad, &m->cap_bad, m->n_bad + 1) ||
	    hash_index_put(&m->by_id, hash_u64_pair((uint64_t)p->id, 0), (uint32_t)m->n_bad))
		return -ENOMEM;
	m->bad[m->n_bad++] = p->id;
	m->bad_samples += p->samples;
	m->looking = true;
	return 0;
}

static bool is_bad(const struct merging *m, int64_t id)
{
	size_t at;

	for (uint32_t i = hash_index_first(&m->by_id, hash_u64_pair((uint64_t)id, 0), &at);
	     i != HASH_NONE; i = hash_index_next(&m->by_id, hash_u64_pair((uint64_t)id, 0), &at))
		if (m->bad[i] == id)
			return true;
	return false;
}

static int stop(void *ctx, const struct profile *p)
{
	(void)ctx;
	(void)p;
	return 1;
}

/* A file is taken away after its row: without it a row that is there still has lost it. 0 or
 * -errno (logged). */
static int note_missing(struct merging *m, const struct profile *p)
{
	const struct store_query same = { .first_id = p->id, .end_id = p->id + 1 };
	int is = store_find(m->store, &same, stop, NULL);

	if (is <= 0)
		return is;
	log_error("%s/%s.gotrace: the index has it, and it is not there", m->store->directory,
		  p->path);
	return note_bad(m, p);
}

/* The process has no room or no right, or the kernel cannot do it: no fault of the file. Or one of
 * the index. */
static bool is_own_failure(int err)
{
	return err == -ENOMEM || err == -EMFILE || err == -ENFILE || err == -EACCES ||
	       err == -ENOSYS || err == -EEXIST;
}

/* Into the copy; where that cannot be gone on with it is only read. *bad: it cannot be read. 0 or
 * -errno (logged). */
static int read_one(struct merging *m, struct trace_reader *r, const char *name, bool *bad)
{
	struct sample_span span;
	int err = 0, got = 0;

	if (!trace_is_samples(trace_reader_info(r))) {
		log_error("%s: it has calls, and no samples", name);
		*bad = true;
		return -ENOTSUP;
	}
	if (m->looking) {
		while ((got = trace_reader_samples(r, &span)) > 0)
			;
		*bad = got;
		return got;
	}
	if (!m->w)
		err = begin(m, trace_reader_info(r));
	if (!err)
		err = sample_copy_add(m->copy, r);
	*bad = m->copy && sample_copy_bad_source(m->copy);
	return err;
}

static int add(void *ctx, const struct profile *p)
{
	struct merging *m = ctx;
	char *name = NULL;

	m->n_rows++;
	if (m->again && is_bad(m, p->id))
		return 0;
	int fd = store_open_file(m->store, p->path, ".gotrace");
	int err = fd < 0 ? fd : note_file(m, fd, p);

	if (!err && asprintf(&name, "%s/%s.gotrace", m->store->directory, p->path) < 0)
		err = -ENOMEM;
	if (err) {
		if (fd >= 0)
			close(fd);
		return err == -ENOENT        ? note_missing(m, p)
		       : is_own_failure(err) ? err
					     : note_bad(m, p);
	}
	struct trace_reader *r = open_trace_fd(fd, name);
	bool bad = !r;

	err = r ? 0 : -errno;
	if (!err)
		err = read_one(m, r, name, &bad);
	if (!err && !trace_reader_complete(r)) {
		if (!m->again)
			log_warn("%s: it was cut off; what it still has is read", name);
		m->n_cut++;
	}
	free(name);
	trace_reader_close(r);
	return bad && !is_own_failure(err) ? note_bad(m, p) : err;
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
	if (!err && !m->n_cut) /* else nobody knows */
		err = trace_info_setf(&kvs, KEY_END_SAMPLES_LOST, "%" PRIu64,
				      c.lost + m->bad_samples);
	if (!err && c.lost)
		err = trace_info_setf(&kvs, KEY_WARN_LOST_OF,
				      "up to %" PRIu64
				      " samples were lost; whose they were is not known",
				      c.lost);
	if (!err && m->n_bad)
		err = trace_info_setf(&kvs, KEY_WARN_LEFT_OUT,
				      "%zu of %" PRIu64 " profiles cannot be read and %s left out, "
				      "with the %" PRIu64 " samples that the index counts in %s",
				      m->n_bad, m->n_rows, m->n_bad == 1 ? "is" : "are",
				      m->bad_samples, m->n_bad == 1 ? "it" : "them");
	if (!err && m->n_cut)
		err = trace_info_setf(&kvs, KEY_WARN_CUT,
				      "samples are missing: %" PRIu64 " of %" PRIu64
				      " profiles %s cut off",
				      m->n_cut, m->n_rows, m->n_cut == 1 ? "was" : "were");
	if (!err)
		err = trace_info_set(&kvs, KEY_END_REASON, REASON_INTERVAL);
	int closed = trace_writer_finish(m->w, kvs.kvs, kvs.n_kvs);

	m->w = NULL;
	trace_info_free(&kvs);
	return err ? err : closed;
}

/* Nothing is there, but what is known to be bad. */
static int begin_anew(struct merging *m)
{
	if (m->w)
		trace_writer_abort(m->w);
	m->w = NULL;
	sample_copy_free(m->copy);
	m->copy = NULL;
	hash_index_free(&m->by_number);
	m->by_number = (struct hash_index){ 0 };
	m->n_files = m->n_rows = m->n_cut = 0;
	m->again = true;
	m->looking = false;
	return ftruncate(m->fd, 0) || lseek(m->fd, 0, SEEK_SET) ? -errno : 0;
}

/* All profiles. A line stands for each of the first few that cannot be read, and one for the
 * others. */
static int find_all(struct merging *m, const struct store_query *q)
{
	log_limit(MOST_LINES);
	const int err = store_find(m->store, q, add, m);
	const unsigned held = log_limit_end(err && err != -EAGAIN);

	if (held && !err)
		log_warn("%s: %u more profiles cannot be read or were cut off", m->store->directory,
			 held);
	return err;
}

/* Adds all profiles that can be read. The first pass finds those that cannot; a second one leaves
 * them out. */
static int add_all(struct merging *m, const struct store_query *q)
{
	const uint64_t ticks = m->store->ticks;
	int err = find_all(m, q);

	if (!err && m->looking && m->n_bad == m->n_rows) {
		log_error("%s: none of its %" PRIu64 " profiles can be read", m->store->directory,
			  m->n_rows);
		return -EBADMSG;
	}
	if (!err && m->looking) {
		err = begin_anew(m);
		m->store->ticks = ticks;
		if (!err)
			err = find_all(m, q);
		if (!err && m->looking)
			err = -EAGAIN; /* one more: somebody writes into them */
	}
	return err ? err : m->copy ? 0 : -ENOENT;
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
		err = add_all(&m, q);
	if (!err)
		err = end(&m);
	if (m.w)
		trace_writer_abort(m.w);
	sample_copy_free(m.copy);
	hash_index_free(&m.by_number);
	free(m.files);
	hash_index_free(&m.by_id);
	free(m.bad);
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
