/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts events by site while recording, for what probe_load.h says of them. */
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
	uint64_t inline_ns;         /* of an event of an inline stub; 0: not measured, or none */
	uint64_t looked_ns;         /* when load_watch_look last looked */
	bool *named;                /* by function: a warning has named it */
	bool said_all;              /* a warning has told the share of all probes */
};

/* Measures what an event of an inline stub costs when there are such stubs. To be closed in every
 * case. 0 or -ENOMEM. */
int load_watch_open(struct load_watch *w, const struct probing *p, const struct caps *caps);
void load_watch_close(struct load_watch *w);

static inline void load_watch_count(uint64_t *counter, uint64_t n)
{
	__atomic_store_n(counter, *counter + n, __ATOMIC_RELAXED);
}

/* Counts events of inline stubs. With `random`, the state of a generator, one of them at random
 * stands for all: counting each would cost as much as decoding it. */
void load_watch_count_inlined(struct site_events *by_site, const struct event *ev, size_t n,
			      uint64_t *random);

/* To be freed in every case. 0 or -ENOMEM. */
int load_watch_find(const struct load_watch *w, struct probe_load *l);

/* What traps of each function of the plan took so far, into func_ns: hits in the text and in stubs
 * that write no events. Those of inline stubs are no traps of a function: one came as its ring was
 * full. False: there is no such site. */
bool load_watch_traps(const struct load_watch *w, uint64_t *func_ns);

/* A sentence on a function that is dear to trace (probe_load_heavy), once for each function, NULL:
 * nothing to say. It looks once a second and when cpu_ns, what the program has taken while it was
 * recorded, is enough to judge by. */
const char *load_watch_look(struct load_watch *w, uint64_t now_ns, uint64_t cpu_ns,
			    char text[LOAD_TEXT_BYTES]);

#define LOAD_ALL 0.3
/* A sentence on what all probes take, by samples of the processor time, once, when it is more than
 * LOAD_ALL of it; NULL: nothing to say, or too few samples. */
const char *load_watch_all(struct load_watch *w, const struct cpu_samples_seen *seen,
			   char text[LOAD_TEXT_BYTES]);

#endif
