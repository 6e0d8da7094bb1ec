/* SPDX-License-Identifier: BSD-2-Clause */
/* What the BPF program is told of the executables of sampled processes. */
#ifndef GOTRACE_SAMPLE_BINARIES_H
#define GOTRACE_SAMPLE_BINARIES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <time.h>

#include "attach/sample/sample_bpf.h"

struct binaries {
	struct sample_bpf *bpf; /* borrowed */
	/* given; 0: no limit: memory that reading one may take, rows of all in the kernel's memory,
	 * of 8 bytes */
	uint64_t most_bytes, most_rows;
	/* given: calls binaries_mark for what each living process executes. NULL: it is not known
	 * who lives, and nothing is given back */
	void (*living)(void *ctx, struct binaries *b);
	void *living_ctx;
	/* How the BPF program knows them, and what tells them apart where that is not enough.
	 * Ascending by number. */
	struct known_binary {
		uint64_t number; /* from 1 on, never taken again */
		uint64_t used;   /* when it was learned or asked for last, by `uses` */
		uint64_t n_rows;
		uint64_t wants; /* rows, for which there was no room; 0: nothing */
		uint32_t slot;  /* of its rows */
		bool in_use;    /* a process that lives executes it */
		bool ambiguous; /* two such files may run at once */
		struct file_id key;
		dev_t dev;
		struct timespec inode_changed;
		uint64_t identity; /* foreign_elf_identity */
		struct bpf_link *watches[SAMPLE_WATCHES];
	} * known;
	size_t n, cap;
	uint64_t n_rows, last_number, uses;
	size_t n_slots;
	uint32_t users[SAMPLE_BINARIES]; /* of each slot: files with the same contents share one */
	uint64_t given_back; /* tables of programs that no process executed, to make room */
};

/*
 * Tells it about the executable at `path` (such as /proc/PID/exe), unless it knows it; `name` is
 * for messages. 0 or -errno: its stacks are walked by frame pointers alone, and goroutines are not
 * known; logged where the reason is not that the process has ended. *number, which may be NULL, is
 * for binaries_mark; 0: it is not known.
 */
int binaries_learn(struct binaries *b, const char *path, const char *name, uint64_t *number);
/* Within `living`: that one stays. */
void binaries_mark(struct binaries *b, uint64_t number);
void binaries_free(struct binaries *b);

#endif
