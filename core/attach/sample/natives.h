/* SPDX-License-Identifier: BSD-2-Clause */
/* What the BPF program is told of code that is not Go's, as images appear. */
#ifndef GOTRACE_SAMPLE_NATIVES_H
#define GOTRACE_SAMPLE_NATIVES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <time.h>

#include "attach/sample/sample_bpf.h"
#include "attach/target/user.h"
#include "trace/samples.h"

/* Rows of all images together: 64 MB of the kernel's memory. */
#define NATIVES_ROWS_MAX (8u << 20)
/* Files that are known, with rows or without. */
#define NATIVES_FILES 1024

struct natives {
	struct sample_bpf *bpf; /* borrowed */
	/* Each file once: where it is linked, which rows it has. */
	struct native_file {
		dev_t dev;
		ino_t ino;
		off_t bytes;
		struct timespec changed;                 /* its contents */
		uint8_t build_id[SAMPLE_BUILD_ID_BYTES]; /* of the image that it was found by */
		uint8_t build_id_len;
		uint64_t vaddr, file_off; /* of its executable segment */
		uint32_t slot, n_rows;    /* 0: it has none */
		uint64_t wants;           /* rows, for which there was no room; 0: nothing */
		uint64_t used;            /* by `uses`, the last time; 0: the place is free */
	} * files;
	size_t n, cap, n_rows;
	size_t n_known, n_slots; /* files: all, and those with rows */
	size_t most_rows;        /* given; 0: NATIVES_ROWS_MAX */
	/* given: whether a process lives. NULL: that is not known, and nothing is given back */
	bool (*lives)(void *ctx, uint32_t pid);
	void *lives_ctx;
	uint64_t uses, call; /* call: of uses, when the one that is under way began */
	uint64_t tried_ns;   /* when room was looked for last, for what had found none */
	uint64_t given_back; /* tables of files that no process had mapped, to make room */
	size_t vdso;         /* 1 + which of them is the vDSO; 0: not looked for */
	uint32_t held_pid;   /* 0: none; all that it had mapped by held_ns has been told of */
	uint64_t held_ns;
	uint32_t held_images; /* with rows */
	uint64_t no_room;     /* files for which there was none */
	bool crowded;         /* a process has more such files than SAMPLE_IMAGES */
};

/* A process has these images mapped, of which the last is new. Those of which no rows can be had
 * are walked by frame pointers. How many have rows, or -errno, -E2BIG: so many processes are
 * known that there is no place for it. */
int natives_map(struct natives *n, uint32_t pid, const struct sample_image *images, size_t count);
/* What that process had mapped before `ts_ns`, it has not any more; its place is free. */
void natives_unmap(struct natives *n, uint32_t pid, uint64_t ts_ns);
/* The same of a process that is held still, all that it has mapped. */
void natives_hold(struct natives *n, uint32_t pid, const struct sample_image *images, size_t count);
/* Whether there are rows of it, told in time or not. */
bool natives_know(struct natives *n, uint32_t pid, const struct sample_image *x);
/* The rows of a program that is about to be executed by u, and of its libraries, are made before it
 * begins: they take up to a second, in which its stacks could not be walked. */
void natives_prepare(struct natives *n, const char *path, const struct user *u);
/* What there was no room for, as a warning. 0 or -ENOMEM. */
int natives_describe(const struct natives *n, struct trace_info *end);
void natives_free(struct natives *n);

#endif
