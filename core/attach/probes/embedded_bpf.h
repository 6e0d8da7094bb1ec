/* SPDX-License-Identifier: BSD-2-Clause */
/* The BPF objects that are linked into gotrace, and memory shared with them. */
#ifndef GOTRACE_EMBEDDED_BPF_H
#define GOTRACE_EMBEDDED_BPF_H

#include <stddef.h>

struct bpf_object;

/* The compiled objects of bpf/, as ELF files in memory. */
extern const unsigned char bpf_probes_start[], bpf_probes_end[];
extern const unsigned char bpf_children_start[], bpf_children_end[];

/* Maps the memory of a loaded object's map, shared with its programs. NULL and errno. To be
 * unmapped with the same size. */
void *embedded_bpf_map(struct bpf_object *o, const char *map, size_t bytes);
void embedded_bpf_unmap(void *at, size_t bytes);

#endif
