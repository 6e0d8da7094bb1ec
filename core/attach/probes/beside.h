/* SPDX-License-Identifier: BSD-2-Clause */
/* BPF objects beside the probes. Their events go into the probes' rings. */
#ifndef GOTRACE_BESIDE_H
#define GOTRACE_BESIDE_H

#include "attach/probes/probes.h"

struct gobin;

/*
 * Loads the object of [start, end), called `name`. Its configuration is that of the probes, with
 * tls_g (TLS_G_UNKNOWN: not known) and gotrace's own process. Its rings, counters and .bss are the
 * maps of the probes.
 *
 * *state gets its section .bss.own of state_bytes, shared with its programs. The caller returns it
 * by embedded_bpf_unmap. Returns 0, or -errno and sets neither.
 */
int beside_load(struct bpf_object **object, void **state, size_t state_bytes,
		const struct probes *probes, int64_t tls_g, const char *name,
		const unsigned char *start, const unsigned char *end);

#endif
