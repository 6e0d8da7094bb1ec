/* SPDX-License-Identifier: BSD-2-Clause */
/* The executables of sampled processes, passed to the BPF program. */
#ifndef GOTRACE_SAMPLE_BINARIES_H
#define GOTRACE_SAMPLE_BINARIES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <time.h>

#include "sample/sample_bpf.h"

/* So many copies of a file are known by their place. The tables of others are read again. */
#define BINARY_COPIES 32

struct binaries {
	struct sample_bpf *bpf; /* borrowed */
	/* Given; 0 is no limit. most_bytes: memory for reading one executable. most_rows: rows of
	 * all of them in the kernel's memory, 8 bytes each. */
	uint64_t most_bytes, most_rows;
	/* Given: calls binaries_mark for the executable of each living process. NULL: the living
	 * processes are not known, and no table is freed. */
	void (*living)(void *ctx, struct binaries *b);
	void *living_ctx;
	/* The keys by which the BPF program knows the executables, and data that tells them apart
	 * where a key is not enough. Ascending by number. */
	struct known_binary {
		uint64_t number; /* from 1 on, never used again */
		uint64_t used;   /* value of `uses` when it was learned or asked for last */
		uint64_t n_rows;
		uint64_t wants; /* rows without room; 0: none */
		uint32_t slot;  /* slot of its rows */
		bool in_use;    /* a process that lives executes it */
		bool ambiguous; /* two such files may run at once */
		struct file_id key;
		dev_t dev;
		struct timespec inode_changed;
		uint64_t digest; /* hash of its tables, 0 if it has none */
		/* Files on other file systems, and earlier states, with these tables. */
		uint64_t same[BINARY_COPIES];
		unsigned n_same; /* number of times that one was added */
		struct bpf_link *watches[SAMPLE_WATCHES];
	} * known;
	size_t n, cap;
	uint64_t n_rows, last_number, uses;
	size_t n_slots;
	/* Files that use each slot. Files with equal contents share one. */
	uint32_t users[SAMPLE_BINARIES];
	/* Tables that were freed to make room, because no process executed the program. */
	uint64_t given_back;
};

/*
 * Passes the executable at `path` (such as /proc/PID/exe) to the BPF program, unless it is known
 * there. `name` is for messages. Returns 0 or -errno.
 *
 * After an error, frame pointers alone lead through its stacks, and goroutines are not known. The
 * function logs errors, but not that the process has ended. *number is for binaries_mark; 0: the
 * executable is not known. `number` may be NULL.
 */
int binaries_learn(struct binaries *b, const char *path, const char *name, uint64_t *number);
/* `living` calls this for an executable that stays. */
void binaries_mark(struct binaries *b, uint64_t number);
/* Fills in *to with what the BPF program knows of an executable. Returns false if it has no rows,
 * because it is no Go program or there is no room. */
bool binaries_facts(const struct binaries *b, uint64_t number, struct sample_binary *to);
void binaries_free(struct binaries *b);

#endif
