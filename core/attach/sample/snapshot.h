/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the goroutines of a running Go process are doing, read from its memory: nothing in it is
 * stopped or changed. A goroutine that changes while it is read is read again.
 */
#ifndef GOTRACE_SAMPLE_SNAPSHOT_H
#define GOTRACE_SAMPLE_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "binary/gobin.h"
#include "binary/gostack.h"
#include "binary/wait_reasons.h"

#define SNAPSHOT_FRAMES 512
#define SNAPSHOT_MOST   (1u << 20) /* goroutines in the list */

/* A goroutine. */
struct snapshot_goroutine {
	uint64_t goid;
	uint32_t index; /* in the list of all */
	/* STATE_* of bpf/event.h; 0: it kept changing. What has ended, or was not begun, is not
	 * told of. */
	uint8_t state;
	uint8_t reason; /* STATE_WAITING: of the process's `reasons` */
	bool runtime;   /* started by Go's runtime, for itself */
	uint32_t tid;   /* STATE_SYSCALL: of its thread, 0: not known */
	/* CLOCK_MONOTONIC of the end of the garbage collection before the first that saw it wait
	 * (gcMark and markroot, runtime/mgc.go): it began to wait later, or while that went on. 0:
	 * none has seen it wait yet */
	uint64_t since_ns;
	uint32_t flags; /* STACK_CUT, STACK_UNREADABLE */
	uint32_t n;     /* of pcs, as in struct sample_stack; none of one that runs */
	uint64_t pcs[SNAPSHOT_FRAMES];
};

/* A function from one special instruction to another, link-time. */
struct snapshot_range {
	uint64_t from, to;
	uint32_t what;
};
#define SNAPSHOT_SPECIALS 8

struct snapshot {
	pid_t pid;
	struct golayout layout;
	struct gostack rows;
	struct wait_reasons reasons;
	uint64_t bias, allgs; /* run-time address of the slice */
	struct snapshot_range special[SNAPSHOT_SPECIALS];
	unsigned n_special;
	struct snapshot_range *runtime; /* functions of package runtime, ascending */
	size_t n_runtime, cap_runtime;
	/* addresses of all goroutines, or of SNAPSHOT_MOST that were drawn from them at random; the
	 * list only grows, as the runtime's does */
	uint64_t *list;
	size_t most; /* fewer than SNAPSHOT_MOST, given after opening; 0: as many */
	size_t n, cap;
	size_t claimed; /* goroutines that the process says it has; n of them are in the list */
	uint64_t random;
	uint64_t
		until_ns; /* given: its memory has to answer until then; 0: each time in a second */
	uint64_t torn;    /* goroutines that kept changing */
	size_t g_bytes;
	size_t mark_from, mark_bytes; /* of a g: what tells that it ran */
	struct snapshot_batch *batch; /* scratch memory */
};

typedef void snapshot_fn(void *ctx, const struct snapshot_goroutine *g);

/*
 * Of a process that runs, whose program may take so much memory to read; 0: no limit. 0 and *s, for
 * snapshot_close; -ENOTSUP: not a Go program whose runtime is understood; -ESRCH, -EACCES, -ENOENT:
 * it has ended, or its memory may not be read; -EFBIG: it takes more; -ENOMEM. Logged by the reader
 * of binaries only.
 */
int snapshot_open(struct snapshot *s, pid_t pid, uint64_t most_bytes);
/* Reads which goroutines there are. 0, or -errno as process_memory_read, -EBADMSG: no such list. */
int snapshot_list(struct snapshot *s);
/* Tells of those of the list numbered which[0] to which[n - 1] that live. 0 or -errno: the process
 * has ended, or its memory may not be read, or does not answer (-ETIMEDOUT). */
int snapshot_take(struct snapshot *s, const uint32_t *which, size_t n, snapshot_fn *tell,
		  void *ctx);
/* Sets marks[i] of number which[i] of the list: another number once that goroutine has run, or is
 * another one; never 0. 0 or -errno, as above. */
int snapshot_marks(struct snapshot *s, const uint32_t *which, size_t n, uint64_t *marks);
void snapshot_close(struct snapshot *s);

#endif
