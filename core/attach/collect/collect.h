/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Collects events from the ring buffers of all CPUs into one stream in time order. A thread reads
 * the clock (T, the watermark). Then it reads every ring up to the position that its producers had
 * reached after T. After that, all events with times before T are there, and the thread merges and
 * writes them. Losses enter the stream the same way.
 */
#ifndef GOTRACE_COLLECT_H
#define GOTRACE_COLLECT_H

#include <stdbool.h>
#include <stdint.h>

#include "attach/collect/release_events.h"
#include "attach/cpu_samples.h"
#include "attach/load_watch.h"
#include "attach/probes/probes.h"
#include "binary/gobin.h"
#include "attach/target/ring_area.h"
#include "rings/rings.h"
#include "trace/trace.h"

struct collector;

struct collector_options {
	struct probes *probes;       /* borrowed, like all here */
	const struct gobin *binary;  /* names the functions and lines of go statements */
	struct trace_sink sink;      /* sink for events, in time order */
	struct trace_writer *writer; /* gets the events, and names of program counters */
	const struct plan *plan;     /* for calls that fault before their entry probe */
	const bool *in_stub;         /* by site: its stub records it; for such calls */
	const uint8_t *cost_class;   /* by site: enum cost_class, by which events are counted */
	uint64_t max_bytes;          /* most bytes of the trace file; 0 is no limit */
	bool expect_goid_1;          /* the first image's runtime.main must run as goid 1 */
	/* Rings of inline stubs, mapped until collector_free; n_rings 0: none */
	const struct ring_memory *rings;
	unsigned n_rings;
	struct ring_area *ring_area;        /* the rings' area, to grow it; may be NULL */
	const struct ring_site *ring_sites; /* by site: the records of its inline stub */
	struct site_events *site_events;    /* counts by site, read at any time */
	struct releases *releases;          /* for releases of functions; may be NULL */
	/* Counts each event of inline stubs, instead of estimating by chance. */
	bool count_each;
	/* The pid of the traced process if its rings hold thread numbers of another pid namespace;
	 * otherwise 0. */
	int pid;
	struct cpu_samples *samples; /* samples of the processor time */
};

/* Counts for progress and the end record; read at any time. */
struct collector_stats {
	uint64_t events, lost_events, lost_records, images, bytes;
	/* Events of inline stubs. They are included in events, but not in collector_class_events.
	 */
	uint64_t ring_events;
	/* error of the writer or the rings, -errno; then collecting has ended */
	int error;
	bool full; /* max_bytes was reached */
	/* runtime.main did not run as goid 1, or a g was not its m's curg */
	bool layout_wrong;
};

/* Returns NULL and sets errno on error (logged). */
struct collector *collector_new(const struct collector_options *opt);
/* Starts the thread. Returns 0 or -errno. The thread writes to `wake_fd` (an eventfd) when it sets
 * `error` or `full`. */
int collector_start(struct collector *c, int wake_fd);
struct collector_stats collector_stats(const struct collector *c);
/* Writes everything in the rings and ends the thread. Events that probes add meanwhile are left
 * out. Returns 0 or `error` of the stats. */
int collector_stop(struct collector *c);
/* Returns the number of written events of sites of one enum cost_class. The caller calls it after
 * collector_stop. */
uint64_t collector_class_events(const struct collector *c, unsigned cost_class);
/* Returns statistics of the rings of inline stubs, or all 0 without such rings. The caller calls it
 * after collector_stop. */
struct rings_stats collector_ring_stats(const struct collector *c);
/* Differences between the clocks and their prediction: root mean square and maximum in ns, and the
 * number of jumps. All are 0 without rings. The caller calls it after collector_stop. */
struct collector_clock {
	double residual_ns;
	uint64_t worst_ns, jumps;
} collector_clock(const struct collector *c);
/* Returns the rings of inline stubs, or NULL. Any thread may use them to call rings_shut (before
 * probes are removed), rings_pause and rings_resume. */
struct rings *collector_rings(const struct collector *c);
void collector_free(struct collector *c);

#endif
