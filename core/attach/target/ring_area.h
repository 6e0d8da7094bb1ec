/* SPDX-License-Identifier: BSD-2-Clause */
/* The memory of inline stubs' rings (plan/ring.h), shared with the traced process. */
#ifndef GOTRACE_RING_AREA_H
#define GOTRACE_RING_AREA_H

#include <stddef.h>
#include <stdint.h>

#include "plan/ring.h"
#include "rings/rings.h"

/* The name of the rings' file in /proc/PID/maps. */
#define RING_AREA_FILE "gotrace-rings"

/* One file in memory: a page with struct ring_signals, then the rings. */
struct ring_area {
	int fd; /* close-on-exec; -1: none */
	uint8_t *at;
	size_t bytes;
	unsigned n;
	uint32_t ring_bytes; /* bytes of slots in each ring */
	struct ring_memory memory[RING_MAX];
	uint32_t there[RING_MAX]; /* bytes of each ring's slots that have memory */
};
#define RING_AREA_SIGNALS 4096
/* The bytes of a ring's slots that have memory before anything is written. */
#define RING_AREA_FIRST (2u << 20)

/*
 * Makes n rings. The beginning of each has memory at once, and ring_area_grow adds the rest. Most
 * programs write little, and clearing all memory takes longer than all other work before they
 * start. If a stub writes faster, the kernel adds memory for each page. If there is none, the hook
 * disables the rings (plan/inline_hook.h). The file cannot be made smaller. Returns 0 or -errno.
 * The caller must call ring_area_close in every case.
 */
int ring_area_make(struct ring_area *a, unsigned n, uint32_t ring_bytes);
/* Makes n rings in an empty file in memory. The area owns the file from now on. */
int ring_area_make_in(struct ring_area *a, int fd, unsigned n, uint32_t ring_bytes);
/* Returns a static clause if so large an area cannot be made because of the user's limit on files,
 * which cannot be raised enough. NULL: no obstacle is known. */
const char *ring_area_obstacle(unsigned n, uint32_t ring_bytes);
/* After ring_area_shut stubs write nothing until ring_area_open. A caller uses it to map rings
 * before they are read. */
void ring_area_shut(struct ring_area *a);
void ring_area_open(struct ring_area *a);
/* Doubles the memory of each ring of which stubs have written half, up to the full size. One thread
 * calls it now and then. */
void ring_area_grow(struct ring_area *a);
/* Returns the bytes of ring i, from its offset on, that have memory. */
size_t ring_area_there(const struct ring_area *a, unsigned i);
void ring_area_close(struct ring_area *a);
/* Returns the offset of ring i in the area. */
size_t ring_area_offset(const struct ring_area *a, unsigned i);
const struct ring_signals *ring_area_signals(const struct ring_area *a);

#endif
