/* SPDX-License-Identifier: BSD-2-Clause */
/* The rows and images of code that is not Go's, passed to the BPF program as images appear. */
#ifndef GOTRACE_SAMPLE_NATIVES_H
#define GOTRACE_SAMPLE_NATIVES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <time.h>

#include "sample/sample_bpf.h"
#include "attach/target/user.h"
#include "trace/samples.h"

/* The most rows of all images together: 64 MB of the kernel's memory. */
#define NATIVES_ROWS_MAX (8u << 20)
/* The most known files, with rows or without. */
#define NATIVES_FILES 1024

struct natives {
	struct sample_bpf *bpf; /* borrowed */
	/* Each file once, with its link addresses and its rows. */
	struct native_file {
		dev_t dev;
		ino_t ino;
		off_t bytes;
		struct timespec changed; /* when its contents changed last */
		/* The number and the build ID of the image in which gotrace found it first. */
		uint64_t number;
		uint8_t build_id[SAMPLE_BUILD_ID_BYTES];
		uint8_t build_id_len;
		uint64_t vaddr, file_off; /* addresses of its executable segment */
		uint32_t slot, n_rows;    /* 0: it has none */
		uint64_t digest;          /* hash of its rows */
		uint64_t wants;           /* rows without room; 0: none */
		uint64_t used; /* value of `uses` at its last use; 0: the place is free */
	} * files;
	size_t n, cap, n_rows;
	size_t n_known, n_slots; /* files, and slots with rows */
	/* Files that use each slot, from SAMPLE_BINARIES on. Those with equal rows share one. */
	uint32_t users[SAMPLE_NATIVES];
	size_t most_rows; /* given; 0: NATIVES_ROWS_MAX */
	/* Given: returns true if the process lives. NULL: this is not known, and no table is freed.
	 */
	bool (*lives)(void *ctx, uint32_t pid);
	void *lives_ctx;
	uint64_t uses, call; /* call: the value of `uses` when the present call began */
	/* The last time that a search for room began for files without room. */
	uint64_t tried_ns;
	/* Tables that were freed to make room, because no process had mapped the file. */
	uint64_t given_back;
	size_t vdso; /* 1 + the index of the vDSO in `files`; 0: not looked for */
	/* The process that is held still; 0: none. All its mappings up to held_ns are known to the
	 * BPF program. */
	uint32_t held_pid;
	uint64_t held_ns;
	uint32_t held_images; /* its images with rows */
	uint64_t no_room;     /* files without room */
	/* A process has more files with rows than SAMPLE_IMAGES. */
	bool crowded;
};

/* Passes the mapped images of a process to the BPF program. The last image is new. Frame pointers
 * lead through images without rows. Returns the number of images with rows, or -errno. -E2BIG: no
 * place is free for the process. */
int natives_map(struct natives *n, uint32_t pid, const struct sample_image *images, size_t count);
/* Removes all images of the process and frees its place, unless the process was held after `ts_ns`.
 * ts_ns: the end of its mappings. */
void natives_unmap(struct natives *n, uint32_t pid, uint64_t ts_ns);
/* Passes all mapped images of a process that is held still. */
void natives_hold(struct natives *n, uint32_t pid, const struct sample_image *images, size_t count);
/* Returns true if the image has rows, even if the BPF program got them late. */
bool natives_know(struct natives *n, uint32_t pid, const struct sample_image *x);
/* Makes the rows of a program and its libraries before user u executes it. Making them takes up to
 * a second. Without this call the stacks of that second could not be walked. */
void natives_prepare(struct natives *n, const char *path, const struct user *u);
/* Adds a warning about files without room. Returns 0 or -ENOMEM. */
int natives_describe(const struct natives *n, struct trace_info *end);
void natives_free(struct natives *n);

#endif
