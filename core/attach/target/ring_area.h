/* SPDX-License-Identifier: BSD-2-Clause */
/* The memory of inline stubs' rings (plan/ring.h), shared with the traced process. */
#ifndef GOTRACE_RING_AREA_H
#define GOTRACE_RING_AREA_H

#include <stddef.h>
#include <stdint.h>

#include "plan/ring.h"
#include "rings/rings.h"

/* The name of that file, as /proc/PID/maps shows it. */
#define RING_AREA_FILE "gotrace-rings"

/* One file in memory: a page with struct ring_signals, then the rings. */
struct ring_area {
	int fd; /* close-on-exec; -1: none */
	uint8_t *at;
	size_t bytes;
	unsigned n;
	uint32_t ring_bytes; /* of slots in each */
	struct ring_memory memory[RING_MAX];
	uint32_t there[RING_MAX]; /* bytes of its slots that have memory */
};
#define RING_AREA_SIGNALS 4096
/* Of a ring's slots, that have memory before anything is written. */
#define RING_AREA_FIRST (2u << 20)

/*
 * Makes n rings. The beginning of each has memory at once, the rest with ring_area_grow: most
 * programs write little, and clearing it all takes longer than all else before they start. A stub
 * that is faster than that has the kernel find memory for a page; where there is none, the hook
 * disables the rings (plan/inline_hook.h). Nobody can make the file smaller. 0 or -errno; to be
 * closed in every case.
 */
int ring_area_make(struct ring_area *a, unsigned n, uint32_t ring_bytes);
/* The same in an empty file in memory, which is the area's from now on. */
int ring_area_make_in(struct ring_area *a, int fd, unsigned n, uint32_t ring_bytes);
/* Why so large an area cannot be made, a clause, static: the user's limit on files, which cannot be
 * raised for it. NULL: nothing is known against it. */
const char *ring_area_obstacle(unsigned n, uint32_t ring_bytes);
/* Stubs do nothing before ring_area_open, for who maps rings that nobody reads yet. */
void ring_area_shut(struct ring_area *a);
void ring_area_open(struct ring_area *a);
/* Rings that stubs have written half of what is there get twice as much memory, up to all. By one
 * thread, now and then. */
void ring_area_grow(struct ring_area *a);
/* Bytes of ring i from its offset on that have memory. */
size_t ring_area_there(const struct ring_area *a, unsigned i);
void ring_area_close(struct ring_area *a);
/* Where ring i begins, from the area's beginning. */
size_t ring_area_offset(const struct ring_area *a, unsigned i);
const struct ring_signals *ring_area_signals(const struct ring_area *a);

#endif
