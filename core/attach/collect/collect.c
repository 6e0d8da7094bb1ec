// SPDX-License-Identifier: BSD-2-Clause
#include "attach/collect/collect.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "attach/collect/bpf_rings.h"
#include "attach/kernel/costs.h"
#include "attach/collect/faults.h"
#include "attach/collect/how_counted.h"
#include "attach/collect/ring_losses.h"
#include "attach/collect/ring_merge.h"
#include "attach/collect/pc_names.h"
#include "attach/collect/ring_source.h"
#include "attach/collect/thread_ids.h"
#include "attach/collect/urgent_threads.h"
#include "attach/collect/value_records.h"
#include "base/clock.h"
#include "base/log.h"

/* Between two rounds. The default rings hold 200,000 events, a busy CPU makes some 2,000 a
 * millisecond; inline stubs ten times as many, into rings for two million. */
#define PAUSE_NS (2 * 1000 * 1000)

struct collector {
	struct collector_options opt;
	struct bpf_rings *bpf;
	unsigned n_bpf;     /* rings of them */
	struct merge merge; /* a queue a ring, the last one for losses */
	struct pc_names *pc_names;
	uint64_t last_watermark_ns, last_flush_ns;
	struct losses *losses;
	struct value_records *values; /* NULL: no event has some */
	/* inline stubs' rings, NULL without */
	struct ring_source *inline_source;
	struct rings *rings;
	struct thread_ids *thread_ids;

	pthread_t thread;
	bool running;
	int wake_fd;
	atomic_bool stop;
	uint64_t class_events[COST_CLASSES];
	uint64_t random;
	_Atomic uint64_t events, lost_events, lost_records, images, bytes, ring_events;
	atomic_int error;
	atomic_bool full, layout_wrong;
};

/* ---- the stream */

/* Room for the end record and its keys. */
#define END_BYTES 4096

/* Keeps the file below its limit: flushes when no more events than those waiting are sure to fit.
 * Sets `full` when there is no room for a block worth writing. */
static int keep_below_limit(struct collector *c)
{
	struct trace_writer *w = c->opt.writer;
	int err;

	if (trace_writer_bytes_max(w) + END_BYTES < c->opt.max_bytes)
		return 0;
	err = trace_writer_flush(w);
	c->full = trace_writer_bytes(w) + 2 * END_BYTES >= c->opt.max_bytes;
	return err;
}

/* To whoever decides what gets into the file. */
static int hand_out(struct collector *c, const struct event_ext *ev)
{
	int err = c->opt.sink.event(c->opt.sink.ctx, ev);

	if (err)
		return err;
	c->events += ev->h.kind != EV_SAMPLE;
	return c->opt.max_bytes ? keep_below_limit(c) : 0;
}

static int write_plain(struct collector *c, const struct event_ext *ev)
{
	struct event_ext entry;
	int err = 0;

	if (c->full)
		return 0; /* the trace has ended, but the main thread has not noticed yet */
	if (ev->h.kind == EV_SAMPLE)
		return cpu_samples_resolve(c->opt.samples, &entry, ev) ? hand_out(c, &entry) : 0;
	if (ev->h.kind == EV_WIRE_FAULT) {
		if (!fault_entry(c->opt.plan, c->opt.in_stub, ev, &entry))
			return 0;
		ev = &entry;
	}
	int drop = c->opt.releases ? releases_drop(c->opt.releases, &ev->h) : 0;

	if (drop)
		return drop < 0 ? drop : 0;
	if (ev->h.kind == EV_IMAGE) {
		c->images++;
		if (c->opt.expect_goid_1 && c->images == 1 && ev->h.goid != 1)
			c->layout_wrong = true;
	}
	if (ev->h.kind == EV_CREATE && (err = pc_names_event(c->pc_names, ev)))
		return err;
	struct event_ext known = *ev;

	known.h.flags &= (uint16_t) ~(EVF_WIRE_SECOND | EVF_WIRE_VALUES);
	c->ring_events += how_counted(&c->opt, c->class_events, &c->random, &known.h,
				      value_records_of(ev));
	if (value_records_of(ev))
		err = c->opt.sink.values(c->opt.sink.ctx, value_records_of(ev));
	return err ? err : hand_out(c, &known);
}

static int write_event(void *ctx, const struct event_ext *ev)
{
	int err = write_plain(ctx, ev);

	free(value_records_of(ev));
	return err;
}

