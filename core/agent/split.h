/* SPDX-License-Identifier: BSD-2-Clause */
/* Samples of a stretch of time, of all processes, as a profile of each service in the store. */
#ifndef GOTRACE_AGENT_SPLIT_H
#define GOTRACE_AGENT_SPLIT_H

#include "agent/config.h"
#include "agent/store.h"
#include "base/hash_index.h"
#include "trace/samples.h"

/* Which series a process belongs to, found out when it was first seen: later it may be gone. */
struct splitter {
	const struct agent_config *config; /* borrowed */
	struct store *store;               /* likewise */
	const char *proc;                  /* "/proc" */
	struct member {
		uint32_t pid;
		uint64_t start_ns;
		char *service, *labels; /* NULL: it is not wanted */
		bool waiting;           /* what it waits for is, too */
		uint64_t used, asked;   /* the last time: stretch, count */
	} * members;
	size_t n, cap;
	struct hash_index by_process;
	uint64_t asked;      /* how often one was asked for */
	uint64_t bytes;      /* of memory that they take, about */
	uint64_t most_bytes; /* given; 0: no limit. Then those asked for least recently go. */
	uint64_t forgotten;  /* that went */
	/* a new process that calls of are to be recorded; NULL: nobody asks. of: "F > TIME" */
	void (*on_slow)(void *ctx, uint32_t pid, const char *service, const char *of);
	void *slow_ctx;
	uint64_t stretch;
	uint64_t samples, lost, dropped; /* of all stretches */
	unsigned files;                  /* that were written: for their names */
};

/* What is known of a process now. 0 or -ENOMEM. */
int splitter_meet(struct splitter *s, const struct sample_process *p);
/* Whether a rule wants to know what it waits for. */
bool splitter_waiting(struct splitter *s, const struct sample_process *p);
/* Puts the trace at `path` into the store, times in ns since 1970. named: it has the names of its
 * addresses already, as far as they are known. 0, or -errno (logged): then the
 * trace is as it was, and nothing of it is in the store. */
int splitter_add(struct splitter *s, const char *path, uint64_t from_ns, uint64_t to_ns,
		 bool named);
/* What is known of a process. NULL: no memory. */
struct member *splitter_member(struct splitter *s, const struct sample_process *p);
/* Those that had no sample for long. */
void splitter_forget_old(struct splitter *s);
/* Rules are others now. */
void splitter_forget(struct splitter *s);

#endif
