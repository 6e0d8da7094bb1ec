/* SPDX-License-Identifier: BSD-2-Clause */
/* BPF objects beside the probes, whose events go into the probes' rings. */
#ifndef GOTRACE_BESIDE_H
#define GOTRACE_BESIDE_H

#include "attach/probes/probes.h"

struct gobin;

/*
 * Loads the object of [start, end), called `name`: its configuration is the probes', with tls_g
 * (TLS_G_UNKNOWN: not known) and gotrace's own process; its rings, counters and .bss are the
 * probes' maps. *state: its section .bss.own of so many bytes, shared with its programs, to be
 * given back by embedded_bpf_unmap. 0 or -errno: then neither is set.
 */
int beside_load(struct bpf_object **object, void **state, size_t state_bytes,
		const struct probes *probes, int64_t tls_g, const char *name,
		const unsigned char *start, const unsigned char *end);

#endif
