/* SPDX-License-Identifier: BSD-2-Clause */
/* A run of `gotrace agent`: stretches of samples, each put into the store when it is over. */
#ifndef GOTRACE_CLI_AGENT_RUN_H
#define GOTRACE_CLI_AGENT_RUN_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "agent/clock_steps.h"
#include "agent/config.h"
#include "agent/push.h"
#include "agent/serve.h"
#include "agent/split.h"
#include "agent/store.h"
#include "attach/sample/sampling.h"
#include "attach/signals.h"
#include "cli/agent_slow.h"
#include "cli/name_addresses.h"
#include "symbols/symbols.h"

struct agent {
	/* given */
	const char *config_path;
	struct agent_config config;
	/* of the run */
	int lock_fd; /* of the store, which no other agent writes meanwhile */
	struct store store;
	struct splitter splitter;
	struct sampling sampling;
	struct target target; /* none: what waits for targets has one to look at */
	struct signals signals;
	struct symbols_cache symbols;
	struct name_context naming;
	struct pusher *pusher;
	struct server *server;
	struct slow_tracers slow;
	struct trace_info info;
	char *piece, *next_piece; /* files that stretches are written to before they are split */
	unsigned n_pieces;
	uint64_t from_ns,
		end_ns; /* of this stretch: since 1970; CLOCK_MONOTONIC, when it is over */
	struct clock_steps clocks;
	bool sampling_begun;
	volatile bool reload;
	/* for requests: stretches that are in the store, and the number of its next row */
	pthread_mutex_t lock;
	pthread_cond_t stored;
	uint64_t n_ended, n_stored;
	int64_t next_id;
	uint64_t begun_ns; /* this stretch, CLOCK_MONOTONIC */
	size_t n_met;      /* of those with samples in this stretch */
	bool ending;
	/* for /metrics */
	uint64_t n_profiles, n_failed; /* stretches that could not be put into the store */
	uint64_t failed_samples;
	struct store_trimmed trimmed, trimmed_told; /* of this run; as it was printed last */
	uint64_t trimmed_ns;                        /* CLOCK_MONOTONIC of that; 0: never */
	/* what was given up to stay within the memory: stretches that ended early, processes that
	 * were forgotten, samples */
	uint64_t n_cut_for_room, n_forgotten, no_memory_samples;
	uint64_t n_left_out; /* that should be asked and were not in that stretch: too many */
	size_t n_waiting;    /* processes that are asked what they wait for, when the last stretch
				ended */
};

/* Opens all, and starts sampling. 0 or -errno (logged); agent_end in either case. */
int agent_begin(struct agent *a);
/* Samples until the stretch is over. True: it was the last. */
bool agent_stretch(struct agent *a);
/* Puts it into the store; the next one has begun meanwhile, if there is one. 0 or -errno (logged):
 * the agent cannot go on. */
int agent_put_away(struct agent *a, bool last);
/* Other rules, labels, limits of the store; takes over what is in `new`. */
void agent_take_rules(struct agent *a, struct agent_config *new);
void agent_end(struct agent *a);
/* Before sampling begins: `memory` of the file holds from now on. waiting: processes that may be
 * looked at for that. */
void agent_bound_memory(struct agent *a, unsigned waiting);
/* While a process is there more is known of it. To be called again and again. */
void agent_meet(struct agent *a);
/* A stretch has begun. all: rules are others, too. */
void agent_meet_again(struct agent *a, bool all);
/* Takes out of the store what its limits say, and prints how much that was: when it is the first,
 * once an hour, and when the agent ends. */
void agent_trim(struct agent *a, bool last);
/* Counts what this stretch, which is over, gave up. */
void agent_count_room(struct agent *a);
/* The text of /metrics, to be freed; ctx: struct agent. */
char *agent_metrics(void *ctx);

#endif
