// SPDX-License-Identifier: BSD-2-Clause
#include "attach/collect/collect.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "attach/kernel/costs.h"
#include "attach/collect/losses.h"
#include "attach/collect/merge.h"
#include "attach/collect/pc_names.h"
#include "base/clock.h"
#include "base/log.h"

/* Between two rounds. The default rings hold 200,000 events, a busy CPU makes some 2,000 a
 * millisecond. */
#define PAUSE_NS (2 * 1000 * 1000)
/* What a round takes out of one ring before it turns to the next. */
#define BATCH 65536
/* How often a ring whose next record is still being written is looked at again in one round. */
#define BUSY_TRIES 100

struct source {
	struct collector *c;
	struct ring *ring;
	unsigned queue;
	unsigned batch; /* taken in this call */
};

struct collector {
	struct collector_options opt;
	struct ring_buffer *rb;
	struct source *sources; /* one a ring */
	unsigned n_sources;
	struct merge merge; /* a queue a ring, the last one for losses */
	struct pc_names *pc_names;
	uint64_t last_watermark_ns, last_flush_ns, flushed_events;
	struct losses *losses;

	pthread_t thread;
	bool running;
	int wake_fd;
	atomic_bool stop;
	uint64_t class_events[COST_CLASSES];
	_Atomic uint64_t events, lost_events, lost_records, images, bytes;
	atomic_int error;
	atomic_bool full, layout_wrong;
};

/* ---- one ring */

static int on_record(void *ctx, void *data, size_t size)
{
	struct source *s = ctx;
	struct event_ext ev = { 0 };

	if (size != sizeof(struct event) && size != sizeof(struct event_ext))
		return -EBADMSG;
	memcpy(&ev, data, size);
	int err = merge_add(&s->c->merge, s->queue, &ev);
	if (err)
		return err;
	return ++s->batch >= BATCH ? -EAGAIN : 0;
}

/* Empties a ring up to the position its producers have reached now. 1 when a
 * record before that position is still being written, else 0 or -errno. */
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

/* ---- the stream */

/* What an event takes in the file at the most, and the end record. */
#define EVENT_BYTES_MAX 16
#define END_BYTES       4096

static int flush(struct collector *c)
{
	c->flushed_events = c->events;
	return trace_writer_flush(c->opt.writer);
}

/* Keeps the file below its limit: no more may wait for a block than would
 * still fit. Sets `full` when there is no room for a block worth writing. */
static int mind_the_limit(struct collector *c)
{
	uint64_t waiting_bytes = (c->events - c->flushed_events) * EVENT_BYTES_MAX;
	int err;

	if (trace_writer_bytes(c->opt.writer) + waiting_bytes + END_BYTES < c->opt.max_bytes)
		return 0;
	err = flush(c);
	c->full = trace_writer_bytes(c->opt.writer) + 2 * END_BYTES >= c->opt.max_bytes;
	return err;
}

/* The entry that the probe of the function which faulted would have told later on. false: it has
 * told it. */
static bool entry_of_fault(const struct collector *c, const struct event_ext *fault,
			   struct event_ext *entry)
{
	uint32_t site = plan_missed_entry(c->opt.plan, fault->arg[0]);

	if (site == PLAN_NO_SITE)
		return false;
	*entry = (struct event_ext){ .h = fault->h };
	entry->h.site = site;
	entry->h.kind = EV_ENTRY;
	return true;
}

static int write_event(void *ctx, const struct event_ext *ev)
{
	struct collector *c = ctx;
	struct event_ext entry;
	int err;

	if (c->full)
		return 0; /* the trace has ended, the main thread only does not know yet */
	if (ev->h.kind == EV_WIRE_FAULT) {
		if (!entry_of_fault(c, ev, &entry))
			return 0;
		ev = &entry;
	}
	if (ev->h.kind == EV_IMAGE) {
		c->images++;
		if (c->opt.expect_goid_1 && c->images == 1 && ev->h.goid != 1)
			c->layout_wrong = true;
	}
	if (ev->h.kind == EV_CREATE && (err = pc_names_event(c->pc_names, ev)))
		return err;
	err = trace_writer_event(c->opt.writer, ev);
	if (err)
		return err;
	c->events++;
	if (ev->h.site < c->opt.plan->n_sites)
		c->class_events[c->opt.cost_class[ev->h.site]]++;
	return c->opt.max_bytes ? mind_the_limit(c) : 0;
}

static int add_loss(void *ctx, const struct event_ext *loss)
{
	struct collector *c = ctx;

	c->lost_events += loss->arg[1];
	c->lost_records++;
	return merge_add(&c->merge, c->n_sources, loss);
}

/* A producer's position may still be on its way to the other CPUs when it reads the clock. */
#define STORE_DELAY_NS 20000