/* Events of inline stubs: plenty, and of kinds that need none of the above. */
static int write_sifted(void *ctx, const struct event *ev, size_t n)
{
	struct collector *c = ctx;
	int err = c->opt.sink.many(c->opt.sink.ctx, ev, n);
	if (err)
		return err;
	c->events += n;
	c->ring_events += n;
	/* For a release it matters which they are. */
	load_watch_count_inlined(c->opt.site_events, ev, n, c->opt.count_each ? NULL : &c->random);
	return c->opt.max_bytes ? keep_below_limit(c) : 0;
}

static int write_ring_events(void *ctx, const struct event *ev, size_t n)
{
	struct collector *c = ctx;

	if (c->full || !n)
		return 0;
	return c->opt.releases ? releases_sift(c->opt.releases, ev, n, write_sifted, c)
			       : write_sifted(c, ev, n);
}

static int write_late(void *ctx, const struct event_ext *loss)
{
	struct collector *c = ctx;

	c->lost_records++;
	return write_event(c, loss);
}

/* Writes what all sources have from before until_ns, in time order. */
static int write_until(struct collector *c, uint64_t until_ns)
{
	int err = 0;

	if (!c->rings)
		return merge_until(&c->merge, until_ns, write_event, c);
	while (!err) {
		uint64_t first_ns = merge_first_ns(&c->merge), ring_ns = rings_first_ns(c->rings);

		if (first_ns >= until_ns && ring_ns >= until_ns)
			break;
		if (ring_ns < first_ns)
			err = rings_until(c->rings, first_ns < until_ns ? first_ns : until_ns);
		else
			err = merge_until(&c->merge, ring_ns < until_ns ? ring_ns + 1 : until_ns,
					  write_event, c);
	}
	/* Rings without events learn as well what is written: those that come late are told. */
	return err ? err : rings_until(c->rings, until_ns);
}

static int add_loss(void *ctx, const struct event_ext *loss)
{
	struct collector *c = ctx;

	c->lost_events += loss->arg[1];
	c->lost_records++;
	return merge_add(&c->merge, c->n_bpf, loss);
}

/* A producer's position may still be on its way to the other CPUs when it reads the clock. */
#define STORE_DELAY_NS 20000

/* One round. `last`: take everything, whatever its time. */
static int collect_once(struct collector *c, bool last)
{
	uint64_t watermark_ns = clock_monotonic_ns() - STORE_DELAY_NS, complete_ns;
	int held, err;

	atomic_thread_fence(memory_order_seq_cst); /* positions are sampled after the clock */
	if (c->rings) {
		ring_area_grow(c->opt.ring_area);
		err = ring_source_poll(c->inline_source, &complete_ns, add_loss, c);
		if (err)
			return err;
		if (complete_ns < watermark_ns)
			watermark_ns = complete_ns;
	}
	held = bpf_rings_drain(c->bpf);
	if (held < 0)
		return held;
	err = losses_take(c->losses, c->last_watermark_ns, add_loss, c);
	if (err < 0)
		return err;
	held |= err;
	if (held && !last)
		return 0; /* the next round goes further */
	if (!held)
		c->last_watermark_ns = watermark_ns;
	err = write_until(c, last ? UINT64_MAX : watermark_ns);
	if (c->rings)
		rings_release(c->rings);
	if (!err && !held && c->opt.releases)
		err = releases_write(c->opt.releases, watermark_ns, write_event, c);
	if (!err && !held && c->opt.sink.round)
		err = c->opt.sink.round(c->opt.sink.ctx, watermark_ns);
	/* If gotrace is killed, at most the last half second is missing. */
	if (!err && watermark_ns - c->last_flush_ns > 500 * 1000 * 1000) {
		c->last_flush_ns = watermark_ns;
		err = trace_writer_flush(c->opt.writer);
	}
	c->bytes = trace_writer_bytes(c->opt.writer);
	return err;
}

static bool any_ring_filling(const struct collector *c)
{
	return bpf_rings_filling(c->bpf) || (c->rings && rings_filling(c->rings));
}

static void *collect_thread(void *arg)
{
	struct collector *c = arg;
	bool woken = false, filling = false;

	while (!c->stop) {
		const uint64_t before = c->events, one = 1;

		if (c->rings)
			trace_writer_hurry(c->opt.writer, filling);
		int err = collect_once(c, false);
		if (err)
			c->error = err;
		if ((err || c->full) && !woken) {
			woken = true;
			if (write(c->wake_fd, &one, sizeof(one)) != sizeof(one))
				log_debug("wake-up failed: %s", strerror(errno));
		}
		if (err)
			break;
		filling = any_ring_filling(c);
		/* One that fills and of which nothing could be taken is waited for. */
		if (!filling || c->events == before)
			nanosleep(&(struct timespec){ .tv_nsec = PAUSE_NS }, NULL);
	}
	return NULL;
}

