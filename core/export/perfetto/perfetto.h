/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by both halves of the Perfetto export, packets (perfetto_packets.c) and their contents
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

/* The key of a state's name. The key of a go statement's name is the pc of its function, which is
 * never so large. */
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
	/* Goroutines that are in a call. The counter is not written since held_ns; 0: all of it is
	 * written. */
	uint64_t in_calls, in_calls_ns, held_ns;
	uint64_t last_ns; /* last time of the delta clock */
	uint32_t image; /* the last image whose tracks were grouped; the first image has no group */
	bool begun;     /* the first packet is written */
	bool hold;      /* prologues may be stopped after the entry (--probe=thesis) */
	struct trace_watch watch;
	/* only for a trace of samples, otherwise NULL */
	Perfetto__PerfSampleDefaults *samples;
};

/* Writes the first packets: clocks, the process, the counter of losses. Later calls do nothing.
 * ts_ns: time of the first event. */
void perfetto_begin(struct perfetto *p, uint64_t ts_ns);
/* Writes the number of events lost up to ts_ns. */
void perfetto_lost(struct perfetto *p, uint64_t ts_ns);
/* Counts that a goroutine entered its outermost call at ts_ns (1), or left it (-1). */
void perfetto_in_call(struct perfetto *p, uint64_t ts_ns, int change);
/* Writes the part of that counter that was held back. */
void perfetto_in_calls_end(struct perfetto *p);
/* Writes an event on the track. name is NULL when that of iid was written before, or the event has
 * none (iid 0). */
void perfetto_event(struct perfetto *p, struct track *t, Perfetto__TrackEvent *event,
		    uint64_t ts_ns, uint64_t iid, const char *name);

/* Writes an event on the track of the goroutine's states, below the goroutine's own. */
void perfetto_state_event(struct perfetto *p, struct track *t, Perfetto__TrackEvent *event,
			  uint64_t ts_ns, uint64_t iid, const char *name);
/* Writes a sample. data: names and stacks that come first in it; may be NULL. */
void perfetto_sample(struct perfetto *p, Perfetto__PerfSample *sample, uint64_t ts_ns,
		     Perfetto__InternedData *data);
/* perfetto_samples.c: writes the whole trace r of samples. 0 or -errno (logged). */
int perfetto_samples(struct trace_reader *r, const struct export_options *opt, FILE *out);
/* perfetto_states.c: writes a span as a slice on the track of states, and an arrow from the
 * goroutine that made this one runnable. */
void perfetto_state(struct perfetto *p, const struct state_span *s);
/* Returns the iid of the name with that key. *fresh: it is new. 0 without memory; then p->watch.err
 * is set. */
uint64_t perfetto_name(struct perfetto *p, uint64_t key, bool *fresh);

#endif
