/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Collects events from the ring buffers of all CPUs into one stream in time order. A thread
 * reads the clock (T, the watermark), then every ring up to the position that its producers had
 * reached after T. Now all events stamped before T are there: they are merged and written. Losses
 * enter the stream the same way.
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
	struct probes *probes;       /* borrowed, as all here */
	const struct gobin *binary;  /* names the functions and lines of go statements */
	struct trace_sink sink;      /* of events, in time order */
	struct trace_writer *writer; /* where they end up, and names of program counters */
	const struct plan *plan;     /* which calls that fault have not passed their entry probe */
	const bool *in_stub;         /* by site: it is recorded by its stub; for such calls */
	const uint8_t *cost_class;   /* by site: enum cost_class; events are counted by it */
	uint64_t max_bytes;          /* of the trace file; 0: no limit */
	bool expect_goid_1;          /* the first image's runtime.main must run as goid 1 */
	/* Rings of inline stubs, mapped until collector_free; n_rings 0: none */
	const struct ring_memory *rings;
	unsigned n_rings;
	struct ring_area *ring_area;        /* they, to grow; NULL without */
	const struct ring_site *ring_sites; /* by site: what its inline stub writes */
	struct site_events *site_events;    /* by site: counted up, read at any time */
	struct releases *releases;          /* functions may be released; NULL: they may not */
	bool count_each; /* events of inline stubs are counted each, not by chance */
	/* of the traced process, whose rings name threads by its own numbers; 0: they are ours */
	int pid;
	struct cpu_samples *samples; /* of the processor time */
};

/* Counts for progress and the end record; read at any time. */
struct collector_stats {
	uint64_t events, lost_events, lost_records, images, bytes;
	uint64_t ring_events; /* of them, by inline stubs; not among collector_class_events */
	/* of the writer or the rings, -errno; collecting has ended */
	int error;
	bool full; /* max_bytes was reached */
	/* runtime.main did not run as goid 1, or a g was not its m's curg */
	bool layout_wrong;
};

/* NULL and errno after logging. */
struct collector *collector_new(const struct collector_options *opt);
/* Starts the thread. 0 or -errno. `wake_fd` (an eventfd) is written when `error` or `full` gets
 * set. */
int collector_start(struct collector *c, int wake_fd);
struct collector_stats collector_stats(const struct collector *c);
/* Writes everything that is in the rings and ends the thread. What probes that still run add
 * meanwhile is left out. 0 or the error of stats. */
int collector_stop(struct collector *c);
/* Number of events written of sites of one enum cost_class. After collector_stop. */
uint64_t collector_class_events(const struct collector *c, unsigned cost_class);
/* What was found in the rings of inline stubs; all 0 without. After collector_stop. */
struct rings_stats collector_ring_stats(const struct collector *c);
/* How far the clocks differed from the prediction: root mean square and maximum, ns, and how often
 * they jumped. 0 without rings. After collector_stop. */
struct collector_clock {
	double residual_ns;
	uint64_t worst_ns, jumps;
} collector_clock(const struct collector *c);
/* Those of inline stubs, for what may be done to them from any thread: rings_shut, before probes
 * are taken down, rings_pause and rings_resume. NULL without. */
struct rings *collector_rings(const struct collector *c);
void collector_free(struct collector *c);

#endif
