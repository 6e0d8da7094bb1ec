// SPDX-License-Identifier: BSD-2-Clause
/* Reads the records, linux/perf_event.h. */
#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sample/side_band.h"
#include "trace/keys.h"

/* Of records that are read and not handed out. */
#define UNREAD_BYTES_MAX (64u << 20)

struct mmap2_record {
	struct perf_event_header h;
	uint32_t pid, tid;
	uint64_t addr, len, pgoff;
	union {
		struct {
			uint8_t build_id_size, pad[3];
			uint8_t build_id[20];
		};
		struct {
			uint32_t maj, min;
			uint64_t ino, ino_generation;
		};
	};
	uint32_t prot, flags;
	char path[];
};
struct fork_record {
	struct perf_event_header h;
	uint32_t pid, ppid, tid, ptid;
	uint64_t time;
};
struct comm_record {
	struct perf_event_header h;
	uint32_t pid, tid;
	char comm[];
};

/* At a record's end: pid, tid, time (sample_id_all). */
static uint64_t record_time(const struct perf_event_header *h)
{
	uint64_t t = 0;

	if (h->size >= sizeof(*h) + sizeof(t))
		memcpy(&t, (const char *)h + h->size - sizeof(t), sizeof(t));
	return t;
}

static bool is_text(const struct perf_event_header *h, size_t from)
{
	return h->size > from && memchr((const char *)h + from, 0, h->size - from);
}

static void take(struct side_band *s, const struct side_band_reader *r,
		 const struct perf_event_header *h)
{
	const struct mmap2_record *m = (const void *)h;
	const struct fork_record *f = (const void *)h;
	const struct comm_record *c = (const void *)h;
	uint64_t ts_ns = record_time(h);

	if (h->type == PERF_RECORD_MMAP2 && is_text(h, sizeof(*m))) {
		bool has_id = h->misc & PERF_RECORD_MISC_MMAP_BUILD_ID &&
			      m->build_id_size <= sizeof(m->build_id);
		const struct side_band_map map = {
			.pid = m->pid,
			.start = m->addr,
			.bytes = m->len,
			.file_off = m->pgoff,
			.path = m->path,
			.build_id = m->build_id,
			.build_id_len = has_id ? m->build_id_size : 0,
		};

		r->map(r->ctx, &map, ts_ns);
	} else if (h->type == PERF_RECORD_FORK && h->size >= sizeof(*f)) {
		if (f->pid != f->ppid)
			r->fork(r->ctx, f->ppid, f->pid, ts_ns);
	} else if (h->type == PERF_RECORD_EXIT && h->size >= sizeof(*f)) {
		if (r->end && f->pid == f->tid)
			r->end(r->ctx, f->pid, ts_ns);
	} else if (h->type == PERF_RECORD_COMM && h->misc & PERF_RECORD_MISC_COMM_EXEC &&
		   is_text(h, sizeof(*c))) {
		r->exec(r->ctx, c->pid, c->comm, ts_ns);
	} else if (h->type == PERF_RECORD_LOST && h->size >= sizeof(*h) + 16) {
		uint64_t lost;

		memcpy(&lost, (const char *)h + sizeof(*h) + 8, sizeof(lost));
		s->lost += lost;
	}
}

/* Whether anybody is told of it: threads that begin and end are many. */
static bool is_wanted(const struct perf_event_header *h)
{
	const struct fork_record *f = (const void *)h;

	switch (h->type) {
	case PERF_RECORD_FORK:
		return h->size >= sizeof(*f) && f->pid != f->ppid;
	case PERF_RECORD_EXIT:
		return h->size >= sizeof(*f) && f->pid == f->tid;
	case PERF_RECORD_COMM:
		return h->misc & PERF_RECORD_MISC_COMM_EXEC;
	default:
		return true;
	}
}

