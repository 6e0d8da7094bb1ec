/* SPDX-License-Identifier: BSD-2-Clause */
/* A run of `gotrace agent`. It samples stretches of time, and puts each into the store when it is
 * over. */
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
#include "sample/sampling.h"
#include "attach/signals.h"
#include "cli/agent_slow.h"
#include "cli/name_addresses.h"
#include "symbols/symbols.h"

struct agent {
	/* given */
	const char *config_path;
	struct agent_config config;
	/* state of the run */
	int lock_fd; /* lock of the store, so that no other agent writes it meanwhile */
	struct store store;
	struct splitter splitter;
	struct sampling_given given;
	struct sampling sampling;
	struct target target; /* a target that does not exist, for code that waits for targets */
	struct signals signals;
	struct symbols_cache symbols;
	struct name_context naming;
	struct pusher *pusher;
	struct server *server;
	struct slow_tracers slow;
	struct trace_info info;
	char *piece, *next_piece; /* files of stretches before they are split */
	unsigned n_pieces;
	/* from_ns: start of this stretch, since 1970. end_ns: its end in CLOCK_MONOTONIC. */
	uint64_t from_ns, end_ns;
	struct clock_steps clocks;
	bool sampling_begun;
	volatile bool reload;
	/* For requests: stretches in the store, and the number of its next row. */
	pthread_mutex_t lock;
	pthread_cond_t stored;
	uint64_t n_ended, n_stored;
	int64_t next_id;
	uint64_t begun_ns; /* start of this stretch, CLOCK_MONOTONIC */
	size_t n_met;      /* processes with samples in this stretch that were met */
	bool ending;
	/* for /metrics */
	uint64_t n_profiles, n_failed; /* stretches that could not be put into the store */
	uint64_t failed_samples;
	/* trimmed: in this run. trimmed_told: the last printed value. */
	struct store_trimmed trimmed, trimmed_told;
	uint64_t trimmed_ns; /* CLOCK_MONOTONIC of that print; 0: never */
	/* Losses for the limit of memory: stretches that ended early, dropped processes, lost
	 * samples. */
	uint64_t n_cut_for_room, n_forgotten, no_memory_samples;
	/* Processes whose waits were wanted in that stretch and left out, because there were too
	 * many. */
	uint64_t n_left_out;
	/* Processes whose waits are sampled, at the end of the last stretch. */
	size_t n_waiting;
};

/* Opens all files and starts sampling. Returns 0 or -errno (logged). The caller calls agent_end in
 * either case. */
int agent_begin(struct agent *a);
/* Samples until the stretch is over. Returns true if it was the last. */
bool agent_stretch(struct agent *a);
/* Puts the stretch into the store. The next stretch, if there is one, has begun meanwhile. Returns
 * 0, or -errno (logged) if the agent must end. */
int agent_put_away(struct agent *a, bool last);
/* Sets new rules, labels and limits of the store. Takes over the contents of `new`. */
void agent_take_rules(struct agent *a, struct agent_config *new);
void agent_end(struct agent *a);
/* Applies `memory` of the file from now on. The caller calls it before sampling begins. waiting:
 * the number of processes whose waits may be sampled. */
void agent_bound_memory(struct agent *a, unsigned waiting);
/* Reads facts on the new processes of this stretch, because less is known after a process has
 * ended. The caller calls it again and again. */
void agent_meet(struct agent *a);
/* Prepares for a new stretch. all: the rules have changed, too. */
void agent_meet_again(struct agent *a, bool all);
/* Removes profiles beyond the limits of the store, and prints their number: the first time, once an
 * hour, and when the agent ends. */
void agent_trim(struct agent *a, bool last);
/* Counts the losses of this stretch, which is over. */
void agent_count_room(struct agent *a);
/* Returns the text of /metrics. The caller frees it. ctx: struct agent. */
char *agent_metrics(void *ctx);

#endif
