/* SPDX-License-Identifier: BSD-2-Clause */
/* What both halves of the Perfetto export share: packets (perfetto_packets.c), and what is in them
 * (perfetto.c). */
#ifndef GOTRACE_PERFETTO_H
#define GOTRACE_PERFETTO_H

#include <stdio.h>
#include <uthash.h>

#include "analysis/trace_load.h"
#include "analysis/tracks.h"
#include "export/protoout.h"
#include "perfetto.pb-c.h"

/* TrackEvent.type */
enum { SLICE_BEGIN = 1, SLICE_END, INSTANT, COUNTER };

/* A name that stands for an iid: of a function by index, then those of go statements. */
struct go_name {
	uint64_t start_pc, iid;
	UT_hash_handle hh;
};

struct perfetto {
	const struct loaded_trace *trace;
	FILE *out;
	struct protoout packed;
	struct tracks tracks;
	bool *named; /* functions whose name was written */
	struct go_name *go_names;
	uint64_t n_go_names, n_flows, lost;
	uint64_t last_ns; /* of the delta clock */
	uint32_t image;   /* whose group of tracks was described last; the first has none */
	bool begun;       /* the first packet is written */
	bool hold;        /* prologues may be stopped after the entry (--probe=thesis) */
	struct trace_watch watch;
};

/* What stands before all: clocks, the process, the counter of losses; the first time only. ts_ns:
 * of the first event. */
void perfetto_begin(struct perfetto *p, uint64_t ts_ns);
/* How many events were lost up to ts_ns. */
void perfetto_lost(struct perfetto *p, uint64_t ts_ns);
/* An event on the track; name NULL: iid's was written before, or the event has none (iid 0). */
void perfetto_event(struct perfetto *p, struct track *t, Perfetto__TrackEvent *event,
		    uint64_t ts_ns, uint64_t iid, const char *name);

#endif
