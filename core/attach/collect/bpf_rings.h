/* SPDX-License-Identifier: BSD-2-Clause */
/* The ring buffers of the BPF programs, one for each CPU, as sources of the collector. */
#ifndef GOTRACE_BPF_RINGS_H
#define GOTRACE_BPF_RINGS_H

#include <stdbool.h>

#include "attach/probes/probes.h"

struct bpf_rings;

/* Opens all rings of `probes`, which is borrowed. Returns NULL and sets errno on error. `add` gets
 * each event with the number of its ring. If the event has values, `add` also gets its record,
 * otherwise NULL. An error of `add` ends the call that passed the event. */
typedef int (*bpf_rings_add_fn)(void *ctx, unsigned ring, const struct event_ext *ev,
				const void *values, size_t size);
struct bpf_rings *bpf_rings_new(const struct probes *probes, bpf_rings_add_fn add, void *ctx);
unsigned bpf_rings_count(const struct bpf_rings *r);
/* Reads every ring up to the present position of its producers. Returns 1 if a record before such a
 * position is still being written, else 0 or -errno. */
int bpf_rings_drain(struct bpf_rings *r);
/* Returns true if a ring is more than one eighth full. */
bool bpf_rings_filling(const struct bpf_rings *r);
void bpf_rings_free(struct bpf_rings *r);

#endif
