/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Keeps probing below a share of the program's processor time while it runs. It releases the
 * functions whose probes take most (collect/releases.h). Then it detaches their probes and makes
 * their inline stubs record nothing (target/stub_switch.h). With traps_only, it releases only
 * functions whose traps slow the program down (trap_limit.h).
 */
#ifndef GOTRACE_RELEASING_H
#define GOTRACE_RELEASING_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "attach/collect/release_events.h"
#include "attach/cost_limit.h"
#include "attach/cpu_samples.h"
#include "attach/load_watch.h"
#include "attach/release_news.h"
#include "attach/times.h"
#include "attach/trap_limit.h"
#include "attach/probes/links.h"

/* The longest time between two looks. A look judges events since the last look that judged. */
#define RELEASING_LOOK_MS 20

struct releasing_options {
	double max_share; /* above 0, below 1; with traps_only 0 */
	bool traps_only;  /* the user has set no share and has not asked for traps */
	bool say;         /* print released functions on stderr */
	pid_t pid;        /* pid of the process */
	/* Functions that are never released, by function of the plan. NULL: any may be. */
	const bool *never;
	const struct load_watch *load;
	const struct cpu_samples *samples; /* samples of the program; there may be none */
	/* the arguments of links_attach */
	struct links *links;
	const struct probes *probes;
	struct links_options attach;
};

/* The time of a release, and the share of the function's probes in the processor time just before.
 */
struct released_func {
	uint64_t at_ns;
	double share;
};

struct releasing {
	struct releasing_options opt; /* pointers are borrowed */
	struct releases *releases;    /* for the collector; NULL without releases */
	bool *released;               /* by function of the plan */
	struct released_func *when;   /* by function of the plan */
	size_t n_released;
	/* At the last release or the first look: the processor time so far, and the part of all
	 * probes. */
	uint64_t rest_cpu_ns, rest_ns;
	/* At the last judgement, or at the first look. The first look judges nothing: events from
	 * before the links were attached belong to another time. */
	uint64_t cpu_ns, all_ns, *func_ns;
	struct release_mark {
		uint64_t at_ns, cpu_ns;
		uint64_t ever_ns; /* time of functions' probes so far, unscaled */
	} first, recent;          /* recent: at most half a second ago */
	/* `seen`: estimated and sampled cost of probes since the last release. The others are
	 * values at the last judgement: samples, gotrace's own processor time, and the machine's.
	 */
	struct cost_seen seen;
	struct cpu_samples_seen samples;
	uint64_t own_ns;
	struct host_time host;
	double scale; /* factor of the estimated cost of probes */
	bool fresh;   /* Probes have just been detached, so earlier counts say nothing. */
	uint64_t looked_ns;
	/* With traps_only: the time of traps by function, and whether any site can trap. */
	struct trap_limit traps;
	uint64_t *trap_ns;
	bool any_trap;
	/* Since then probes take more than the share and no function is left to release. 0: they do
	 * not. */
	uint64_t stuck_ns;
	bool hopeless;     /* stuck for a second: the share cannot be kept */
	double last_share; /* share of probes in the last window */
	struct release_news news;
	enum { RELEASING_WATCH, RELEASING_ASKED, RELEASING_DROP } state;
	struct links gone;
	pthread_t thread; /* detaches probes */
	atomic_bool dropped;
	uint64_t runtime_ns; /* time of the runtime's sites since the first look */
	bool said_runtime;   /* a warning says that the Go runtime's sites take more */
	bool links_stuck;    /* probes could not be detached, and a warning says so */
	bool stubs_stuck;    /* inline stubs could not be switched off, and a warning says so */
};

/* Returns 0 or -ENOMEM. The caller calls releasing_close in either case. */
int releasing_open(struct releasing *r, const struct releasing_options *opt);
/* Returns the longest time until the next call of releasing_look, in ms. */
int releasing_wait_ms(const struct releasing *r);
/* Judges and releases functions. The caller calls it now and then. cpu_ns: the program's processor
 * time during the recording. */
void releasing_look(struct releasing *r, uint64_t now_ns, uint64_t cpu_ns);
/* Waits until probes of released functions are detached. The collector still runs. */
void releasing_finish(struct releasing *r);
void releasing_close(struct releasing *r);

#endif
