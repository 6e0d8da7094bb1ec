/* SPDX-License-Identifier: BSD-2-Clause */
/* The BPF objects that are linked into gotrace, and memory shared with them. */
#ifndef GOTRACE_EMBEDDED_BPF_H
#define GOTRACE_EMBEDDED_BPF_H

#include <stddef.h>

#include "bpf_objects.h"

struct bpf_object;

/* The name of a compiled object of bpf/, and the start and end of its ELF file in memory. */
#define BPF_OBJECT(object) #object, bpf_##object##_start, bpf_##object##_end
/* The name of one of its programs or maps. The compiler refuses a wrong name. */
#define BPF_NAME(object, name) BPF_##object##_##name

/* A small object with its configuration in .rodata and one struct of state in .bss. */
struct embedded_bpf {
	const char *name;
	const unsigned char *start, *end;
	const void *config;
	size_t config_bytes, state_bytes;
};

/* Loads the object and maps its state, shared with its programs. libbpf's messages go to the debug
 * log. Returns 0, or -errno and sets neither. The caller returns the state by embedded_bpf_unmap.
 */
int embedded_bpf_load(const struct embedded_bpf *e, struct bpf_object **object, void **state);

/* Returns the configuration (.rodata) of an object that is not loaded yet, for writing. NULL: it
 * has fewer than so many bytes. */
void *embedded_bpf_config(const struct bpf_object *o, size_t bytes);

/* Maps the memory of a loaded object's map, shared with its programs. The caller unmaps it with the
 * same size. Returns NULL and sets errno on error. */
void *embedded_bpf_map(struct bpf_object *o, const char *map, size_t bytes);
void embedded_bpf_unmap(void *at, size_t bytes);

/* From now on libbpf's messages go to the debug log. */
void embedded_bpf_log(void);

#endif