/* At least one more record of n bytes. */
static int make_room(struct side_band *s, size_t n)
{
	if (s->n_bytes + n > s->cap_bytes) {
		size_t cap = 2 * s->cap_bytes + n + 4096;
		uint8_t *bytes = realloc(s->bytes, cap);

		if (!bytes)
			return -ENOMEM;
		s->bytes = bytes;
		s->cap_bytes = cap;
	}
	if (s->n_records == s->cap_records) {
		size_t cap = 2 * s->cap_records + 64;
		struct side_band_record *records = realloc(s->records, cap * sizeof(*records));

		if (!records)
			return -ENOMEM;
		s->records = records;
		s->cap_records = cap;
	}
	return 0;
}

static int read_cpu(struct side_band *s, struct side_band_cpu *c)
{
	struct perf_event_mmap_page *page = c->at;
	const size_t size = side_band_ring_bytes(s) - sysconf(_SC_PAGESIZE);
	const uint8_t *ring = (const uint8_t *)c->at + sysconf(_SC_PAGESIZE);
	uint64_t head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);
	uint64_t tail = page->data_tail;
	int err = 0;

	while (head - tail >= sizeof(struct perf_event_header) && !err) {
		const struct perf_event_header *h = (const void *)(ring + tail % size);
		size_t n = h->size, first = size - tail % size;

		if (n < sizeof(*h) || n > head - tail)
			break;
		err = make_room(s, n);
		if (err)
			break;
		uint8_t *to = s->bytes + s->n_bytes;

		/* In one piece, also where it goes on at the ring's start. */
		memcpy(to, h, n < first ? n : first);
		if (n > first)
			memcpy(to + first, ring, n - first);
		tail += n;
		if (!is_wanted((const void *)to))
			continue;
		if (s->n_bytes >= UNREAD_BYTES_MAX) {
			s->lost++;
			continue;
		}
		s->records[s->n_records++] =
			(struct side_band_record){ record_time((const void *)to), s->n_bytes };
		s->n_bytes += n; /* a multiple of 8 */
	}
	__atomic_store_n(&page->data_tail, head, __ATOMIC_RELEASE);
	return err;
}

static int by_time(const void *a, const void *b)
{
	const struct side_band_record *x = a, *y = b;

	if (x->ts_ns != y->ts_ns)
		return x->ts_ns < y->ts_ns ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

/* Forgets the first n records. */
static void forget(struct side_band *s, size_t n)
{
	size_t bytes = 0;

	if (n == s->n_records) {
		s->n_records = s->n_bytes = 0;
		return;
	}
	memmove(s->records, s->records + n, (s->n_records - n) * sizeof(*s->records));
	s->n_records -= n;
	for (size_t i = 0; i < s->n_records; i++)
		bytes += ((const struct perf_event_header *)(s->bytes + s->records[i].at))->size;
	uint8_t *kept = malloc(bytes);

	if (!kept)
		return; /* they stay where they are */
	bytes = 0;
	for (size_t i = 0; i < s->n_records; i++) {
		const struct perf_event_header *h = (const void *)(s->bytes + s->records[i].at);

		memcpy(kept + bytes, h, h->size);
		s->records[i].at = bytes;
		bytes += h->size;
	}
	free(s->bytes);
	s->bytes = kept;
	s->n_bytes = s->cap_bytes = bytes;
}

int side_band_empty(struct side_band *s)
{
	int err = 0;

	for (size_t i = 0; i < s->n_cpus && !err; i++)
		if (s->cpus[i].at)
			err = read_cpu(s, &s->cpus[i]);
	return err;
}

int side_band_read(struct side_band *s, const struct side_band_reader *r, uint64_t until_ns)
{
	int err = side_band_empty(s);
	size_t n = 0;

	if (s->n_records)
		qsort(s->records, s->n_records, sizeof(*s->records), by_time);
	for (; n < s->n_records && s->records[n].ts_ns < until_ns; n++)
		take(s, r, (const void *)(s->bytes + s->records[n].at));
	forget(s, n);
	return err;
}

int side_band_describe_lost(const struct side_band *s, struct trace_info *end)
{
	int err = s->lost ? trace_info_setf(end, KEY_END_MAPS_LOST, "%" PRIu64, s->lost) : 0;

	if (!err && s->lost)
		err = trace_info_setf(end, KEY_WARN_MAPS,
				      "%" PRIu64 " records of what processes execute and map were "
				      "lost: names may be missing or wrong",
				      s->lost);
	return err;
}
