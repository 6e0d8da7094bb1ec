/* SPDX-License-Identifier: BSD-2-Clause */
/* What both halves of the Perfetto export share: packets (perfetto_packets.c), and what is in them
 * (perfetto.c). */
#ifndef GOTRACE_PERFETTO_H
#define GOTRACE_PERFETTO_H

#include <stdio.h>

#include "analysis/trace_load.h"
#include "export/perfetto/tracks.h"
#include "base/hash_index.h"
#include "export/export.h"
#include "export/protoout.h"
#include "perfetto.pb-c.h"

/* TrackEvent.type */
enum { SLICE_BEGIN = 1, SLICE_END, INSTANT, COUNTER };

/* A name of states. Names of go statements have the pc of their function as key; no function is
 * here. */
#define STATE_KEY(state, reason) (~(uint64_t)0 - ((uint64_t)(state) << 16 | (reason)))

struct perfetto {
	const struct loaded_trace *trace;
	FILE *out;
	struct protoout packed;
	struct tracks tracks;
	bool *named; /* functions whose name was written */
	/* names have iids: functions by index, then go statements and states, by key in order */
	uint64_t *keys;
	size_t n_keys, cap_keys;
	struct hash_index key_index;
	uint64_t n_flows, lost;
	/* goroutines that are in a call; what was not written yet is from held_ns, 0: all was */
	uint64_t in_calls, in_calls_ns, held_ns;
	uint64_t last_ns; /* of the delta clock */
	uint32_t image;   /* image whose tracks were grouped last; the first has no group
			   */
	bool begun;       /* the first packet is written */
	bool hold;        /* prologues may be stopped after the entry (--probe=thesis) */
	struct trace_watch watch;
	Perfetto__PerfSampleDefaults *samples; /* of a trace of samples, else NULL */
};

/* Writes what comes first: clocks, the process, the counter of losses. Later calls do nothing.
 * ts_ns: of the first event. */
void perfetto_begin(struct perfetto *p, uint64_t ts_ns);
/* How many events were lost up to ts_ns. */
void perfetto_lost(struct perfetto *p, uint64_t ts_ns);
/* A goroutine entered its outermost call at ts_ns (1), or left it (-1). */
void perfetto_in_call(struct perfetto *p, uint64_t ts_ns, int change);
/* Writes what was held back of that. */
void perfetto_in_calls_end(struct perfetto *p);
/* An event on the track; name NULL: iid's was written before, or the event has none (iid 0). */
void perfetto_event(struct perfetto *p, struct track *t, Perfetto__TrackEvent *event,
		    uint64_t ts_ns, uint64_t iid, const char *name);

/* The same on the track of its states, below that of the goroutine. */
void perfetto_state_event(struct perfetto *p, struct track *t, Perfetto__TrackEvent *event,
			  uint64_t ts_ns, uint64_t iid, const char *name);
/* A sample; data: names and stacks that are met first in it, NULL for none. */
void perfetto_sample(struct perfetto *p, Perfetto__PerfSample *sample, uint64_t ts_ns,
		     Perfetto__InternedData *data);
/* perfetto_samples.c: the whole trace r, of samples. 0 or -errno (logged). */
int perfetto_samples(struct trace_reader *r, const struct export_options *opt, FILE *out);
/* perfetto_states.c: a span as a slice there, and an arrow from who made the goroutine runnable. */
void perfetto_state(struct perfetto *p, const struct state_span *s);
/* The iid of the name with that key; *fresh: it is new. 0: no memory, p->watch.err is set. */
uint64_t perfetto_name(struct perfetto *p, uint64_t key, bool *fresh);

#endif