/* ---- life */

static int add_event(void *ctx, unsigned ring, const struct event_ext *ev, const void *record,
		     size_t size)
{
	struct collector *c = ctx;
	struct event_ext with = *ev;
	int err = 0;

	if (ev->h.kind == EV_SAMPLE)
		cpu_samples_walk(c->opt.samples, &with, record);
	else if (record)
		err = value_records_put(c->values, record, size, &with);

	if (!err && (err = merge_add(&c->merge, ring, &with)))
		free(value_records_of(&with));
	return err;
}

static int open_inline(struct collector *c)
{
	struct rings_options opt = {
		.memory = c->opt.rings,
		.n_rings = c->opt.n_rings,
		.sites = c->opt.ring_sites,
		.n_sites = (uint32_t)c->opt.plan->n_sites,
		.text_vaddr = plan_text_vaddr(c->opt.plan),
		.sink = { .events = write_ring_events,
			  .event_with_args = write_event,
			  .late = write_late,
			  .ctx = c },
	};

	if (!c->opt.n_rings)
		return 0;
	if (c->opt.pid) {
		c->thread_ids = thread_ids_new(c->opt.pid);
		if (!c->thread_ids)
			return -errno;
		opt.tid_of = thread_ids_find;
		opt.tid_ctx = c->thread_ids;
	}
	c->inline_source = ring_source_new(&opt);
	if (!c->inline_source)
		return -errno;
	c->rings = ring_source_rings(c->inline_source);
	return 0;
}

struct collector *collector_new(const struct collector_options *opt)
{
	struct collector *c = calloc(1, sizeof(*c));
	int err = -ENOMEM;

	if (!c)
		return NULL;
	c->opt = *opt;
	c->wake_fd = -1;
	c->bpf = bpf_rings_new(opt->probes, add_event, c);
	if (!c->bpf)
		err = -errno;
	c->losses = losses_new(opt->probes);
	c->pc_names = pc_names_new(opt->binary, opt->writer);
	if (opt->plan->values.n)
		c->values = value_records_new(opt->plan, opt->probes->state);
	if (c->bpf && c->losses && c->pc_names && (c->values || !opt->plan->values.n)) {
		c->n_bpf = bpf_rings_count(c->bpf);
		err = merge_init(&c->merge, c->n_bpf + 1);
	}
	if (!err)
		err = open_inline(c);
	if (err) {
		log_error("the ring buffers cannot be opened: %s", strerror(-err));
		collector_free(c);
		errno = -err;
		return NULL;
	}
	return c;
}

static int start_threads(void *ctx)
{
	struct collector *c = ctx;
	/* On one CPU nobody could pack blocks while events are read. */
	int err = urgent_threads_alone() ? 0 : trace_writer_start_thread(c->opt.writer);

	return err ? err : -pthread_create(&c->thread, NULL, collect_thread, c);
}

int collector_start(struct collector *c, int wake_fd)
{
	c->wake_fd = wake_fd;
	int err = urgent_threads(start_threads, c);

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
		.ring_events = c->ring_events,
		.error = c->error,
		.full = c->full,
		.layout_wrong = c->layout_wrong || probes_counters(c->opt.probes).layout_wrong,
	};
}

/* Waits, but not for ever, for BPF programs that are still running on other CPUs. */
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

struct rings_stats collector_ring_stats(const struct collector *c)
{
	return c->rings ? rings_stats(c->rings) : (struct rings_stats){ 0 };
}

struct collector_clock collector_clock(const struct collector *c)
{
	const struct tsc_clock *clock = c->rings ? ring_source_clock(c->inline_source) : NULL;

	if (!clock)
		return (struct collector_clock){ 0 };
	return (struct collector_clock){ .residual_ns = tsc_clock_residual_ns(clock),
					 .worst_ns = clock->worst_residual_ns,
					 .jumps = clock->jumps };
}

struct rings *collector_rings(const struct collector *c)
{
	return c->rings;
}

void collector_free(struct collector *c)
{
	if (!c)
		return;
	if (c->running)
		collector_stop(c);
	bpf_rings_free(c->bpf);
	value_records_free(c->values, &c->merge);
	merge_free(&c->merge);
	pc_names_free(c->pc_names);
	ring_source_free(c->inline_source);
	thread_ids_free(c->thread_ids);
	losses_free(c->losses);
	free(c);
}
