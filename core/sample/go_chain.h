/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stacks of Go programs that the BPF program walked before it knew the program. It followed frame
 * pointers alone. Go keeps them, so they lead to the root. But the walk does not recognize the
 * root, and goes on in memory that holds no frame.
 */
#ifndef GOTRACE_SAMPLE_GO_CHAIN_H
#define GOTRACE_SAMPLE_GO_CHAIN_H

#include <stdbool.h>
#include <stdint.h>

#include "bpf/sample.h"

/* Looks for a root of Go's stacks in the n addresses of a stack, leaf first. bias: run-time minus
 * link-time addresses. Returns true if there is one; *n then ends the stack with it. */
bool go_chain_ends(const struct sample_binary *b, uint64_t bias, const uint64_t *pcs, uint32_t *n);

#endif
