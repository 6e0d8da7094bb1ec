/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GOTRACE_EMBEDDED_BPF_H
#define GOTRACE_EMBEDDED_BPF_H

#include <stddef.h>

struct bpf_object;

/* The compiled bpf/ programs, part of this library. */
extern const unsigned char bpf_probes_start[], bpf_probes_end[];
extern const unsigned char bpf_children_start[], bpf_children_end[];

/* Memory shared with a map of a loaded object, NULL and errno. Unmap with embedded_bpf_unmap. */
void *embedded_bpf_map(struct bpf_object *o, const char *map, size_t bytes);
void embedded_bpf_unmap(void *at, size_t bytes);

#endif
