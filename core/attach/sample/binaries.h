/* SPDX-License-Identifier: BSD-2-Clause */
/* What the BPF program is told of the executables of sampled processes. */
#ifndef GOTRACE_SAMPLE_BINARIES_H
#define GOTRACE_SAMPLE_BINARIES_H

#include <stddef.h>

#include "attach/sample/sample_bpf.h"

struct binaries {
	struct sample_bpf *bpf; /* borrowed */
	struct sample_key *known;
	size_t n, cap;
};

/*
 * Tells it about the executable at `path` (such as /proc/PID/exe), unless it knows it; `name` is
 * for messages. 0 or -errno: its stacks are walked by frame pointers alone, and goroutines are not
 * known; logged where the reason is not that the process has ended.
 */
int binaries_learn(struct binaries *b, const char *path, const char *name);
void binaries_free(struct binaries *b);

#endif
