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
	/* How the BPF program knows them, and what tells them apart where that is not enough. */
	struct known_binary {
		struct file_id key;
		dev_t dev;
		struct timespec inode_changed;
		uint64_t identity; /* foreign_elf_identity */
		bool ambiguous;    /* two such files may run at once */
	} * known;
	size_t n, cap;
	uint64_t n_rows;
};

/*
 * Tells it about the executable at `path` (such as /proc/PID/exe), unless it knows it; `name` is
 * for messages. 0 or -errno: its stacks are walked by frame pointers alone, and goroutines are not
 * known; logged where the reason is not that the process has ended.
 */
int binaries_learn(struct binaries *b, const char *path, const char *name);
void binaries_free(struct binaries *b);

#endif
