/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts events by site during a recording. probe_load.h makes sentences of the counts. */
#ifndef GOTRACE_LOAD_WATCH_H
#define GOTRACE_LOAD_WATCH_H

#include <stddef.h>
#include <stdint.h>

#include "attach/cpu_samples.h"
#include "attach/kernel/caps.h"
#include "attach/probe_load.h"
#include "attach/probing.h"
#include "bpf/event.h"

struct load_watch {
	const struct probing *probing; /* borrowed, as caps */
	const struct caps *caps;
	struct site_events *events; /* by site; one thread counts, another one reads */
	uint64_t inline_ns;         /* cost of an inline stub's event, or 0 if not measured */
	uint64_t looked_ns;         /* when load_watch_look last looked */
	bool *named;                /* by function: a warning has named it */
	bool said_all;              /* a warning has given the share of all probes */
};

/* Measures the cost of an event of an inline stub if there are such stubs. The caller must call
 * load_watch_close in every case. Returns 0 or -ENOMEM. */
int load_watch_open(struct load_watch *w, const struct probing *p, const struct caps *caps);
void load_watch_close(struct load_watch *w);

static inline void load_watch_count(uint64_t *counter, uint64_t n)
{
	__atomic_store_n(counter, *counter + n, __ATOMIC_RELAXED);
}

/* Counts events of inline stubs. With `random`, the state of a generator, one random event stands
 * for all. Counting each event would cost as much as decoding it. */
void load_watch_count_inlined(struct site_events *by_site, const struct event *ev, size_t n,
			      uint64_t *random);

/* Computes the load by the counts. The caller must free *l in every case. Returns 0 or -ENOMEM. */
int load_watch_find(const struct load_watch *w, struct probe_load *l);

/* Writes the time of traps so far to func_ns, by function of the plan. Traps are hits in the text
 * and in stubs that write no events. Hits of inline stubs are left out: such a stub traps only when
 * its ring is full. Returns false if there is no site that traps. */
bool load_watch_traps(const struct load_watch *w, uint64_t *func_ns);

/* Returns a sentence on a function that is expensive to trace (probe_load_heavy), once for each
 * function. NULL: there is none. It looks once a second, and only if cpu_ns is enough to judge.
 * cpu_ns is the program's processor time during the recording. */
const char *load_watch_look(struct load_watch *w, uint64_t now_ns, uint64_t cpu_ns,
			    char text[LOAD_TEXT_BYTES]);

#define LOAD_ALL 0.3
/* Returns a sentence on the share of all probes in the processor time, by samples. It does so once,
 * when the share is above LOAD_ALL. NULL: there is no sentence, or samples are too few. */
const char *load_watch_all(struct load_watch *w, const struct cpu_samples_seen *seen,
			   char text[LOAD_TEXT_BYTES]);

#endif
