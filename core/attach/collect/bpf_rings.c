// SPDX-License-Identifier: BSD-2-Clause
#include "attach/collect/bpf_rings.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

/* What a round takes out of one ring before it turns to the next. */
#define BATCH 65536
/* How often a ring whose next record is still being written is looked at again in one round. */
#define BUSY_TRIES 100

struct source {
	struct bpf_rings *all;
	struct ring *ring;
	unsigned number;
	unsigned batch; /* taken in this call */
};

struct bpf_rings {
	const struct probes *probes;
	bpf_rings_add_fn add;
	void *ctx;
	struct ring_buffer *rb;
	unsigned n;
	struct source sources[]; /* n of them */
};

static int on_record(void *ctx, void *data, size_t size)
{
	struct source *s = ctx;
	struct event_ext ev = { 0 };

	const bool values = size == VALUES_RECORD_SMALL || size == VALUES_RECORD_LARGE,
		   sample = size == sizeof(struct cpu_sample_record);

	if (size != sizeof(struct event) && size != sizeof(struct event_ext) && !values && !sample)
		return -EBADMSG;
	if (values)
		memcpy(&ev, data, sizeof(struct event));
	else
		memcpy(&ev, data, size < sizeof(ev) ? size : sizeof(ev));
	int err = s->all->add(s->all->ctx, s->number, &ev, values || sample ? data : NULL, size);
	if (err)
		return err;
	return ++s->batch >= BATCH ? -EAGAIN : 0;
}

/* One ring, as bpf_rings_drain. */
static int drain(struct source *s)
{
	unsigned long until = ring__producer_pos(s->ring);

	for (int tries = 0;;) {
		s->batch = 0;
		int n = ring__consume(s->ring);

		if (n < 0 && n != -EAGAIN)
			return n;
		if (ring__consumer_pos(s->ring) >= until)
			return 0;
		if (n == 0 && ++tries > BUSY_TRIES)
			return 1;
		if (n == 0)
			sched_yield();
	}
}

int bpf_rings_drain(struct bpf_rings *r)
{
	int held = 0;

	for (unsigned i = 0; i < r->n; i++) {
		int err = drain(&r->sources[i]);

		if (err < 0)
			return err;
		held |= err;
	}
	return held;
}

static int open_all(struct bpf_rings *r)
{
	for (unsigned cpu = 0; cpu < r->probes->n_cpus; cpu++) {
		int fd = r->probes->rings.fds[cpu];
		struct source *s = &r->sources[r->n];

		if (fd < 0)
			continue;
		*s = (struct source){ .all = r, .number = r->n };
		if (!r->rb)
			r->rb = ring_buffer__new(fd, on_record, s, NULL);
		else if (ring_buffer__add(r->rb, fd, on_record, s))
			return -errno;
		if (!r->rb)
			return -errno;
		s->ring = ring_buffer__ring(r->rb, r->n++);
	}
	return r->n ? 0 : -ENODEV;
}

struct bpf_rings *bpf_rings_new(const struct probes *probes, bpf_rings_add_fn add, void *ctx)
{
	struct bpf_rings *r = calloc(1, sizeof(*r) + probes->n_cpus * sizeof(r->sources[0]));

	if (!r)
		return NULL;
	r->probes = probes;
	r->add = add;
	r->ctx = ctx;
	int err = open_all(r);
	if (!err)
		return r;
	bpf_rings_free(r);
	errno = -err;
	return NULL;
}

unsigned bpf_rings_count(const struct bpf_rings *r)
{
	return r->n;
}

bool bpf_rings_filling(const struct bpf_rings *r)
{
	for (unsigned i = 0; i < r->n; i++)
		if (ring__avail_data_size(r->sources[i].ring) > r->probes->rings.ring_bytes / 8)
			return true;
	return false;
}

void bpf_rings_free(struct bpf_rings *r)
{
	if (!r)
		return;
	ring_buffer__free(r->rb);
	free(r);
}
