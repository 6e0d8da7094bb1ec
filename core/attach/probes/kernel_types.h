/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernel's types (BTF), read once for all BPF objects. libbpf reads all of them, several MB,
 * for each object that uses some, and looks through them for every name: 20 ms an object.
 */
#ifndef GOTRACE_KERNEL_TYPES_H
#define GOTRACE_KERNEL_TYPES_H

#include <stddef.h>

struct bpf_object;
struct bpf_program;
struct bpf_link;

/*
 * Opens the object of so many bytes, which stay the caller's, under a name. *types: a descriptor to
 * be closed after it was loaded, -1: libbpf reads the types itself. NULL and errno.
 */
struct bpf_object *kernel_types_open(const char *name, const void *object, size_t bytes,
				     int *types);

/* Attaches a program of a section tp_btf/NAME. NULL and errno. */
struct bpf_link *kernel_types_attach(struct bpf_object *o, const char *program);

#endif
