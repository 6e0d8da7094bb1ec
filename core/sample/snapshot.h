/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads the state of the goroutines of a running Go process from its memory. It stops and changes
 * nothing there. If a goroutine changes while it is read, it is read again.
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
#define SNAPSHOT_MOST   (1u << 20) /* most goroutines in the list */

/* A goroutine. */
struct snapshot_goroutine {
	uint64_t goid;
	uint32_t index; /* index in the list of all */
	/* STATE_* of bpf/event.h, or 0 if it kept changing. Goroutines that have ended or have not
	 * begun are left out. */
	uint8_t state;
	uint8_t reason; /* STATE_WAITING: index in the process's `reasons` */
	bool runtime;   /* started by Go's runtime, for itself */
	bool signals;   /* hands the signals on that the runtime caught */
	uint32_t tid;   /* STATE_SYSCALL: its thread, or 0 if not known */
	/* The garbage collector notes waiting goroutines (gcMark and markroot, runtime/mgc.go).
	 * This is the end (CLOCK_MONOTONIC) of the collection before the first one that saw it
	 * wait. Its wait began later, or during that collection. 0: no collection has seen it wait
	 * yet. */
	uint64_t since_ns;
	uint32_t flags; /* STACK_CUT, STACK_UNREADABLE */
	uint32_t n;     /* number of pcs, as in struct sample_stack; 0 if it runs */
	uint64_t pcs[SNAPSHOT_FRAMES];
};

/* Link-time addresses of a function with a special meaning. */
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
	uint64_t bias, allgs; /* allgs: run-time address of the slice */
	struct snapshot_range special[SNAPSHOT_SPECIALS];
	unsigned n_special;
	struct snapshot_range *runtime; /* functions of package runtime, ascending */
	size_t n_runtime, cap_runtime;
	struct snapshot_range signals; /* os/signal.loop */
	/* Addresses of all goroutines, or of a random choice of SNAPSHOT_MOST. The list only grows,
	 * like the runtime's list. */
	uint64_t *list;
	/* Given after opening: a limit below SNAPSHOT_MOST; 0: SNAPSHOT_MOST. */
	size_t most;
	size_t n, cap;
	size_t claimed; /* goroutines in the process's own list; n are in `list` */
	uint64_t random;
	/* Given: reads of its memory end then; 0: each read ends within a second. */
	uint64_t until_ns;
	uint64_t torn; /* goroutines that kept changing */
	size_t g_bytes;
	size_t mark_from, mark_bytes; /* the part of a g that changes when it runs */
	struct snapshot_batch *batch; /* scratch memory */
};

typedef void snapshot_fn(void *ctx, const struct snapshot_goroutine *g);

/*
 * Opens a process that runs. Reading its program may take most_bytes of memory, or any amount if it
 * is 0. Returns 0 and fills in *s, for snapshot_close.
 *
 * Errors: -ENOTSUP: the program is no Go program with a known runtime. -ESRCH, -EACCES, -ENOENT:
 * the process has ended, or its memory may not be read. -EFBIG: the program takes more memory.
 * -ENOMEM. Only the reader of binaries logs errors.
 */
int snapshot_open(struct snapshot *s, pid_t pid, uint64_t most_bytes);
/* Reads the list of goroutines. Returns 0, an error of process_memory_read, or -EBADMSG if there is
 * no valid list. */
int snapshot_list(struct snapshot *s);
/* Calls `tell` for the living goroutines among which[0] to which[n - 1] of the list. Returns 0 or
 * -errno: the process has ended, or its memory may not be read, or does not answer (-ETIMEDOUT). */
int snapshot_take(struct snapshot *s, const uint32_t *which, size_t n, snapshot_fn *tell,
		  void *ctx);
/* Sets marks[i] of number which[i] of the list. A mark changes when the goroutine has run or
 * another one has its place. It is never 0. Returns 0 or -errno, as above. */
int snapshot_marks(struct snapshot *s, const uint32_t *which, size_t n, uint64_t *marks);
void snapshot_close(struct snapshot *s);

#endif
