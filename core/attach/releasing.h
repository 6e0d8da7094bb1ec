/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Keeps probing below a share of the program's processor time while it runs: functions whose probes
 * take most are released (collect/releases.h), then their probes are detached, and their inline
 * stubs told to record nothing (target/stub_switch.h). Or, with traps_only, only functions whose
 * traps slow the program down (trap_limit.h).
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

/* Between two looks at the most; judged by what happened since the last one that judged. */
#define RELEASING_LOOK_MS 20

struct releasing_options {
	double max_share; /* above 0, below 1; with traps_only 0 */
	bool traps_only;  /* nobody has set a share, nor asked for traps */
	bool say;         /* on stderr, what is released */
	pid_t pid;        /* of the process */
	/* by function of the plan: it is never released; NULL: any may be */
	const bool *never;
	const struct load_watch *load;
	const struct cpu_samples *samples; /* of the program; they may be none */
	/* as given to links_attach */
	struct links *links;
	const struct probes *probes;
	struct links_options attach;
};

/* When a function was released, and what its probes took of the processor time just before. */
struct released_func {
	uint64_t at_ns;
	double share;
};

struct releasing {
	struct releasing_options opt; /* pointers are borrowed */
	struct releases *releases;    /* the collector's side; NULL: nothing is ever released */
	bool *released;               /* by function of the plan */
	struct released_func *when;   /* likewise */
	size_t n_released;
	/* when the last one was released, or at the first look: processor time so far, and what all
	 * probes took of it */
	uint64_t rest_cpu_ns, rest_ns;
	/* at the last judgement, and at the first look, which judges nothing: events that came
	 * while links were attached are of another time */
	uint64_t cpu_ns, all_ns, *func_ns;
	struct release_mark {
		uint64_t at_ns, cpu_ns;
		uint64_t ever_ns; /* what functions' probes took so far, unscaled */
	} first, recent;          /* recent: half a second ago or less */
	/* since the last release: what probes are thought to cost, and take by samples; at the last
	 * judgement: samples, gotrace's own processor time and the machine's */
	struct cost_seen seen;
	struct cpu_samples_seen samples;
	uint64_t own_ns;
	struct host_time host;
	double scale; /* of what probes are thought to cost */
	bool fresh;   /* probes have just been detached: what came before tells nothing */
	uint64_t looked_ns;
	/* with traps_only: by function, what its traps took; and whether any site can trap */
	struct trap_limit traps;
	uint64_t *trap_ns;
	bool any_trap;
	/* since when they took more than the share with no function left to release; 0: they do not
	 */
	uint64_t stuck_ns;
	bool hopeless;     /* that was so for a second: the share cannot be kept */
	double last_share; /* of the last window: what probes took */
	struct release_news news;
	enum { RELEASING_WATCH, RELEASING_ASKED, RELEASING_DROP } state;
	struct links gone;
	pthread_t thread; /* which detaches them */
	atomic_bool dropped;
	uint64_t runtime_ns; /* of its sites, since the first look */
	bool said_runtime;   /* that the Go runtime's sites take more */
	bool links_stuck;    /* probes could not be detached, and a warning says so */
	bool stubs_stuck;    /* inline stubs could not be switched off, and a warning says so */
};

/* 0 or -ENOMEM; releasing_close in either case. */
int releasing_open(struct releasing *r, const struct releasing_options *opt);
/* How long at the most until releasing_look is to be called, ms. */
int releasing_wait_ms(const struct releasing *r);
/* To be called every now and then. cpu_ns: what the program has taken while it was recorded. */
void releasing_look(struct releasing *r, uint64_t now_ns, uint64_t cpu_ns);
/* Waits until what is being detached is. The collector still runs. */
void releasing_finish(struct releasing *r);
void releasing_close(struct releasing *r);

#endif
