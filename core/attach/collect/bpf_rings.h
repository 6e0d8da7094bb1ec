/* SPDX-License-Identifier: BSD-2-Clause */
/* The ring buffers that BPF programs write to, one a CPU, as the collector's sources. */
#ifndef GOTRACE_BPF_RINGS_H
#define GOTRACE_BPF_RINGS_H

#include <stdbool.h>

#include "attach/probes/probes.h"

struct bpf_rings;

/* Opens all rings of `probes`, which is borrowed. `add` gets each event with the number of its
 * ring, and the record it is from when that has values, else NULL; an error of it ends the call
 * that it comes from. NULL and errno. */
typedef int (*bpf_rings_add_fn)(void *ctx, unsigned ring, const struct event_ext *ev,
				const void *values, size_t size);
struct bpf_rings *bpf_rings_new(const struct probes *probes, bpf_rings_add_fn add, void *ctx);
unsigned bpf_rings_count(const struct bpf_rings *r);
/* Empties every ring up to the position its producers have reached now. 1 when a record before such
 * a position is still being written, else 0 or -errno. */
int bpf_rings_drain(struct bpf_rings *r);
/* Is a ring filled by more than one eighth? */
bool bpf_rings_filling(const struct bpf_rings *r);
void bpf_rings_free(struct bpf_rings *r);

#endif
