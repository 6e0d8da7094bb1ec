/* SPDX-License-Identifier: BSD-2-Clause */
/* Splits the samples of all processes in a stretch of time into a profile of each service in the
 * store. */
#ifndef GOTRACE_AGENT_SPLIT_H
#define GOTRACE_AGENT_SPLIT_H

#include "agent/config.h"
#include "agent/pods.h"
#include "agent/store.h"
#include "base/hash_index.h"
#include "trace/samples.h"

/* The series of each process. It is found when the process is first seen, because the process may
 * be gone later. */
struct splitter {
	const struct agent_config *config; /* borrowed */
	struct store *store;               /* borrowed */
	const char *proc;                  /* "/proc" */
	struct pods pods;
	struct member {
		uint32_t pid;
		uint64_t start_ns;
		char *service, *labels; /* NULL: the process is not wanted */
		bool waiting;           /* its waits are wanted, too */
		bool named;             /* Kubernetes' names are known */
		unsigned tries;         /* lookups of them */
		uint32_t container;     /* hash of the container's id, 0: none */
		uint64_t used, asked;   /* last use: stretch; last request: count */
	} * members;
	size_t n, cap;
	struct hash_index by_process;
	uint64_t asked; /* number of requests for a process */
	uint64_t bytes; /* approximate bytes of their memory */
	/* Given: the most bytes, or 0. Processes without a request for longest are dropped first.
	 */
	uint64_t most_bytes;
	uint64_t forgotten; /* dropped processes */
	/* Called for a new process with calls to record, or NULL. The condition `of` is "F > TIME".
	 */
	void (*on_slow)(void *ctx, uint32_t pid, const char *service, const char *of);
	void *slow_ctx;
	uint64_t stretch;
	uint64_t samples, lost, dropped; /* sums of all stretches */
	unsigned files;                  /* number of written files, for their names */
};

/* Reads the facts on a process now. Returns 0 or -ENOMEM. */
int splitter_meet(struct splitter *s, const struct sample_process *p);
/* Returns true if a rule with `waiting` holds for the process. */
bool splitter_waiting(struct splitter *s, const struct sample_process *p);
/* Puts the trace at `path` into the store, with times in ns since 1970. named: the trace already
 * has the names of its addresses, if they are known. Returns 0 or -errno (logged). After an error
 * the trace is unchanged, and the store has none of it. */
int splitter_add(struct splitter *s, const char *path, uint64_t from_ns, uint64_t to_ns,
		 bool named);
/* Returns the member of a process. NULL: no memory. */
struct member *splitter_member(struct splitter *s, const struct sample_process *p);
/* Drops processes without a sample for a long time. */
void splitter_forget_old(struct splitter *s);
/* Drops all processes, because the rules have changed. */
void splitter_forget(struct splitter *s);

#endif