/* One round. `last`: take everything, whatever its time. */
static int collect_once(struct collector *c, bool last)
{
	uint64_t watermark_ns = clock_monotonic_ns() - STORE_DELAY_NS;
	int held = 0, err;

	atomic_thread_fence(memory_order_seq_cst); /* positions are sampled after the clock */
	for (unsigned i = 0; i < c->n_sources; i++) {
		err = drain(&c->sources[i]);
		if (err < 0)
			return err;
		held |= err;
	}
	err = losses_take(c->losses, c->last_watermark_ns, add_loss, c);
	if (err < 0)
		return err;
	held |= err;
	if (held && !last)
		return 0; /* the next round goes further */
	if (!held)
		c->last_watermark_ns = watermark_ns;
	err = merge_until(&c->merge, last ? UINT64_MAX : watermark_ns, write_event, c);
	/* A killed tracer must leave what is older than half a second. */
	if (!err && watermark_ns - c->last_flush_ns > 500 * 1000 * 1000) {
		c->last_flush_ns = watermark_ns;
		err = flush(c);
	}
	c->bytes = trace_writer_bytes(c->opt.writer);
	return err;
}

static bool any_ring_filling(const struct collector *c)
{
	for (unsigned i = 0; i < c->n_sources; i++)
		if (ring__avail_data_size(c->sources[i].ring) > c->opt.probes->ring_bytes / 8)
			return true;
	return false;
}

static void *collect_thread(void *arg)
{
	struct collector *c = arg;
	bool told = false;

	while (!c->stop) {
		int err = collect_once(c, false);

		if (err)
			c->error = err;
		if ((err || c->full) && !told) {
			uint64_t one = 1;

			told = true;
			if (write(c->wake_fd, &one, sizeof(one)) != sizeof(one))
				log_debug("wake-up failed: %s", strerror(errno));
		}
		if (err)
			break;
		if (!any_ring_filling(c))
			nanosleep(&(struct timespec){ .tv_nsec = PAUSE_NS }, NULL);
	}
	return NULL;
}

/* ---- life */

static int open_rings(struct collector *c)
{
	struct probes *p = c->opt.probes;

	for (unsigned cpu = 0; cpu < p->n_cpus; cpu++) {
		if (p->ring_fds[cpu] < 0)
			continue;
		struct source *s = &c->sources[c->n_sources];

		*s = (struct source){ .c = c, .queue = c->n_sources };
		if (!c->rb)
			c->rb = ring_buffer__new(p->ring_fds[cpu], on_record, s, NULL);
		else if (ring_buffer__add(c->rb, p->ring_fds[cpu], on_record, s))
			return -errno;
		if (!c->rb)
			return -errno;
		s->ring = ring_buffer__ring(c->rb, c->n_sources++);
	}
	return c->n_sources ? 0 : -ENODEV;
}

struct collector *collector_new(const struct collector_options *opt)
{
	struct collector *c = calloc(1, sizeof(*c));
	int err = -ENOMEM;

	if (!c)
		return NULL;
	c->opt = *opt;
	c->wake_fd = -1;
	c->sources = calloc(opt->probes->n_cpus, sizeof(*c->sources));
	c->losses = losses_new(opt->probes);
	c->pc_names = pc_names_new(opt->binary, opt->writer);
	if (c->sources && c->losses && c->pc_names)
		err = open_rings(c);
	if (!err)
		err = merge_init(&c->merge, c->n_sources + 1);
	if (err) {
		log_error("the ring buffers cannot be opened: %s", strerror(-err));
		collector_free(c);
		errno = -err;
		return NULL;
	}
	return c;
}

int collector_start(struct collector *c, int wake_fd)
{
	sigset_t all, old;

	c->wake_fd = wake_fd;
	sigfillset(&all); /* signals are the main thread's */
	pthread_sigmask(SIG_SETMASK, &all, &old);
	int err = -pthread_create(&c->thread, NULL, collect_thread, c);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	c->running = !err;
	return err;
}

struct collector_stats collector_stats(const struct collector *c)
{
	return (struct collector_stats){
		.events = c->events,
		.lost_events = c->lost_events,
		.lost_records = c->lost_records,
		.images = c->images,
		.bytes = c->bytes,
		.error = c->error,
		.full = c->full,
		.layout_wrong = c->layout_wrong || probes_counters(c->opt.probes).layout_wrong,
	};
}

/* A program may still be at work on another CPU: it is waited for, not for ever. */
static int collect_rest(struct collector *c)
{
	int err = 0;

	for (int tries = 0; tries < 50 && !err; tries++) {
		uint64_t before = c->last_watermark_ns;

		err = collect_once(c, false);
		if (c->last_watermark_ns != before)
			break; /* nothing was held back */
		nanosleep(&(struct timespec){ .tv_nsec = PAUSE_NS }, NULL);
	}
	return err ? err : collect_once(c, true);
}

int collector_stop(struct collector *c)
{
	if (c->running) {
		c->stop = true;
		pthread_join(c->thread, NULL);
		c->running = false;
		if (!c->error)
			c->error = collect_rest(c);
	}
	return c->error;
}

uint64_t collector_class_events(const struct collector *c, unsigned cost_class)
{
	return c->class_events[cost_class];
}

void collector_free(struct collector *c)
{
	if (!c)
		return;
	if (c->running)
		collector_stop(c);
	ring_buffer__free(c->rb);
	merge_free(&c->merge);
	pc_names_free(c->pc_names);
	free(c->sources);
	losses_free(c->losses);
	free(c);
}
