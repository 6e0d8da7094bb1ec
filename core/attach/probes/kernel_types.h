/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernel's types (BTF), read once for all BPF objects. libbpf reads all of them, several MB,
 * for each object that uses some. It also searches them for every name. This takes 20 ms for each
 * object.
 */
#ifndef GOTRACE_KERNEL_TYPES_H
#define GOTRACE_KERNEL_TYPES_H

#include <stddef.h>

struct bpf_object;
struct bpf_program;
struct bpf_link;

/*
 * Opens an object under a name. The caller keeps its `bytes` bytes. *types is a descriptor that the
 * caller closes after loading the object; -1: libbpf reads the types itself. Returns NULL and sets
 * errno on error.
 */
struct bpf_object *kernel_types_open(const char *name, const void *object, size_t bytes,
				     int *types);

/* Attaches a program of a section tp_btf/NAME. Returns NULL and sets errno on error. */
struct bpf_link *kernel_types_attach(struct bpf_object *o, const char *program);

#endif
