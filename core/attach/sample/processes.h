/* SPDX-License-Identifier: BSD-2-Clause */
/* Sampled processes and what they have mapped, written to the trace as it becomes known. */
#ifndef GOTRACE_SAMPLE_PROCESSES_H
#define GOTRACE_SAMPLE_PROCESSES_H

#include <stddef.h>
#include <stdint.h>

#include "attach/sample/binaries.h"
#include "attach/sample/natives.h"
#include "attach/sample/side_band.h"
#include "trace/samples.h"

#define PROCESS_BUCKETS 1024

struct processes {
	struct trace_writer *writer; /* borrowed, as binaries are */
	struct binaries *binaries;
	struct natives *natives; /* NULL: C is walked by frame pointers */
	/* Each time that a process forks or executes an image there is a new one. */
	struct process {
		uint32_t pid, number; /* number: in the trace, TRACE_NONE: not written yet */
		uint64_t start_ns;
		size_t before; /* in its bucket, index + 1 */
		char comm[64];
		struct sample_image *images;
		size_t n_images, cap_images;
	} * all;
	size_t n, cap;
	size_t bucket[PROCESS_BUCKETS]; /* the newest, index + 1 */
	uint64_t changed_ns;            /* when one was told of, or mapped something, last */
	int err;                        /* the first, -errno */
};

/* A process that runs: name, image, mappings from /proc. */
void processes_add_running(struct processes *p, uint32_t pid, uint64_t now_ns);
/* Whoever reads the side band hands it to these, ctx: struct processes. */
struct side_band_reader processes_reader(struct processes *p);
/* The number of the process that had this pid then. */
uint32_t processes_find(struct processes *p, uint32_t pid, uint64_t ts_ns);
/* Likewise, but TRACE_NONE for a process that was not told of. */
uint32_t processes_known(struct processes *p, uint32_t pid, uint64_t ts_ns);
void processes_free(struct processes *p);

#endif
